"""How sure is a mean, or a ratio of sums? Tasks are the sample: games that share one are drawn together.

The stream of a set of tasks is named after them: whatever is measured on the same tasks meets the same draws, in any
table, and no other row disturbs it. Sums run over tasks in the order of their names, one addition after the other, so
that no digit depends on the machine.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.statistics.uncertainty import stream
from pipeline.truth.recall import Resampling

Array = NDArray[np.float64]

BLOCK = 16  # rows summed at a time: their sums stay in the cache
FOUND = {"mean": pl.Float64, "low": pl.Float64, "high": pl.Float64, "games": pl.Int64, "tasks": pl.Int64}


def ratio_intervals(
    lines: pl.DataFrame, by: Sequence[str], resampling: Resampling, cluster: str = "task_id"
) -> pl.DataFrame:
    """One row a group, sorted: Σ numerator / Σ denominator, its interval, and the games and tasks that count.

    `lines` has a row a group and game: the group, the cluster, `numerator` and `denominator`, 1 for a plain mean and 0
    for a game that has no value. Whole clusters are drawn with replacement from all those of the group's lines; the
    interval is the percentiles of the draws in which the ratio exists. mean is null where no denominator is above 0,
    low and high where fewer than two clusters have one. An interval never leaves its mean out.
    Raises ValueError for a value that is missing or not finite.
    """
    _check(lines, cluster)
    groups = _by_cluster(lines, by, cluster)
    bounds = [_bounded(part, resampling) for part in groups.partition_by("clusters", maintain_order=True)]
    found = pl.concat(bounds) if bounds else groups.with_columns(low=None, high=None)
    total = pl.col("numerators").list.sum() / pl.col("denominators").list.sum()
    measured = found.with_columns(
        mean=pl.when(pl.col("denominators").list.sum() != 0).then(total),
        tasks=pl.col("denominators").list.eval(pl.element() != 0).list.sum(),
    )
    inside = measured.with_columns(
        low=pl.when(pl.col("low").is_not_null()).then(pl.min_horizontal("low", "mean")),
        high=pl.when(pl.col("high").is_not_null()).then(pl.max_horizontal("high", "mean")),
    )
    return inside.select(*by, *(pl.col(name).cast(dtype) for name, dtype in FOUND.items())).sort(by)


def _check(lines: pl.DataFrame, cluster: str) -> None:
    amounts = pl.col("numerator", "denominator").cast(pl.Float64)
    known = lines.select(pl.all_horizontal(amounts.is_finite().fill_null(False), pl.col(cluster).is_not_null()))
    if not known.to_series().all():
        raise ValueError(f"numerator and denominator must be finite and {cluster} known in every line")


def _by_cluster(lines: pl.DataFrame, by: Sequence[str], cluster: str) -> pl.DataFrame:
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


def _bounded(part: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """Rows that share their clusters, with low and high."""
    clusters = part["clusters"][0].to_list()
    times = drawn(clusters, resampling)
    amounts = [np.array(part[name].to_list(), dtype=np.float64) for name in ("numerators", "denominators")]
    ends = bounds(amounts[0], amounts[1], times, resampling.level)
    names = ("low", "high")
    return part.with_columns(pl.Series(n, ends[:, i]).fill_nan(None) for i, n in enumerate(names))


def drawn(clusters: Sequence[object], resampling: Resampling) -> Array:
    """How often each cluster is drawn: clusters × resamples."""
    count = len(clusters)
    rng = stream(resampling.seed, *map(str, clusters))
    times = rng.multinomial(count, np.full(count, 1 / count), size=resampling.resamples)
    return np.ascontiguousarray(times.T, dtype=np.float64)


def bounds(numerators: Array, denominators: Array, times: Array, level: float) -> Array:
    """Percentile bounds of each row's ratio of sums: rows × clusters and clusters × resamples → rows × (low, high)."""
    distinct, place = np.unique(denominators, axis=0, return_inverse=True)
    below = sums(distinct, times)
    ends = np.full((len(numerators), 2), np.nan)
    for start in range(0, len(numerators), BLOCK):
        rows = slice(start, start + BLOCK)
        above = sums(numerators[rows], times)
        for i, (row, under) in enumerate(zip(above, place.ravel()[rows], strict=True), start):
            exists = below[under] != 0
            if (denominators[i] != 0).sum() > 1:
                ends[i] = percentiles(row[exists] / below[under][exists], level)
    return ends


def percentiles(draws: Array, level: float) -> Array:
    """The (low, high) between which the share `level` of the draws lies."""
    found: Array = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return found


def sums(values: Array, times: Array) -> Array:
    """Σ over clusters of value × times, rows × resamples, added up in the order of the clusters."""
    total = np.zeros((len(values), times.shape[1]))
    for column, often in zip(values.T, times, strict=True):
        total += column[:, None] * often
    return total
