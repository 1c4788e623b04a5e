"""Who is beaten by nobody in two measures at once, where less is better in both."""

from collections.abc import Sequence

import polars as pl


def frontier(points: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """The rows that no other beats, least x first. To beat is to be at most equal in both and less in one."""
    known = points.drop_nulls([x, y])
    places = known.select(x, y).rows()
    kept = [not any(beats(other, place) for other in places) for place in places]
    return known.filter(pl.Series(kept, dtype=pl.Boolean)).sort(x, y)


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a point (x, y) is at most equal to another in both and less in one."""
    return one[0] <= other[0] and one[1] <= other[1] and tuple(one) != tuple(other)
