"""A straight line through games, and how sure it is: tasks are drawn anew, as for means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from pipeline.statistics.bootstrap import Array, drawn
from pipeline.truth.recall import Resampling


@dataclass(frozen=True)
class Line:
    """The least-squares line of y on x: its slope with an interval, and its course.

    course: x, y, low, high at the places asked for. slope, low and high are None where x does not vary, the bounds
    alone where fewer than two tasks let it.
    """

    slope: float | None
    low: float | None
    high: float | None
    games: int
    course: pl.DataFrame


def line_through(
    games: pl.DataFrame, x: str, y: str, at: Sequence[float], resampling: Resampling, cluster: str = "task_id"
) -> Line:
    """The line through the games that have both values, its interval, and its course at the places `at`.

    Whole tasks are drawn with replacement, `resampling.resamples` times; the bounds are percentiles of the draws in
    which x varies.
    """
    known = games.drop_nulls([x, y]).with_columns(pl.col(x, y).cast(pl.Float64)).sort(cluster, x, y)
    sums = known.group_by(cluster, maintain_order=True).agg(
        n=pl.len().cast(pl.Float64),
        x=pl.col(x).sum(),
        y=pl.col(y).sum(),
        xx=(pl.col(x) ** 2).sum(),
        xy=(pl.col(x) * pl.col(y)).sum(),
    )
    intercept, slope = _fit(sums, np.ones((sums.height, 1)))
    places = np.array(at, dtype=np.float64)
    if not known.height or np.isnan(slope[0]):
        return Line(None, None, None, known.height, _course(places, None, None))
    middle = intercept[0] + slope[0] * places
    if sums.height < 2:
        return Line(float(slope[0]), None, None, known.height, _course(places, middle, None))
    intercepts, slopes = _fit(sums, drawn(sums[cluster].to_list(), resampling))
    fitted = ~np.isnan(slopes)
    tails = [(1 - resampling.level) / 2, (1 + resampling.level) / 2]
    low, high = np.quantile(slopes[fitted], tails)
    ends = np.quantile(intercepts[fitted] + slopes[fitted] * places[:, None], tails, axis=1)
    return Line(float(slope[0]), float(low), float(high), known.height, _course(places, middle, ends))


def _fit(sums: pl.DataFrame, times: Array) -> tuple[Array, Array]:
    """Intercept and slope of each draw: clusters × draws → draws. NaN where x does not vary."""
    n, x, y, xx, xy = (_weighted(sums[name].to_numpy(), times) for name in ("n", "x", "y", "xx", "xy"))
    spread = n * xx - x**2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(spread > 1e-9 * np.maximum(1.0, n * xx), (n * xy - x * y) / spread, np.nan)
        return np.asarray((y - slope * x) / n), slope


def _weighted(values: Array, times: Array) -> Array:
    """Σ over clusters of value × times, added up in the order of the clusters: the same digits on every machine."""
    total = np.zeros(times.shape[1])
    for value, often in zip(values, times, strict=True):
        total += value * often
    return total


def _course(places: Array, middle: Array | None, ends: Array | None) -> pl.DataFrame:
    if middle is None:
        return pl.DataFrame(schema=dict.fromkeys(("x", "y", "low", "high"), pl.Float64))
    low, high = ends if ends is not None else (None, None)
    schema = dict.fromkeys(("x", "y", "low", "high"), pl.Float64)
    empty = [None] * len(places)
    return pl.DataFrame(
        {"x": places, "y": middle, "low": empty if low is None else low, "high": empty if high is None else high},
        schema=schema,
    )


def slopes(games: pl.DataFrame, by: Sequence[str], x: str, y: str, resampling: Resampling) -> pl.DataFrame:
    """One row a group, sorted: the group, the slope of the line through its games, low, high, and how many games."""
    rows = []
    for key, part in games.sort(by).group_by(by, maintain_order=True):
        line = line_through(part, x, y, (), resampling)
        rows.append((*key, line.slope, line.low, line.high, line.games))
    schema: dict[str, Any] = {name: games.schema[name] for name in by}
    schema |= {"slope": pl.Float64, "low": pl.Float64, "high": pl.Float64, "games": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")
