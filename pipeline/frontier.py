"""Who is beaten by nobody in two measures at once, where less is better in both."""

import polars as pl


def frontier(points: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    """The rows that no other beats, least x first. To beat is to be at most equal in both and less in one."""
    known = points.drop_nulls([x, y])
    places = known.select(x, y).rows()
    kept = [not any(_beats(other, place) for other in places) for place in places]
    return known.filter(pl.Series(kept, dtype=pl.Boolean)).sort(x, y)


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1] and one != other
