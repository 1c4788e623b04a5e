"""The leaderboard: rows of teams, the list of games, the paper's reported rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.reports.batch.pages import file_name
from pipeline.reports.measures import OWN, SCRIPT
from pipeline.reports.site.figures import CELL, RANKS, Metric
from pipeline.reports.site.pages import page_name
from pipeline.statistics.by_game import ALL
from pipeline.tables.io import read_table
from pipeline.tables.paths import PAPER_PROTOCOLS

GAMES_A_PART = 5_000  # games a file: half a megabyte
NAME_COLUMNS = ("team", "setting", "condition", "task_id", "difficulty", "density")
ORDER = ("team", "condition", "setting", "task_id", "repeat", "game_id")
COUNTS = ("meetings", "meetings_scheduled", "optimal_cost", "realized_cost", "excess_cost", "excess_over_greedy", "dms")

Listed = dict[str, Any]


def listed_games(tables: Path) -> pl.DataFrame:
    """One row a game in the order of the list: `games` with `vps`, its mean uniform privacy loss."""
    summary = read_table(tables, "game_summary").filter(weight_mode="uniform")
    vps = summary.select("game_id", vps="vps_loss_mean")
    games = read_table(tables, "games").with_columns(density=pl.col("density").cast(pl.String))
    return games.join(vps, on="game_id", how="left").sort(ORDER, nulls_last=True)


def listing_parts(games: pl.DataFrame) -> Iterator[Listed]:
    """The list in parts, each with `names` (column → distinct values; in the first part only) and `rows`.

    A row is the page's name, the indices of its values in `names`, repeat, flags (1 simulated, 2 stopped), counts,
    fairness to 3 and privacy loss to 2 decimals. games: as listed_games returns them.
    """
    names = {name: games[name].unique(maintain_order=True).to_list() for name in NAME_COLUMNS}
    indices = {name: {value: i for i, value in enumerate(values)} for name, values in names.items()}
    rows = [game_row(game, indices) for game in games.iter_rows(named=True)]
    parts = split_rows(rows)
    for number, part in enumerate(parts):
        part_names = {} if number else names
        yield {"part": number, "parts": len(parts), "games": len(rows), "names": part_names, "rows": part}


def game_row(game: dict[str, Any], indices: dict[str, dict[Any, int]]) -> list[Any]:
    flags = bool(game["simulated"]) + 2 * bool(game["stopped"])
    measured = (round_or_none(game["fairness"], 3), round_or_none(game["vps"], 2))
    named = (indices[name][game[name]] for name in NAME_COLUMNS)
    return [page_name(game["game_id"]), *named, game["repeat"], flags, *(game[name] for name in COUNTS), *measured]


def round_or_none(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)


def split_rows(rows: Sequence[list[Any]]) -> list[list[list[Any]]]:
    return [list(rows[i : i + GAMES_A_PART]) for i in range(0, len(rows), GAMES_A_PART)] or [[]]


SOURCES = ("Table 1", "section 4, Baselines", "section 4, Blocked calendars")
BLOCKED = "blocked "


def reported_rows(numbers: Path) -> list[dict[str, Any]]:
    """One entry a method, setting and condition of the paper: its figures by metric, as printed, and their sources.

    Where the paper gives a figure twice, that of its table counts. Its VPS is in the column of the public script, by
    which the protocols of which it prints one have what it prints.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    numbers_rows = read_numbers(numbers).to_dicts()
    for source in SOURCES:
        for figure in (row for row in numbers_rows if row["source"] == source):
            row = rows.setdefault((figure["method"], figure["setting"]), paper_row(figure))
            row["values"].setdefault(SCRIPT if figure["metric"] == OWN else figure["metric"], figure["value"])
            row["sources"] = sorted({*row["sources"], source})
    return [rows[key] for key in sorted(rows)]


def paper_row(figure: dict[str, str]) -> dict[str, Any]:
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
SHOWN_DIGITS = 6  # that the page shows at most: what is downloaded has all of them

Board = dict[str, Any]
Entry = dict[str, Any]


def leaderboard(figures: pl.DataFrame, metrics: Sequence[Metric], reported: list[Entry], links: Entry) -> Board:
    """The leaderboard's data: columns, groups (tabs), rows with their cells, the paper's rows, and links.

    A cell, under "difficulty|density", has for each metric [mean, low, high, games, rank_low, rank_high] or null.
    """
    return {
        "metrics": [asdict(metric) for metric in metrics],
        "groups": tabs(figures),
        "difficulties": in_order(figures["difficulty"].unique(), DIFFICULTIES),
        "densities": in_order(figures["density"].unique(), ()),
        "rows": team_rows(figures, [metric.key for metric in metrics], links["reports"]),
        "reported": [{**row, "values": [row["values"].get(m.key) for m in metrics]} for row in reported],
        "notebooks": links["notebooks"],
    }


def tabs(figures: pl.DataFrame) -> list[Entry]:
    """The tabs: each setting of the standard condition, then each other condition with its settings."""
    groups_present = sorted(figures.select("condition", "setting").unique().iter_rows(), key=group_order)
    groups: dict[str, Entry] = {}
    for condition, setting in groups_present:
        name = setting if condition == CONDITIONS[0] else condition
        group = groups.setdefault(name, {"id": name, "condition": condition, "settings": []})
        group["settings"].append(setting)
    return list(groups.values())


def group_order(group: tuple[str, str]) -> tuple[Any, ...]:
    condition, setting = group
    return listed_order(condition, CONDITIONS), listed_order(setting, SETTINGS)


def listed_order(name: str, order: Sequence[str]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def in_order(names: pl.Series, order: Sequence[str]) -> list[str]:
    return sorted((name for name in names if name != ALL), key=lambda name: listed_order(name, order))


def team_rows(figures: pl.DataFrame, keys: Sequence[str], reports: Mapping[str, str]) -> list[Entry]:
    simulated = set(figures.filter("simulated")["team"])
    rows: dict[tuple[str, str, str], Entry] = {}
    for figure in figures.iter_rows(named=True):
        key = (figure["team"], figure["setting"], figure["condition"])
        row = rows.setdefault(key, {**dict(zip(("team", "setting", "condition"), key, strict=True)), "cells": {}})
        row["kind"] = "simulated" if key[0] in simulated else "protocol" if key[0] in PAPER_PROTOCOLS else "team"
        row["report"] = reports.get(file_name(key[0], key[2]))
        cell = row["cells"].setdefault("|".join(figure[name] for name in CELL), [None] * len(keys))
        ends = (figure["mean"], figure["low"], figure["high"])
        ranks = (figure[name] for name in RANKS)
        cell[keys.index(figure["metric"])] = [*map(shown_value, ends), figure["games"], *ranks]
    return [rows[key] for key in sorted(rows)]


def shown_value(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{SHOWN_DIGITS}g}")


def write_downloads(figures: pl.DataFrame, folder: Path) -> None:
    """Write the figures at full precision as leaderboard.csv and leaderboard.parquet."""
    from machine.output import replacing
    from pipeline.tables.io import write_csv

    folder.mkdir(parents=True, exist_ok=True)
    write_csv(figures, folder / "leaderboard.csv")
    with replacing(folder / "leaderboard.parquet") as target:
        figures.write_parquet(target)
