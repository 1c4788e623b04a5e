"""Comparisons that the paper makes, and whether simulated teams show the same direction beyond chance."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from pipeline.paper.figures import Figure, Figures
from pipeline.paper.ledger.outcomes import TESTS, Labels, Outcome, adjust
from pipeline.tables.paths import read_yaml

QUERIES = Path(__file__).with_name("sql")
EVERYWHERE = ""  # the setting of a test that is of all settings at once

Outcomes = dict[tuple[str, str], Outcome]  # query, setting (or EVERYWHERE) → what its test gave


class Direction(NamedTuple):
    """A comparison, declared in data/paper/directions.yaml, which says what each field is."""

    says: str
    query: str
    test: str
    names: list[str]
    figures: list[dict[str, str | list[str]]]
    by_construction: bool
    because: str
    decimals: int = 2
    more: bool | None = None

    def covers(self, figure: Figure) -> bool:
        """Whether the figure belongs to the comparison."""
        return any(
            all(_matches(getattr(figure, key), allowed) for key, allowed in fields.items()) for fields in self.figures
        )

    def shown_by(self, figure: Figure, printed: Figures) -> bool:
        """Whether the figure's own row of the paper has the direction: none lacks it that has no counterpart there."""
        other = printed.get(("Table 1", figure.condition_and_setting[1], figure.method, figure.metric))
        if self.more is None or other is None:
            return True
        return float(figure.value) > other if self.more else float(figure.value) < other


def read_directions(path: Path) -> list[Direction]:
    """The comparisons that a YAML file declares."""
    return [Direction(**entry) for entry in read_yaml(path)]


def direction_of(figure: Figure, directions: Sequence[Direction]) -> Direction | None:
    """The comparison that a figure belongs to, if any."""
    return next((direction for direction in directions if direction.covers(figure)), None)


def run_directions(directions: Sequence[Direction], connection: duckdb.DuckDBPyConnection) -> Outcomes:
    """Every comparison's tests, with Holm's p over all of them; a comparison without games to test it has none.

    connection: of `open_results` or `open_tables`.
    """
    tested = {key: outcome for direction in directions for key, outcome in _tests(direction, connection).items()}
    return dict(zip(tested, adjust(list(tested.values())), strict=True))


def outcome_of(direction: Direction, figure: Figure, tested: Outcomes) -> Outcome | None:
    """The test that stands in for a figure, if there is any: its setting's, where each setting has its own."""
    return tested.get((direction.query, figure.setting)) or tested.get((direction.query, EVERYWHERE))


def _tests(direction: Direction, connection: duckdb.DuckDBPyConnection) -> Outcomes:
    """A comparison's tests before any correction."""
    text = (QUERIES / f"{direction.query}.sql").read_text(encoding="utf-8")
    rows: pl.DataFrame = connection.sql(text).pl()
    labels = Labels(direction.names, direction.decimals)
    parts = (
        {str(setting): part for (setting,), part in rows.group_by("setting", maintain_order=True)}
        if "setting" in rows.columns
        else {EVERYWHERE: rows}
    )
    outcomes = {
        (direction.query, setting): TESTS[direction.test](part, labels, f"{direction.query} {setting}".strip())
        for setting, part in parts.items()
    }
    return {key: outcome for key, outcome in outcomes.items() if outcome}


def _matches(value: str, allowed: str | list[str]) -> bool:
    return value in (allowed if isinstance(allowed, list) else [allowed])
