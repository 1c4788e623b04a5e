"""The command `derive`: traces to tables, on this machine or a cluster, from and to folders and URLs."""

import sys
from dataclasses import replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machine.errors import UserError
from machine.output import output_destination
from machine.stores import is_url
from machine.terminal import progress_bar
from pipeline.privacy.rules import ENGLISH_VERSIONS, RULES
from pipeline.tables.schemas.base import REJECTED, ROOMS, TABLES
from pipeline.traces.limits import print_rejections, printable
from pipeline.traces.sources import PACK_SUFFIXES, TRACE_SUFFIXES

if TYPE_CHECKING:
    from pipeline.derive.parallel import Derived
    from pipeline.traces.sources import Source


FILE_SUFFIXES = (*TRACE_SUFFIXES, *PACK_SUFFIXES, ".parquet", ".csv", ".txt", ".duckdb")

RuleName = Enum("RuleName", {name: name for name in RULES}, type=str)  # type: ignore[misc]
EnglishName = Enum("EnglishName", {name: name for name in ENGLISH_VERSIONS}, type=str)  # type: ignore[misc]


class Form(StrEnum):
    """In which files tables are written."""

    both = "both"
    parquet = "parquet"
    csv = "csv"


ALL_READ, SOME_REJECTED = 0, 3

EXAMPLES = """
Examples:

  python -m pipeline derive traces/imap --out tables

  python -m pipeline derive a.json.zst packs/sd.jsonl.zst --out tables --rules release

  python -m pipeline derive traces --out tables --tables privacy,messages --format parquet

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
    rules: Annotated[
        RuleName, typer.Option(help="How typed messages count; release: with English, as the public script.")
    ] = RuleName("paper"),
    english: Annotated[
        EnglishName | None,
        typer.Option(help="How English is read: docs/language.md.", show_default="full; with --rules release, release"),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,…",
            help=f"Only these, beside games: tables, or a room's, {', '.join(ROOMS)}. Others of an earlier run go.",
            show_default="all",
        ),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="Parquet alone is the quickest.")] = Form.both,
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
    from pipeline.derive.parallel import Recipe, derive_sources

    recipe = Recipe(
        replace(RULES[rules.value], english=english.value) if english else RULES[rules.value],
        tables=_named_tables(tables) if tables else Recipe.tables,
        csv=form is not Form.parquet,
        parquet=form is not Form.csv,
        partition=partition,
    )
    if partition and form is Form.csv:
        raise typer.BadParameter("partitions are of Parquet; leave one of the two out.", param_hint="--format")
    destination = _check_destination(out, scratch, cluster)
    sources = _find_sources(traces)
    with progress_bar("reading traces") as show:
        place = Path(scratch) if scratch else None
        derived = derive_sources(sources, destination, recipe, cluster or workers or None, show, place)
    raise typer.Exit(_report(derived, printable(out)))


def _named_tables(names: list[str]) -> tuple[str, ...]:
    """The tables that the words of --tables name. Ends with bad usage where one names none."""
    words = [word.strip() for name in names for word in name.split(",")]
    tables = {word: (word,) for word in TABLES if word != REJECTED.name} | ROOMS
    if unknown := [word for word in words if word not in tables]:
        known = f"known: {', '.join(tables)}"
        raise typer.BadParameter(f"there is no table {printable(repr(unknown[0]))}; {known}.", param_hint="--tables")
    return tuple(dict.fromkeys(table for word in words for table in tables[word]))


def _check_destination(out: str, scratch: str | None, cluster: str | None) -> Path | str:
    """The folder or URL for the tables. Ends with bad usage where it does not fit the options."""
    destination = output_destination(out)
    if isinstance(destination, str) and destination.endswith(FILE_SUFFIXES):
        raise UserError(f"{out} is called as a file is; name a folder", 2)
    if is_url(scratch or ""):
        raise typer.BadParameter("name a folder of this machine.", param_hint="--scratch")
    if isinstance(destination, Path) and scratch:
        raise typer.BadParameter("tables are made in the folder of --out; leave it out.", param_hint="--scratch")
    if isinstance(destination, str) and cluster and not scratch:
        problem = "with --cluster and a URL for --out, name a folder that all workers see."
        raise typer.BadParameter(problem, param_hint="--scratch")
    return destination


def _find_sources(traces: list[str]) -> "list[Source]":
    """The files to read. Ends with bad usage where there is none."""
    from pipeline.traces.sources import find_sources_and_others

    try:
        sources, others = find_sources_and_others(traces)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{printable(str(missing))} does not exist.", param_hint="TRACES") from None
    if not sources:
        raise typer.BadParameter("no trace in there (.json, .json.gz, .json.zst, .jsonl.zst).", param_hint="TRACES")
    if others:
        print(f"{others} other file{'s' * (others > 1)} passed over: by name no trace", file=sys.stderr)
    return sources


def _report(derived: "Derived", out: str) -> int:
    """Print rejections and the number of games on stderr, and return the exit code."""
    print_rejections(derived.rejected, f": see the table rejected in {out}")
    print(f"{derived.games} games in {out}, {len(derived.rejected)} traces rejected", file=sys.stderr)
    return SOME_REJECTED if derived.rejected else ALL_READ
