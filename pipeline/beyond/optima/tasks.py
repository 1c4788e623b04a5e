"""What agents pay in the optima of a task and in schedules near them: burdens, fairness, and their ranges."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from pipeline.beyond.optima.schedules import Burden, Problem, TooManySchedules, add, problem, schedules
from pipeline.traces.ingest import fairness as ratio
from sim.calendar import Calendar
from sim.tasks.oracle import compatible_groups, solve
from sim.tasks.scenario import Meeting

Row = dict[str, Any]
States = dict[int, Counter[Burden]]  # set of scheduled meetings, as a bit mask → burden → how many ways


def gini(burden: Sequence[int]) -> float:
    """Σ_i Σ_j |x_i − x_j| / (2 n Σ_i x_i): 0 where all pay alike or nobody pays, (n − 1) / n where one pays all."""
    total = sum(burden)
    apart = sum(abs(x - y) for x, y in product(burden, burden))
    return apart / (2 * len(burden) * total) if total else 0.0


def percentile(value: float, others: Mapping[float, int]) -> float:
    """The share, in %, of the others (value → how many) that are below, equal ones counting half."""
    below = sum(n for other, n in others.items() if other < value)
    equal = others.get(value, 0)
    return 100 * (below + equal / 2) / sum(others.values())


def mildness(burden: Sequence[int]) -> int:
    """Minus the largest part: greater is fairer, and paying more does not improve it."""
    return -max(burden)


def distribution(burdens: Mapping[Burden, int], measure: Callable[[Burden], float]) -> Counter[float]:
    """Value of the measure → how many schedules have it."""
    counts: Counter[float] = Counter()
    for burden, ways in burdens.items():
        counts[measure(burden)] += ways
    return counts


def burdens(problem: Problem, most: int, limit: int, each: int | None = None) -> Counter[Burden]:
    """Burden → how many schedules of cost at most `most` have it; with `each`, those that ask no agent for more.

    Raises TooManySchedules where more than `limit` burdens would have to be kept.
    """
    meetings = len(problem.options)
    groups = compatible_groups(sorted(problem.clashes), meetings, limit)
    slots = sorted(set().union(*problem.options)) if problem.options else []
    bounds = most, most if each is None else each
    states: States = {0: Counter({(0,) * problem.agents: 1})}
    for slot in slots:
        states = with_slot(problem, states, slot, groups, bounds)
        if sum(map(len, states.values())) > limit:
            raise TooManySchedules(f"more than {limit} burdens have to be told apart up to a cost of {most}")
    return states.get(2**meetings - 1, Counter())


def with_slot(problem: Problem, states: States, slot: int, groups: Sequence[int], bounds: tuple[int, int]) -> States:
    """The states after one more slot, which takes one of the groups or stays empty."""
    most, each = bounds
    after = {done: Counter(ways) for done, ways in states.items()}
    choices = [(g, c) for g in groups if (c := group_burden(problem, g, slot)) is not None]
    for done, known in states.items():
        for group, cost in choices:
            if done & group:
                continue
            room = most - least_left(problem, done | group)
            target = after.setdefault(done | group, Counter())
            for paid, ways in known.items():
                total = add(paid, cost)
                if sum(total) <= room and max(total) <= each:
                    target[total] += ways
    return after


def group_burden(problem: Problem, group: int, slot: int) -> Burden | None:
    """What the meetings of the group together ask of each agent in the slot; None where one of them can't be there."""
    total: Burden = (0,) * problem.agents
    for meeting, option in enumerate(problem.options):
        if group >> meeting & 1:
            if slot not in option:
                return None
            total = add(total, option[slot])
    return total


def least_left(problem: Problem, done: int) -> int:
    """What the meetings that are not scheduled yet cost at least."""
    return sum(least for meeting, least in enumerate(problem.least) if not done >> meeting & 1)


@dataclass(frozen=True)
class Bounds:
    """How far the enumeration goes: what a schedule may cost beyond the optimum, at which extra costs fairness is
    looked at, and how many schedules or burdens there may be."""

    slack: int
    steps: tuple[int, ...]
    limit: int


@dataclass(frozen=True)
class Solved:
    """A task with all its optima, and the burdens of all schedules within the slack."""

    problem: Problem
    cost: int
    canonical: tuple[int, ...]  # the oracle's own schedule
    optima: list[tuple[tuple[int, ...], Burden]]
    within: Counter[Burden]  # burdens of all schedules within the slack → how many have it

    @cached_property
    def optimal(self) -> Counter[Burden]:
        """Burden → how many optima have it."""
        return Counter(burden for _, burden in self.optima)

    @cached_property
    def by_cost(self) -> dict[int, Counter[Burden]]:
        """Cost → burden → how many schedules, within the slack."""
        by_cost: dict[int, Counter[Burden]] = {}
        for burden, ways in self.within.items():
            by_cost.setdefault(sum(burden), Counter())[burden] += ways
        return by_cost


def solved(calendars: Sequence[Calendar], meetings: Sequence[Meeting], bounds: Bounds) -> Solved:
    """The task's optima. Raises NoSchedule where it has none, TooManySchedules beyond the limit."""
    optimum = solve(calendars, meetings)
    model = problem(calendars, meetings)
    optima = schedules(model, optimum.cost, bounds.limit)
    within = burdens(model, optimum.cost + bounds.slack, bounds.limit)
    return Solved(model, optimum.cost, optimum.slots, optima, within)


def optimum_rows(task: Solved) -> list[Row]:
    """One row an optimal schedule, in the slots' order: the columns of optima after the task's own."""
    return [
        {
            "schedule": number,
            "slots": list(slots),
            "burden": list(burden),
            "ratio": ratio(burden),
            "gini": gini(burden),
            "largest": max(burden),
            "canonical": slots == task.canonical,
        }
        for number, (slots, burden) in enumerate(task.optima)
    ]


def task_row(task: Solved, limit: int) -> Row:
    """What a task's optima have in common: the columns of optima_tasks after the task's own."""
    optimal = list(task.optimal)
    least, most = ([bound(b[a] for b in optimal) for a in range(task.problem.agents)] for bound in (min, max))
    oracle = next(burden for slots, burden in task.optima if slots == task.canonical)
    largest, cheapest = most_even(task, limit)
    return {
        "optimal_cost": task.cost,
        "optima": len(task.optima),
        "burdens": len(optimal),
        "unordered_burdens": len({tuple(sorted(b)) for b in optimal}),
        "least_burden": least,
        "most_burden": most,
        "widest": max(m - n for m, n in zip(most, least, strict=True)),
        "oracle_ratio": ratio(oracle),
        "least_ratio": min(map(ratio, optimal)),
        "best_ratio": max(map(ratio, optimal)),
        "oracle_gini": gini(oracle),
        "best_gini": min(map(gini, optimal)),
        "worst_gini": max(map(gini, optimal)),
        "oracle_largest": max(oracle),
        "least_largest": min(map(max, optimal)),
        "even_largest": largest,
        "even_cost": cheapest,
    }


def most_even(task: Solved, limit: int) -> tuple[int, int]:
    """The least that the most burdened agent can be asked for, at any cost, and the least cost at which that is so."""
    top = min(map(max, task.optimal))
    single = {cost for option in task.problem.options for burden in option.values() for cost in burden}
    candidates = sorted({b for b in possible_sums(single, len(task.problem.options)) if b < top})
    low, high, fair = 0, len(candidates), task.optimal
    while low < high:
        middle = (low + high) // 2
        each = candidates[middle]
        feasible = burdens(task.problem, task.problem.agents * each, limit, each)
        if feasible:
            high, fair = middle, feasible
        else:
            low = middle + 1
    largest = candidates[low] if low < len(candidates) else top
    return largest, min(sum(b) for b in fair if max(b) <= largest)


def possible_sums(costs: Collection[int], meetings: int) -> set[int]:
    """What one agent can be asked for over all meetings."""
    totals = {0}
    for _ in range(meetings):
        totals |= {total + cost for total in totals for cost in costs}
    return totals


def price_rows(task: Solved, steps: Sequence[int]) -> list[Row]:
    """One row an extra cost, of optima_prices: how fair a schedule of at most that much beyond the optimum can be."""
    rows = []
    for extra in steps:
        allowed = {b: n for b, n in task.within.items() if sum(b) <= task.cost + extra}
        fair = {"best_ratio": max(map(ratio, allowed)), "best_gini": min(map(gini, allowed))}
        least = min(map(max, allowed))
        rows.append({"extra": extra, "schedules": sum(allowed.values()), **fair, "least_largest": least})
    return rows
