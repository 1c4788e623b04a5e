"""Games of a suite as a table: what they cost, said and gave away, beside how far the optimum is known."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage import game_bits
from pipeline.beyond.worlds.grid import SIZES
from pipeline.tables.database import attach

QUERY = Path(__file__).with_name("games.sql")


def games_of(derived: Path, tasks: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game of the tasks in a folder of derived tables: the columns of `worlds_games`, and excess_cost.

    tasks: of `suite_tasks`; settings: the `leakage` block of notebooks/beyond/params.yaml.
    Raises ValueError where a game's task is none of the tasks.
    """
    with attach(derived) as connection:
        played: pl.DataFrame = connection.sql(QUERY.read_text(encoding="utf-8")).pl()
    bits = game_bits(derived, settings).select("game_id", "bits")
    sizes = [name for name in SIZES if name not in played.columns]
    yardsticks = tasks.select("task_id", *sizes, "best_cost", "bound", "greedy_excess")
    known = played.join(yardsticks, on="task_id", how="left").join(bits, on="game_id", how="left")
    unknown = known.filter(pl.col("bound").is_null())
    if unknown.height:
        raise ValueError(f"{derived}: the task {unknown['task_id'][0]} is not in the suite; derive its games again")
    agents = pl.col("num_agents")
    return known.with_columns(
        excess=pl.col("realized_cost") - pl.col("best_cost"),
        most_excess=pl.col("realized_cost") - pl.col("bound"),
        vps_per_slot=pl.col("vps_mean") / pl.col("num_slots"),
    ).with_columns(
        excess_per_meeting=pl.col("excess") / pl.col("meetings"),
        greedy_excess_per_meeting=pl.col("greedy_excess") / pl.col("meetings"),
        bits_per_meeting=pl.col("bits") * agents * (agents - 1) / pl.col("meetings"),
    )
