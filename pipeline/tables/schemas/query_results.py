"""The result tables that the queries of sql/ make, as the header of each file declares them: row, key and columns."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.tables.schemas.table import CONDITION, SIMULATED, TEAM, WEIGHT_MODE, C, Column, Table

SQL = Path(__file__).parents[1] / "sql"
SHARED = SQL / "shared"  # what several result tables select from

# Columns that mean the same in many results: headers list them by their names alone.
COMMON = {
    column.name: column
    for column in (
        *(TEAM, SIMULATED, CONDITION, WEIGHT_MODE),
        C("setting", "str", "uniform or varied errand costs; empty where the traces do not say"),
        C("games", "int", "games that ended"),
    )
}

ROW, KEY = re.compile(r"^-- Row: (.+(?:\n--   .+)*)", re.MULTILINE), re.compile(r"^-- Key: (.+)", re.MULTILINE)
COLUMNS = re.compile(r"^-- Columns:((?:\n--   .+)+)", re.MULTILINE)
COLUMN = re.compile(r"(\w+) (\w+)(?: \[(.+?)\])?: (.+)")


def query_names() -> list[str]:
    """The names of the result tables that sql/ has a query for, sorted."""
    return sorted(path.stem for path in SQL.glob("*.sql"))


def shared_queries(text: str) -> list[Path]:
    """The files of the shared queries that an SQL text selects from, sorted."""
    return [path for path in sorted(SHARED.glob("*.sql")) if f"FROM {path.stem}\n" in text]


def query_table(name: str) -> Table:
    """The result table that a query makes. Its header gives a type to each column that neither a shared query declares
    nor COMMON."""
    text = (SQL / f"{name}.sql").read_text(encoding="utf-8")
    known = dict(COMMON)
    for path in shared_queries(text):
        known |= {c.name: c for c in _columns(path.read_text(encoding="utf-8"), COMMON)}
    row, key = (str(part.findall(text)[0]) for part in (ROW, KEY))
    return Table(name, row.replace("\n--   ", " "), tuple(key.split(", ")), tuple(_columns(text, known)))


def _columns(text: str, known: Mapping[str, Column]) -> Iterator[Column]:
    """The columns that the header of an SQL text lists, such as `cost float [cost]: what its moves cost`.

    Lines that are indented further go on with the one before.
    """
    for listed in COLUMNS.findall(text):
        for line in listed.replace("\n--     ", " ").split("\n--   ")[1:]:
            if column := COLUMN.fullmatch(line):
                name, dtype, unit, meaning = column.groups()
                yield Column(name, dtype, meaning, unit or "")
            else:
                yield from (known[name] for name in line.split(", "))


QUERY_RESULTS = tuple(map(query_table, query_names()))
