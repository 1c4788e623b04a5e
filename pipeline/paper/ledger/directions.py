"""Comparisons that the paper makes with its models, and whether our simulated teams show the same direction."""

from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from pipeline.paper.ledger.figure import Figure

QUERIES = Path(__file__).with_name("sql")
Answer = list[dict[str, Any]]

SHARED = ("setting", "method", "metric")  # columns by which a query's row may speak of some figures only


class Direction(NamedTuple):
    """A comparison, declared in data/paper/directions.yaml."""

    says: str
    query: str
    figures: list[dict[str, str | list[str]]]
    by_construction: bool
    because: str

    def covers(self, figure: Figure) -> bool:
        """Whether the figure belongs to the comparison."""
        return any(all(_among(getattr(figure, key), given) for key, given in listed.items()) for listed in self.figures)


class Shown(NamedTuple):
    """What simulated teams show of a comparison: the figures in words, and whether its direction is the paper's."""

    direction: Direction
    ours: str
    holds: bool


def read_directions(path: Path) -> list[Direction]:
    """The comparisons declared in a YAML file. Raises TypeError where one lacks a field or has one too many."""
    import yaml

    return [Direction(**listed) for listed in yaml.safe_load(path.read_text(encoding="utf-8"))]


def direction_of(figure: Figure, directions: list[Direction]) -> Direction | None:
    """The comparison to which the figure belongs: the first that covers it."""
    return next((direction for direction in directions if direction.covers(figure)), None)


def shown(direction: Direction, figure: Figure, answer: Answer) -> Shown | None:
    """What simulated teams show of the figure; None where there are none, or nothing to compare.

    answer: of the comparison's query.
    """
    for row in answer:
        if row["holds"] is not None and all(row[key] == getattr(figure, key) for key in SHARED if key in row):
            return Shown(direction, row["ours"], row["holds"])
    return None


def answer_of(direction: Direction, connection: duckdb.DuckDBPyConnection) -> Answer:
    """The answer of a comparison's query. connection: a view for each result."""
    text = (QUERIES / f"{direction.query}.sql").read_text(encoding="utf-8")
    found: Answer = connection.sql(text).pl().to_dicts()
    return found


def _among(value: str, given: str | list[str]) -> bool:
    return value in (given if isinstance(given, list) else [given])
