"""The ledger of statements: what the paper says that games, its own figures or simulated teams can test.

Most are declared in data/paper/statements.yaml; those that need arithmetic of their own are functions, in `confirmed`
and `denied`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from machine.files import of_project
from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import Figures, Suite, figure_values, varied_suite
from pipeline.paper.ledger.outcomes import TESTS, Labels, Outcome, adjust
from pipeline.paper.statements import confirmed, denied
from pipeline.paper.statements.cells import compared, our_cells, printed_cells
from pipeline.paper.statements.check import AGREES, CONTRADICTS, UNDECIDED, VERDICTS, Check
from pipeline.tables.io import polars_schema
from pipeline.tables.paths import NUMBERS, RESULTS, TABLES, read_yaml
from pipeline.tables.schemas.paper_results import STATEMENTS

LEAKS, TASKS = Path("data/paper/appendix_c.csv"), Path("data/suites/standard.jsonl")
DECLARED = Path("data/paper/statements.yaml")
CHECKS = (*denied.CHECKS, *confirmed.CHECKS)
RESULTS_ASKED = (
    "table1",
    "patterns",
    "vps_by_source",
    "robustness_ranks",
    "robustness_flips",
    "known_truth",
    "mixed_effects",
)

EXACT, PRINTED, SIMULATED = "exact games", "printed figures", "simulated teams"
# What could hardly have come out otherwise: a rule built as the paper states it, a count of its set-up.
BY_CONSTRUCTION = "by construction"
EVIDENCE = (EXACT, PRINTED, SIMULATED, BY_CONSTRUCTION)
CONFIRMED, NOT_SHOWN, NEEDS_TRACES = "confirmed", "not shown", "needs model traces"
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
    connection.register("figures", printed_cells(numbers))
    connection.register("leaked", pl.read_csv(leaks, glob=False))
    connection.execute("CREATE TABLE results.printed AS FROM figures; CREATE TABLE results.listed AS FROM leaked")
    connection.execute("CREATE TABLE results.tasks AS FROM read_json(?, maximum_object_size = 100000000)", [str(tasks)])
    return connection


def build_statements(
    statements: Sequence[Statement], checks: Sequence[Check], connection: duckdb.DuckDBPyConnection
) -> pl.DataFrame:
    """The ledger of statements, what is denied first: one row a statement (its key: id); STATEMENTS_SCHEMA.

    connection: of `open_evidence`. checks: of `check_paper`. Holm's correction is over all tests that have a p, of each
    kind of evidence by itself, and of additions.
    """
    cells = pl.concat([connection.sql("FROM printed").pl(), our_cells(connection.sql("FROM table1").pl())])
    outcomes = [statement.outcome(connection, cells) for statement in statements]
    families = [*(statement.family for statement in statements), *(PRINTED for _ in checks)]
    tested = by_family([*outcomes, *map(_outcome_of, checks)], families)
    rows = [statement_row(s, o) for s, o in zip(statements, tested, strict=False)]
    rows += [check_row(check, o) for check, o in zip(checks, tested[len(statements) :], strict=True) if o]
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


def check_row(check: Check, outcome: Outcome) -> Row:
    """The row of a statement that a function checks."""
    verdict = {AGREES: CONFIRMED, CONTRADICTS: DENIED[PRINTED]}.get(check.verdict, check.verdict)
    module = "confirmed" if check.verdict == AGREES else "denied"
    says = f"{check.says[:1].upper()}{check.says[1:].rstrip('.')}."
    cells = (check.name.replace(" ", "-"), check.where, says, PRINTED, verdict)
    return (*cells, *_tested(outcome), f"pipeline/paper/statements/{module}.py", check.reading)


def _outcome_of(check: Check) -> Outcome:
    fits = check.verdict == AGREES
    return Outcome(
        check.test, fits, not fits, check.follows, check.n, check.unit, check.statistic, p_value=check.p_value
    )


def _tested(outcome: Outcome | None) -> Row:
    if outcome is None:
        return ("", "", *(None,) * 7, "")
    o = outcome
    return (o.shown, o.test, *o.figures, o.exact, o.n, o.unit)


def check_statements(f: Figures, suite: Suite, leaks: pl.DataFrame) -> list[Check]:
    """Every check by a function, contradictions first.

    f: of `figure_values`. suite: of `varied_suite`. leaks: rows of data/paper/appendix_c.csv.
    """
    checks = [denied.expensive_moves_paid(f, suite), *(check(f) for check in CHECKS), confirmed.leaks_listed(f, leaks)]
    return sorted(checks, key=lambda check: VERDICTS.index(check.verdict))


def check_paper(numbers: Path = NUMBERS, tasks: Path = TASKS, leaks: Path = LEAKS) -> list[Check]:
    """Every check by a function, from the project's files."""
    printed, leaked = read_numbers(of_project(numbers)), pl.read_csv(of_project(leaks), glob=False)
    return check_statements(figure_values(printed), varied_suite(tasks), leaked)


def statements_of_study(results: Path = RESULTS, tables: Path = TABLES) -> pl.DataFrame:
    """The ledger of statements by the project's files: see `build_statements`."""
    with open_evidence(results, tables) as connection:
        return build_statements(read_statements(), check_paper(), connection)


def read_statement_rows(path: Path = RESULTS / "statements.csv") -> pl.DataFrame:
    """The ledger of statements from its CSV, with empty text in place of null."""
    rows = pl.read_csv(path, infer_schema=False, glob=False).select(pl.col(name) for name in STATEMENTS_SCHEMA)
    typed = {name: kind for name, kind in STATEMENTS_SCHEMA.items() if kind in (pl.Float64, pl.Int64)}
    return rows.with_columns(
        pl.exclude(*typed, "exact").fill_null(""),
        *(pl.col(name).cast(kind) for name, kind in typed.items()),
        exact=pl.col("exact").eq("True"),
    )
