"""`python -m pipeline ledger`: what became of every figure of the paper."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import polars as pl

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
    from pipeline.paper.ledger.required import lost, read_promised

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

    from pipeline.paper.ledger import show as shown

    def console(width: int) -> Console:
        return Console(width=None if sys.stdout.isatty() else width, markup=False, emoji=False, highlight=False)

    if everything:
        console(ROW_WIDTH).print(shown.every_row(found))
    for table in (shown.summary(found), shown.contradicted(found), shown.statements(found)):
        if table.row_count:
            console(FOLDED_WIDTH).print(table)
    for line in shown.left_out(found):
        print(line)
