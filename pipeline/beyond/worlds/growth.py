"""How measures grow with the size of a world: means of every cell, and the exponents of power laws."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.worlds.grid import SIZES, cells
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling, percentiles, stream

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
# The size that each sweep changes; a cell that stands alone is told by its agents.
COLUMN = {
    "agents": "num_agents",
    "slots": "num_slots",
    "meetings": "num_meetings",
    "participants": "num_participants",
    "density": "density",
}
GROUP = ["sweep", "setting", "protocol"]

Array = NDArray[np.float64]


def swept(games: pl.DataFrame, p: Mapping[str, Any]) -> pl.DataFrame:
    """The games once for each sweep that their cell belongs to, with `sweep` and `value`, the size that changes."""
    listed = [
        {"sweep": sweep, "value": float(sizes[COLUMN.get(sweep, "num_agents")]), **sizes} for sweep, sizes in cells(p)
    ]
    return games.join(pl.DataFrame(listed), on=list(SIZES))


def points(
    games: pl.DataFrame, by: Sequence[str], resampling: Resampling, measures: Sequence[str] = MEASURES
) -> pl.DataFrame:
    """One row per group and measure: its mean over games that have it; for its interval tasks are drawn anew."""
    value = pl.col("number").cast(pl.Float64)
    lines = [
        games.select(*by, "task_id", measure=pl.lit(name), number=pl.col(name)).select(
            *by,
            "task_id",
            "measure",
            numerator=value.fill_null(0.0),
            denominator=value.is_not_null().cast(pl.Float64),
        )
        for name in measures
    ]
    return ratio_intervals(pl.concat(lines), [*by, "measure"], resampling)


def growth(games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per sweep of two or more sizes, setting, protocol and measure: the exponent b of mean = a · size^b.

    games: of `swept`. A least-squares line through the logarithms of the cells' means; for its interval the worlds of
    each cell are drawn anew. Empty where a mean is not above 0.
    """
    rows = []
    for group, part in groups(games):
        known, names = dict(zip(GROUP, group, strict=True)), [str(value) for value in group]
        if part["value"].n_unique() > 1:
            rows += [known | {"measure": m} | exponent(part, m, names, resampling) for m in MEASURES]
    return pl.DataFrame(rows, schema_overrides={"exponent": pl.Float64, "low": pl.Float64, "high": pl.Float64})


def groups(games: pl.DataFrame) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Each group and its games, in order."""
    yield from games.sort(*GROUP, "value", "task_id").group_by(GROUP, maintain_order=True)


def exponent(games: pl.DataFrame, measure: str, names: Sequence[str], resampling: Resampling) -> dict[str, Any]:
    """The exponent of one group's measure, its interval, and what they rest on."""
    by_cell = games.drop_nulls(measure).group_by("value", maintain_order=True).agg(pl.col(measure).cast(pl.Float64))
    values = [np.array(cell) for cell in by_cell[measure].to_list()]
    sizes = np.log(by_cell["value"].to_numpy())
    rng = stream(resampling.seed, *names, measure)
    means = np.array([v.mean() for v in values])[:, None]
    drawn = np.array([v[rng.integers(0, len(v), (resampling.resamples, len(v)))].mean(axis=1) for v in values])
    found, slopes = slope(sizes, means), slope(sizes, drawn)
    known = slopes[np.isfinite(slopes)]
    there = bool(np.isfinite(found[0])) and 2 * len(known) > len(slopes)
    low, high = percentiles(known, resampling.level).tolist() if there else (None, None)
    return {
        "exponent": float(found[0]) if np.isfinite(found[0]) else None,
        "low": low,
        "high": high,
        "draws": len(known),
        "cells": len(values),
    }


def slope(sizes: Array, means: Array) -> Array:
    """Least-squares slopes of log means (cells × columns) on log sizes; NaN in a column with a mean not above 0."""
    logs = np.log(np.where((means > 0).all(axis=0), means, np.nan))
    centred = sizes - sizes.mean()
    slopes: Array = centred @ logs / (centred @ centred)
    return slopes
