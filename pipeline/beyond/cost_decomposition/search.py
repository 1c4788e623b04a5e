"""The search for the least cost of a stream of meetings: calendars, steps, rules, and a depth-first search."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import polars as pl

CHEAPEST, TIES, ANY = "cheapest", "ties", "any"  # which slot a meeting takes
FIRST, BEST, OBSERVED = "first", "best", "observed"  # where an errand lands
FREE, HELD = -1, -2  # HELD: a meeting or a blocked item, which makes way for nothing

Calendar = tuple[int, ...]  # of each slot FREE, HELD, or the cost of the errand in it
Calendars = tuple[Calendar, ...]  # one an agent


def initial_calendars(items: pl.DataFrame, games: pl.DataFrame) -> dict[str, Calendars]:
    """Game → its agents' initial calendars, from the tables items and games."""
    slots: dict[str, list[list[int]]] = {
        game: [[FREE] * size for _ in range(agents)]
        for game, agents, size in games.select("game_id", "num_agents", "num_slots").iter_rows()
    }
    columns = ("game_id", "agent", "slot", "item_kind", "cost", "blocked")
    for game, agent, slot, kind, cost, blocked in items.select(columns).iter_rows():
        if game in slots:
            slots[game][agent][slot] = HELD if blocked or kind == "meeting" else cost
    return {game: tuple(map(tuple, calendars)) for game, calendars in slots.items()}


def clearing_cost(calendar: Calendar, slot: int) -> int | None:
    """What holding a meeting in the slot costs its owner: 0 free, an errand's cost where it can go elsewhere, else None
    (Appendix G.1)."""
    held = calendar[slot]
    if held == FREE:
        return 0
    return held if held >= 0 and FREE in calendar else None


def meeting_cost(calendars: Calendars, members: Iterable[int], slot: int) -> int | None:
    """What a meeting in the slot costs its members together, None where one of them cannot."""
    total = 0
    for agent in members:
        cost = clearing_cost(calendars[agent], slot)
        if cost is None:
            return None
        total += cost
    return total


def possible_slots(calendars: Calendars, members: Sequence[int], slots: Iterable[int]) -> dict[int, int]:
    """Of the slots, those that are possible for all members, each with its cost."""
    costs = ((slot, meeting_cost(calendars, members, slot)) for slot in slots)
    return {slot: cost for slot, cost in costs if cost is not None}


def free_slots(calendar: Calendar) -> list[int]:
    """The free slots, ascending."""
    return [slot for slot, held in enumerate(calendar) if held == FREE]


def with_meeting(calendar: Calendar, slot: int, landing: int | None) -> Calendar:
    """The calendar with a meeting in the slot, its errand moved to `landing` (None: it had none)."""
    cells = list(calendar)
    if landing is not None:
        cells[landing] = cells[slot]
    cells[slot] = HELD
    return tuple(cells)


def with_slot_free(calendars: Calendars, members: Iterable[int], slot: int) -> Calendars:
    """The calendars with the slot free again on those of the members."""
    freed = set(members)
    return tuple(
        (*calendar[:slot], FREE, *calendar[slot + 1 :]) if agent in freed else calendar
        for agent, calendar in enumerate(calendars)
    )


def with_calendars(calendars: Calendars, new: Mapping[int, Calendar]) -> Calendars:
    """The calendars with those of some agents replaced."""
    return tuple(new.get(agent, calendar) for agent, calendar in enumerate(calendars))


class TooManyStates(ValueError):
    """The search would take more states than its limit allows."""


@dataclass(frozen=True)
class Step:
    """One meeting to schedule: its members, its round, and the slot it takes (None: it is chosen by the rule).

    A step with `leaves` carries an earlier meeting away from that slot, for which the members pay `price` together.
    `landings` tells where a member's errand was seen to go, by the slot that it left.
    """

    members: tuple[int, ...]
    number: int = 0
    slot: int | None = None
    leaves: int | None = None
    price: int = 0
    landings: Mapping[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """How a step without a slot picks one (the cheapest now, the lowest of equals; any of the equals; any at all), and
    where a displaced errand goes (the first free slot; wherever it turns out best; where it was seen to go)."""

    pick: str = CHEAPEST
    landing: str = FIRST


@dataclass(frozen=True, order=True)
class Outcome:
    """What a replay comes to: the steps that found no possible slot, then what all agents pay."""

    unplaced: int
    cost: int


def least_outcome(calendars: Calendars, steps: Sequence[Step], rules: Rules, limit: int = 1_000_000) -> Outcome:
    """The least outcome that the rules allow. Raises TooManyStates beyond `limit` states."""
    return _Search(steps, rules, limit).run(calendars)


class _Search:
    """One depth-first search: the best outcome so far, and at which each state was reached."""

    def __init__(self, steps: Sequence[Step], rules: Rules, limit: int) -> None:
        self.steps, self.rules, self.limit = steps, rules, limit
        self.best = Outcome(len(steps) + 1, 0)
        self.reached: dict[tuple[int, Calendars], Outcome] = {}

    def run(self, calendars: Calendars) -> Outcome:
        self.visit(calendars, 0, Outcome(0, 0))
        return self.best

    def visit(self, calendars: Calendars, number: int, paid: Outcome) -> None:
        if number == len(self.steps):
            self.best = min(self.best, paid)
            return
        if self.bound(calendars, number, paid) >= self.best:
            return
        before = self.reached.get((number, calendars))
        if before is not None and before <= paid:
            return
        if len(self.reached) >= self.limit:
            raise TooManyStates(f"a replay of {len(self.steps)} meetings takes more than {self.limit} states")
        self.reached[number, calendars] = paid
        for cost, after in self.choices(calendars, self.steps[number]):
            self.visit(after, number + 1, Outcome(paid.unplaced, paid.cost + cost))
        if not self.open_slots(calendars, self.steps[number]):
            self.visit(calendars, number + 1, Outcome(paid.unplaced + 1, paid.cost))

    def bound(self, calendars: Calendars, number: int, paid: Outcome) -> Outcome:
        """What the outcome is at least: what was paid, and each step to come at its least cost on these calendars.

        A meeting that is carried away frees a slot: beyond that step nothing is known.
        """
        cost = paid.cost
        for step in self.steps[number:]:
            cost += step.price
            if step.leaves is not None:
                break
            cost += min(self.open_slots(calendars, step).values(), default=0)
        return Outcome(paid.unplaced, cost)

    def open_slots(self, calendars: Calendars, step: Step) -> dict[int, int]:
        """The slots that the step could take, each with its cost."""
        slots = range(len(calendars[0])) if step.slot is None else (step.slot,)
        return possible_slots(calendars, step.members, slots)

    def choices(self, calendars: Calendars, step: Step) -> Iterator[tuple[int, Calendars]]:
        """What each way to take the step costs, and the calendars that it leaves; the cheapest slots first."""
        costs = self.open_slots(calendars, step)
        order = sorted(costs, key=lambda slot: (costs[slot], slot))
        if self.rules.pick == CHEAPEST:
            order = order[:1]
        elif self.rules.pick == TIES:
            order = [slot for slot in order if costs[slot] == costs[order[0]]]
        for slot in order:
            for after in self.placements(calendars, step, slot):
                freed = after if step.leaves is None else with_slot_free(after, step.members, step.leaves)
                yield costs[slot] + step.price, freed

    def placements(self, calendars: Calendars, step: Step, slot: int) -> Iterator[Calendars]:
        """The calendars with the meeting in the slot, one for each combination of landings."""
        options = [
            [with_meeting(calendars[a], slot, landing) for landing in self.landings(calendars[a], step, a, slot)]
            for a in step.members
        ]
        for chosen in product(*options):
            yield with_calendars(calendars, dict(zip(step.members, chosen, strict=True)))

    def landings(self, calendar: Calendar, step: Step, agent: int, slot: int) -> Sequence[int | None]:
        """Where the member's errand in the slot may go; None alone where the slot is free."""
        if calendar[slot] == FREE:
            return [None]
        assert clearing_cost(calendar, slot) is not None
        free = free_slots(calendar)
        if self.rules.landing == BEST:
            return free
        seen = step.landings.get((agent, slot)) if self.rules.landing == OBSERVED else None
        return [seen if seen in free else free[0]]
