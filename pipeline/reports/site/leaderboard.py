"""The leaderboard: rows of teams, the list of games, the paper's reported rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.reports.batch.pages import file_name
from pipeline.reports.site.figures import ALL, CELL, RANKS, Metric
from pipeline.reports.site.pages import page_name
from pipeline.tables.io import read_table
from pipeline.tables.names import PAPER_PROTOCOLS

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


SOURCES = ("Table 1", "section 4, Baselines", "section 4, Blocked calendars")
BLOCKED = "blocked "


def reported_rows(numbers: Path) -> list[dict[str, Any]]:
    """One entry a method, setting and condition of the paper: its figures by metric, as printed, and where they stand.

    Where the paper gives a figure twice, that of its table counts.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    listed = read_numbers(numbers).to_dicts()
    for source in SOURCES:
        for figure in (row for row in listed if row["source"] == source):
            row = rows.setdefault((figure["method"], figure["setting"]), _printed_row(figure))
            row["values"].setdefault(figure["metric"], figure["value"])
            row["sources"] = sorted({*row["sources"], source})
    return [rows[key] for key in sorted(rows)]


def _printed_row(figure: dict[str, str]) -> dict[str, Any]:
    setting = figure["setting"]
    return {
        "team": figure["method"],
        "setting": setting.removeprefix(BLOCKED),
        "condition": "blocked" if setting.startswith(BLOCKED) else "standard",
        "values": {},
        "sources": [],
    }


# Conditions in the order of the paper; others follow by name.
CONDITIONS = ("standard", "blocked", "adversarial")
SETTINGS = ("uniform", "varied")
DIFFICULTIES = ("easy", "medium", "hard")
DIGITS = 6  # that the page shows at most: what is downloaded has all of them

Board = dict[str, Any]
Found = dict[str, Any]


def board(found: pl.DataFrame, metrics: Sequence[Metric], reported: list[Found], links: Found) -> Board:
    """The leaderboard: columns, groups (tabs), rows with their cells, the paper's rows, and where links lead.

    A cell, found by "difficulty|density", has for each metric [mean, low, high, games, rank_low, rank_high] or null.
    """
    return {
        "metrics": [asdict(metric) for metric in metrics],
        "groups": _groups(found),
        "difficulties": _in_order(found["difficulty"].unique(), DIFFICULTIES),
        "densities": _in_order(found["density"].unique(), ()),
        "rows": _rows(found, [metric.key for metric in metrics], links["reports"]),
        "reported": [{**row, "values": [row["values"].get(m.key) for m in metrics]} for row in reported],
        "notebooks": links["notebooks"],
    }


def _groups(found: pl.DataFrame) -> list[Found]:
    """The tabs: each setting of the standard condition, then each other condition with its settings."""
    there = sorted(found.select("condition", "setting").unique().iter_rows(), key=_group_place)
    groups: dict[str, Found] = {}
    for condition, setting in there:
        name = setting if condition == CONDITIONS[0] else condition
        group = groups.setdefault(name, {"id": name, "condition": condition, "settings": []})
        group["settings"].append(setting)
    return list(groups.values())


def _group_place(group: tuple[str, str]) -> tuple[Any, ...]:
    condition, setting = group
    return _place(condition, CONDITIONS), _place(setting, SETTINGS)


def _place(name: str, order: Sequence[str]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def _in_order(names: pl.Series, order: Sequence[str]) -> list[str]:
    return sorted((name for name in names if name != ALL), key=lambda name: _place(name, order))


def _rows(found: pl.DataFrame, keys: Sequence[str], reports: Mapping[str, str]) -> list[Found]:
    simulated = set(found.filter("simulated")["team"])
    rows: dict[tuple[str, str, str], Found] = {}
    for figure in found.iter_rows(named=True):
        key = (figure["team"], figure["setting"], figure["condition"])
        row = rows.setdefault(key, {**dict(zip(("team", "setting", "condition"), key, strict=True)), "cells": {}})
        row["kind"] = "simulated" if key[0] in simulated else "protocol" if key[0] in PAPER_PROTOCOLS else "team"
        row["report"] = reports.get(file_name(f"{key[0]}.{key[2]}"))
        cell = row["cells"].setdefault("|".join(figure[name] for name in CELL), [None] * len(keys))
        ends = (figure["mean"], figure["low"], figure["high"])
        cell[keys.index(figure["metric"])] = [*map(_shown, ends), figure["games"], *(figure[name] for name in RANKS)]
    return [rows[key] for key in sorted(rows)]


def _shown(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def write_downloads(found: pl.DataFrame, folder: Path) -> None:
    """Write the figures at full precision as leaderboard.csv and leaderboard.parquet."""
    from machine.files import replacing
    from pipeline.tables.io import write_csv

    folder.mkdir(parents=True, exist_ok=True)
    write_csv(found, folder / "leaderboard.csv")
    with replacing(folder / "leaderboard.parquet") as target:
        found.write_parquet(target)
