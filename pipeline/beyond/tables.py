"""How an area declares its tables and writes them, and the files of the teams that it lets play."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import polars as pl

from machine.output import replacing
from pipeline.tables.io import polars_schema, write_table
from pipeline.tables.schemas.table import Column, Table

HEAD = re.compile(r"(\w+) \(([\w, ]+)\): (.+)")
COLUMN = re.compile(r"(\w+): (str|int|float|bool|list\[int\]|list\[str\])(?: \[(.+?)\])? (.+)")
DECIMALS = 9  # of a rounded float: what lies below depends on the order of a sum


def declare(text: str) -> dict[str, Table]:
    """The tables that a text declares, by name, one paragraph per table.

    Its first line is `name (key, columns): what one row is`. A line `name: dtype [unit] meaning` is a column; a line of
    names repeats columns of tables above; an indented line goes on with the one before. Raises KeyError for a name that
    no table above has.
    """
    known: dict[str, Column] = {}
    return {table.name: table for part in dedent(text).strip().split("\n\n") for table in [_table(part, known)]}


def _table(part: str, known: dict[str, Column]) -> Table:
    """The table of a paragraph; its columns are added to those that are known."""
    head, *lines = re.sub(r"\n +", " ", part).splitlines()
    name, key, row = re.fullmatch(HEAD, head).groups()  # type: ignore[union-attr]
    columns: list[Column] = []
    for line in lines:
        if column := COLUMN.fullmatch(line):
            known[column[1]] = Column(column[1], column[2], column[4], column[3] or "")
            columns.append(known[column[1]])
        else:
            columns += [known[repeated] for repeated in line.split(", ")]
    return Table(name, row, tuple(key.split(", ")), tuple(columns))


def frames_of(rows: Mapping[str, Iterable[Mapping[str, Any]]], tables: Mapping[str, Table]) -> dict[str, pl.DataFrame]:
    """The frame of each table's rows, which name each of its columns."""
    return {name: pl.DataFrame(list(of), schema=polars_schema(tables[name])) for name, of in rows.items()}


def write(frames: Mapping[str, pl.DataFrame], tables: Mapping[str, Table], out: Path, rounded: bool = False) -> None:
    """Write each frame as `out/{name}.parquet`, as its table declares it, and print how many rows it has."""
    for name, frame in frames.items():
        if rounded:
            frame = frame.with_columns(pl.selectors.float().round(DECIMALS))
        print(f"{write_table(frame, tables[name], out, csv=False)['rows']} rows in {tables[name].name}")


def write_team(team: Mapping[str, Any], folder: Path) -> Path:
    """Write a team as a YAML file of its name, whole or not at all; return the file."""
    import yaml

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{team['team']}.yaml"
    with replacing(path) as draft:
        draft.write_text(yaml.safe_dump(dict(team), sort_keys=False), encoding="utf-8")
    return path
