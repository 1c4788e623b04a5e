"""The command line: `python -m pipeline derive TRACES… --out DIR`."""

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.judge.command import EXAMPLES as EXAMPLES_JUDGE
from pipeline.judge.command import judge
from pipeline.ledger.command import EXAMPLES as EXAMPLES_LEDGER
from pipeline.ledger.command import ledger
from pipeline.report.command import EXAMPLES as EXAMPLES_REPORT
from pipeline.report.command import report
from pipeline.rules import RULES
from pipeline.site.command import EXAMPLES as EXAMPLES_SITE
from pipeline.site.command import site
from pipeline.terminal import printable, progress_bar, rejected

if TYPE_CHECKING:
    from pipeline.reading.sources import Source

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

RuleName = Enum("RuleName", {name: name for name in RULES}, type=str)  # type: ignore[misc]

ALL_READ, SOME_REJECTED, BAD_USAGE, NOTHING_WRITTEN = 0, 3, 2, 1

# Rejections told on the terminal; the table has all.
TOLD = 1_000

EXAMPLES = """
Examples:

  python -m pipeline derive traces/imap --out tables

  python -m pipeline derive a.json.zst packs/sd.jsonl.zst --out tables --rules release

  python -m pipeline derive s3://bucket/traces --out tables --partition --cluster tcp://10.0.0.1:8786

Exit code: 0 when every trace was read, 3 when some were rejected (the rest is written), 2 for bad usage, 1 when the
tables could not be written (those of before are as they were).
"""


EXAMPLES_DATABASE = """
Examples:

  python -m pipeline database

  duckdb data/calbench.duckdb "SELECT team, avg(excess_cost) FROM games GROUP BY team"
"""


EXAMPLES_AUDIT = """
Examples:

  python -m pipeline audit data/traces --out audit

  python -m pipeline audit traces/a.json.zst packs/sd.jsonl.zst

Exit code: 0 when no divergence is an error, 1 when one is, 2 for bad usage.
"""


@app.callback()
def main() -> None:
    """Turn traces of games into tables."""


@app.command(epilog=EXAMPLES)
def derive(
    traces: Annotated[
        list[str], typer.Argument(help="Files, folders or URLs (s3://…): .json, .json.gz, .json.zst, .jsonl.zst.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the tables; made if it is not there.")],
    rules: Annotated[RuleName, typer.Option(help="Strengths of typed messages.")] = RuleName("paper"),
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    partition: Annotated[
        bool, typer.Option("--partition", help="Parquet alone, in folders by team and condition.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Work on the workers of a Dask scheduler.")
    ] = None,
) -> None:
    """Derive every table from TRACES and write it to OUT as Parquet and CSV."""
    from pipeline.reading.sources import look

    try:
        found, others = look(traces)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    except ValueError as error:
        raise typer.BadParameter(printable(str(error)), param_hint="TRACES") from None
    if not found:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    if others:
        print(f"{others} other files passed over: their names do not end as those of traces do", file=sys.stderr)
    raise typer.Exit(_derive(found, out, rules.value, partition, cluster or workers or None))


@app.command(epilog=EXAMPLES_AUDIT)
def audit(
    traces: Annotated[list[Path], typer.Argument(help="Files or folders: .json, .json.gz, .json.zst, .jsonl.zst.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the table of divergences.", show_default="none")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
) -> None:
    """Replay each of TRACES by rules of the auditor's own, and report what does not add up."""
    from pipeline.audit.files import audit_files, publish

    try:
        with progress_bar() as show:
            found = audit_files(traces, workers or None, show)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    if not found:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    raise typer.Exit(0 if publish(found, out) else 1)


def _derive(found: "list[Source]", out: Path, rules: str, partition: bool, workers: int | str | None) -> int:
    """Derive, and say on stderr what was read and what was not. Returns the exit code."""
    from concurrent.futures.process import BrokenProcessPool

    from pipeline.cluster import ClusterError
    from pipeline.parallel import Recipe, derive_sources

    recipe = Recipe(RULES[rules], partition=partition)
    try:
        with progress_bar() as show:
            derived = derive_sources(found, out, recipe, workers, show)
    except ClusterError as error:
        print(f"error: {printable(str(error))}; no table was written to {printable(str(out))}", file=sys.stderr)
        return NOTHING_WRITTEN
    except (BrokenProcessPool, MemoryError):
        print(
            "error: a worker died, perhaps for lack of memory; no table was written. Try --workers 1", file=sys.stderr
        )
        return NOTHING_WRITTEN
    except OSError as error:
        told = f"{printable(str(error))}; no table was written to {printable(str(out))}"
        print(f"error: {told}. Make room, or name another folder", file=sys.stderr)
        return NOTHING_WRITTEN
    for path, reason, place in derived.rejected[:TOLD]:
        print(rejected(path, reason, place), file=sys.stderr)
    if len(derived.rejected) > TOLD:
        print(f"rejected {len(derived.rejected) - TOLD} more: see {printable(str(out))}/rejected.csv", file=sys.stderr)
    print(f"{derived.games} games in {printable(str(out))}, {len(derived.rejected)} traces rejected", file=sys.stderr)
    return SOME_REJECTED if derived.rejected else ALL_READ


app.command(epilog=EXAMPLES_JUDGE)(judge)
app.command(epilog=EXAMPLES_SITE)(site)
app.command(epilog=EXAMPLES_LEDGER)(ledger)
app.command(epilog=EXAMPLES_REPORT)(report)


@app.command(epilog=EXAMPLES_DATABASE)
def database(
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
    out: Annotated[Path, typer.Option(help="The database file.")] = Path("data/calbench.duckdb"),
    beyond: Annotated[Path, typer.Option(help="Folder of tables for the schema beyond; where there is one.")] = Path(
        "data/beyond/tables"
    ),
) -> None:
    """Put every table of a folder into one DuckDB database."""
    from pipeline.database import build_database

    try:
        schemas = {"beyond": beyond} if beyond.is_dir() else {}
        print(f"{len(build_database(tables, out, schemas))} tables in {printable(str(out))}")
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))}.", param_hint="--tables") from None


@app.command()
def compare(
    comparison: Annotated[Path, typer.Argument(help="The comparison's CSV.")] = Path("data/results/compare.csv"),
) -> None:
    """Print the paper's baseline figures beside ours; exit 1 where one differs."""
    import polars as pl
    from rich.console import Console

    from pipeline.compare import as_rich_table

    if not comparison.is_file():
        raise typer.BadParameter(f"{printable(str(comparison))} does not exist; run `make repro` first.")
    found = pl.read_csv(comparison, schema_overrides={"published": pl.String, "ours": pl.String})
    Console().print(as_rich_table(found))
    raise typer.Exit(0 if found["equal"].all() else 1)


@app.command()
def docs(check: Annotated[bool, typer.Option("--check", help="Only say whether they are up to date.")] = False) -> None:
    """Rebuild what documents quote: the README's figures and the data dictionary."""
    from pipeline.documents import rebuilt
    from pipeline.io import replacing

    behind = [path for path, text in rebuilt() if path.read_text(encoding="utf-8") != text]
    if check and behind:
        print(f"behind the results: {', '.join(map(str, behind))}; run `python -m pipeline docs`", file=sys.stderr)
        raise typer.Exit(1)
    for path, text in list(rebuilt()):
        with replacing(path) as target:
            target.write_text(text, encoding="utf-8")


def run() -> None:
    """The command line. Where a file can't be read or written or a process dies, one line says so."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        app()
    except OSError as error:
        problem = str(error)
    except (BrokenProcessPool, MemoryError):
        problem = "a process died, perhaps for lack of memory; try --workers 1 where there is such an option"
    else:
        return
    print(f"error: {printable(problem)}", file=sys.stderr)
    raise SystemExit(NOTHING_WRITTEN)


@app.command()
def ship(
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
) -> None:
    """Make the games and parameters at hand those on which the notebooks assert the paper's claims."""
    from pipeline.shipped import PARAMS_BEYOND, SHIPPED, SHIPPED_BEYOND
    from pipeline.shipped import ship as make_shipped

    make_shipped(tables)
    make_shipped(tables, SHIPPED_BEYOND, PARAMS_BEYOND)
    print(f"the claims are now asserted on the games in {tables}, under the parameters at hand")
    print(f"told by {SHIPPED} and {SHIPPED_BEYOND}")


if __name__ == "__main__":
    run()
