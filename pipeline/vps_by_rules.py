"""One set of games, measured by several rule sets: what a rule changes in the mean privacy loss."""

from collections.abc import Iterable

import polars as pl

from pipeline.privacy import Frames, privacy_frames
from pipeline.rules import RULES, Weighing


def vps_by_rules(frames: Frames, names: Iterable[str] = tuple(RULES), prior: float = 0.5) -> pl.DataFrame:
    """One row per rule set and setting: the mean over games of VPS with uniform weights, as in Table 1.

    frames: games, rounds, messages and calendars of the games.
    """
    settings = frames["games"].select("game_id", "setting")
    found = []
    for name in names:
        summary = privacy_frames(frames, RULES[name], Weighing(prior=prior))["game_summary"]
        means = summary.filter(weight_mode="uniform").join(settings, on="game_id").sort("setting", "game_id")
        found.append(
            means.group_by("setting", maintain_order=True)
            .agg(games=pl.len(), vps=pl.col("vps_loss_mean").mean())
            .select(pl.lit(name).alias("rules"), "setting", "games", "vps")
        )
    return pl.concat(found)
