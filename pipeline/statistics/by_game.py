"""Result tables game by game: the same query with every game as a group of its own, so that no formula stands twice."""

from pathlib import Path

import polars as pl

from pipeline.database import attach
from pipeline.tables import SQL

BETWEEN = "\x1f"  # stands in no team's name


def with_tasks(games: pl.DataFrame) -> pl.DataFrame:
    """The games with a `task_id` each: one whose trace does not name its task is a task of its own."""
    return games.with_columns(task_id=pl.coalesce("task_id", "game_id"))


def ended(games: pl.DataFrame) -> pl.DataFrame:
    """The games that were not broken off, with a task each."""
    return with_tasks(games.filter(~pl.col("stopped").fill_null(False)))


def by_game(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` with a row for each of its rows and games: its columns, and `game_id`."""
    told_apart = f"CREATE VIEW games AS SELECT * REPLACE (team || '{BETWEEN}' || game_id AS team) FROM all_games"
    with attach(tables) as connection:
        connection.execute("ALTER VIEW games RENAME TO all_games")
        connection.execute(told_apart)
        found: pl.DataFrame = connection.sql((SQL / f"{name}.sql").read_text(encoding="utf-8")).pl()
    parts = pl.col("team").str.split(BETWEEN)
    return found.with_columns(team=parts.list.first(), game_id=parts.list.last())
