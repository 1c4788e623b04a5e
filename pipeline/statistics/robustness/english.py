"""VPS as each named reading of English gives it: teams' means, how their orders agree, and every pair that flips."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from pipeline.privacy.evidence import privacy_frames
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness import ordering
from pipeline.statistics.robustness.sweep import Array
from pipeline.tables.io import read_table

MESSAGE_TABLES = ("rounds", "messages", "calendars")


def read_condition(tables: Path, condition: str) -> dict[str, pl.DataFrame]:
    """The games of a condition that ended, by their ids, with what privacy tables are made of."""
    games = ended(read_table(tables, "games")).filter(condition=condition).sort("game_id")
    of_messages = {name: read_table(tables, name).join(games, on="game_id", how="semi") for name in MESSAGE_TABLES}
    return {"games": games, **of_messages}


def vps_by_english(
    frames: Mapping[str, pl.DataFrame], names: Sequence[str], rules: RuleSet, weighing: Weighing
) -> Array:
    """VPS of each game under each reading, uniform weights and observed pairs: readings × games, NaN without a pair.

    frames: games in the order of their ids, with their rounds, messages and calendars. `release` is the public script
    as a whole, typed messages too; the other readings have typed messages by `rules`.
    """
    read = {name: RULES[name] if name == "release" else replace(rules, english=name) for name in names}
    return np.stack([_vps(frames, read[name], weighing) for name in names])


def _vps(frames: Mapping[str, pl.DataFrame], rules: RuleSet, weighing: Weighing) -> Array:
    """VPS of each game by one set of rules."""
    read = privacy_frames(dict(frames), rules, weighing)
    summary = read["game_summary"].filter(weight_mode="uniform").select("game_id", "vps_loss_mean")
    own = frames["games"].select("game_id").join(summary, on="game_id", how="left", maintain_order="left")
    return own["vps_loss_mean"].fill_null(np.nan).to_numpy().copy()


def english_tables(
    vps: Array,
    games: pl.DataFrame,
    names: Sequence[str],
    choice: str,
    groups: Mapping[str, Sequence[str]],
    how: tuple[Resampling, int, str],
) -> dict[str, pl.DataFrame]:
    """The tables english_rules, english_rules_ranks and english_rules_flips, set against the reading `choice`.

    how: the resampling of intervals, and the draws and seed of the tests of flips. Raises ValueError where the choice
    is none of the names.
    """
    resampling, draws, seed = how
    points = pl.DataFrame({"english": list(names)})
    at = ordering.point_index(points, {"english": choice})
    standings = ordering.standings(vps, games, resampling)
    means = _of_readings(ordering.means_table(points, standings))
    chosen = means.filter(english=choice).select("setting", "team", chosen="vps")
    means = means.join(chosen, on=("setting", "team"), nulls_equal=True).with_columns(
        ratio=(pl.col("vps") / pl.col("chosen")).round(ordering.DECIMALS).fill_nan(None),
    )
    agreement = ordering.agreement_table(points, standings, groups, at)
    flips = ordering.flips_table(points, standings, at, draws, seed)
    return {
        "english_rules": means,
        "english_rules_ranks": _of_readings(agreement),
        "english_rules_flips": _of_readings(flips),
    }


def _of_readings(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the column of readings, which one without rows lacks."""
    return table if "english" in table.columns else table.with_columns(english=pl.lit(None, pl.String))
