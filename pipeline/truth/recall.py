"""Precision and recall of finders, with intervals: games are drawn anew with replacement, from a stream with a name."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beliefs import ratio
from pipeline.statistics.uncertainty import stream

PART = ["finder", "part", "held_out"]
COUNTS = ["hits", "false_alarms", "misses"]
MEASURES = {"precision": "false_alarms", "recall": "misses"}


@dataclass(frozen=True)
class Resampling:
    """How often games are drawn anew, which share the intervals hold, and the name of the stream."""

    resamples: int = 2000
    level: float = 0.95
    seed: str = "known truth"


def precision_and_recall(truth: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per finder, part and kind of phrasing: counts, precision and recall over all games, and intervals.

    precision = hits / (hits + false alarms), recall = hits / (hits + misses), each null where it would divide by 0. An
    interval is that of the draws in which the share exists; it is null for fewer than two games.
    """
    games = sorted(truth["game_id"].unique())
    totals = truth.group_by(PART).agg(pl.col(COUNTS).sum()).sort(PART)
    times = drawn(len(games), resampling)
    rows = [
        intervals(_by_game(truth, part, games), times, resampling.level) for part in totals.select(PART).iter_rows()
    ]
    bounds = pl.DataFrame(rows, schema=[f"{m}_{end}" for m in MEASURES for end in ("low", "high")], orient="row")
    hits = pl.col("hits")
    shares = totals.with_columns(ratio(hits, hits + pl.col(wrong)).alias(m) for m, wrong in MEASURES.items())
    columns = [name for m in MEASURES for name in (m, f"{m}_low", f"{m}_high")]
    shares = shares.with_columns(games=pl.lit(len(games), pl.Int64)).hstack(bounds.cast(pl.Float64))
    return shares.select(*PART, "games", *COUNTS, *columns)


def drawn(games: int, resampling: Resampling) -> NDArray[np.int64]:
    """How often each game is drawn: a row per resample."""
    if not games:
        return np.zeros((0, 0), dtype=np.int64)
    return stream(resampling.seed).multinomial(games, np.full(games, 1 / games), size=resampling.resamples)


def _by_game(truth: pl.DataFrame, part: tuple[object, ...], games: list[str]) -> NDArray[np.int64]:
    """The part's counts, a row per game."""
    of_part = truth.filter(pl.all_horizontal(pl.col(n).eq_missing(pl.lit(v)) for n, v in zip(PART, part, strict=True)))
    found = pl.DataFrame({"game_id": games}).join(of_part, on="game_id", how="left", maintain_order="left")
    return found.select(pl.col(COUNTS).fill_null(0)).to_numpy()


def intervals(counts: NDArray[np.int64], times: NDArray[np.int64], level: float) -> tuple[float | None, ...]:
    """Low and high of each measure."""
    if len(counts) < 2:
        return (None,) * 2 * len(MEASURES)
    sums = dict(zip(COUNTS, (times @ counts).T, strict=True))
    bounds: list[float | None] = []
    for wrong in MEASURES.values():
        among = sums["hits"] + sums[wrong]
        shares = sums["hits"][among > 0] / among[among > 0]
        ends = np.quantile(shares, [(1 - level) / 2, (1 + level) / 2]) if len(shares) else (None, None)
        bounds += [None if end is None else float(end) for end in ends]
    return tuple(bounds)
