"""Verdicts from sign-flip tests over tasks, which hold their level on few tasks too, where percentile intervals are too
narrow: none where chance may make the sign, and so none of fewer tasks than a test needs."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from pipeline.statistics.bootstrap import ROUNDING
from pipeline.statistics.paired_tests import least_p, paired_permutation
from pipeline.statistics.resampling import Array

ALPHA = 0.05


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
