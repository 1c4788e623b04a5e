"""Bootstrap intervals of means, ratios and lines. Tasks are the sample: games that share one are drawn together.

The stream of a set of tasks is named after them: whatever is measured on the same tasks meets the same draws, in any
table, and no other row disturbs it. Sums run over tasks in the order of their names, one addition after the other, so
that no digit depends on the machine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from pipeline.statistics.resampling import Array, Resampling, cluster_draws, fewest_clusters, percentiles

ROUNDING = 1e-12  # a slope below it is 0, but for rounding
BLOCK = 16  # rows summed at a time: their sums stay in the cache
COLUMNS = {"mean": pl.Float64, "low": pl.Float64, "high": pl.Float64, "games": pl.Int64, "tasks": pl.Int64}


def ratio_intervals(
    lines: pl.DataFrame, by: Sequence[str], resampling: Resampling, cluster: str = "task_id"
) -> pl.DataFrame:
    """One row a group (key `by`, sorted): mean = Σ numerator / Σ denominator, low, high, games and tasks that count.

    `lines` has a row a group and game: the group, the cluster, `numerator` and `denominator`, 1 for a plain mean and 0
    for a game that has no value. Whole clusters are drawn with replacement from all those of the group's lines; the
    interval is the percentiles of the draws in which the ratio exists. mean is null where no denominator is above 0,
    low and high where fewer clusters have one than `fewest_clusters` asks for. An interval never leaves its mean out.
    Raises ValueError for a value that is missing or not finite.
    """
    _check(lines, cluster)
    groups = _sums_by_cluster(lines, by, cluster)
    parts = [_with_bounds(part, resampling) for part in groups.partition_by("clusters", maintain_order=True)]
    bounded = pl.concat(parts) if parts else groups.with_columns(low=None, high=None)
    total = pl.col("numerators").list.sum() / pl.col("denominators").list.sum()
    with_means = bounded.with_columns(
        mean=pl.when(pl.col("denominators").list.sum() != 0).then(total),
        tasks=pl.col("denominators").list.eval(pl.element() != 0).list.sum(),
    )
    intervals = with_means.with_columns(
        low=pl.when(pl.col("low").is_not_null()).then(pl.min_horizontal("low", "mean")),
        high=pl.when(pl.col("high").is_not_null()).then(pl.max_horizontal("high", "mean")),
    )
    return intervals.select(*by, *(pl.col(name).cast(dtype) for name, dtype in COLUMNS.items())).sort(by)


def measure_lines(games: pl.DataFrame, index: Sequence[str], measures: Sequence[str]) -> pl.DataFrame:
    """One row a game and measure, for means by `ratio_intervals`: index, `measure`, `numerator`, `denominator`.

    A missing value is 0 of 0, so that its game does not count.
    """
    values = games.select(*index, pl.col(measures).cast(pl.Float64)).unpivot(
        measures, index=index, variable_name="measure", value_name="numerator"
    )
    known = pl.col("numerator").is_not_null().cast(pl.Float64)
    return values.with_columns(pl.col("numerator").fill_null(0.0), denominator=known)


def mean_intervals(
    games: pl.DataFrame, by: Sequence[str], measures: Sequence[str], resampling: Resampling, cluster: str = "task_id"
) -> pl.DataFrame:
    """One row a group (key `by`, sorted): each measure's mean over the games that have it, {measure}_low and _high.

    games: a row a game, of any team, with the group, the task and the measures. All games of a task are drawn together.
    """
    means = games.select(by).unique().sort(by)
    for measure in measures:
        known = games.drop_nulls(measure)
        lines = known.select(*by, cluster, numerator=pl.col(measure).cast(pl.Float64), denominator=pl.lit(1.0))
        intervals = ratio_intervals(lines, by, resampling, cluster).rename({"mean": measure})
        columns = intervals.select(*by, measure, pl.col("low", "high").name.prefix(f"{measure}_"))
        means = means.join(columns, on=by, how="left", nulls_equal=True, maintain_order="left")
    return means


def _check(lines: pl.DataFrame, cluster: str) -> None:
    amounts = pl.col("numerator", "denominator").cast(pl.Float64)
    known = lines.select(pl.all_horizontal(amounts.is_finite().fill_null(False), pl.col(cluster).is_not_null()))
    if not known.to_series().all():
        raise ValueError(f"numerator and denominator must be finite and {cluster} known in every line")


def _sums_by_cluster(lines: pl.DataFrame, by: Sequence[str], cluster: str) -> pl.DataFrame:
    """One row a group: its clusters in the order of their names, their sums, and the games that count."""
    ordered = lines.sort(*by, cluster, "numerator", "denominator")
    amounts = [pl.col(name).cast(pl.Float64) for name in ("numerator", "denominator")]
    of_cluster = ordered.group_by(*by, cluster, maintain_order=True).agg(
        *amounts, games=(pl.col("denominator") != 0).sum()
    )
    of_cluster = of_cluster.with_columns(pl.col("numerator", "denominator").list.sum())
    return of_cluster.group_by(*by, maintain_order=True).agg(
        clusters=pl.col(cluster),
        numerators=pl.col("numerator"),
        denominators=pl.col("denominator"),
        games=pl.col("games").sum(),
    )


def _with_bounds(part: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """Rows that share their clusters, with low and high."""
    clusters = part["clusters"][0].to_list()
    times = cluster_draws(clusters, resampling)
    amounts = [np.array(part[name].to_list(), dtype=np.float64) for name in ("numerators", "denominators")]
    ends = percentile_bounds(amounts[0], amounts[1], times, resampling.level)
    names = ("low", "high")
    return part.with_columns(pl.Series(n, ends[:, i]).fill_nan(None) for i, n in enumerate(names))


def percentile_bounds(numerators: Array, denominators: Array, times: Array, level: float) -> Array:
    """Percentile bounds of each row's ratio of sums: rows × clusters and clusters × resamples → rows × (low, high).

    NaN where too few clusters have a denominator.
    """
    distinct, place = np.unique(denominators, axis=0, return_inverse=True)
    below = weighted_sums(distinct, times)
    ends = np.full((len(numerators), 2), np.nan)
    for start in range(0, len(numerators), BLOCK):
        rows = slice(start, start + BLOCK)
        above = weighted_sums(numerators[rows], times)
        for i, (row, under) in enumerate(zip(above, place.ravel()[rows], strict=True), start):
            exists = below[under] != 0
            if (denominators[i] != 0).sum() >= fewest_clusters(level):
                ends[i] = percentiles(row[exists] / below[under][exists], level)
    return ends


def weighted_sums(values: Array, times: Array) -> Array:
    """Σ over clusters of value × how often it is drawn: rows × clusters and clusters × resamples → rows × resamples.

    Added up in the order of the clusters.
    """
    total = np.zeros((len(values), times.shape[1]))
    for column, often in zip(values.T, times, strict=True):
        total += column[:, None] * often
    return total


@dataclass(frozen=True)
class Line:
    """The least-squares line of y on x: its slope with an interval, and its course.

    course: x, y, low, high at the places asked for. slope, low and high are None where x does not vary, the bounds
    alone where it would not without some one of the tasks, as nothing then tells how far that one may be off, and where
    there are fewer tasks than `fewest_clusters` asks for.
    """

    slope: float | None
    low: float | None
    high: float | None
    games: int
    course: pl.DataFrame


def fit_line(
    games: pl.DataFrame, x: str, y: str, at: Sequence[float], resampling: Resampling, cluster: str = "task_id"
) -> Line:
    """The line through the games that have both values, its interval, and its course at the places `at`.

    Whole tasks are drawn with replacement, `resampling.resamples` times; the bounds are percentiles of the draws in
    which x varies.
    """
    known = games.drop_nulls([x, y]).with_columns(pl.col(x, y).cast(pl.Float64)).sort(cluster, x, y)
    totals = known.group_by(cluster, maintain_order=True).agg(
        n=pl.len().cast(pl.Float64),
        x=pl.col(x).sum(),
        y=pl.col(y).sum(),
        xx=(pl.col(x) ** 2).sum(),
        xy=(pl.col(x) * pl.col(y)).sum(),
    )
    intercept, slope = _fit_draws(totals, np.ones((totals.height, 1)))
    places = np.array(at, dtype=np.float64)
    if not known.height or np.isnan(slope[0]):
        return Line(None, None, None, known.height, _course(places, None, None))
    middle = intercept[0] + slope[0] * places
    _, without_one = _fit_draws(totals, 1 - np.eye(totals.height))
    if np.isnan(without_one).any() or totals.height < fewest_clusters(resampling.level):
        return Line(float(slope[0]), None, None, known.height, _course(places, middle, None))
    intercepts, slopes = _fit_draws(totals, cluster_draws(totals[cluster].to_list(), resampling))
    fitted = ~np.isnan(slopes)
    tails = [(1 - resampling.level) / 2, (1 + resampling.level) / 2]
    bounds = (slope[0], *percentiles(slopes[fitted], resampling.level))
    middle_slope, low, high = (0.0 if abs(bound) < ROUNDING else float(bound) for bound in bounds)
    ends = np.quantile(intercepts[fitted] + slopes[fitted] * places[:, None], tails, axis=1)
    return Line(middle_slope, low, high, known.height, _course(places, middle, ends))


def _fit_draws(totals: pl.DataFrame, times: Array) -> tuple[Array, Array]:
    """Intercept and slope of each draw, by totals, a row a cluster, and clusters × draws. NaN where x does not vary."""
    n, x, y, xx, xy = weighted_sums(totals.select("n", "x", "y", "xx", "xy").to_numpy().T, times)
    spread = n * xx - x**2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 1e-9 * np.maximum(1.0, n * xx), (n * xy - x * y) / spread, np.nan)
        return np.asarray((y - slope * x) / n), slope


def _course(places: Array, middle: Array | None, ends: Array | None) -> pl.DataFrame:
    schema = dict.fromkeys(("x", "y", "low", "high"), pl.Float64)
    if middle is None:
        return pl.DataFrame(schema=schema)
    low, high = ends if ends is not None else [[None] * len(places)] * 2
    return pl.DataFrame({"x": places, "y": middle, "low": low, "high": high}, schema=schema)


def slope_intervals(games: pl.DataFrame, by: Sequence[str], x: str, y: str, resampling: Resampling) -> pl.DataFrame:
    """One row a group, sorted: the group, the slope of the line through its games, low, high, and how many games."""
    rows = []
    for key, part in games.sort(by).group_by(by, maintain_order=True):
        line = fit_line(part, x, y, (), resampling)
        rows.append((*key, line.slope, line.low, line.high, line.games))
    schema: dict[str, Any] = {name: games.schema[name] for name in by}
    schema |= {"slope": pl.Float64, "low": pl.Float64, "high": pl.Float64, "games": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def within(games: pl.DataFrame, over: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """The games with their group's mean taken out of each of the columns: a line through them is one within groups."""
    return games.with_columns(pl.col(column) - pl.col(column).mean().over(over) for column in columns)


def rises(low: float | None, high: float | None) -> bool | None:
    """Whether an interval says that something is above 0: False where it ends at 0 or below, None where it holds 0
    with room above it, and where there is none."""
    if low is None or high is None:
        return None
    return True if low > 0 else False if high <= 0 else None


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: False where one does not, else None where one is undecided or there is none."""
    listed = list(verdicts)
    return False if False in listed else True if listed and None not in listed else None
