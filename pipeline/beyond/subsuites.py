"""Outcomes by team, task and repeat; the fewest tasks that order teams as all do, and how these fare in new games."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl

from pipeline.statistics.resampling import Array, stream

SCALE = 10**6  # values as whole numbers: a millionth is below what any measure tells apart
TIE = 1e-9  # relative

# Measures of Table 1, and the column of each in `standard_games`.
MEASURES = {"excess_cost": "excess_cost", "vps": "vps_loss_mean", "dms_per_meeting": "dms_per_meeting"}
GAME = ("team", "setting", "task_id", "repeat")


class MissingGames(ValueError):
    """A team has not played each of its repeats on every task."""


@dataclass(frozen=True)
class Scores:
    """One measure in one setting. `values`: team → tasks × repeats; tasks in the order of `tasks`."""

    setting: str
    measure: str
    tasks: tuple[str, ...]
    values: dict[str, Array]

    def of(self, teams: Sequence[str]) -> "Scores":
        """The same for some teams; those that have not played are left out."""
        return Scores(self.setting, self.measure, self.tasks, {t: self.values[t] for t in teams if t in self.values})

    @property
    def comparable(self) -> bool:
        """Whether there are two teams and two tasks, so that differences have a variance."""
        return min(len(self.values), len(self.tasks)) > 1

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of teams, in the order of their names."""
        return list(combinations(sorted(self.values), 2))


def standard_games(games: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """One row a standard game that ended: GAME and the columns of MEASURES; VPS with equal weights."""
    ended = games.filter((pl.col("condition") == "standard") & ~pl.col("stopped").fill_null(False))
    uniform = summary.filter(weight_mode="uniform").select("game_id", "vps_loss_mean")
    return ended.join(uniform, on="game_id", how="left").select(*GAME, *MEASURES.values())


def scores(rows: pl.DataFrame, setting: str, measure: str) -> Scores:
    """The measure in the setting. A task counts where every team has a value in every repeat of its own.

    Raises MissingGames where a team has not played each of its repeats on every task.
    """
    games = rows.filter(setting=setting).sort("team", "task_id", "repeat")
    missing = games.filter(pl.col(MEASURES[measure]).is_null())["task_id"].unique()
    games = games.filter(~pl.col("task_id").is_in(missing.to_list()))
    tasks = tuple(games["task_id"].unique().sort())
    values = {}
    for (team,), part in games.group_by("team", maintain_order=True):
        repeats = part["repeat"].n_unique()
        if part.height != (whole := repeats * len(tasks)):
            raise MissingGames(f"team {team} has {part.height} {setting} games with {measure}, not {whole}: "
                               f"{repeats} of each of {len(tasks)} tasks")  # fmt: skip
        values[str(team)] = part[MEASURES[measure]].to_numpy().astype(float).reshape(len(tasks), repeats)
    return Scores(setting, measure, tasks, values)


def aligned(measures: Sequence[Scores]) -> list[Scores]:
    """The measures' scores on the tasks that all of them have."""
    common = tuple(sorted(set.intersection(*(set(s.tasks) for s in measures))))
    return [
        Scores(s.setting, s.measure, common, {t: v[[s.tasks.index(c) for c in common]] for t, v in s.values.items()})
        for s in measures
    ]


Pairs = list[tuple[str, str]]
Values = Mapping[str, Array]  # team → value on each task
Row = dict[str, Any]


class NotProven(RuntimeError):
    """The solver could not prove that no smaller set does."""


def ranking(means: Mapping[str, float]) -> list[list[str]]:
    """The teams from least to most, teams that tie together."""
    ranked: list[list[str]] = []
    for team in sorted(means, key=lambda t: (means[t], t)):
        if ranked and np.isclose(means[team], means[ranked[-1][0]], rtol=TIE, atol=TIE):
            ranked[-1].append(team)
        else:
            ranked.append([team])
    return ranked


def strict_pairs(means: Mapping[str, float]) -> Pairs:
    """(less, more) of every two teams that do not tie."""
    ranked = ranking(means)
    return [(a, b) for i, lower in enumerate(ranked) for higher in ranked[i + 1 :] for a in lower for b in higher]


def smallest_subsuite(measures: Sequence[Values], seconds: float) -> list[int]:
    """The tasks, ascending, of a smallest non-empty set whose means order every two teams as all tasks do, by each
    measure; ties are free.

    measures: of each, team → value on each task. Solved exactly as an integer program: x_t ∈ {0, 1}, Σ x_t least, and
    for each two neighbours a, b of a ranking Σ x_t (b_t − a_t) > 0. Of the smallest, the first in order of tasks.
    Raises NotProven where `seconds` were not enough.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    tasks = len(next(iter(measures[0].values())))
    x = [model.new_bool_var("") for _ in range(tasks)]
    model.add(sum(x) >= 1)
    for values in measures:
        for gap in ranking_gaps(values):
            model.add(cp_model.LinearExpr.weighted_sum(x, gap) >= 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False
    solver.parameters.max_time_in_seconds = seconds
    goals = [sum(x), *(-variable for variable in x)]
    for goal in goals:
        model.minimize(goal)
        if solver.solve(model) != cp_model.OPTIMAL:
            raise NotProven(f"the smallest of {tasks} tasks was not proven within {seconds:g} seconds")
        model.add(goal == round(solver.objective_value))
    return [task for task in range(tasks) if solver.boolean_value(x[task])]


def ranking_gaps(values: Values) -> list[list[int]]:
    """For each team and one just below it in the ranking, the difference on each task, in millionths."""
    whole = {team: np.rint(v * SCALE).astype(int) for team, v in values.items()}
    ranked = ranking({team: float(v.mean()) for team, v in values.items()})
    return [(whole[b] - whole[a]).tolist() for lower, higher in pairwise(ranked) for a in lower for b in higher]


def agreements(values: Values, subsets: Sequence[Sequence[int]], pairs: Pairs) -> Array:
    """For each subset of tasks, all of one size, the share of the pairs (less, more) that its means order so.

    A tie counts half. Empty without a pair.
    """
    if not pairs:
        return np.zeros(0)
    chosen = np.asarray(subsets)
    means = {team: v[chosen].mean(axis=1) for team, v in values.items()}
    right = [ordered(means[less], means[more]) for less, more in pairs]
    return np.asarray(np.mean(right, axis=0))


def ordered(less: Array, more: Array) -> Array:
    """1 where less is below more, ½ where they tie, else 0."""
    return np.where(np.isclose(less, more, rtol=TIE, atol=TIE), 0.5, (less < more).astype(float))


def random_subsets(tasks: int, size: int, draws: int, names: tuple[str, ...]) -> list[list[int]]:
    """Sets of tasks drawn without replacement; `names` names the stream."""
    rng = stream("sub-suites", *names, str(size))
    return [rng.permutation(tasks)[:size].tolist() for _ in range(draws)]


def repeat_of(scores: Scores, repeat: int) -> dict[str, Array]:
    """Each team's values in a repeat; a team with fewer plays them the same way again."""
    return {team: v[:, repeat % v.shape[1]] for team, v in scores.values.items()}


def pairs_of(values: Values) -> Pairs:
    """The pairs that all tasks order, (less, more)."""
    return strict_pairs({team: float(v.mean()) for team, v in values.items()})


def subsuite_row(measures: Sequence[Scores], draws: int, seconds: float) -> Row:
    """The smallest sub-suite of the measures' first games, and which share of pairs it orders rightly elsewhere.

    new_*: in games that it was not chosen from, against the order of all tasks and games; *_random is the mean over
    random sub-suites of its size, *_whole what all tasks give. left_out_*: chosen without a team, which it then orders,
    beside random ones as large as that choice. A share is null where there is no such pair.
    """
    first = [repeat_of(scores, 0) for scores in measures]
    chosen = smallest_subsuite(first, seconds)
    whole = list(range(len(measures[0].tasks)))

    def others(size: int) -> list[list[int]]:
        return random_subsets(len(whole), size, draws, (measures[0].setting, "random"))

    return {
        "size": len(chosen),
        "tasks": [measures[0].tasks[t] for t in chosen],
        "same": mean(share for values in first for share in agreements(values, [chosen], pairs_of(values)).tolist()),
        "new_chosen": new_games(measures, [chosen]),
        "new_random": new_games(measures, others(len(chosen))),
        "new_whole": new_games(measures, [whole]),
        **left_out(first, others, seconds),
    }


def new_games(measures: Sequence[Scores], subsets: Sequence[Sequence[int]]) -> float | None:
    """The mean share of pairs that the subsets order, in repeats after the first, as all tasks and repeats do.

    Two teams that both play a task the same way each time have no new games: such a pair does not count.
    """
    shares: list[float] = []
    for scores in measures:
        ranked = strict_pairs({team: float(v.mean()) for team, v in scores.values.items()})
        pairs = [pair for pair in ranked if any(scores.values[team].shape[1] > 1 for team in pair)]
        for repeat in range(1, max(v.shape[1] for v in scores.values.values())):
            values = repeat_of(scores, repeat)
            shares += agreements(values, subsets, pairs).tolist()
    return mean(shares)


def left_out(first: Sequence[Values], others: Callable[[int], list[list[int]]], seconds: float) -> Row:
    """Of pairs with a team that the choice did not see: the share that the chosen tasks order, and random ones.

    others: sub-suites of a size.
    """
    chosen: list[float] = []
    random: list[float] = []
    for team in sorted(first[0]):
        without = smallest_subsuite([{t: v for t, v in values.items() if t != team} for values in first], seconds)
        for values in first:
            pairs = [pair for pair in pairs_of(values) if team in pair]
            chosen += agreements(values, [without], pairs).tolist()
            random += agreements(values, others(len(without)), pairs).tolist()
    return {"left_out_chosen": mean(chosen), "left_out_random": mean(random)}


def curve_rows(measures: Sequence[Scores], sizes: Sequence[int], draws: int) -> Iterator[Row]:
    """One row a size: the share of pairs that random sub-suites of the first games order as the whole suite does."""
    first = [repeat_of(scores, 0) for scores in measures]
    for size in sizes:
        subsets = random_subsets(len(measures[0].tasks), size, draws, (measures[0].setting, "curve"))
        shares = np.mean([agreements(v, subsets, pairs) for v in first if (pairs := pairs_of(v))], axis=0).tolist()
        yield {
            "size": size,
            "mean": mean(shares),
            "low": float(np.quantile(shares, 0.05)),
            "exact": mean(float(share == 1) for share in shares),
        }


def mean(values: Iterable[float]) -> float | None:
    """The mean of some numbers; of none there is none."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None
