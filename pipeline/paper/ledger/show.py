"""The ledger for a terminal, and for the README."""

from typing import TYPE_CHECKING

import polars as pl

from pipeline.paper.ledger.build import CONTRADICTED, ITSELF, NEEDS, NOT_PLAYED, UNSHOWN, VERDICTS

if TYPE_CHECKING:
    from rich.table import Table

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
