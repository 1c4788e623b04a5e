"""Games in larger worlds, and how cost, messages and leakage grow with their size."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pipeline.beyond.leakage import game_bits
from pipeline.beyond.worlds.suites import SIZES, cells
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals
from pipeline.statistics.resampling import Array, Resampling, percentiles, stream
from pipeline.tables.queries import attach

QUERY = Path(__file__).with_name("games.sql")
MEASURES = (
    "coordination_rate",
    "excess_per_meeting",
    "greedy_excess_per_meeting",
    "dms_per_meeting",
    "sweeps",
    "vps_mean",
    "vps_per_slot",
    "vps_all_pairs",
    "bits",
    "bits_per_meeting",
)
# The size that each sweep changes; a cell that stands alone is listed by its agents.
COLUMN = {
    "agents": "num_agents",
    "slots": "num_slots",
    "meetings": "num_meetings",
    "participants": "num_participants",
    "density": "density",
}
GROUP = ["sweep", "setting", "protocol"]


def games_of(derived: Path, tasks: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per protocol's standard game in a folder of derived tables: worlds_games, and excess_cost.

    tasks: of `suite_tasks`, which has to hold those of the games; settings: the `leakage`
    block of notebooks/beyond/params.yaml. Raises ValueError where a game's task is none of the tasks.
    """
    with attach(derived) as connection:
        played: pl.DataFrame = connection.sql(QUERY.read_text(encoding="utf-8")).pl()
    bits = game_bits(derived, settings).select("game_id", "bits")
    sizes = [name for name in SIZES if name not in played.columns]
    references = tasks.select("task_id", *sizes, "best_cost", "bound", "greedy_excess")
    joined = played.join(references, on="task_id", how="left").join(bits, on="game_id", how="left")
    unknown = joined.filter(pl.col("bound").is_null())
    if unknown.height:
        raise ValueError(f"{derived}: the task {unknown['task_id'][0]} is not in the suite; derive its games again")
    agents = pl.col("num_agents")
    return joined.with_columns(
        excess=pl.col("realized_cost") - pl.col("best_cost"),
        most_excess=pl.col("realized_cost") - pl.col("bound"),
        vps_per_slot=pl.col("vps_mean") / pl.col("num_slots"),
    ).with_columns(
        excess_per_meeting=pl.col("excess") / pl.col("meetings"),
        greedy_excess_per_meeting=pl.col("greedy_excess") / pl.col("meetings"),
        bits_per_meeting=pl.col("bits") * agents * (agents - 1) / pl.col("meetings"),
    )


def swept(games: pl.DataFrame, p: Mapping[str, Any]) -> pl.DataFrame:
    """The games once for each sweep that their cell belongs to, with `sweep` and `value`, the size that changes."""
    values = [
        {"sweep": sweep, "value": float(sizes[COLUMN.get(sweep, "num_agents")]), **sizes} for sweep, sizes in cells(p)
    ]
    return games.join(pl.DataFrame(values), on=list(SIZES))


def points(
    games: pl.DataFrame, by: Sequence[str], resampling: Resampling, measures: Sequence[str] = MEASURES
) -> pl.DataFrame:
    """One row per group and measure: its mean over games that have it, and its interval. games: of `games_of`."""
    return ratio_intervals(measure_lines(games, [*by, "task_id"], measures), [*by, "measure"], resampling)


def growth(games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per sweep of two or more sizes, setting, protocol and measure: b of mean = a · size^b (worlds_growth).

    games: of `swept`. A least-squares line through the logarithms of the cells' means; for its interval the worlds of
    each cell are drawn anew. Empty where a mean is not above 0.
    """
    rows = []
    ordered = games.sort(*GROUP, "value", "task_id")
    for group, part in ordered.group_by(GROUP, maintain_order=True):
        if part["value"].n_unique() > 1:
            key, names = dict(zip(GROUP, group, strict=True)), [str(value) for value in group]
            rows += [key | {"measure": m} | exponent(part, m, names, resampling) for m in MEASURES]
    return pl.DataFrame(rows, schema_overrides={"exponent": pl.Float64, "low": pl.Float64, "high": pl.Float64})


def exponent(games: pl.DataFrame, measure: str, names: Sequence[str], resampling: Resampling) -> dict[str, Any]:
    """The exponent of one group's measure, its interval, and what they rest on: columns of worlds_growth.

    names: of the group, for the stream of its draws.
    """
    by_cell = games.drop_nulls(measure).group_by("value", maintain_order=True).agg(pl.col(measure).cast(pl.Float64))
    values = [np.array(cell) for cell in by_cell[measure].to_list()]
    sizes = np.log(by_cell["value"].to_numpy())
    rng = stream(resampling.seed, *names, measure)
    means = np.array([v.mean() for v in values])[:, None]
    drawn = np.array([v[rng.integers(0, len(v), (resampling.resamples, len(v)))].mean(axis=1) for v in values])
    estimate, slopes = float(slope(sizes, means)[0]), slope(sizes, drawn)
    finite = slopes[np.isfinite(slopes)]
    bounded = bool(np.isfinite(estimate)) and 2 * len(finite) > len(slopes)
    low, high = percentiles(finite, resampling.level).tolist() if bounded else (None, None)
    return {
        "exponent": estimate if np.isfinite(estimate) else None,
        "low": low,
        "high": high,
        "draws": len(finite),
        "cells": len(values),
    }


def slope(sizes: Array, means: Array) -> Array:
    """Least-squares slopes of log means (cells × columns) on log sizes; NaN in a column with a mean not above 0."""
    logs = np.log(np.where((means > 0).all(axis=0), means, np.nan))
    centred = sizes - sizes.mean()
    slopes: Array = centred @ logs / (centred @ centred)
    return slopes
