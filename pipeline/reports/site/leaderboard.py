"""The leaderboard's data: teams by metrics for every condition, as the page reads it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.batch.batch import file_name
from pipeline.reports.site.figures import ALL, CELL, RANKS
from pipeline.reports.site.metrics import Metric
from pipeline.tables.names import PAPER_PROTOCOLS

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
