"""Tests of differences between teams, and the ranks that they leave open: paired on the tasks that both teams have.

Verdicts come from the same sign flips, which hold their level on few tasks too, where percentile intervals are too
narrow: none where chance may make the sign, and so none of fewer tasks than a test needs.

Every random number comes from a stream with a name, so that results are the same from run to run, whatever else is
drawn. Rows are first put in an order of their own: the order of a frame changes no digit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from math import fsum
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.statistics.bootstrap import ROUNDING, ratio_intervals
from pipeline.statistics.by_game import by_game, ended
from pipeline.statistics.resampling import Array, Resampling, stream
from pipeline.tables.io import read_table, to_frame
from pipeline.tables.schemas.results import COMPARISONS, RANKS

EXACT_PAIRS = 14  # up to 2^14 sign patterns are all tried
DRAWS = 10_000
ALPHA = 0.05  # of verdicts from signs
TIE = 1e-12  # relative: values, or sums of differences, closer than this differ by rounding only


@dataclass(frozen=True)
class Paired:
    """A sign-flip test of paired differences a − b."""

    difference: float | None  # mean over pairs, None without any
    p_value: float  # two-sided; 1 without any pair
    pairs: int
    exact: bool  # whether all sign patterns were tried


def paired_permutation(
    a: Sequence[float | None], b: Sequence[float | None], names: Sequence[str] = ("paired",), draws: int = DRAWS
) -> Paired:
    """Test whether two teams' values on the same tasks, in the same order, differ: the differences' signs are flipped.

    Pairs with a value missing are left out. All patterns are tried where at most 14 differences are more than rounding,
    else `draws` of the stream called names, and p = (1 + reached) / (1 + draws). Two-sided, on the mean difference.
    `scipy.stats.permutation_test` takes five times as long, and tells sums apart that are equal but for rounding.
    Raises ValueError for lengths that differ or for values that are not finite.
    """
    known = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    differences = np.array([x - y for x, y in known], dtype=float)
    if not np.isfinite(differences).all():
        raise ValueError("a paired value is not finite")
    if not known:
        return Paired(None, 1.0, 0, True)
    sizes = np.array([max(abs(x), abs(y)) for x, y in known])
    moving = differences[np.abs(differences) > TIE * sizes]
    exact = len(moving) <= EXACT_PAIRS
    kept = _patterns(len(moving)) if exact else _drawn(len(moving), draws, tuple(names))
    sums = 2 * (kept @ moving) - moving.sum()
    reached = np.abs(sums) >= abs(fsum(moving)) - TIE * np.abs(moving).sum()
    p = reached.mean() if exact else (1 + reached.sum()) / (1 + draws)
    return Paired(_gap(known) / len(known), float(p), len(known), exact)


def _patterns(count: int) -> NDArray[np.float64]:
    """All 2^count ways to keep (1) or flip (0) a sign, one a row."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(np.float64)


@lru_cache(maxsize=2)
def _drawn(count: int, draws: int, names: tuple[str, ...]) -> NDArray[np.float64]:
    """So many of these ways from the stream of these names: a pair of teams is tested at many points in a row."""
    return stream(*names).integers(0, 2, size=(draws, count), dtype=np.int8).astype(np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values in the order given: rejecting all up to alpha errs somewhere at most alpha of the time.

    The digits of statsmodels' `multipletests`, which imports for a second and then collects garbage at every call.
    Raises ValueError for a value outside 0 … 1.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("a p-value lies between 0 and 1")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


PAIRS = {
    "a": pl.String,
    "b": pl.String,
    "pairs": pl.Int64,
    "difference": pl.Float64,
    "p_value": pl.Float64,
    "p_holm": pl.Float64,
    "exact": pl.Boolean,
}


def pairwise(
    frame: pl.DataFrame,
    team: str = "team",
    value: str = "excess_cost",
    task: str = "task_id",
    names: Sequence[str] = ("paired",),
    draws: int = DRAWS,
) -> pl.DataFrame:
    """One row a pair of teams, a before b: tasks that both have, mean difference a − b, p, Holm's p over pairs, exact.

    A team's games of one task count as their mean. Pairs without a common task have p = 1, and count in the correction.
    Streams are called names, value, a and b.
    """
    means = means_by_task(frame, team, value, task)
    tests = []
    for a, b in combinations(sorted(means), 2):
        common = sorted(means[a].keys() & means[b].keys())
        values = [[means[t][task_id] for task_id in common] for t in (a, b)]
        tests.append((a, b, paired_permutation(values[0], values[1], (*names, value, a, b), draws)))
    adjusted = holm([tested.p_value for *_, tested in tests])
    rows = [(a, b, t.pairs, t.difference, t.p_value, p, t.exact) for (a, b, t), p in zip(tests, adjusted, strict=True)]
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def least_p(pairs: int, draws: int = DRAWS) -> float:
    """The least p that `paired_permutation` gives for so many pairs."""
    return min(1.0, 2.0 ** (1 - pairs)) if pairs <= EXACT_PAIRS else 1 / (1 + draws)


def could_differ(tests: pl.DataFrame, team: str, alpha: float = 0.05) -> bool:
    """Whether each test of a team in `pairwise` has the tasks to come out at alpha or below, by Holm's correction."""
    own = tests.filter((pl.col("a") == team) | (pl.col("b") == team))["pairs"]
    return all(tests.height * least_p(pairs) <= alpha for pairs in own)


def means_by_task(frame: pl.DataFrame, team: str, value: str, task: str) -> dict[str, dict[str, float]]:
    """Team → task → mean of the values that are there. A team without any is listed with no task."""
    columns = pl.col(team).cast(pl.String), pl.col(task).cast(pl.String), pl.col(value).cast(pl.Float64)
    values: dict[str, dict[str, list[float]]] = {}
    for name, task_id, number in frame.select(*columns).iter_rows():
        tasks = values.setdefault(name, {})
        if number is not None:
            tasks.setdefault(task_id, []).append(number)
    return {name: {t: fsum(v) / len(v) for t, v in tasks.items()} for name, tasks in values.items()}


def rank_intervals(
    frame: pl.DataFrame,
    pairs: pl.DataFrame,
    team: str = "team",
    value: str = "excess_cost",
    task: str = "task_id",
    higher_is_better: bool = False,
    alpha: float = 0.05,
) -> pl.DataFrame:
    """One row a team, best first: mean over its tasks, tasks, its rank among those that share tasks with it (`teams`
    counts it too), by the means over the tasks that both of a pair have; and the ranks that the tests leave open.

    rank_low = 1 + the teams significantly better, rank_high = teams − those significantly worse: pairs, the frame's
    `pairwise`, with Holm's p at most alpha. A team without a value has no rank.
    """
    means = means_by_task(frame, team, value, task)
    overall = {name: fsum(tasks.values()) / len(tasks) if tasks else None for name, tasks in means.items()}
    beaten, beating = dict.fromkeys(means, 0), dict.fromkeys(means, 0)
    for pair in pairs.filter(pl.col("p_holm") <= alpha).iter_rows(named=True):
        better, worse = (
            (pair["a"], pair["b"]) if (pair["difference"] > 0) == higher_is_better else (pair["b"], pair["a"])
        )
        beating[better] += 1
        beaten[worse] += 1
    rows = []
    for name in sorted(means):
        ahead, teams = _ahead(name, means, higher_is_better)
        ranks = (1 + ahead, 1 + beaten[name], teams - beating[name]) if means[name] else (None, None, None)
        rows.append((name, overall[name], len(means[name]), *ranks, teams))
    return pl.DataFrame(rows, schema={team: pl.String, **RANKED}, orient="row").sort("rank", team, nulls_last=True)


def common_ranks(frame: pl.DataFrame, by: Sequence[str], value: str, task: str = "task_id") -> pl.DataFrame:
    """One row a group and team (keys `by` and `team`) that has a value: its `rank`, 1 + the teams of the group that
    have less on the tasks that both of a pair have. frame: a row a game."""
    schema = {name: frame.schema[name] for name in by} | {"team": pl.String, "rank": pl.Int64}
    rows = []
    for key, part in frame.drop_nulls(value).group_by(by):
        means = means_by_task(part, "team", value, task)
        rows += [(*key, team, 1 + _ahead(team, means, False)[0]) for team in means]
    return pl.DataFrame(rows, schema, orient="row")


def _ahead(name: str, means: Mapping[str, Mapping[str, float]], higher_is_better: bool) -> tuple[int, int]:
    """How many teams are better than one on the tasks that they share, and how many share any, itself among them."""
    ahead, own, teams = 0, means[name], 1
    for rival in means.keys() - {name}:
        common = own.keys() & means[rival].keys()
        gap = _gap([(means[rival][task], own[task]) for task in common])
        ahead += gap > 0 if higher_is_better else gap < 0
        teams += bool(common)
    return ahead, teams


def _gap(pairs: Sequence[tuple[float, float]]) -> float:
    """The sum of the pairs' differences, 0 where it is rounding alone."""
    moving = [x - y for x, y in pairs if abs(x - y) > TIE * max(abs(x), abs(y))]
    gap = fsum(moving)
    return gap if abs(gap) > TIE * fsum(map(abs, moving)) else 0.0


SETTING = ("setting", "condition")
PAIR = ("a", "b")
HIGHER = {"higher": True, "lower": False}

RANKED = {"mean": pl.Float64} | dict.fromkeys(("tasks", "rank", "rank_low", "rank_high", "teams"), pl.Int64)

Tables = tuple[pl.DataFrame, pl.DataFrame]


@dataclass(frozen=True)
class Testing:
    """What is compared and which way is better (metric → higher or lower), draws of signs, and the level of tests."""

    better: Mapping[str, str] = field(default_factory=dict)
    draws: int = 10_000
    alpha: float = 0.05
    seed: str = "comparisons"


def metrics_by_game(tables: Path) -> pl.DataFrame:
    """One row a game (game_id) that ended: its team and task_id, and Table 1's columns for this game alone."""
    tasks = ended(read_table(tables, "games")).select("game_id", "task_id")
    return by_game("table1", tables).join(tasks, on="game_id").sort("game_id")


def comparisons(games: pl.DataFrame, testing: Testing, resampling: Resampling) -> Tables:
    """Pairs and ranks (the tables `comparisons` and `ranks`) of the games of `metrics_by_game`.

    Pairs: one row a setting, condition, metric and pair of teams a, b: mean difference on common tasks, its interval,
    p, and Holm's p over the pairs of one metric. Ranks: one row a setting, condition, metric and team.
    Raises ValueError for a metric without a column, or a direction other than higher and lower.
    """
    unknown = {m: way for m, way in testing.better.items() if m not in games.columns or way not in HIGHER}
    if unknown:
        raise ValueError(f"comparisons need metrics of Table 1, each higher or lower, not {unknown}")
    empty = (to_frame(COMPARISONS, []).drop("a_simulated", "b_simulated"), to_frame(RANKS, []).drop("simulated"))
    every = [empty, *_tables_by_metric(games, testing, resampling)]
    pairs, ranks = (pl.concat(parts, how="diagonal") for parts in zip(*every, strict=True))
    simulated = games.group_by("team").agg(pl.col("simulated").any())
    for side in PAIR:
        named = simulated.rename({"team": side, "simulated": f"{side}_simulated"})
        pairs = pairs.join(named, on=side, how="left")
    return pairs, ranks.join(simulated, on="team", how="left")


def _tables_by_metric(games: pl.DataFrame, testing: Testing, resampling: Resampling) -> Iterator[Tables]:
    """The pairs and ranks of each setting, condition and metric."""
    for (setting, condition), part in games.sort(SETTING).group_by(SETTING, maintain_order=True):
        for metric, better in testing.better.items():
            names = (testing.seed, f"{setting}", f"{condition}")
            tested = pairwise(part, value=metric, names=names, draws=testing.draws)
            ranked = rank_intervals(part, tested, value=metric, higher_is_better=HIGHER[better], alpha=testing.alpha)
            spread = ratio_intervals(differences(part, metric), PAIR, resampling).select(*PAIR, "low", "high")
            where = {"setting": setting, "condition": condition, "metric": metric}
            named = [pl.lit(value, pl.String).alias(name) for name, value in where.items()]
            yield (
                tested.join(spread, on=PAIR, how="left").with_columns(*named),
                ranked.with_columns(*named, better=pl.lit(better)),
            )


def differences(games: pl.DataFrame, metric: str) -> pl.DataFrame:
    """One row a pair of teams and common task, as `ratio_intervals` takes them: the difference a − b counts once."""
    means = means_by_task(games, "team", metric, "task_id")
    rows = [
        (a, b, task, means[a][task] - means[b][task], 1.0)
        for a, b in combinations(sorted(means), 2)
        for task in sorted(means[a].keys() & means[b].keys())
    ]
    schema = {"a": pl.String, "b": pl.String, "task_id": pl.String, "numerator": pl.Float64, "denominator": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def is_above(a: Sequence[float], b: Sequence[float | None]) -> bool | None:
    """Whether values lie above others of the same tasks, False where below; None where chance may make the sign."""
    tested = paired_permutation(a, b)
    return None if tested.difference is None or tested.p_value > ALPHA else tested.difference > 0


def is_within(margin: float, a: Sequence[float], b: Sequence[float | None]) -> bool | None:
    """Whether values differ from others of the same tasks by less than the margin, either way; False where by more."""
    low, high = (is_above([value + shift for value in a], b) for shift in (margin, -margin))
    return False if low is False or high is True else True if low and high is False else None


def slope_rises(games: pl.DataFrame, x: str, y: str) -> bool | None:
    """Whether y rises with x over games (`task_id`, x, y): a test of what the tasks add to the slope. False where it
    falls, or is level in every task."""
    parts = slope_parts(games, x, y).tolist()
    if not any(parts) and least_p(len(parts)) <= ALPHA:
        return False
    return is_above(parts, [0.0] * len(parts))


def slope_parts(games: pl.DataFrame, x: str, y: str) -> Array:
    """What each task, in the order of their names, adds to the slope of the least-squares line of y on x, over games
    that have both: what is rounding is 0, and nothing is added where x does not vary."""
    known = games.drop_nulls([x, y]).sort("task_id", x, y).select("task_id", pl.col(x, y).cast(pl.Float64))
    centred = known.with_columns(pl.col(x, y) - pl.col(x, y).mean())
    tasks = centred.group_by("task_id", maintain_order=True)
    sums = tasks.agg(xx=(pl.col(x) ** 2).sum(), xy=(pl.col(x) * pl.col(y)).sum())
    spread = sums["xx"].sum()
    parts = sums["xy"].to_numpy() / spread if spread > ROUNDING else np.zeros(0)
    return np.where(np.abs(parts) < ROUNDING, 0.0, parts)
