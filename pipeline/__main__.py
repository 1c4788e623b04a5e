"""The command line: `python -m pipeline derive TRACES… --out DIR`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from pipeline.reading.limits import LINE_CHARS
from pipeline.rules import RULES

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)

RuleName = Enum("RuleName", {name: name for name in RULES}, type=str)  # type: ignore[misc]

ALL_READ, SOME_REJECTED, BAD_USAGE, NOTHING_WRITTEN = 0, 3, 2, 1

# Rejections told on the terminal; the table has all.
TOLD = 1_000

EXAMPLES = """
Examples:

  python -m pipeline derive traces/imap --out tables

  python -m pipeline derive a.json.zst packs/sd.jsonl.zst --out tables --rules release

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
    traces: Annotated[list[Path], typer.Argument(help="Files or folders: .json, .json.gz, .json.zst, .jsonl.zst.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables; made if it is not there.")],
    rules: Annotated[RuleName, typer.Option(help="Strengths of typed messages.")] = RuleName("paper"),
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
) -> None:
    """Derive every table from TRACES and write it to OUT as Parquet and CSV."""
    from pipeline.reading.sources import look

    try:
        found, others = look(traces)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{missing} does not exist.", param_hint="TRACES") from None
    if not found:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    if others:
        print(f"{others} other files passed over: their names do not end as those of traces do", file=sys.stderr)
    raise typer.Exit(_derive(traces, out, rules.value, workers))


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
        raise typer.BadParameter(f"{missing} does not exist.", param_hint="TRACES") from None
    if not found:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    raise typer.Exit(0 if publish(found, out) else 1)


def _derive(traces: list[Path], out: Path, rules: str, workers: int) -> int:
    """Derive, and say on stderr what was read and what was not. Returns the exit code."""
    from concurrent.futures.process import BrokenProcessPool

    from pipeline.parallel import Recipe
    from pipeline.parallel import derive as derive_all

    try:
        with progress_bar() as show:
            derived = derive_all(traces, out, Recipe(rules), workers=workers or None, progress=show)
    except (BrokenProcessPool, MemoryError):
        print(
            "error: a worker died, perhaps for lack of memory; no table was written. Try --workers 1", file=sys.stderr
        )
        return NOTHING_WRITTEN
    except OSError as error:
        print(f"error: {printable(str(error))}; no table was written to {printable(str(out))}", file=sys.stderr)
        return NOTHING_WRITTEN
    for path, reason, place in derived.rejected[:TOLD]:
        told = printable(f"{reason}{place and ' at '}{place}")
        print(f"rejected {printable(path)}: {told}. {advice(reason)}", file=sys.stderr)
    if len(derived.rejected) > TOLD:
        print(f"rejected {len(derived.rejected) - TOLD} more: see {printable(str(out))}/rejected.csv", file=sys.stderr)
    print(f"{derived.games} games in {out}, {len(derived.rejected)} traces rejected", file=sys.stderr)
    return SOME_REJECTED if derived.rejected else ALL_READ


def printable(text: str) -> str:
    """The text as part of one line: cut where it is long, and with escapes for what a terminal would not just show."""
    cut = text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)


def advice(reason: str) -> str:
    """What to do about a rejected trace."""
    if "compression" in reason or "opened" in reason:
        return "Copy or fetch the file again."
    if "read already" in reason:
        return "Name each trace once."
    if "cannot be derived" in reason:
        return "That is a fault of the pipeline: please report it."
    return "Run the game again, or leave the file out."


@app.command(epilog=EXAMPLES_DATABASE)
def database(
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
    out: Annotated[Path, typer.Option(help="The database file.")] = Path("data/calbench.duckdb"),
) -> None:
    """Put every table of a folder into one DuckDB database."""
    from pipeline.database import build_database

    try:
        print(f"{len(build_database(tables, out))} tables in {out}")
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{missing}.", param_hint="--tables") from None


@app.command()
def compare(
    comparison: Annotated[Path, typer.Argument(help="The comparison's CSV.")] = Path("data/results/compare.csv"),
) -> None:
    """Print the paper's baseline figures beside ours; exit 1 where one differs."""
    import polars as pl
    from rich.console import Console

    from pipeline.compare import as_rich_table

    if not comparison.is_file():
        raise typer.BadParameter(f"{comparison} does not exist; run `make repro` first.")
    found = pl.read_csv(comparison, schema_overrides={"published": pl.String, "ours": pl.String})
    Console().print(as_rich_table(found))
    raise typer.Exit(0 if found["equal"].all() else 1)


@app.command()
def docs(check: Annotated[bool, typer.Option("--check", help="Only say whether they are up to date.")] = False) -> None:
    """Rebuild what documents quote: the README's figures and the data dictionary."""
    from pipeline.documents import rebuilt

    behind = [path for path, text in rebuilt() if path.read_text(encoding="utf-8") != text]
    if check and behind:
        print(f"behind the results: {', '.join(map(str, behind))}; run `python -m pipeline docs`", file=sys.stderr)
        raise typer.Exit(1)
    for path, text in rebuilt():
        path.write_text(text, encoding="utf-8")


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A function to call with (files done, files in all): it draws a bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading traces")
        yield lambda done, total: bar.update(task, completed=done, total=total)


if __name__ == "__main__":
    app()
