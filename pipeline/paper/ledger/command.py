"""The command `ledger`. What it prints is in `printed.py`, which takes a third of a second to load."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from machine.files import of_project
from machine.terminal import escaped

EXAMPLES = """
Examples:

  calbench ledger

  calbench audit traces/my-model --out audit

  calbench ledger --tables tables/my-model --audit audit --all

Exit code: 0 when every figure of data/paper/reproduced.csv is reproduced, 1 when one is not, 2 for bad usage.
"""


def ledger(
    tables: Annotated[Path | None, typer.Option(help="A folder of tables.", show_default="the study's results")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every row.")] = False,
    audit: Annotated[
        Path | None, typer.Option(help="The audit of these tables' traces: its folder. Games with errors are left out.")
    ] = None,
) -> None:
    """Print what became of every figure of the paper and of what it says: each verdict, with its test.

    A figure is reproduced, contradicted, stood in for, or waits for traces. Statements are of the study's games.
    """
    import polars as pl

    from pipeline.paper.ledger import printed
    from pipeline.paper.statements.checks import read_statement_rows

    if audit and not tables:
        raise typer.BadParameter("is of the games of --tables; name these, too.", param_hint="--audit")
    without = printed.failed_games(audit, tables) if audit and tables else set()
    if tables and not audit:
        print("warning: no audit of these games is named (--audit): they are taken at their word", file=sys.stderr)
    rows = printed.ledger_of_tables(tables, without) if tables else printed.study_ledger()
    missing = printed.missing_reproductions(rows, printed.read_required(), anybody=tables is not None)
    printed.print_ledger(rows.with_columns(pl.col(pl.String).map_elements(escaped, pl.String)), everything)
    if tables is None and (statements := of_project(printed.STATEMENTS)).is_file():
        printed.print_statements(read_statement_rows(statements), everything)
    for source, setting, method, metric, published, ours in missing.select(*missing.columns[:6]).iter_rows():
        print(
            f"lost: {metric} of {method} ({setting}, {source}) is {published} in the paper, {ours or 'nothing'} here",
            file=sys.stderr,
        )
    raise typer.Exit(1 if missing.height else 0)
