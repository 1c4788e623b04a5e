"""Calendars as the search sees them, and the cheapest way on from any of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import polars as pl

FREE, HELD = -1, -2  # HELD: a meeting or a blocked item, which makes way for nothing

Board = tuple[int, ...]  # of each slot FREE, HELD, or the cost of the errand in it
Boards = tuple[Board, ...]  # one an agent


def initial_boards(items: pl.DataFrame, games: pl.DataFrame) -> dict[str, Boards]:
    """Game → its agents' initial calendars, from the tables items and games."""
    slots: dict[str, list[list[int]]] = {
        game: [[FREE] * size for _ in range(agents)]
        for game, agents, size in games.select("game_id", "num_agents", "num_slots").iter_rows()
    }
    columns = ("game_id", "agent", "slot", "item_kind", "cost", "blocked")
    for game, agent, slot, kind, cost, blocked in items.select(columns).iter_rows():
        if game in slots:
            slots[game][agent][slot] = HELD if blocked or kind == "meeting" else cost
    return {game: tuple(map(tuple, boards)) for game, boards in slots.items()}


def clearing_cost(board: Board, slot: int) -> int | None:
    """What holding a meeting in the slot costs its owner: 0 free, an errand's cost where it can go elsewhere, else None
    (Appendix G.1)."""
    held = board[slot]
    if held == FREE:
        return 0
    return held if held >= 0 and FREE in board else None


def meeting_cost(boards: Boards, members: Iterable[int], slot: int) -> int | None:
    """What a meeting in the slot costs its members together, None where one of them cannot."""
    total = 0
    for agent in members:
        cost = clearing_cost(boards[agent], slot)
        if cost is None:
            return None
        total += cost
    return total


def possible(boards: Boards, members: Sequence[int], slots: Iterable[int]) -> dict[int, int]:
    """Of the slots, those that are possible for all members, each with its cost."""
    costs = ((slot, meeting_cost(boards, members, slot)) for slot in slots)
    return {slot: cost for slot, cost in costs if cost is not None}


def free_slots(board: Board) -> list[int]:
    """The free slots, ascending."""
    return [slot for slot, held in enumerate(board) if held == FREE]


def held_at(board: Board, slot: int, landing: int | None) -> Board:
    """The board with a meeting in the slot, the errand that was there carried to `landing` (None: there was none)."""
    cells = list(board)
    if landing is not None:
        cells[landing] = cells[slot]
    cells[slot] = HELD
    return tuple(cells)


def released(boards: Boards, members: Iterable[int], slot: int) -> Boards:
    """The boards with the slot free again on the members' own."""
    freed = set(members)
    return tuple(
        (*board[:slot], FREE, *board[slot + 1 :]) if agent in freed else board for agent, board in enumerate(boards)
    )


def replaced(boards: Boards, new: Mapping[int, Board]) -> Boards:
    """The boards with those of some agents replaced."""
    return tuple(new.get(agent, board) for agent, board in enumerate(boards))


CHEAPEST, TIES, ANY = "cheapest", "ties", "any"
FIRST, BEST, OBSERVED = "first", "best", "observed"


class TooManyStates(ValueError):
    """The search would take more states than its limit allows."""


@dataclass(frozen=True)
class Step:
    """One meeting to place: its members, its round, and the slot it takes (None: it is chosen by the rule).

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


def least(boards: Boards, steps: Sequence[Step], rules: Rules, limit: int = 1_000_000) -> Outcome:
    """The least outcome that the rules allow. Raises TooManyStates beyond `limit` states."""
    return _Search(steps, rules, limit).run(boards)


class _Search:
    """One depth-first search: the best outcome so far, and at which each state was left."""

    def __init__(self, steps: Sequence[Step], rules: Rules, limit: int) -> None:
        self.steps, self.rules, self.limit = steps, rules, limit
        self.best = Outcome(len(steps) + 1, 0)
        self.left: dict[tuple[int, Boards], Outcome] = {}

    def run(self, boards: Boards) -> Outcome:
        self.visit(boards, 0, Outcome(0, 0))
        return self.best

    def visit(self, boards: Boards, number: int, paid: Outcome) -> None:
        if number == len(self.steps):
            self.best = min(self.best, paid)
            return
        if self.bound(boards, number, paid) >= self.best:
            return
        before = self.left.get((number, boards))
        if before is not None and before <= paid:
            return
        if len(self.left) >= self.limit:
            raise TooManyStates(f"a replay of {len(self.steps)} meetings takes more than {self.limit} states")
        self.left[number, boards] = paid
        for cost, after in self.choices(boards, self.steps[number]):
            self.visit(after, number + 1, Outcome(paid.unplaced, paid.cost + cost))
        if not self.open_slots(boards, self.steps[number]):
            self.visit(boards, number + 1, Outcome(paid.unplaced + 1, paid.cost))

    def bound(self, boards: Boards, number: int, paid: Outcome) -> Outcome:
        """What the outcome is at least: each step to come at its least cost on the boards of now.

        A meeting that is carried away frees a slot: beyond that step nothing is known.
        """
        cost = paid.cost
        for step in self.steps[number:]:
            cost += step.price
            if step.leaves is not None:
                break
            cost += min(self.open_slots(boards, step).values(), default=0)
        return Outcome(paid.unplaced, cost)

    def open_slots(self, boards: Boards, step: Step) -> dict[int, int]:
        """The slots that the step could take, each with its cost."""
        slots = range(len(boards[0])) if step.slot is None else (step.slot,)
        return possible(boards, step.members, slots)

    def choices(self, boards: Boards, step: Step) -> Iterator[tuple[int, Boards]]:
        """What each way to take the step costs, and the boards that it leaves; the cheapest slots first."""
        costs = self.open_slots(boards, step)
        order = sorted(costs, key=lambda slot: (costs[slot], slot))
        if self.rules.pick == CHEAPEST:
            order = order[:1]
        elif self.rules.pick == TIES:
            order = [slot for slot in order if costs[slot] == costs[order[0]]]
        for slot in order:
            for after in self.placed(boards, step, slot):
                freed = after if step.leaves is None else released(after, step.members, step.leaves)
                yield costs[slot] + step.price, freed

    def placed(self, boards: Boards, step: Step, slot: int) -> Iterator[Boards]:
        """The boards with the meeting in the slot, one for each combination of landings."""
        ways = [
            [held_at(boards[agent], slot, landing) for landing in self.landings(boards[agent], step, agent, slot)]
            for agent in step.members
        ]
        for chosen in product(*ways):
            yield replaced(boards, dict(zip(step.members, chosen, strict=True)))

    def landings(self, board: Board, step: Step, agent: int, slot: int) -> Sequence[int | None]:
        """Where the member's errand in the slot may go; None alone where the slot is free."""
        if board[slot] == FREE:
            return [None]
        assert clearing_cost(board, slot) is not None
        free = free_slots(board)
        if self.rules.landing == BEST:
            return free
        seen = step.landings.get((agent, slot)) if self.rules.landing == OBSERVED else None
        return [seen if seen in free else free[0]]
