"""How much of VPS is the order of messages: its mean over touched pairs, had each round been heard backwards."""

import polars as pl

from pipeline.privacy.beliefs import departure, hold_beliefs
from pipeline.privacy.rules import Weighing

PAIR = ["game_id", "round", "target_agent", "observer_agent"]


def vps_reversed(evidence: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """One row per game with an update: `vps_reversed`, under uniform weights (Eq. 1 with the updates backwards)."""
    names = ("target_agent", "observer_agent", "slot", "evidence", "strength", "in_calendar")
    backwards = evidence.select("game_id", "round", "event_index", "update_index", *names).sort(
        "game_id", "round", pl.col("event_index"), "update_index", descending=[False, False, True, True]
    )
    held = hold_beliefs(backwards, weighing).filter("in_calendar")
    last = held.unique([*PAIR, "slot"], keep="last", maintain_order=True).sort(*PAIR, "slot")
    losses = last.with_columns(loss=departure(pl.col("belief_after"), weighing.prior))
    pairs = losses.group_by(PAIR, maintain_order=True).agg("loss").with_columns(pl.col("loss").list.sum())
    games = pairs.group_by("game_id", maintain_order=True).agg("loss")
    return games.select("game_id", vps_reversed=pl.col("loss").list.mean())
