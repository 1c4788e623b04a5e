"""The pipeline's half of the command line: `python -m pipeline derive TRACES… --out DIR`, and others."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from machine.terminal import Command, program, progress_bar, run_program
from pipeline.traces.limits import printable

# The exit code of an audit that could not be finished: 1 says that a trace has an error.
NOT_AUDITED = 4

COMMANDS = {
    "derive": Command("pipeline.derive.command:derive", urls=None),
    "audit": Command("pipeline.__main__:audit", failed=NOT_AUDITED),
    "judge": Command("pipeline.beyond.judge.command:judge"),
    "site": Command("pipeline.reports.site.command:site"),
    "ledger": Command("pipeline.paper.ledger.command:ledger"),
    "report": Command("pipeline.reports.batch.command:report"),
    "figures": Command("pipeline.reports.for_print:figures"),
    "row": Command("pipeline.reports.batch.command:row"),
    "export": Command("pipeline.reports.export:export"),
    "show": Command("pipeline.reports.show:show", urls=None),
    "sql": Command("pipeline.reports.show:sql", urls=None),
    "database": Command("pipeline.__main__:database"),
    "verify": Command("pipeline.__main__:verify"),
    "compare": Command("pipeline.__main__:compare"),
    "docs": Command("pipeline.__main__:docs"),
    "approve": Command("pipeline.__main__:approve"),
}

app = program(COMMANDS, "Turn traces of games into tables, and tables into what people open.")

EXAMPLES_DATABASE = """
Examples:

  calbench database

  calbench sql "SELECT team, avg(excess_cost) FROM games GROUP BY team" data/calbench.duckdb

The file has every row of the tables, also of games that broke off; `sql` and the views of results leave these out.
"""


EXAMPLES_AUDIT = """
Examples:

  calbench audit data/traces --out audit

  calbench audit traces/a.json.zst packs/sd.jsonl.zst --json

Exit code: 0 when no divergence is an error, 1 when one is, 2 for bad usage, 4 when the audit could not be finished or
its table not be written (a full disk, a process that died): a line says why, and nothing is said of the traces.
"""

EXAMPLES_VERIFY = """
Examples:

  calbench verify mine

Exit code: 0 when everything is whole and belongs together, 1 when something does not (a line each), 2 for bad usage.
"""


def audit(
    traces: Annotated[list[Path], typer.Argument(help="Files or folders: .json, .json.gz, .json.zst, .jsonl.zst.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the table of divergences.", show_default="none")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    suite: Annotated[
        list[Path] | None,
        typer.Option(help="A task list (CSV) beside the paper's to hold games against; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON, and no other line.")] = False,
) -> None:
    """Let the engine play each of TRACES again, and report what does not add up."""
    if as_json and out:
        raise typer.BadParameter("prints the table that --out writes; take one of them.", param_hint="--json")
    from machine.manifests import held_origins
    from machine.output import check_free
    from pipeline.traces.audit.files import AUDIT_FILES, audit_files, errors, publish, table
    from pipeline.traces.audit.suites import SuiteError
    from pipeline.traces.sources import find_sources, local_files

    try:
        if out:
            check_free(out, "audit", AUDIT_FILES)
        made_from = {"traces": local_files(find_sources(traces))} if out else {}
        with held_origins(made_from) as origins, progress_bar("reading traces") as show:
            audits = audit_files(traces, workers or None, show, suite or ())
    except SuiteError as unreadable:
        raise typer.BadParameter(printable(str(unreadable)), param_hint="--suite") from None
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    if not audits:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    if as_json:
        print(table(audits).write_json())
    else:
        publish(audits, out, origins)
    raise typer.Exit(1 if errors(audits) else 0)


def database(
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
    out: Annotated[Path, typer.Option(help="The database file.")] = Path("data/calbench.duckdb"),
) -> None:
    """Put every table of a folder into one DuckDB database, with what its columns mean.

    Results, suites and tables beyond the paper come with them, if they lie beside the tables; results of other tables
    are left out. The database of before can be read meanwhile. DuckDB 1.2 and later open it.
    """
    from pipeline.beyond.schemas import BEYOND_TABLES
    from pipeline.tables.database import make_database

    if not out.suffix:  # its manifest would have the name of a command's, whose files would go
        raise typer.BadParameter(f"{printable(str(out))} has no ending; name a file.duckdb.", param_hint="--out")
    try:
        stamp = make_database(tables, out, BEYOND_TABLES, lambda line: print(printable(line), file=sys.stderr))
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))}.", param_hint="--tables") from None
    print(f"{len(stamp)} files in {printable(str(out))}")


def verify(
    folder: Annotated[Path, typer.Argument(help="A folder with what the commands wrote, at any depth.")],
) -> None:
    """Say whether traces, tables, audits, databases, reports and sites are whole, and belong together.

    Each command lists what it wrote, with digests, in a manifest beside it. The study's own tables and results are held
    by its lock: `dvc status` compares them.
    """
    from pipeline.derive.verify import verified

    if not folder.is_dir():
        raise typer.BadParameter(f"{printable(str(folder))} is no folder.", param_hint="FOLDER")
    try:
        problems, counted = verified(folder)
    except ValueError as error:
        problems, counted = [str(error)], ""
    for problem in problems:
        print(printable(problem))
    if not problems and not counted:
        raise typer.BadParameter("no manifest and no trace in there.", param_hint="FOLDER")
    print(
        f"{counted}; {f'{len(problems)} problems' if problems else 'all is whole'}".removeprefix("; "), file=sys.stderr
    )
    raise typer.Exit(1 if problems else 0)


def compare(
    comparison: Annotated[Path, typer.Argument(help="The comparison's CSV.")] = Path("data/results/compare.csv"),
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print the paper's baseline figures beside ours; exit 1 where one differs."""
    import polars as pl
    from rich.console import Console

    from pipeline.paper.compare import as_rich_table

    if not comparison.is_file():
        raise typer.BadParameter(f"{printable(str(comparison))} does not exist; run `make repro` first.")
    types = {"published": pl.String, "ours": pl.String, "equal": pl.Boolean}
    comparison_rows = pl.read_csv(comparison, schema_overrides=types, glob=False)
    if as_json:
        print(comparison_rows.write_json())
    else:
        Console().print(as_rich_table(comparison_rows))
    raise typer.Exit(0 if comparison_rows["equal"].fill_null(False).all() else 1)


def docs(check: Annotated[bool, typer.Option("--check", help="Only say whether they are up to date.")] = False) -> None:
    """Build what documents quote of results, tables and measurements, and the simulator's own documents."""
    from pipeline.beyond.schemas import PARTS
    from pipeline.reports.documents import build

    parts = (*build.PARTS, *PARTS)
    if not check:
        build.write(parts)
    elif not build.check(parts):
        raise typer.Exit(1)


def approve(
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
) -> None:
    """Make the games and parameters at hand those on which the notebooks assert the paper's claims."""
    from pipeline.reports.reference_study import (
        PARAMS,
        PARAMS_BEYOND,
        REFERENCE,
        REFERENCE_BEYOND,
        ROOT,
        make_reference,
    )

    make_reference(tables, REFERENCE, PARAMS)
    make_reference(tables, REFERENCE_BEYOND, PARAMS_BEYOND)
    references = " and ".join(path.relative_to(ROOT).as_posix() for path in (REFERENCE, REFERENCE_BEYOND))
    print(f"the claims are now asserted on the games in {printable(str(tables))}, under the parameters at hand")
    print(f"told by {references}")


if __name__ == "__main__":
    run_program(app)
