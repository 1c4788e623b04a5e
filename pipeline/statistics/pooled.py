"""Means over the games of several teams, with intervals: tasks are drawn anew, all teams' games of a task together."""

from collections.abc import Sequence

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.truth.recall import Resampling


def pooled(
    games: pl.DataFrame, by: Sequence[str], measures: Sequence[str], resampling: Resampling, cluster: str = "task_id"
) -> pl.DataFrame:
    """One row a group, sorted: the group, and each measure's mean over the games that have it, {measure}_low and _high.

    games: a row a game, with the group, the task and the measures.
    """
    found = games.select(by).unique().sort(by)
    for measure in measures:
        known = games.drop_nulls(measure)
        lines = known.select(*by, cluster, numerator=pl.col(measure).cast(pl.Float64), denominator=pl.lit(1.0))
        means = ratio_intervals(lines, by, resampling, cluster).rename({"mean": measure})
        bounds = means.select(*by, measure, pl.col("low", "high").name.prefix(f"{measure}_"))
        found = found.join(bounds, on=by, how="left", nulls_equal=True, maintain_order="left")
    return found
