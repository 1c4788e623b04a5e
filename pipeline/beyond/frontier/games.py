"""One row a game: what it cost beyond the optimum, what it gave away, how much it took."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage.games import by_game
from pipeline.beyond.leakage.measure import Tables, leakage
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.by_game import ended
from pipeline.tables.io import read_table

LEAKAGE = (
    "vps_uniform_mean",
    "vps_cost_mean",
    "vps_uniform_all_pairs_mean",
    "vps_cost_all_pairs_mean",
    "bits",
)
MEASURES = ("excess_cost", *LEAKAGE, "coalition_bits", "dms_per_meeting", "coordination_rate_pct")
KNOWN = ("team", "simulated", "setting", "task_id")


def games_of(tables: Path, bits: pl.DataFrame) -> pl.DataFrame:
    """One row per standard game that ended: KNOWN and MEASURES, as Table 1 defines them; bits by game from `bits`."""
    games = ended(read_table(tables, "games")).filter(condition="standard")
    scheduled = pl.col("meetings_scheduled")
    rows = games.select(
        "game_id",
        *KNOWN,
        pl.col("excess_cost").cast(pl.Float64),
        dms_per_meeting=ratio(pl.col("dms"), scheduled),
        coordination_rate_pct=100.0 * pl.col("coordination_rate"),
    )
    for mode in ("uniform", "cost"):
        told = read_table(tables, "game_summary").filter(weight_mode=mode)
        pairs = pl.col("all_pairs_vps_loss_mean").alias(f"vps_{mode}_all_pairs_mean")
        told = told.select("game_id", pl.col("vps_loss_mean").alias(f"vps_{mode}_mean"), pairs)
        rows = rows.join(told, on="game_id", how="left", maintain_order="left")
    rows = rows.join(bits.select("game_id", "bits", "coalition_bits"), on="game_id", how="left", maintain_order="left")
    return rows.select(*KNOWN, *MEASURES).sort("setting", "team", "task_id")


def bits_of(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: leakage in bits.

    What a coalition learns is null where secrets that are no statements can be put together: of secure sums the
    outsider and any one participant learn every cost that was masked.
    """
    found = by_game(leakage(tables, settings), tables["games"])
    masked = pl.col("team").str.starts_with("secure-")
    return found.with_columns(coalition_bits=pl.when(~masked).then("coalition_bits"))
