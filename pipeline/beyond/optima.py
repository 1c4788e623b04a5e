"""All optimal schedules of a task: what each agent pays in them, how fair the fairest is, and where games lie.

`python -m pipeline.beyond.optima` makes the tables from those of the study.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.tables import declare, frames_of, write
from pipeline.statistics.by_game import ended
from pipeline.tables import paths
from pipeline.tables.io import read_table
from pipeline.traces.ingest import fairness as ratio
from sim.calendar import Calendar, Errand, ScheduledMeeting
from sim.tasks.oracle import TooManyStates, compatible_groups, conflicts, placements, solve
from sim.tasks.scenario import Meeting

TABLES = declare(
    """
    optima (task_id, schedule): one optimal schedule of a task
    task_id: str the task
    schedule: int its number, in the order of its slots, from 0
    slots: list[int] the slot of each meeting, in their order
    burden: list[int] [cost] what each agent pays
    ratio: float least agent's cost / largest agent's; 1 when all are 0
    gini: float Gini coefficient of the agents' costs: 0 when all pay alike
    largest: int [cost] the largest agent's cost
    canonical: bool whether it is the one that the oracle names

    optima_tasks (task_id): one task, and what its optima tell together
    task_id
    setting: str uniform or varied errand costs
    condition: str standard or blocked: its calendars
    difficulty: str easy, medium or hard
    optimal_cost: int [cost] cost of an optimal schedule
    optima: int optimal schedules
    burdens: int different burdens among them; with 1 the oracle's burden is identified
    unordered_burdens: int the same, whoever bears them
    least_burden: list[int] [cost] of each agent, the least over the optima
    most_burden: list[int] [cost] of each agent, the most
    widest: int [cost] the largest difference of the two
    oracle_ratio: float min/max fairness of the schedule that the oracle names
    least_ratio: float the least of the optima
    best_ratio: float the largest of the optima
    oracle_gini: float Gini coefficient of the schedule that the oracle names
    best_gini: float the least of the optima
    worst_gini: float the largest of the optima
    oracle_largest: int [cost] largest agent's cost in the schedule that the oracle names
    least_largest: int [cost] the least of the optima
    even_largest: int [cost] the least of all feasible schedules, whatever they cost
    even_cost: int [cost] the least cost of a schedule that asks no agent for more than that

    optima_prices (task_id, extra): one task and extra cost
    task_id, setting, condition, difficulty
    extra: int [cost] how much more than the optimum a schedule may cost
    schedules: int schedules that cost no more than that
    best_ratio: float the largest min/max fairness among them
    best_gini: float the least Gini coefficient among them
    least_largest: int [cost] the least that the most burdened agent pays

    optima_fairness (game_id): one game beside the optima of its task
    game_id: str the game, a UUID
    team: str who played
    simulated: bool whether its speakers are simulated
    setting
    condition: str standard, blocked or adversarial
    task_id, difficulty, burden, ratio, gini, largest
    against: str optimal: the game is one of those it is compared with; above the optimum; meetings missing
    is_optimum: bool whether an optimal schedule has the game's burden
    percentile: float [%] share of optima that are less fair by the ratio, equal ones half
    ratios: int different ratios among the optima; with 1 an optimum can only be at 50 %
    largest_percentile: float [%] share of optima whose largest cost is larger, equal ones half
    largest_parts: int different largest costs among the optima
    best_ratio: float the largest of the optima
    same_cost_percentile: float [%] share that is less fair by the ratio among schedules of its own cost; empty where
        not known
    """
)


Burden = tuple[int, ...]  # what each agent pays


@dataclass(frozen=True)
class Problem:
    """Meetings on initial calendars. `options`: of each meeting, slot → what each agent would pay."""

    options: tuple[Mapping[int, Burden], ...]
    clashes: frozenset[tuple[int, int]]  # pairs of meetings that can't share a slot, the earlier first
    agents: int

    @cached_property
    def least(self) -> list[int]:
        """What each meeting costs at least, alone; 0 for one that has no slot."""
        return [min(map(sum, option.values()), default=0) for option in self.options]


def problem(calendars: Sequence[Calendar], meetings: Sequence[Meeting]) -> Problem:
    """The oracle's model of the calendars and meetings, agent by agent."""
    options = tuple(
        {slot: burden(calendars, meeting, slot) for slot in option}
        for meeting, option in zip(meetings, placements(calendars, meetings), strict=True)
    )
    return Problem(options, frozenset(conflicts(meetings)), len(calendars))


def burden(calendars: Sequence[Calendar], meeting: Meeting, slot: int) -> Burden:
    """What each agent pays for the meeting in the slot: its item's cost there, where it takes part."""
    items = [calendar[slot] if agent in meeting.participants else None for agent, calendar in enumerate(calendars)]
    return tuple(item.cost if item else 0 for item in items)


def calendars_of(items: pl.DataFrame, agents: int, slots: int) -> list[Calendar]:
    """The initial calendars of one game from its rows of the table items."""
    cells: list[list[Errand | ScheduledMeeting | None]] = [[None] * slots for _ in range(agents)]
    for row in items.iter_rows(named=True):
        meeting = row["item_kind"] == "meeting"
        item = (
            ScheduledMeeting(row["item_id"], row["cost"])
            if meeting
            else Errand(row["item_id"], row["cost"], row["blocked"])
        )
        cells[row["agent"]][row["slot"]] = item
    return [Calendar(slots) for slots in cells]


def add(one: Burden, other: Burden) -> Burden:
    """The sum of two burdens, agent by agent."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


class TooManySchedules(ValueError):
    """There are more schedules than the limit allows."""


def schedules(problem: Problem, most: int, limit: int) -> list[tuple[tuple[int, ...], Burden]]:
    """(a slot for each meeting, what each agent pays) of every schedule of cost at most `most`, in the slots' order.

    Raises TooManySchedules where there are more than `limit`.
    """
    listed: list[tuple[tuple[int, ...], Burden]] = []
    for schedule in extensions(problem, (), (0,) * problem.agents, most):
        if len(listed) == limit:
            raise TooManySchedules(f"more than {limit} schedules cost at most {most}")
        listed.append(schedule)
    return listed


def extensions(
    problem: Problem, slots: tuple[int, ...], paid: Burden, most: int
) -> Iterator[tuple[tuple[int, ...], Burden]]:
    """(slots, burden) of every schedule of cost at most `most` that begins with the slots given, which cost `paid`."""
    meeting = len(slots)
    if sum(paid) + sum(problem.least[meeting:]) > most:
        return
    if meeting == len(problem.options):
        yield slots, paid
        return
    taken = {slot for other, slot in enumerate(slots) if (other, meeting) in problem.clashes}
    for slot, cost in problem.options[meeting].items():
        if slot not in taken:
            yield from extensions(problem, (*slots, slot), add(paid, cost), most)


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


GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
BLOCKED = "blocked"
OPTIMAL, ABOVE, INCOMPLETE = "optimal", "above the optimum", "meetings missing"


def fairness_rows(games: pl.DataFrame, agents: pl.DataFrame, tasks: Mapping[str, Solved]) -> list[dict[str, Any]]:
    """One row a game of a solved task: optima_fairness. games, agents: those tables."""
    paid = dict(agents.sort("agent").group_by("game_id").agg("cost").iter_rows())
    solved_games = games.filter(pl.col("task_id").is_in(list(tasks))).sort("game_id")
    return [
        {name: game[name] for name in GAME} | fairness_row(game, tuple(paid[game["game_id"]]), tasks[game["task_id"]])
        for game in solved_games.iter_rows(named=True)
    ]


def fairness_row(game: Mapping[str, Any], burden: tuple[int, ...], task: Solved) -> dict[str, Any]:
    """A game's burden beside the optima of its task: the columns of optima_fairness after the game's own.

    A game that paid more than the optimum, or that misses meetings, is compared with schedules that it did not match:
    `against` says so. `same_cost` compares it with the schedules of its own cost, where these were enumerated.
    """
    missing = game["meetings_scheduled"] < game["meetings"]
    same_cost = None if missing else task.by_cost.get(sum(burden))
    ratios, largest = distribution(task.optimal, ratio), distribution(task.optimal, mildness)
    own = {
        "burden": list(burden),
        "ratio": ratio(burden),
        "gini": gini(burden),
        "largest": max(burden),
        "against": INCOMPLETE if missing else ABOVE if sum(burden) > task.cost else OPTIMAL,
        "is_optimum": burden in task.optimal,
    }
    return own | {
        "percentile": percentile(ratio(burden), ratios),
        "ratios": len(ratios),
        "largest_percentile": percentile(mildness(burden), largest),
        "largest_parts": len(largest),
        "best_ratio": max(ratios),
        "same_cost_percentile": percentile(ratio(burden), distribution(same_cost, ratio)) if same_cost else None,
    }


def tasks_of(games: pl.DataFrame) -> pl.DataFrame:
    """One row a task: the first of its games, and whether its calendars are the standard or the blocked ones."""
    first = games.sort("task_id", "game_id").unique("task_id", keep="first", maintain_order=True)
    calendars = pl.when(pl.col("condition") == BLOCKED).then(pl.lit(BLOCKED)).otherwise(pl.lit("standard"))
    return first.with_columns(condition=calendars)


def solve_all(games: pl.DataFrame, tables: dict[str, pl.DataFrame], bounds: Bounds) -> Iterator[tuple[str, Solved]]:
    """(task, its optima). Raises TooManySchedules, naming the task."""
    for game in tasks_of(games).iter_rows(named=True):
        of_game = {name: frame.filter(game_id=game["game_id"]) for name, frame in tables.items()}
        calendars = calendars_of(of_game["items"], game["num_agents"], game["num_slots"])
        members = of_game["rounds"].sort("round")["participants"].to_list()
        meetings = [Meeting(number, tuple(agents)) for number, agents in enumerate(members, 1)]
        try:
            yield game["task_id"], solved(calendars, meetings, bounds)
        except (TooManySchedules, TooManyStates) as error:
            raise TooManySchedules(f"task {game['task_id']}: {error}; raise optima.limit") from error


def main(tables: Path = paths.TABLES, out: Path = beyond.TABLES) -> None:
    """Write the tables of all optima from a folder of derived tables."""
    params = beyond.params("optima")
    bounds = Bounds(params["slack"], tuple(params["steps"]), params["limit"])
    games = ended(read_table(tables, "games")).drop_nulls("optimal_cost")
    solved = dict(solve_all(games, {name: read_table(tables, name) for name in ("items", "rounds")}, bounds))
    columns = tasks_of(games).select("task_id", "setting", "condition", "difficulty")
    tasks = {row["task_id"]: row for row in columns.iter_rows(named=True)}
    rows = {
        "optima": [{"task_id": t} | row for t, task in solved.items() for row in optimum_rows(task)],
        "optima_tasks": [tasks[t] | task_row(task, bounds.limit) for t, task in solved.items()],
        "optima_prices": [tasks[t] | row for t, task in solved.items() for row in price_rows(task, bounds.steps)],
        "optima_fairness": fairness_rows(games, read_table(tables, "agents"), solved),
    }
    write(frames_of(rows, TABLES), TABLES, out)


if __name__ == "__main__":
    main()
