"""Feasible schedules counted, and optima under a bound of time with a proven gap."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil

from msgspec import Struct

from sim.calendar import Calendar, Errand, Item, ScheduledMeeting
from sim.tasks.oracle import CROWDED, NoSchedule, Optimum, Placement, assignment, exact_solver, placements, stages
from sim.tasks.scenario import Meeting


class Replay(Struct, frozen=True):
    """A schedule carried out in meeting order: a slot a meeting, and what each agent pays."""

    slots: tuple[int, ...]
    per_agent_cost: tuple[int, ...]

    @property
    def cost(self) -> int:
        """What all agents pay together."""
        return sum(self.per_agent_cost)


def replay_optimum(calendars: Sequence[Calendar], meetings: Sequence[Meeting], slots: Sequence[int]) -> Replay:
    """The optimum carried out so that it costs what it should.

    A displaced errand lands on the first free slot that is none of its owner's own meeting slots, so that nothing
    moves twice and the burdens add up to the optimum. Raises NoSchedule where an agent runs out of such slots.
    """
    boards = [list(c.slots) for c in calendars]
    placed = list(zip(meetings, slots, strict=True))
    reserved = [{s for m, s in placed if agent in m.participants} for agent in range(len(boards))]
    costs = [0] * len(boards)
    for meeting, slot in placed:
        place(boards, costs, meeting, slot, reserved)
    return Replay(tuple(slots), tuple(costs))


def replay(calendars: Sequence[Calendar], meetings: Sequence[Meeting], slots: Sequence[int]) -> Replay:
    """The schedule carried out in order, each displaced item landing on its owner's first free slot.

    An earlier meeting is displaced like an errand, on that agent's calendar only: a yardstick, not a valid schedule.
    """
    boards = [list(c.slots) for c in calendars]
    costs = [0] * len(boards)
    for meeting, slot in zip(meetings, slots, strict=True):
        place(boards, costs, meeting, slot)
    return Replay(tuple(slots), tuple(costs))


def greedy(calendars: Sequence[Calendar], meetings: Sequence[Meeting]) -> Replay:
    """Each meeting in its first possible slot, on the calendars as the earlier ones left them.

    Raises NoSchedule where a meeting has none.
    """
    boards = [list(c.slots) for c in calendars]
    costs, slots = [0] * len(boards), []
    for meeting in meetings:
        possible = (s for s in range(len(boards[0])) if all(can_clear(boards[a], s) for a in meeting.participants))
        slot = next(possible, None)
        if slot is None:
            raise NoSchedule(f"the greedy schedule finds no slot for meeting {meeting.id}")
        place(boards, costs, meeting, slot)
        slots.append(slot)
    return Replay(tuple(slots), tuple(costs))


def place(
    boards: Sequence[list[Item | None]],
    costs: list[int],
    meeting: Meeting,
    slot: int,
    reserved: Sequence[Collection[int]] | None = None,
) -> None:
    """Put the meeting on its participants' boards, adding what each pays for what it displaces; nothing displaced goes
    to a slot that its owner has `reserved`."""
    for agent in meeting.participants:
        costs[agent] += displace(boards[agent], slot, reserved[agent] if reserved else ())
        boards[agent][slot] = ScheduledMeeting(meeting.id, meeting.cost, meeting.participants)


def can_clear(board: Sequence[Item | None], slot: int) -> bool:
    """Whether the slot is free, or holds what may go to a free slot."""
    item = board[slot]
    return item is None or (None in board and not (isinstance(item, Errand) and item.blocked))


def displace(board: list[Item | None], slot: int, reserved: Collection[int]) -> int:
    """Move what the slot holds to the first free slot outside `reserved`; its cost, 0 where the slot is free."""
    item = board[slot]
    if item is None:
        return 0
    landing = next((s for s, held in enumerate(board) if held is None and s not in reserved), None)
    if landing is None:
        raise NoSchedule(f"nothing is free for the item displaced from slot {slot}")
    board[landing], board[slot] = item, None
    return item.cost


# The solver's bounds are floats: a bound is the next whole number, unless it is above the last by rounding only.
ROUNDING = 1e-6


class Bounded(Struct, frozen=True):
    """The best schedule found, and a bound that none can be cheaper than. Proven where the two meet.

    `canonical` says whether it is also the one that `sim.tasks.oracle.solve` names among the cheapest.
    """

    best: Optimum
    bound: int
    canonical: bool

    @property
    def proven(self) -> bool:
        """Whether no schedule is cheaper."""
        return self.bound == self.best.cost


def solve_within(
    calendars: Sequence[Calendar], meetings: Sequence[Meeting], effort: float, start: Sequence[int]
) -> Bounded:
    """The best schedule that `effort` finds: for its cost first, what is left for the order among the cheapest.

    effort: the solver's deterministic time, in its units of about a second: no clock, so that the same task gives the
    same schedule again. start: a feasible schedule, a slot a meeting; where taking the cheapest slot left, meeting by
    meeting, gives a better one, the search starts there. Raises NoSchedule where a meeting has no possible slot.
    """
    options = placements(calendars, meetings)
    if not all(options):
        raise NoSchedule(f"meeting {next(i for i, o in enumerate(options) if not o) + 1} has no possible slot")
    costs = [p.cost for option in options for p in option.values()]
    search = Search(options, meetings, effort, better_start(options, meetings, list(start)))
    bound = search.minimise(costs)
    least = sum(min(p.cost for p in option.values()) for option in options)
    for weights in stages(options):
        search.minimise(weights)
    chosen = [options[m][s] for m, s in enumerate(search.slots)]
    best = Optimum(sum(p.cost for p in chosen), sum(p.displaced for p in chosen), tuple(search.slots))
    return Bounded(best, max(least, bound), search.ended)


def better_start(
    options: Sequence[Mapping[int, Placement]], meetings: Sequence[Meeting], start: list[int]
) -> list[int]:
    """The cheaper of the start and of the schedule that takes, meeting by meeting, the cheapest slot that is left."""
    taken: set[tuple[int, int]] = set()
    slots: list[int] = []
    for option, meeting in zip(options, meetings, strict=True):
        left = [s for s in option if not any((a, s) in taken for a in meeting.participants)]
        if not left:
            return start
        slots.append(min(left, key=lambda s: (option[s].cost, s)))
        taken.update((a, slots[-1]) for a in meeting.participants)
    return min(slots, start, key=lambda schedule: sum(options[m][s].cost for m, s in enumerate(schedule)))


class Search:
    """A search that goes on from the best schedule so far, `slots`, until its effort is spent.

    `ended` says whether every objective so far was minimised for certain; after one that was not, none is.
    """

    def __init__(
        self,
        options: Sequence[Mapping[int, Placement]],
        meetings: Sequence[Meeting],
        effort: float,
        start: list[int],
    ) -> None:
        self.model, self.at = assignment(options, meetings)
        self.flat = [v for of_meeting in self.at for v in of_meeting.values()]
        self.left, self.slots, self.ended = effort, start, True

    def minimise(self, weights: Sequence[int]) -> int:
        """Minimise the sum of weights, one a (meeting, slot), and keep it so; its proven bound, at least 0."""
        from ortools.sat.python import cp_model

        if not self.ended:
            return 0
        objective = cp_model.LinearExpr.weighted_sum(self.flat, weights)
        self.model.minimize(objective)
        self.begin_at_best()
        solver = exact_solver()
        solver.parameters.max_deterministic_time = self.left
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            raise NoSchedule(CROWDED)
        self.left -= solver.deterministic_time
        self.ended = status == cp_model.OPTIMAL
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return 0
        self.slots = [next(s for s, v in of_meeting.items() if solver.boolean_value(v)) for of_meeting in self.at]
        self.model.add(objective == round(solver.objective_value))
        return max(0, ceil(solver.best_objective_bound - ROUNDING))

    def begin_at_best(self) -> None:
        """Tell the solver the best schedule so far."""
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        for of_meeting, slot in zip(self.at, self.slots, strict=True):
            for each, variable in of_meeting.items():
                self.model.add_hint(variable, each == slot)
