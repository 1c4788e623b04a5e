"""The command line: `python -m pipeline derive TRACES… --out DIR`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from machine.cores import require_addresses

# Of audit, whose 1 says that a trace has an error.
NOT_AUDITED = 4
# Before libraries are loaded that would abort.
require_addresses(NOT_AUDITED if "audit" in sys.argv[1:2] else 1)

from machine.terminal import Commands, VersionOption, progress_bar, run_program
from pipeline.beyond.judge.command import EXAMPLES as EXAMPLES_JUDGE
from pipeline.beyond.judge.command import judge
from pipeline.derive.command import EXAMPLES as EXAMPLES_DERIVE
from pipeline.derive.command import derive
from pipeline.paper.ledger.command import EXAMPLES as EXAMPLES_LEDGER
from pipeline.paper.ledger.command import ledger
from pipeline.reports.batch.command import EXAMPLES as EXAMPLES_REPORT
from pipeline.reports.batch.command import EXAMPLES_ROW, report, row
from pipeline.reports.export import EXAMPLES as EXAMPLES_EXPORT
from pipeline.reports.export import export
from pipeline.reports.for_print import EXAMPLES as EXAMPLES_FIGURES
from pipeline.reports.for_print import figures
from pipeline.reports.show import EXAMPLES_SHOW, EXAMPLES_SQL, show, sql
from pipeline.reports.site.command import EXAMPLES as EXAMPLES_SITE
from pipeline.reports.site.command import site
from pipeline.traces.limits import printable


class PipelineCommands(Commands):
    """Commands of which `derive`, `show` and `sql` take URLs."""

    may_be_urls = {"derive": None, "show": None, "sql": None}  # noqa: RUF012
    failed = {"audit": NOT_AUDITED}  # noqa: RUF012
    shown = staticmethod(printable)


app = typer.Typer(
    cls=PipelineCommands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

EXAMPLES_DATABASE = """
Examples:

  python -m pipeline database

  calbench sql "SELECT team, avg(excess_cost) FROM games GROUP BY team" data/calbench.duckdb

The file has every row of the tables, also of games that broke off; `sql` and the views of results leave these out.
"""


EXAMPLES_AUDIT = """
Examples:

  python -m pipeline audit data/traces --out audit

  python -m pipeline audit traces/a.json.zst packs/sd.jsonl.zst --json

Exit code: 0 when no divergence is an error, 1 when one is, 2 for bad usage, 4 when the audit could not be finished or
its table not be written (a full disk, a process that died): a line says why, and nothing is said of the traces.
"""

EXAMPLES_VERIFY = """
Examples:

  python -m pipeline verify mine

Exit code: 0 when everything is whole and belongs together, 1 when something does not (a line each), 2 for bad usage.
"""


@app.callback()
def main(version: VersionOption = False) -> None:
    """Turn traces of games into tables."""


app.command(epilog=EXAMPLES_DERIVE)(derive)


@app.command(epilog=EXAMPLES_AUDIT)
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


app.command(epilog=EXAMPLES_JUDGE)(judge)
app.command(epilog=EXAMPLES_SITE)(site)
app.command(epilog=EXAMPLES_LEDGER)(ledger)
app.command(epilog=EXAMPLES_REPORT)(report)
app.command(epilog=EXAMPLES_FIGURES)(figures)
app.command(epilog=EXAMPLES_ROW)(row)
app.command(epilog=EXAMPLES_EXPORT)(export)
app.command(epilog=EXAMPLES_SHOW)(show)
app.command(epilog=EXAMPLES_SQL)(sql)


@app.command(epilog=EXAMPLES_DATABASE)
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


@app.command(epilog=EXAMPLES_VERIFY)
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


@app.command()
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


@app.command()
def docs(check: Annotated[bool, typer.Option("--check", help="Only say whether they are up to date.")] = False) -> None:
    """Build what documents quote of results, tables and measurements, and the simulator's own documents."""
    from pipeline.beyond.schemas import PARTS
    from pipeline.reports.documents import build

    parts = (*build.PARTS, *PARTS)
    if not check:
        build.write(parts)
    elif not build.check(parts):
        raise typer.Exit(1)


@app.command()
def ship(
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
