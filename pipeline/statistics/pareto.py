"""The Pareto frontier in two measures, where less is better in both."""

from collections.abc import Sequence

import polars as pl

DECIMALS = 8  # what lies below is rounding


def pareto_frontier(points: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """The rows that no other row dominates, least x first, without those that lack x or y; none where one is left,
    which nothing could dominate. points: columns x and y."""
    known = points.drop_nulls([x, y])
    if known.height < 2:
        return known.clear()
    points_xy = known.select(pl.col(x, y).round(DECIMALS)).rows()
    undominated = [not any(dominates(other, point) for other in points_xy) for point in points_xy]
    return known.filter(pl.Series(undominated, dtype=pl.Boolean)).sort(x, y)


def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a point (x, y) is at most equal to another in both measures and less in one."""
    return one[0] <= other[0] and one[1] <= other[1] and tuple(one) != tuple(other)
