"""The ledger: one row per figure that the paper prints, and what became of it here."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import duckdb
import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import Figure, figure_rows, figure_values
from pipeline.paper.ledger.directions import Direction, direction_of, outcome_of, read_directions, run_directions
from pipeline.paper.ledger.facts import Fact, setup_facts
from pipeline.paper.ledger.measures import Measures, paper_measures
from pipeline.paper.ledger.outcomes import Outcome
from pipeline.tables.io import polars_schema
from pipeline.tables.paths import RESULTS
from pipeline.tables.schemas.results import LEDGER

PAPER = Path("data/paper")

REPRODUCED, CONTRADICTED, SETTING = "reproduced", "contradicted", "setting"
OTHER_RUN = "another run differs"
BY_CHOICE = "differs by choice"
SAME_DIRECTION, OPPOSITE = "stand-in: same direction", "stand-in: opposite"
UNDECIDED = "stand-in: undecided"
NEEDS_TRACES, NOT_PLAYED = "needs model traces", "not played here"

VERDICTS = {
    REPRODUCED: "equal to ours at the precision printed",
    CONTRADICTED: "ours is another",
    OTHER_RUN: "the same model's games here give another figure; of one run, without an interval, no test can be made",
    SETTING: "a fact of the set-up, the same in the study as shipped; of other games it says nothing",
    BY_CHOICE: "a fact of the set-up, another in the study as shipped: the note says why no game tells",
    SAME_DIRECTION: "simulated teams show the direction of the comparison that it belongs to, beyond chance",
    OPPOSITE: "simulated teams show the opposite direction, beyond chance",
    UNDECIDED: "what simulated teams show is not beyond chance",
    NEEDS_TRACES: "only games of the paper's models could tell",
    NOT_PLAYED: "these tables have no full set of the protocol's games",
}
# Tests of figures that are exact.
BY_PRINT, BY_SETUP = "equal at the precision printed", "equal to the study's set-up as shipped"

SCHEMA = polars_schema(LEDGER)
KEY = LEDGER.key

ONE_GAME_METRIC, ONE_GAME_NOTEBOOK = "one_game_", "notebooks/60_explore_traces.ipynb"  # no result has a row a game


class Paper(NamedTuple):
    """What is declared about the paper: its figures, how traces name its models, and what it compares."""

    numbers: pl.DataFrame
    models: pl.DataFrame
    directions: list[Direction]

    @property
    def tasks(self) -> int:
        """The number of tasks of its suite, 0 where no figure says it."""
        values = self.numbers.filter(source="section 3.3", metric="tasks")["value"]
        return int(values[0]) if len(values) else 0


def read_paper(folder: Path = PAPER) -> Paper:
    """What numbers.csv, models.csv and directions.yaml of a folder declare."""
    models = pl.read_csv(folder / "models.csv", infer_schema=False, glob=False)
    return Paper(read_numbers(folder / "numbers.csv"), models, read_directions(folder / "directions.yaml"))


def read_ledger(path: Path) -> pl.DataFrame:
    """A ledger from its CSV: SCHEMA, with empty text in place of null."""
    ledger = pl.read_csv(path, infer_schema=False, glob=False)
    numbers = [name for name, kind in SCHEMA.items() if kind in (pl.Float64, pl.Int64)]
    return ledger.with_columns(
        pl.exclude("by_construction", *numbers).fill_null(""),
        *(pl.col(name).cast(SCHEMA[name]) for name in numbers if name in ledger.columns),
        by_construction=pl.col("by_construction").eq("True"),
    )


class Entry(NamedTuple):
    """What the ledger says of a figure: the columns of SCHEMA that follow the figure's own."""

    verdict: str
    ours: str = ""
    computed_by: str = ""
    note: str = ""
    by_construction: bool | None = None
    test: str = ""
    outcome: Outcome | None = None


def build_ledger(results: duckdb.DuckDBPyConnection, paper: Paper, facts: Iterable[Fact]) -> pl.DataFrame:
    """One row per figure of the paper (its key: KEY), source by source; columns: SCHEMA.

    results: a connection of measures.py, with results and tables of the study's teams or of any others.
    facts: the set-up as it is in force in the study, whose games these need not be.
    """
    builder = LedgerBuilder(paper, paper_measures(results, paper.models, paper.tasks), facts, results)
    rows = [figure_row(figure, builder.entry(figure)) for figure in figure_rows(paper.numbers)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


class LedgerBuilder:
    """Finds the entry of each figure: in the set-up, in what was measured, in what simulated teams show."""

    def __init__(
        self, paper: Paper, measures: Measures, facts: Iterable[Fact], connection: duckdb.DuckDBPyConnection
    ) -> None:
        self.paper, self.measures = paper, measures
        self.tested = run_directions(paper.directions, connection)
        self.printed = figure_values(paper.numbers)
        self.facts = {(fact.setting, fact.method, fact.metric): fact for fact in facts}

    def entry(self, figure: Figure) -> Entry:
        """The figure's entry: by the set-up, by games of its method, by stand-ins, or for want of games."""
        if figure.kind == "setup":
            return self.setup_entry(figure)
        return self.played_entry(figure) or self.stand_in_entry(figure) or self.unplayed_entry(figure)

    def setup_entry(self, figure: Figure) -> Entry:
        """A fact of the set-up."""
        fact = self.facts.get((figure.setting, figure.method, figure.metric))
        if fact is None:
            return Entry(CONTRADICTED, note="nothing here says so")
        differs = BY_CHOICE if fact.note else CONTRADICTED
        verdict = SETTING if figure.equals(fact.value) else differs
        return Entry(verdict, figure.rounded(fact.value), fact.computed_by, fact.note, test=BY_SETUP)

    def played_entry(self, figure: Figure) -> Entry | None:
        """A figure of games that were played here too. Protocols repeat themselves, and models need not."""
        value = self.measures.values.get((figure.method, *figure.condition_and_setting, figure.measure))
        if value is None:
            return None
        differs = OTHER_RUN if figure.kind == "model" else CONTRADICTED
        verdict = REPRODUCED if figure.equals(value) else differs
        return Entry(verdict, figure.rounded(value), self.computed_by(figure), test=BY_PRINT)

    def stand_in_entry(self, figure: Figure) -> Entry | None:
        """A model's figure that belongs to a comparison which simulated teams allow too."""
        direction = direction_of(figure, self.paper.directions) if figure.kind == "model" else None
        outcome = outcome_of(direction, figure, self.tested) if direction else None
        if direction is None or outcome is None or not direction.shown_by(figure, self.printed):
            return None
        because = f"; by construction: {direction.because}" if direction.by_construction else ""
        return Entry(
            direction_verdict(outcome),
            f"simulated: {outcome.shown}",
            f"pipeline/paper/ledger/sql/{direction.query}.sql",
            f"{direction.says.rstrip('.')}{because}",
            direction.by_construction,
            outcome.test,
            outcome,
        )

    def unplayed_entry(self, figure: Figure) -> Entry:
        """A figure of games that nobody played here."""
        note = self.measures.reasons.get((figure.method, figure.condition_and_setting[0]), "")
        return Entry(NEEDS_TRACES if figure.kind == "model" else NOT_PLAYED, "", self.computed_by(figure), note)

    def computed_by(self, figure: Figure) -> str:
        """The query, or notebook, that computes the figure from games of its method."""
        if figure.metric.startswith(ONE_GAME_METRIC):
            return ONE_GAME_NOTEBOOK
        metrics = (figure.measure, figure.measure.removesuffix("_pct"))
        results = (self.measures.results.get((*figure.condition_and_setting, metric)) for metric in metrics)
        return next((f"pipeline/tables/sql/{result}.sql" for result in results if result), "")


def direction_verdict(outcome: Outcome) -> str:
    """Whether a test shows the direction, its opposite, or neither beyond chance."""
    return {True: SAME_DIRECTION, False: OPPOSITE, None: UNDECIDED}[outcome.agrees]


def figure_row(figure: Figure, entry: Entry) -> tuple[object, ...]:
    """A figure's row of the ledger."""
    printed = (figure.source, figure.setting, figure.method, figure.metric, figure.value)
    judged = (entry.ours, entry.verdict, entry.by_construction, entry.computed_by, entry.note, entry.test)
    tested = entry.outcome
    numbers = (*tested.figures, tested.n) if tested else (None,) * 6
    return (*printed, *judged, *numbers)


def ledger_of_results(results: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The ledger of any results, whoever played, by the files of the project: see `build_ledger`.

    results: a connection of measures.py, closed at the end. The facts of the set-up are the study's own.
    """
    with results:
        return build_ledger(results, read_paper(), setup_facts(RESULTS))
