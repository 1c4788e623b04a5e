"""The cheapest schedule that full information allows, and how many there are (paper, section 3; CP-SAT).

A slot costs a meeting what its participants hold there on their *initial* calendars, a meeting that stands there from
the start among it. It is impossible where one of them is blocked, or holds something there and has no free slot. The
optimum is made unique: among the cheapest schedules the one that displaces fewest errands, then the lexicographically
first slots, whatever the solver's version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, inf, prod
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sim.calendar import Calendar, Errand
from sim.tasks.scenario import Meeting

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

At = Mapping[int, Any]  # slot → the variable that says whether the meeting takes it

# CP-SAT adds objectives up in 64 bits; beyond this the criteria are minimised one after the other.
LARGEST_OBJECTIVE = 2**50
# Its bounds are floats: a bound is the next whole number, unless it is above the last by rounding only.
ROUNDING = 1e-6


class NoSchedule(ValueError):
    """No schedule puts every meeting into a possible slot."""


class NotProven(RuntimeError):
    """The solver ran out of its time before it could prove the optimum."""


class TooManyStates(ValueError):
    """The counts would take longer than their limit allows."""


class Placement(Struct, frozen=True):
    """What one meeting in one slot costs, and how many items it displaces."""

    cost: int
    displaced: int


class Optimum(Struct, frozen=True):
    """The canonical cheapest schedule: a slot for each meeting, in the meetings' order.

    Where it was not proven it is the cheapest that was found, and none is cheaper than `bound`.
    """

    cost: int
    displaced: int
    slots: tuple[int, ...]
    bound: int | None = None


class Counts(Struct, frozen=True):
    """How many assignments of slots to meetings are feasible, and how many of them cost least."""

    feasible: int
    optimal: int


def placements(calendars: Sequence[Calendar], meetings: Sequence[Meeting]) -> list[dict[int, Placement]]:
    """For each meeting its possible slots, ascending, and what each costs."""
    slots = range(len(calendars[0]))
    options = [{s: placement(calendars, meeting, s) for s in slots} for meeting in meetings]
    return [{s: p for s, p in of_meeting.items() if p is not None} for of_meeting in options]


def placement(calendars: Sequence[Calendar], meeting: Meeting, slot: int) -> Placement | None:
    """What the meeting costs in the slot, or None where it is impossible."""
    cost = displaced = 0
    for calendar in (calendars[agent] for agent in meeting.participants):
        item = calendar[slot]
        if item is None:
            continue
        if not calendar.free or (isinstance(item, Errand) and item.blocked):
            return None
        cost += item.cost
        displaced += 1
    return Placement(cost, displaced)


def conflicts(meetings: Sequence[Meeting]) -> list[tuple[int, int]]:
    """The pairs of meetings, by index, that share an agent and so can't share a slot."""
    members = [set(m.participants) for m in meetings]
    return [(a, b) for a in range(len(members)) for b in range(a + 1, len(members)) if members[a] & members[b]]


def solve(
    calendars: Sequence[Calendar],
    meetings: Sequence[Meeting],
    effort: float | None = None,
    start: Sequence[int] = (),
    keep: bool = False,
) -> Optimum:
    """The canonical optimum; to `keep` what `effort` did not prove, the cheapest schedule found, with a bound.

    effort: the solver's deterministic time, in its units of about a second: no clock, so that the same task gives the
    same schedule again; None until all is proven. start: a feasible schedule, a slot a meeting; the search begins there
    or, where that is cheaper, at the schedule that takes the cheapest slot left, meeting by meeting.
    Raises NoSchedule where none is feasible, and NotProven where the effort did not prove it and it is not to be kept.
    """
    options = placements(calendars, meetings)
    if not all(options):
        raise NoSchedule(f"meeting {next(i for i, o in enumerate(options) if not o) + 1} has no possible slot")
    search = Search(options, meetings, effort, better_start(options, meetings, start) if start else ())
    bound = 0
    if effort is not None:
        bound = search.minimise([p.cost for option in options for p in option.values()])
    for weights in stages(options):
        search.minimise(weights)
    if not search.slots:
        raise NotProven(f"an effort of {effort} finds no schedule; give more effort")
    chosen = [options[m][s] for m, s in enumerate(search.slots)]
    cost = sum(p.cost for p in chosen)
    proven = effort is None or bound == cost
    if not proven and not keep:
        raise NotProven(
            f"an effort of {effort:g} proves only that its optimum lies between {bound} and {cost}; "
            "give more effort, or keep what is not proven"
        )
    return Optimum(cost, sum(p.displaced for p in chosen), tuple(search.slots), None if proven else bound)


def better_start(
    options: Sequence[Mapping[int, Placement]], meetings: Sequence[Meeting], start: Sequence[int]
) -> Sequence[int]:
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
    """A search that goes on from the best schedule so far, `slots`, until its effort is spent."""

    def __init__(
        self,
        options: Sequence[Mapping[int, Placement]],
        meetings: Sequence[Meeting],
        effort: float | None,
        start: Sequence[int],
    ) -> None:
        self.model, self.at = assignment(options, meetings)
        self.left, self.slots, self.ended = inf if effort is None else effort, list(start), True

    def minimise(self, weights: Sequence[int]) -> int:
        """Minimise the sum of weights, one a (meeting, slot), and keep it so; its proven bound.

        After an objective that was not minimised for certain, none is.
        """
        from ortools.sat.python import cp_model

        if not self.ended:
            return 0
        objective = cp_model.LinearExpr.weighted_sum(
            [v for of_meeting in self.at for v in of_meeting.values()], weights
        )
        self.model.minimize(objective)
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        for of_meeting, slot in zip(self.at, self.slots, strict=False):
            for each, variable in of_meeting.items():
                self.model.add_hint(variable, each == slot)
        solver = exact_solver()
        solver.parameters.max_deterministic_time = self.left
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            raise NoSchedule("no schedule keeps every agent out of two meetings at once")
        self.left -= solver.deterministic_time
        self.ended = status == cp_model.OPTIMAL
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return 0
        self.slots = [next(s for s, v in of_meeting.items() if solver.boolean_value(v)) for of_meeting in self.at]
        self.model.add(objective == round(solver.objective_value))
        return max(0, ceil(solver.best_objective_bound - ROUNDING))


def assignment(options: Sequence[Mapping[int, Placement]], meetings: Sequence[Meeting]) -> tuple[CpModel, Sequence[At]]:
    """The model in which each meeting takes one of its slots and no agent is in two, and its variables."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    at = [{slot: model.new_bool_var("") for slot in option} for option in options]
    for variables in at:
        model.add_exactly_one(variables.values())
    for clique in slot_cliques(meetings):
        for slot in sorted({s for m in clique for s in at[m]}):
            model.add_at_most_one(at[m][slot] for m in clique if slot in at[m])
    return model, at


def exact_solver() -> CpSolver:
    """A solver that repeats itself."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # It would take Ctrl-C for the end of its time, and leave the process without Python's handler.
    solver.parameters.catch_sigint_signal = False
    # The whole relaxation bounds such objectives so well that presolving costs four times what it saves; larger shapes
    # it keeps from being proven at all.
    solver.parameters.cp_model_presolve = False
    solver.parameters.linearization_level = 2
    return solver


def slot_cliques(meetings: Sequence[Meeting]) -> list[tuple[int, ...]]:
    """The meetings, by index, of each agent that has two or more: at most one of them in a slot."""
    agents = sorted({a for m in meetings for a in m.participants})
    cliques = [tuple(i for i, m in enumerate(meetings) if a in m.participants) for a in agents]
    return sorted({c for c in cliques if len(c) > 1})


def stages(options: Sequence[dict[int, Placement]]) -> list[list[int]]:
    """Objectives to minimise one after the other, a weight for each (meeting, slot) in order.

    The criteria are cost, displaced errands, then the slot of each meeting. Consecutive ones are packed into one
    objective, each worth more than all after it together, while the sum stays below LARGEST_OBJECTIVE.
    """
    criteria = [
        [p.cost for option in options for p in option.values()],
        [p.displaced for option in options for p in option.values()],
    ]
    for wanted in range(len(options)):
        criteria.append([s if m == wanted else 0 for m, option in enumerate(options) for s in option])
    packed: list[list[list[int]]] = [[]]
    for criterion in criteria:
        if packed[-1] and prod(reach(options, c) for c in [*packed[-1], criterion]) > LARGEST_OBJECTIVE:
            packed.append([])
        packed[-1].append(criterion)
    return [combined(options, group) for group in packed]


def reach(options: Sequence[dict[int, Placement]], criterion: Sequence[int]) -> int:
    """How many values the criterion can take: one more than its largest sum over one slot a meeting."""
    largest, start = 0, 0
    for option in options:
        largest += max(criterion[start : start + len(option)])
        start += len(option)
    return largest + 1


def combined(options: Sequence[dict[int, Placement]], criteria: Sequence[Sequence[int]]) -> list[int]:
    """One objective whose minimum is the lexicographic minimum of the criteria."""
    weights = [0] * len(criteria[0])
    for criterion in criteria:
        factor = reach(options, criterion)
        weights = [w * factor + c for w, c in zip(weights, criterion, strict=True)]
    return weights


def count(calendars: Sequence[Calendar], meetings: Sequence[Meeting], limit: int = 2_000_000) -> Counts:
    """How many assignments are feasible, and how many are optimal, exactly.

    Slot by slot, over the sets of meetings placed so far. Raises TooManyStates where that would take more than
    about `limit` steps.
    """
    if 2 ** len(meetings) > limit * 8:
        raise TooManyStates(f"{len(meetings)} meetings are too many to count")
    options = placements(calendars, meetings)
    groups = compatible_groups(conflicts(meetings), len(meetings), limit)
    slots = range(len(calendars[0]))
    if len(slots) * len(groups) * 2 ** len(meetings) > limit * 8:
        raise TooManyStates(f"{len(meetings)} meetings on {len(slots)} slots are too many to count")
    state = {0: (1, 0, 1)}
    for slot in slots:
        state = extended(state, [(g, c) for g in groups if (c := group_cost(g, slot, options)) is not None])
    feasible, _, optimal = state.get(2 ** len(meetings) - 1, (0, 0, 0))
    return Counts(feasible, optimal)


State = dict[int, tuple[int, int, int]]  # set of placed meetings → (ways, least cost, ways at the least cost)


def extended(state: State, choices: Sequence[tuple[int, int]]) -> State:
    """The states after one more slot, which takes one of the groups (mask, cost) or stays empty."""
    after = dict(state)
    for placed, (ways, least, at_least) in state.items():
        for group, cost in choices:
            if placed & group:
                continue
            other = after.get(placed | group)
            if other is None or least + cost < other[1]:
                after[placed | group] = (ways + (other[0] if other else 0), least + cost, at_least)
            else:
                tied = at_least if least + cost == other[1] else 0
                after[placed | group] = (other[0] + ways, other[1], other[2] + tied)
    return after


def compatible_groups(pairs: Sequence[tuple[int, int]], meetings: int, limit: int) -> list[int]:
    """The non-empty sets of meetings, as bit masks, that may share a slot."""
    clash = [sum(1 << b for a, b in [*pairs, *(p[::-1] for p in pairs)] if a == m) for m in range(meetings)]
    groups = [0]
    for meeting in range(meetings):
        groups += [g | 1 << meeting for g in groups if not g & clash[meeting]]
        if len(groups) > limit:
            raise TooManyStates(f"{meetings} meetings can share slots in too many ways to count")
    return groups[1:]


def group_cost(group: int, slot: int, options: Sequence[dict[int, Placement]]) -> int | None:
    """What the meetings of the group cost together in the slot, or None where one of them can't be there."""
    cost = 0
    for meeting, option in enumerate(options):
        if group >> meeting & 1:
            if slot not in option:
                return None
            cost += option[slot].cost
    return cost
