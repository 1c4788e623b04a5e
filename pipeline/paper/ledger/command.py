"""The command `ledger`: what became of every figure of the paper, printed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl
import typer

from pipeline.paper.ledger.build import (
    CONTRADICTED,
    ITSELF,
    KEY,
    NEEDS,
    NOT_PLAYED,
    REPRODUCED,
    SETTING,
    UNSHOWN,
    VERDICTS,
)

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table


PROMISED = Path("data/paper/reproduced.csv")


def read_promised(path: Path = PROMISED) -> pl.DataFrame:
    """The figures that must be reproduced: one row each, by its key."""
    return pl.read_csv(path, infer_schema=False)


def reproduced(ledger: pl.DataFrame) -> pl.DataFrame:
    """The figures that a ledger reproduces, the set-up among them: one row each, by its key."""
    return ledger.filter(pl.col("verdict").is_in([REPRODUCED, SETTING])).select(KEY)


def lost(ledger: pl.DataFrame, promised: pl.DataFrame, anybody: bool = False) -> pl.DataFrame:
    """The promised figures that the ledger does not reproduce, with what it says of them (nothing where it has no row).

    anybody: whether it is of tables whose owner need not have played the protocols.
    """
    missing = promised.select(KEY).join(reproduced(ledger), on=KEY, how="anti").join(ledger, on=KEY, how="left")
    return missing.filter(pl.col("verdict").ne_missing(NOT_PLAYED)) if anybody else missing


COLUMNS = ("source", "setting", "method", "metric", "published", "ours", "verdict", "by_construction", "computed_by")


def counts(ledger: pl.DataFrame) -> list[tuple[str, int, int, str]]:
    """Verdict, its rows, how many of them hold by construction, what it means: those that occur, and contradicted."""
    found = []
    for verdict, meaning in VERDICTS.items():
        rows = ledger.filter(verdict=verdict)
        if rows.height or verdict == CONTRADICTED:
            found.append((verdict, rows.height, int(rows["by_construction"].fill_null(False).sum()), meaning))
    return found


def of_the_paper(ledger: pl.DataFrame) -> pl.DataFrame:
    """The rows of figures, without those of statements."""
    return ledger.filter(~pl.col("verdict").is_in([ITSELF, UNSHOWN]))


def told(verdict: str, constructed: int) -> str:
    """A verdict's meaning, and how much of it supports nothing."""
    return f"{verdict}; {constructed} of them by construction" if constructed else verdict


def markdown(ledger: pl.DataFrame) -> str:
    """The counts by verdict as a Markdown table."""
    lines = ["| verdict | rows | which means |", "| --- | ---: | --- |"]
    lines += [f"| {verdict} | {rows} | {told(meaning, made)} |" for verdict, rows, made, meaning in counts(ledger)]
    return "\n".join(lines)


def summary(ledger: pl.DataFrame) -> "Table":
    """The counts by verdict."""
    table = _table(f"{of_the_paper(ledger).height} figures of the paper", "verdict", "rows", "which means")
    for verdict, rows, made, meaning in counts(ledger):
        table.add_row(verdict, str(rows), told(meaning, made))
    return table


def contradicted(ledger: pl.DataFrame) -> "Table":
    """The figures that ours contradict."""
    rows = ledger.filter(verdict=CONTRADICTED)
    table = _table("contradicted", "source", "setting", "method", "metric", "published", "ours")
    for row in rows.select("source", "setting", "method", "metric", "published", "ours").iter_rows():
        table.add_row(*row)
    return table


def left_out(ledger: pl.DataFrame) -> list[str]:
    """Why games of a method that are at hand were not set beside the paper's: a line each."""
    waiting = ledger.filter(pl.col("verdict").is_in([NEEDS, NOT_PLAYED]), pl.col("note") != "")
    said = waiting.select("method", "note").unique(maintain_order=True)
    return [f"{method} is not compared: {note}" for method, note in said.iter_rows()]


def statements(ledger: pl.DataFrame) -> "Table":
    """What the paper says and its own figures do not bear out."""
    table = _table("the paper against its own figures", "where", "it says", "its figures say", lines=True)
    rows = ledger.filter(pl.col("verdict").is_in([ITSELF, UNSHOWN]))
    for row in rows.select("source", "published", "ours").iter_rows():
        table.add_row(*row)
    return table


def every_row(ledger: pl.DataFrame) -> "Table":
    """All figures, a line each."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in COLUMNS:
        table.add_column(column, no_wrap=True, justify="right" if column == "published" else "left")
    for *row, made, computed_by in of_the_paper(ledger).select(COLUMNS).iter_rows():
        table.add_row(*row, "yes" if made else "", computed_by)
    return table


def _table(title: str, *columns: str, lines: bool = False) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_lines=lines)
    for column in columns:
        table.add_column(column, justify="right" if column in ("rows", "published") else "left", overflow="fold")
    return table


LEDGER = Path("data/results/ledger.csv")

# How long lines may become where the output is no terminal: of all rows, and of what is folded.
ROW_WIDTH, FOLDED_WIDTH = 300, 140

EXAMPLES = """
Examples:

  python -m pipeline ledger

  python -m pipeline ledger --tables tables/my-model --all

Exit code: 0 when every figure of data/paper/reproduced.csv is reproduced, 1 when one is not, 2 for bad usage.
"""


def ledger(
    tables: Annotated[Path | None, typer.Option(help="A folder of tables.", show_default="the study's results")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every row.")] = False,
) -> None:
    """Print what became of every figure of the paper: reproduced, contradicted, stood in for, or waiting for traces."""

    found = ledger_of_tables(tables) if tables else study_ledger()
    missing = lost(found, read_promised(), anybody=tables is not None)
    show(found, everything)
    for source, setting, method, metric, published, ours in missing.select(*missing.columns[:6]).iter_rows():
        print(
            f"lost: {metric} of {method} ({setting}, {source}) is {published} in the paper, {ours or 'nothing'} here",
            file=sys.stderr,
        )
    raise typer.Exit(1 if missing.height else 0)


def study_ledger() -> "pl.DataFrame":
    """The ledger that the study's stage wrote."""
    from pipeline.paper.ledger.build import read_ledger

    if not LEDGER.is_file():
        raise typer.BadParameter(f"{LEDGER} does not exist; run `make repro` first.")
    return read_ledger(LEDGER)


def ledger_of_tables(tables: Path) -> "pl.DataFrame":
    """The ledger of a folder of tables."""
    import duckdb

    from pipeline.paper.ledger.build import ledger_of
    from pipeline.paper.ledger.measures import from_tables

    try:
        return ledger_of(from_tables(tables))
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{missing}.", param_hint="--tables") from None
    except (duckdb.CatalogException, duckdb.BinderException) as lacking:
        told = str(lacking).splitlines()[0].rstrip("!")
        raise typer.BadParameter(f"{tables} is no folder of our tables ({told}); derive it anew.") from None


def show(found: "pl.DataFrame", everything: bool) -> None:
    """Print a ledger: in short, or every row."""
    from rich.console import Console

    def console(width: int) -> Console:
        return Console(width=None if sys.stdout.isatty() else width, markup=False, emoji=False, highlight=False)

    if everything:
        console(ROW_WIDTH).print(every_row(found))
    for table in (summary(found), contradicted(found), statements(found)):
        if table.row_count:
            console(FOLDED_WIDTH).print(table)
    for line in left_out(found):
        print(line)
