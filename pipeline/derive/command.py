"""The command `derive`: traces to tables, on this machine or a cluster, from and to folders and URLs."""

import sys
import tempfile
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from machine.terminal import progress_bar
from pipeline.privacy.rules import RULES
from pipeline.traces.terminal import printable, rejected

if TYPE_CHECKING:
    from pipeline.derive.parallel import Derived, Recipe
    from pipeline.traces.sources import Source

RuleName = Enum("RuleName", {name: name for name in RULES}, type=str)  # type: ignore[misc]

ALL_READ, SOME_REJECTED, NOTHING_WRITTEN = 0, 3, 1

# Rejections that are printed; the table has all.
MOST_PRINTED = 1_000

EXAMPLES = """
Examples:

  python -m pipeline derive traces/imap --out tables

  python -m pipeline derive a.json.zst packs/sd.jsonl.zst --out tables --rules release

  python -m pipeline derive s3://bucket/traces --out s3://bucket/tables --partition

  python -m pipeline derive s3://bucket/traces --out tables --cluster tcp://10.0.0.1:8786

Exit code: 0 when every trace was read, 3 when some were rejected (the rest is written), 2 for bad usage, 1 when the
tables could not be written (those of before are as they were; at a URL, some may be new: run it again).
"""


def derive(
    traces: Annotated[
        list[str], typer.Argument(help="Files, folders or URLs (s3://…): .json, .json.gz, .json.zst, .jsonl.zst.")
    ],
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Folder for the tables, made if it is not there, or its URL (s3://…).")
    ],
    rules: Annotated[RuleName, typer.Option(help="Strengths of typed messages.")] = RuleName("paper"),
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    partition: Annotated[
        bool, typer.Option("--partition", help="Parquet alone, in folders by team and condition.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Work on the workers of a Dask scheduler.")
    ] = None,
    scratch: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Where tables are made before they go to a URL; with --cluster, a folder that all workers see.",
            show_default="the system's folder for temporary files",
        ),
    ] = None,
) -> None:
    """Derive every table from TRACES and write it to OUT as Parquet and CSV."""
    from pipeline.derive.parallel import Recipe

    place = _place(out, scratch, cluster)
    sources = _sources(traces)
    recipe = Recipe(RULES[rules.value], partition=partition)
    derived = _derive(sources, place, Path(scratch or tempfile.gettempdir()), recipe, cluster or workers or None)
    raise typer.Exit(_report(derived, printable(out)))


def _place(out: str, scratch: str | None, cluster: str | None) -> Path | str:
    """Where tables go: a folder, or a URL that can be written to."""
    from machine.stores import Unreachable, is_url
    from pipeline.derive.upload import check_writable, tables_place

    try:
        place = tables_place(out)
        if is_url(scratch or ""):
            raise typer.BadParameter("name a folder of this machine.", param_hint="--scratch")
        if isinstance(place, Path) and scratch:
            raise typer.BadParameter("tables are made in the folder of --out; leave it out.", param_hint="--scratch")
        if isinstance(place, str) and cluster and not scratch:
            problem = "with --cluster and a URL for --out, name a folder that all workers see."
            raise typer.BadParameter(problem, param_hint="--scratch")
        if isinstance(place, str):
            check_writable(place)
    except ValueError as error:
        raise typer.BadParameter(printable(str(error)), param_hint="--out") from None
    except Unreachable as error:
        _fail(str(error))
    return place


def _sources(traces: list[str]) -> "list[Source]":
    """The files to read."""
    from machine.stores import Unreachable
    from pipeline.traces.sources import find_and_count_others

    try:
        sources, others = find_and_count_others(traces)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    except ValueError as error:
        raise typer.BadParameter(printable(str(error)), param_hint="TRACES") from None
    except Unreachable as error:
        _fail(str(error))
    if not sources:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    if others:
        print(f"{others} other files passed over: their names do not end as those of traces do", file=sys.stderr)
    return sources


def _derive(
    sources: "list[Source]", place: Path | str, scratch: Path, recipe: "Recipe", workers: int | str | None
) -> "Derived":
    """Derive to the folder or URL; end with one line that says why, where that cannot be done."""
    from machine.executor import ClusterError
    from machine.process_pool import WorkerDied
    from machine.processes import FEWER, TOO_MANY
    from machine.stores import Unreachable
    from pipeline.derive.parallel import derive_sources
    from pipeline.derive.upload import Mixed, derive_to

    nothing = f"no table was written to {place}"
    try:
        with progress_bar("reading traces") as show:
            if isinstance(place, Path):
                return derive_sources(sources, place, recipe, workers, show)
            return derive_to(place, sources, scratch, recipe, workers, show)
    except Mixed as error:
        _fail(str(error))
    except (ClusterError, Unreachable) as error:
        _fail(f"{error}; {nothing}")
    except (WorkerDied, MemoryError):
        _fail("a worker died, perhaps for lack of memory; no table was written. Try --workers 1")
    except OSError as error:
        room = "make room, or name another folder" if isinstance(place, Path) else f"make room in {scratch}"
        _fail(f"{error}; {nothing}: {FEWER if error.errno in TOO_MANY else room}")


def _report(derived: "Derived", out: str) -> int:
    """Print on stderr what was read and what was rejected. Returns the exit code."""
    for path, reason, place in derived.rejected[:MOST_PRINTED]:
        print(rejected(path, reason, place), file=sys.stderr)
    if len(derived.rejected) > MOST_PRINTED:
        print(f"rejected {len(derived.rejected) - MOST_PRINTED} more: see {out}/rejected.csv", file=sys.stderr)
    print(f"{derived.games} games in {out}, {len(derived.rejected)} traces rejected", file=sys.stderr)
    return SOME_REJECTED if derived.rejected else ALL_READ


def _fail(problem: str) -> NoReturn:
    """End with one line that says what is wrong."""
    print(f"error: {printable(problem)}", file=sys.stderr)
    raise typer.Exit(NOTHING_WRITTEN)
