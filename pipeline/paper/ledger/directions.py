"""Comparisons that the paper makes, and whether simulated teams show the same direction."""

from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from pipeline.paper.figures import Figure

QUERIES = Path(__file__).with_name("sql")
QueryRows = list[dict[str, Any]]  # `holds`, `ours`, and any of SELECTING
SELECTING = ("setting", "method", "metric")  # columns by which a query's row is about some figures only


class Direction(NamedTuple):
    """A comparison, declared in data/paper/directions.yaml, which says what each field is."""

    says: str
    query: str
    figures: list[dict[str, str | list[str]]]
    by_construction: bool
    because: str

    def covers(self, figure: Figure) -> bool:
        """Whether the figure belongs to the comparison."""
        return any(
            all(_matches(getattr(figure, key), allowed) for key, allowed in fields.items()) for fields in self.figures
        )


class StandIn(NamedTuple):
    """What simulated teams show of a comparison: their figures in words, and whether the direction is the paper's."""

    direction: Direction
    ours: str
    holds: bool


def read_directions(path: Path) -> list[Direction]:
    """The comparisons declared in a YAML file. Raises TypeError where one lacks a field or has one too many."""
    import yaml

    return [Direction(**fields) for fields in yaml.safe_load(path.read_text(encoding="utf-8"))]


def direction_of(figure: Figure, directions: list[Direction]) -> Direction | None:
    """The comparison to which the figure belongs: the first that covers it."""
    return next((direction for direction in directions if direction.covers(figure)), None)


def stand_in(direction: Direction, figure: Figure, rows: QueryRows) -> StandIn | None:
    """What stands in for the figure; None where no simulated team plays, or there is nothing to compare.

    rows: of the comparison's query, by `run_query`.
    """
    for row in rows:
        if row["holds"] is not None and all(row[key] == getattr(figure, key) for key in SELECTING if key in row):
            return StandIn(direction, row["ours"], row["holds"])
    return None


def run_query(direction: Direction, connection: duckdb.DuckDBPyConnection) -> QueryRows:
    """The rows of a comparison's query. connection: a view for each result."""
    text = (QUERIES / f"{direction.query}.sql").read_text(encoding="utf-8")
    rows: QueryRows = connection.sql(text).pl().to_dicts()
    return rows


def _matches(value: str, allowed: str | list[str]) -> bool:
    return value in (allowed if isinstance(allowed, list) else [allowed])
