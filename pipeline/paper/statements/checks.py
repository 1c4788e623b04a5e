"""The ledger of statements: what the paper says that games, its own figures or simulated teams can test.

They are declared in data/paper/statements.yaml, each with its comparison or its query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipeline.paper.figures import expensive_bounds
from pipeline.paper.ledger.outcomes import TESTS, Labels, Outcome, adjust
from pipeline.paper.statements.cells import compared, our_cells, printed_cells
from pipeline.tables.io import polars_schema
from pipeline.tables.paths import NUMBERS, RESULTS, TABLES, read_yaml
from pipeline.tables.schemas.results import STATEMENTS

LEAKS, TASKS = Path("data/paper/appendix_c.csv"), Path("data/suites/standard.jsonl")
DECLARED, IMPLIED = Path("data/paper/statements.yaml"), Path(__file__).with_name("printed.sql")
RESULTS_ASKED = (
    "table1",
    "patterns",
    "vps_by_source",
    "robustness_ranks",
    "robustness_flips",
    "known_truth",
    "mixed_effects",
)

MOST_MOVES = 1000  # expensive moves in all varied games of a model, of which the cost is bounded

EXACT, PRINTED, SIMULATED = "exact games", "printed figures", "simulated teams"
# What could hardly have come out otherwise: a rule built as the paper states it, a count of its set-up.
BY_CONSTRUCTION = "by construction"
EVIDENCE = (EXACT, PRINTED, SIMULATED, BY_CONSTRUCTION)
CONFIRMED, NOT_SHOWN, UNDECIDED, NEEDS_TRACES = "confirmed", "not shown", "undecided", "needs model traces"
ADDITION = "our addition"
DENIED = {EXACT: "contradicted by exact games", PRINTED: "contradicted by printed figures"}
SAME, OPPOSITE = "same direction in simulated teams", "opposite in simulated teams"

STATEMENT_VERDICTS = {
    DENIED[
        EXACT
    ]: "games of the paper's protocols on its tasks, which give its figures to the digit, show another thing",
    DENIED[PRINTED]: "the paper's own figures exclude it",
    NOT_SHOWN: "what there is does not bear it out, and does not exclude it",
    UNDECIDED: "the figures go that way or the other, and no further than chance",
    CONFIRMED: "games of the protocols, or the figures printed, bear it out",
    SAME: "programs that stand for no model show it too, beyond chance",
    OPPOSITE: "programs that stand for no model show the opposite, beyond chance",
    NEEDS_TRACES: "only games of the paper's models could tell",
    ADDITION: "what the paper does not claim, tested beside what it does: outside the tally",
}

STATEMENTS_SCHEMA = polars_schema(STATEMENTS)


@dataclass(frozen=True)
class Statement:
    """A statement as it is declared: data/paper/statements.yaml says what each field is."""

    id: str
    where: str
    says: str
    evidence: str = PRINTED
    compare: Sequence[Mapping[str, Any]] = ()
    query: str = ""
    passage: str = ""
    test: str = "cases"
    names: Sequence[str] = ("cases",)
    decimals: int = 2
    otherwise: str = ""
    reading: str = ""
    addition: bool = False

    def outcome(self, connection: duckdb.DuckDBPyConnection, cells: pl.DataFrame) -> Outcome | None:
        """What its test gives; None where nothing at hand can tell. Raises ValueError where a side has no cells."""
        if self.compare:
            return compared(self.compare, cells)
        if self.passage:
            return Outcome("read in the text", not self.otherwise, False, self.passage, 1, "passages")
        if not self.query:
            return None
        return TESTS[self.test](connection.sql(self.query).pl(), Labels(self.names, self.decimals), self.id)

    def verdict(self, outcome: Outcome | None) -> str:
        """The verdict, one of STATEMENT_VERDICTS, by the test with Holm's correction; chance decides none."""
        if outcome is None:
            return NEEDS_TRACES
        if self.addition or not outcome.clear:
            return ADDITION if self.addition else UNDECIDED
        simulated = self.evidence == SIMULATED
        if outcome.holds:
            return SAME if simulated else CONFIRMED
        if self.otherwise:
            return self.otherwise
        if outcome.opposite:
            return OPPOSITE if simulated else DENIED.get(self.evidence, DENIED[EXACT])
        return UNDECIDED

    @property
    def family(self) -> str:
        """The tests that it is corrected with: those of its kind of evidence, and additions apart."""
        return ADDITION if self.addition else self.evidence


def read_statements(path: Path = DECLARED) -> list[Statement]:
    """The statements of a YAML file. Raises TypeError where one lacks a field or has one too many."""
    return [Statement(**entry) for entry in read_yaml(path)]


def open_evidence(
    results: Path = RESULTS, tables: Path = TABLES, tasks: Path = TASKS, leaks: Path = LEAKS, numbers: Path = NUMBERS
) -> duckdb.DuckDBPyConnection:
    """A connection to all that queries of statements select from: `open_results`, printed, listed and tasks."""
    from pipeline.paper.ledger.measures import open_results

    connection = open_results(results, tables, RESULTS_ASKED)
    add_printed(connection, tasks, leaks, numbers)
    return connection


def add_printed(connection: duckdb.DuckDBPyConnection, tasks: Path, leaks: Path, numbers: Path) -> None:
    """Add to the schema `results` what the paper prints and what its suite implies: `printed`, `listed`, `tasks`,
    `expensive` (moves, least: what full schedules of the varied tasks cost with so many expensive moves) and the tables
    of printed.sql."""
    frames = {
        "printed": printed_cells(numbers),
        "listed": pl.read_csv(leaks, glob=False),
        "expensive": expensive_bounds(tasks, MOST_MOVES),
    }
    for name, frame in frames.items():
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE results.{name} AS FROM frame")
        connection.unregister("frame")
    connection.execute("CREATE TABLE results.tasks AS FROM read_json(?, maximum_object_size = 100000000)", [str(tasks)])
    connection.execute(IMPLIED.read_text(encoding="utf-8"))


def build_statements(statements: Sequence[Statement], connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The ledger of statements, what is denied first: one row a statement (its key: id); STATEMENTS_SCHEMA.

    connection: of `open_evidence`. Holm's correction is over all tests that have a p, of each kind of evidence by
    itself, and of additions.
    """
    cells = pl.concat([connection.sql("FROM printed").pl(), our_cells(connection.sql("FROM table1").pl())])
    outcomes = [statement.outcome(connection, cells) for statement in statements]
    tested = by_family(outcomes, [statement.family for statement in statements])
    rows = [statement_row(s, o) for s, o in zip(statements, tested, strict=True)]
    order = list(STATEMENT_VERDICTS)
    return pl.DataFrame(sorted(rows, key=lambda row: order.index(row[4])), schema=STATEMENTS_SCHEMA, orient="row")


def by_family(outcomes: Sequence[Outcome | None], families: Sequence[str]) -> list[Outcome | None]:
    """The outcomes with Holm's p over each family by itself, in their order."""
    adjusted = {
        family: iter(adjust([o for o, of in zip(outcomes, families, strict=True) if o and of == family]))
        for family in set(families)
    }
    return [next(adjusted[of]) if o else None for o, of in zip(outcomes, families, strict=True)]


Row = tuple[Any, ...]


def statement_row(statement: Statement, outcome: Outcome | None) -> Row:
    """A declared statement's row."""
    cells = (
        statement.id,
        statement.where,
        statement.says,
        statement.evidence if outcome else "",
        statement.verdict(outcome),
    )
    return (*cells, *_tested(outcome), DECLARED.as_posix() if outcome else "", statement.reading)


def _tested(outcome: Outcome | None) -> Row:
    if outcome is None:
        return ("", "", *(None,) * 7, "")
    o = outcome
    return (o.shown, o.test, *o.figures, o.exact, o.n, o.unit)


def statements_of_study(results: Path = RESULTS, tables: Path = TABLES) -> pl.DataFrame:
    """The ledger of statements by the project's files: see `build_statements`."""
    with open_evidence(results, tables) as connection:
        return build_statements(read_statements(), connection)


def read_statement_rows(path: Path = RESULTS / "statements.csv") -> pl.DataFrame:
    """The ledger of statements from its CSV, with empty text in place of null."""
    rows = pl.read_csv(path, infer_schema=False, glob=False).select(pl.col(name) for name in STATEMENTS_SCHEMA)
    typed = {name: kind for name, kind in STATEMENTS_SCHEMA.items() if kind in (pl.Float64, pl.Int64)}
    return rows.with_columns(
        pl.exclude(*typed, "exact").fill_null(""),
        *(pl.col(name).cast(kind) for name, kind in typed.items()),
        exact=pl.col("exact").eq("True"),
    )
