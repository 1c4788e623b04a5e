"""The list of all games, light enough for thousands: a short row a game, names that repeat told once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.site.names import page_name
from pipeline.tables.io import read_table

AT_ONCE = 5_000  # games a file: half a megabyte
NAMED = ("team", "setting", "condition", "task_id", "difficulty", "density")
ORDER = ("team", "condition", "setting", "task_id", "repeat", "game_id")
COUNTS = ("meetings", "meetings_scheduled", "optimal_cost", "realized_cost", "excess_cost", "excess_over_greedy", "dms")

Listed = dict[str, Any]


def listed_games(tables: Path) -> pl.DataFrame:
    """One row a game in the order of the list: `games` with `vps`, its mean uniform privacy loss."""
    summary = read_table(tables, "game_summary").filter(weight_mode="uniform")
    vps = summary.select("game_id", vps="vps_loss_mean")
    games = read_table(tables, "games").with_columns(density=pl.col("density").cast(pl.String))
    return games.join(vps, on="game_id", how="left").sort(ORDER, nulls_last=True)


def listing(games: pl.DataFrame) -> Iterator[Listed]:
    """The list in parts: `names` (column → distinct values) and `rows`.

    A row is the page's name, the places of its names in that order, repeat, flags (1 simulated, 2 stopped), counts,
    fairness to 3 and privacy loss to 2 decimals.
    """
    names = {name: games[name].unique(maintain_order=True).to_list() for name in NAMED}
    places = {name: {value: i for i, value in enumerate(values)} for name, values in names.items()}
    rows = [_row(game, places) for game in games.iter_rows(named=True)]
    parts = _parts(rows)
    for number, part in enumerate(parts):
        told = {} if number else names
        yield {"part": number, "parts": len(parts), "games": len(rows), "names": told, "rows": part}


def _row(game: dict[str, Any], places: dict[str, dict[Any, int]]) -> list[Any]:
    flags = bool(game["simulated"]) + 2 * bool(game["stopped"])
    measured = (_rounded(game["fairness"], 3), _rounded(game["vps"], 2))
    named = (places[name][game[name]] for name in NAMED)
    return [page_name(game["game_id"]), *named, game["repeat"], flags, *(game[name] for name in COUNTS), *measured]


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)


def _parts(rows: Sequence[list[Any]]) -> list[list[list[Any]]]:
    return [list(rows[i : i + AT_ONCE]) for i in range(0, len(rows), AT_ONCE)] or [[]]
