"""What the command `ledger` prints: what became of every figure and statement of the paper, with the tests."""

import sys
from collections.abc import Collection
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import typer

from machine.files import of_project
from machine.manifests import manifest_path, read_manifest
from pipeline.paper.ledger.build import (
    BY_CHOICE,
    CONTRADICTED,
    KEY,
    NEEDS_TRACES,
    NOT_PLAYED,
    OTHER_RUN,
    REPRODUCED,
    SETTING,
    VERDICTS,
    ledger_of_results,
    read_ledger,
)
from pipeline.paper.ledger.outcomes import described
from pipeline.paper.statements.checks import BY_CONSTRUCTION, CONFIRMED, STATEMENT_VERDICTS
from pipeline.statistics.by_game import ended
from pipeline.statistics.caveats import mixed_teams, uneven_tasks
from pipeline.tables.io import check_tables, read_table
from pipeline.tables.paths import ROOT
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    from rich.table import Table

LEDGER, REQUIRED = Path("data/results/ledger.csv"), Path("data/paper/reproduced.csv")
STATEMENTS = Path("data/results/statements.csv")

PRINTED_COLUMNS = (
    "source",
    "setting",
    "method",
    "metric",
    "published",
    "ours",
    "verdict",
    "by_construction",
    "computed_by",
)

# Games with these notes are sound, and none of the paper's.
NOT_THE_PAPERS = ("unknown_task", "other_rules", "unproven_optimum")

# The width where the output is no terminal: of the table of all rows, and of those whose cells are folded.
ROW_WIDTH, FOLDED_WIDTH = 300, 140


def study_ledger() -> pl.DataFrame:
    """The ledger that the stage `ledger` wrote. Raises BadParameter where it has not run."""
    path = of_project(LEDGER)
    if not path.is_file():
        raise typer.BadParameter(f"{path} does not exist; run `make repro` first.")
    return read_ledger(path)


def failed_games(audit: Path, tables: Path) -> set[str]:
    """The games in which the audit found errors, or another task or other rules than the paper's; says how many. Raises
    BadParameter for an audit of other traces, or none."""
    try:
        divergences = pl.read_parquet(
            audit / "audit.parquet", columns=["game_id", "trace_path", "code", "severity"], glob=False
        )
        played = read_table(tables, "games").select("game_id", "trace_path")
        derived = manifest_path(tables, "derive")
        # Tables that `report` made are listed beside their folder.
        listed = derived if derived.exists() else manifest_path(tables.resolve().parent, "report")
        origins = [read_manifest(path).made_from.get("traces") for path in (manifest_path(audit, "audit"), listed)]
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        problem = printable(f"{audit} holds no audit of {tables} ({error}); make it with `pipeline audit --out`.")
        raise typer.BadParameter(problem, param_hint="--audit") from None
    if origins[0] != origins[1]:
        raise typer.BadParameter(printable(f"{audit} is of other traces than {tables}."), param_hint="--audit")
    wrong = divergences.filter((pl.col("severity") == "error") | pl.col("code").is_in(NOT_THE_PAPERS))
    # A file that is no trace to the auditor may be one to `derive`, under an id that the auditor could not read.
    of_files = played.join(wrong.filter(game_id=""), on="trace_path", how="semi")
    games = {*wrong["game_id"], *of_files["game_id"]} - {""}
    print(
        f"{len(games)} games left out, in which the audit found errors, or other tasks or rules than the paper's",
        file=sys.stderr,
    )
    return games


def ledger_of_tables(tables: Path, without: Collection[str] = ()) -> pl.DataFrame:
    """The ledger of a folder of tables, without some games, and those that are none of the paper's, of which it says
    how many more there are. Raises BadParameter where it is none."""
    from pipeline.paper.ledger.measures import open_tables, other_games, prompted_games

    try:
        check_tables(tables)
    except ValueError as problem:
        raise typer.BadParameter(f"{printable(str(problem))}.", param_hint="--tables") from None
    without = set(without)
    for games, why in (
        (other_games(tables), "whose tasks are none of the paper's 72"),
        (prompted_games(tables), "whose models were asked otherwise than the paper's"),
    ):
        if new := set(games) - without:
            print(f"{len(new)} {'more ' if without else ''}games left out, {why}", file=sys.stderr)
        without |= new
    counted = read_table(tables, "games").filter(~pl.col("game_id").is_in(list(without)))
    for line in (*mixed_teams(counted, tables), *uneven_tasks(ended(counted))):
        print(f"warning: {printable(line)}", file=sys.stderr)
    results = open_tables(tables.resolve(), without)
    with chdir(ROOT):  # what is declared about the paper is there
        return ledger_of_results(results)


def print_ledger(ledger: pl.DataFrame, everything: bool) -> None:
    """Print the summary of a ledger, after all its rows where `everything` is asked for."""
    if everything:
        _print(rows_table(ledger), ROW_WIDTH)
    for table in (summary_table(ledger), contradicted_table(ledger), tests_table(ledger)):
        if table.row_count:
            _print(table)
    for line in left_out_lines(ledger):
        print(line)


def print_statements(statements: pl.DataFrame, everything: bool) -> None:
    """Print how many statements have which verdict, and those that are not confirmed, or all, with their tests."""
    _print(statements_summary(statements))
    left_out = [] if everything else [CONFIRMED, NEEDS_TRACES]
    _print(statements_table(statements.filter(~pl.col("verdict").is_in(left_out))))


def _print(table: "Table", width: int = FOLDED_WIDTH) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else width, markup=False, emoji=False, highlight=False)
    console.print(table)


def read_required(path: Path = REQUIRED) -> pl.DataFrame:
    """The figures that must be reproduced: one row each, with the columns KEY."""
    return pl.read_csv(of_project(path), infer_schema=False, glob=False)


def reproduced_figures(ledger: pl.DataFrame) -> pl.DataFrame:
    """The figures that a ledger reproduces, facts of the set-up included: one row each, with the columns KEY."""
    return ledger.filter(pl.col("verdict").is_in([REPRODUCED, SETTING])).select(KEY)


def missing_reproductions(ledger: pl.DataFrame, required: pl.DataFrame, anybody: bool = False) -> pl.DataFrame:
    """The required figures that the ledger does not reproduce: its own rows, null but for KEY where it has none.

    anybody: the ledger is of tables whose owner need not have played the protocols, so that those do not count.
    """
    missing = required.select(KEY).join(reproduced_figures(ledger), on=KEY, how="anti").join(ledger, on=KEY, how="left")
    return missing.filter(pl.col("verdict").ne_missing(NOT_PLAYED)) if anybody else missing


def verdict_counts(ledger: pl.DataFrame) -> list[tuple[str, int, int, str]]:
    """Verdict, rows, how many of them by construction, meaning: of each verdict that occurs, and of contradicted."""
    counts = []
    for verdict, meaning in VERDICTS.items():
        rows = ledger.filter(verdict=verdict)
        if rows.height or verdict == CONTRADICTED:
            counts.append((verdict, rows.height, int(rows["by_construction"].fill_null(False).sum()), meaning))
    return counts


def _meaning(meaning: str, constructed: int) -> str:
    """A verdict's meaning, and how many of its rows hold by construction, which supports nothing."""
    return f"{meaning}; {constructed} of them by construction" if constructed else meaning


def markdown(ledger: pl.DataFrame) -> str:
    """The counts by verdict as a Markdown table."""
    lines = ["| verdict | rows | which means |", "| --- | ---: | --- |"]
    lines += [
        f"| {verdict} | {rows} | {_meaning(meaning, constructed)} |"
        for verdict, rows, constructed, meaning in verdict_counts(ledger)
    ]
    return "\n".join(lines)


def summary_table(ledger: pl.DataFrame) -> "Table":
    """The counts by verdict for a terminal."""
    table = _table(f"{ledger.height} figures of the paper", "verdict", "rows", "which means")
    for verdict, rows, constructed, meaning in verdict_counts(ledger):
        table.add_row(verdict, str(rows), _meaning(meaning, constructed))
    return table


def contradicted_table(ledger: pl.DataFrame) -> "Table":
    """The figures that ours contradict, those of a model's other run, and facts of the set-up that differ by choice,
    with why."""
    columns = ("source", "setting", "method", "metric", "published", "ours", "note")
    table = _table("ours is another", *columns)
    others = ledger.filter(pl.col("verdict").is_in([CONTRADICTED, OTHER_RUN, BY_CHOICE]))
    for row in others.select(columns).iter_rows():
        table.add_row(*row)
    return table


def left_out_lines(ledger: pl.DataFrame) -> list[str]:
    """A line for each method whose games are at hand and not compared, with the reason."""
    waiting = ledger.filter(pl.col("verdict").is_in([NEEDS_TRACES, NOT_PLAYED]), pl.col("note") != "")
    reasons = waiting.select("method", "note").unique(maintain_order=True)
    return [f"{method} is not compared: {note}" for method, note in reasons.iter_rows()]


def tests_table(ledger: pl.DataFrame) -> "Table":
    """Each comparison that simulated teams stand in for, once, with its test."""
    tested = ledger.filter(pl.col("statistic").is_not_null()).unique(["note", "ours"], maintain_order=True)
    table = _table(
        "comparisons that simulated teams stand in for",
        "the paper compares",
        "they show",
        "test",
        "verdict",
        lines=True,
    )
    for row in tested.iter_rows(named=True):
        verdict = row["verdict"].removeprefix("stand-in: ") + (", by construction" if row["by_construction"] else "")
        where = f" ({row['setting']})" if row["setting"].startswith("blocked") else ""
        table.add_row(
            row["note"].partition(";")[0] + where, row["ours"].removeprefix("simulated: "), described(row), verdict
        )
    return table


def statements_summary(statements: pl.DataFrame) -> "Table":
    """How many statements have which verdict."""
    table = _table(f"{statements.height} statements", "verdict", "rows", "which means")
    for verdict, rows, meaning in statement_counts(statements):
        table.add_row(verdict, str(rows), meaning)
    return table


def statement_counts(statements: pl.DataFrame) -> list[tuple[str, int, str]]:
    """Verdict, rows and meaning, of each verdict that occurs; how many hold by construction, which supports nothing."""
    counts = []
    for verdict, meaning in STATEMENT_VERDICTS.items():
        rows = statements.filter(verdict=verdict)
        if rows.height:
            counts.append((verdict, rows.height, _meaning(meaning, rows.filter(evidence=BY_CONSTRUCTION).height)))
    return counts


def statements_table(statements: pl.DataFrame) -> "Table":
    """Statements with what was found, the test and the verdict, a row each."""
    table = _table("what the paper says", "where", "it says", "found", "test", "verdict", lines=True)
    for row in statements.iter_rows(named=True):
        finding = f"{row['found']} ({row['reading']})" if row["reading"] else row["found"]
        table.add_row(row["where"], row["says"], finding, described(row, row["unit"]), row["verdict"])
    return table


def rows_table(ledger: pl.DataFrame) -> "Table":
    """All figures, a line each."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in PRINTED_COLUMNS:
        table.add_column(column, no_wrap=True, justify="right" if column == "published" else "left")
    for *row, constructed, computed_by in ledger.select(PRINTED_COLUMNS).iter_rows():
        table.add_row(*row, "yes" if constructed else "", computed_by)
    return table


def _table(title: str, *columns: str, lines: bool = False) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_lines=lines)
    for column in columns:
        table.add_column(column, justify="right" if column in ("rows", "published") else "left", overflow="fold")
    return table
