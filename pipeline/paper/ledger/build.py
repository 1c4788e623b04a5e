"""The ledger: one row per figure that the paper prints, and what became of it here."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import AGREES, NOT_SHOWN, Check
from pipeline.paper.inconsistencies import TASKS, paper_checks
from pipeline.paper.ledger.facts import (
    Direction,
    Fact,
    Figure,
    answer_of,
    direction_of,
    facts,
    figures,
    read_directions,
    shown,
)
from pipeline.paper.ledger.measures import Measures, measured, spellings
from pipeline.tables.paths import RESULTS

PAPER = Path("data/paper")

REPRODUCED, CONTRADICTED, SETTING = "reproduced", "contradicted", "setting"
SAME, OTHER = "stand-in: same direction", "stand-in: other direction"
NEEDS, NOT_PLAYED = "needs model traces", "not played here"
ITSELF, UNSHOWN = "contradicts itself", "not shown by the paper"

VERDICTS = {
    REPRODUCED: "equal to ours at the precision printed",
    CONTRADICTED: "ours is another",
    SETTING: "a fact of the set-up, the same here",
    SAME: "simulated teams show the direction of the comparison that it belongs to",
    OTHER: "simulated teams show another direction",
    NEEDS: "only games of the paper's models could tell",
    NOT_PLAYED: "these tables have no full set of the protocol's games",
    ITSELF: "the paper's own figures deny what it says",
    UNSHOWN: "the paper's own figures do not show what it says",
}

SCHEMA = {
    "source": pl.String,
    "setting": pl.String,
    "method": pl.String,
    "metric": pl.String,
    "published": pl.String,
    "ours": pl.String,
    "verdict": pl.String,
    "by_construction": pl.Boolean,
    "computed_by": pl.String,
    "note": pl.String,
}
KEY = ("source", "setting", "method", "metric")

INCONSISTENCIES = "pipeline/paper/inconsistencies.py"
ONE_GAME, ONE_GAME_IN = "one_game_", "notebooks/60_explore_traces.ipynb"  # no result has a row a game


class Paper(NamedTuple):
    """What is declared about the paper: its figures, how traces name its models, and what it compares."""

    numbers: pl.DataFrame
    models: pl.DataFrame
    directions: list[Direction]

    @property
    def tasks(self) -> int:
        """Tasks of its suite."""
        listed = self.numbers.filter(source="section 3.3", metric="tasks")["value"]
        return int(listed[0]) if len(listed) else 0


def read_paper(folder: Path = PAPER) -> Paper:
    """What the files of a folder declare."""
    models = pl.read_csv(folder / "models.csv", infer_schema=False)
    return Paper(read_numbers(folder / "numbers.csv"), models, read_directions(folder / "directions.yaml"))


def read_ledger(path: Path) -> pl.DataFrame:
    """A ledger from its CSV."""
    found = pl.read_csv(path, infer_schema=False)
    made = pl.col("by_construction")
    return found.with_columns(pl.exclude("by_construction").fill_null(""), made.eq("True").alias("by_construction"))


class Entry(NamedTuple):
    """What became of a figure."""

    verdict: str
    ours: str = ""
    computed_by: str = ""
    note: str = ""
    by_construction: bool | None = None


def ledger(
    results: duckdb.DuckDBPyConnection, paper: Paper, facts: Iterable[Fact], checks: Sequence[Check] = ()
) -> pl.DataFrame:
    """One row per figure of the paper, place by place, then one per statement that its own figures do not bear out.

    results: a connection with a view for each result, of the study's teams or of any others (measures.py).
    facts: the set-up as it is in force. checks: what pipeline/paper/inconsistencies.py found.
    """
    book = Book(paper, measured(results, paper.models, paper.tasks), facts, results)
    rows = [row(figure, book.entry(figure)) for figure in figures(paper.numbers)]
    return pl.DataFrame([*rows, *map(check_row, unborne(checks))], schema=SCHEMA, orient="row")


class Book:
    """Looks figures up: in the set-up, in what was measured, in what simulated teams show."""

    def __init__(
        self, paper: Paper, ours: Measures, facts: Iterable[Fact], connection: duckdb.DuckDBPyConnection
    ) -> None:
        self.paper, self.ours = paper, ours
        self.answers = {direction.query: answer_of(direction, connection) for direction in paper.directions}
        self.facts = {(fact.setting, fact.method, fact.metric): fact for fact in facts}
        self.spellings = spellings(paper.models)

    def entry(self, figure: Figure) -> Entry:
        """What became of the figure."""
        if figure.kind == "setup":
            return self.of_setup(figure)
        return self.of_games(figure) or self.of_stand_ins(figure) or self.of_nobody(figure)

    def of_setup(self, figure: Figure) -> Entry:
        """A fact of the set-up."""
        fact = self.facts.get((figure.setting, figure.method, figure.metric))
        if fact is None:
            return Entry(CONTRADICTED, note="nothing here says so")
        verdict = SETTING if figure.equals(fact.value) else CONTRADICTED
        return Entry(verdict, figure.at_its_precision(fact.value), fact.computed_by)

    def of_games(self, figure: Figure) -> Entry | None:
        """A figure of games that were played here too."""
        value = self.ours.values.get((self.method(figure), *figure.place, figure.metric))
        if value is None:
            return None
        verdict = REPRODUCED if figure.equals(value) else CONTRADICTED
        return Entry(verdict, figure.at_its_precision(value), self.computed_by(figure))

    def of_stand_ins(self, figure: Figure) -> Entry | None:
        """A model's figure that belongs to a comparison which simulated teams allow too."""
        direction = direction_of(figure, self.paper.directions) if figure.kind == "model" else None
        found = shown(direction, figure, self.answers[direction.query]) if direction else None
        if direction is None or found is None:
            return None
        because = f"; by construction: {direction.because}" if direction.by_construction else ""
        return Entry(
            SAME if found.holds else OTHER,
            f"simulated: {found.ours}",
            f"pipeline/paper/ledger/sql/{direction.query}.sql",
            f"{direction.says.rstrip('.')}{because}",
            direction.by_construction,
        )

    def of_nobody(self, figure: Figure) -> Entry:
        """A figure of games that nobody played here."""
        note = self.ours.reasons.get((self.method(figure), figure.place[0]), "")
        return Entry(NEEDS if figure.kind == "model" else NOT_PLAYED, "", self.computed_by(figure), note)

    def method(self, figure: Figure) -> str:
        """The method as Table 1 spells it."""
        return self.spellings.get(figure.method, figure.method)

    def computed_by(self, figure: Figure) -> str:
        """The query, or notebook, that computes the figure from games of its method."""
        if figure.metric.startswith(ONE_GAME):
            return ONE_GAME_IN
        metrics = (figure.metric, figure.metric.removesuffix("_pct"))
        results = (self.ours.results.get((*figure.place, metric)) for metric in metrics)
        return next((f"pipeline/tables/sql/{result}.sql" for result in results if result), "")


def row(figure: Figure, entry: Entry) -> tuple[object, ...]:
    """A figure's row of the ledger."""
    known = (figure.source, figure.setting, figure.method, figure.metric, figure.value)
    return (*known, entry.ours, entry.verdict, entry.by_construction, entry.computed_by, entry.note)


def unborne(checks: Sequence[Check]) -> list[Check]:
    """The checks in which the paper's figures do not bear out what it says."""
    return [check for check in checks if check.verdict != AGREES]


def check_row(check: Check) -> tuple[object, ...]:
    """A row of the ledger for a statement of the paper, with what follows from its figures in place of ours."""
    verdict = UNSHOWN if check.verdict == NOT_SHOWN else ITSELF
    return (check.where, "", "", check.name, check.says, check.follows, verdict, None, INCONSISTENCIES, "")


def ledger_of(results: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The ledger of any results, whoever played; the facts of the set-up are the study's own.

    results: a connection with a view for each result, closed at the end. Key and columns: `ledger`. The paper's
    statements are checked where the suite's tasks have been made.
    """
    with results:
        return ledger(results, read_paper(), facts(RESULTS), paper_checks() if TASKS.is_file() else ())
