"""Precision and recall of the detectors of leaks, patterns and evidence, with intervals over games."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.beliefs import ratio
from pipeline.statistics.resampling import Resampling, game_draws, percentiles

PART = ["finder", "part", "held_out"]
COUNTS = ["hits", "false_alarms", "misses"]
ERRORS = {"precision": "false_alarms", "recall": "misses"}  # measure → what stands beside hits in its denominator


def precision_and_recall(truth: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a detector (`finder`), part and kind of phrasing (`held_out`): counts, precision and recall, intervals.

    truth: the table of that name, a row a game as well. precision = hits / (hits + false alarms), recall = hits /
    (hits + misses) over all games, each null where it would divide by 0. Games are drawn anew; an interval holds the
    draws in which the share exists, and is null for fewer than two games.
    """
    games = sorted(truth["game_id"].unique())
    totals = truth.group_by(PART).agg(pl.col(COUNTS).sum()).sort(PART)
    times = game_draws(len(games), resampling)
    rows = [
        _intervals(_counts_by_game(truth, part, games), times, resampling.level)
        for part in totals.select(PART).iter_rows()
    ]
    bounds = pl.DataFrame(rows, schema=[f"{m}_{end}" for m in ERRORS for end in ("low", "high")], orient="row")
    hits = pl.col("hits")
    shares = totals.with_columns(ratio(hits, hits + pl.col(error)).alias(m) for m, error in ERRORS.items())
    columns = [name for m in ERRORS for name in (m, f"{m}_low", f"{m}_high")]
    shares = shares.with_columns(games=pl.lit(len(games), pl.Int64)).hstack(bounds.cast(pl.Float64))
    return shares.select(*PART, "games", *COUNTS, *columns)


def _counts_by_game(truth: pl.DataFrame, part: tuple[object, ...], games: list[str]) -> NDArray[np.int64]:
    """The part's COUNTS, games × 3."""
    is_part = pl.all_horizontal(pl.col(n).eq_missing(pl.lit(v)) for n, v in zip(PART, part, strict=True))
    every = pl.DataFrame({"game_id": games})
    counts = every.join(truth.filter(is_part), on="game_id", how="left", maintain_order="left")
    return counts.select(pl.col(COUNTS).fill_null(0)).to_numpy()


def _intervals(counts: NDArray[np.int64], times: NDArray[np.int64], level: float) -> tuple[float | None, ...]:
    """Low and high of each measure: games × 3 counts and resamples × games."""
    if len(counts) < 2:
        return (None,) * 2 * len(ERRORS)
    sums = dict(zip(COUNTS, (times @ counts).T, strict=True))
    bounds: list[float | None] = []
    for error in ERRORS.values():
        among = sums["hits"] + sums[error]
        shares = sums["hits"][among > 0] / among[among > 0]
        bounds += percentiles(shares, level).tolist() if len(shares) else (None, None)
    return tuple(bounds)
