"""The command `python -m pipeline site`: the tables, or a user's own traces, as a folder of static pages."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machine.terminal import progress_bar
from pipeline.tables.paths import NUMBERS, PARAMS
from pipeline.traces.limits import rejection_line

if TYPE_CHECKING:
    from pipeline.reports.site.build import Origins

EXAMPLES = """
Examples:

  python -m pipeline site

  python -m pipeline site runs/mine other.json.gz --out mine

Open index.html of the folder. Exit code: 0 when every trace was read, 3 when some were rejected (the rest is shown), 2
for bad usage.
"""

ALL_SHOWN, SOME_REJECTED = 0, 3


def site(
    traces: Annotated[
        list[Path] | None, typer.Argument(help="Traces to show instead of the tables: files or folders, as for derive.")
    ] = None,
    tables: Annotated[Path, typer.Option(help="Folder of tables.")] = Path("data/tables"),
    results: Annotated[
        Path | None, typer.Option(help="Folder of results.", show_default="results, beside the tables")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the site; made if it is not there.")] = Path("site"),
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
) -> None:
    """Write leaderboard and trace viewer as pages that open offline; what has not changed stays."""
    with _origins(traces or [], tables, results, workers) as (origins, rejected):
        _build(origins, out, workers)
        _write_manifest(traces or [], origins, out)
    raise typer.Exit(SOME_REJECTED if rejected else ALL_SHOWN)


def _write_manifest(traces: list[Path], origins: "Origins", out: Path) -> None:
    """Write, last, what the site consists of and was made from."""
    from machine.files import visible_files, write_manifest
    from pipeline.traces.sources import find_sources, local_files

    made_from = {"traces": local_files(find_sources(traces))}
    if not traces:
        made_from = {"tables": list(origins.tables.glob("*.parquet"))}
        made_from |= {"results": list(origins.results.glob("*.csv"))} if origins.results else {}
    write_manifest(out, "site", visible_files(out), made_from)


@contextmanager
def _origins(traces: list[Path], tables: Path, results: Path | None, workers: int) -> Iterator[tuple["Origins", int]]:
    """The content's origins, and how many traces were rejected. Tables of traces are removed when the block ends."""
    from pipeline.reports.site.build import Origins

    numbers = NUMBERS if NUMBERS.is_file() else None
    if not traces:
        if not (tables / "games.parquet").is_file():
            raise typer.BadParameter(f"no tables in {tables}: run `make repro`, or name traces.", param_hint="--tables")
        beside = tables.parent
        candidates = (results or beside / "results", numbers, Path("reports"), Path("figures"))
        yield Origins(tables, *(path if path and path.exists() else None for path in candidates)), 0
        return
    with tempfile.TemporaryDirectory(prefix="calbench-site-") as scratch:
        yield Origins(Path(scratch), numbers=numbers), derive_traces(traces, Path(scratch), workers)


def derive_traces(traces: list[Path], scratch: Path, workers: int) -> int:
    """Derive the traces' tables; prints each rejected trace and returns how many there are."""
    from pipeline.derive.parallel import Recipe, derive

    try:
        with progress_bar("reading traces") as show:
            derived = derive(traces, scratch, Recipe(csv=False), workers=workers or None, progress=show)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{missing} does not exist.", param_hint="TRACES") from None
    for path, reason, place in derived.rejected:
        print(rejection_line(path, reason, place), file=sys.stderr)
    if not derived.games:
        raise typer.BadParameter("no trace in there that can be read.", param_hint="TRACES")
    return len(derived.rejected)


def _build(origins: "Origins", out: Path, workers: int) -> None:
    from pipeline.reports.site.build import build
    from pipeline.statistics.resampling import Resampling
    from pipeline.tables.paths import params

    # As the study's own intervals are drawn, where the study is at hand.
    resampling = params("intervals") if PARAMS.is_file() else {"seed": "intervals"}
    try:
        with progress_bar("making pages") as show:
            built = build(origins, out, Resampling(**resampling), workers or None, show)
    except (FileExistsError, FileNotFoundError) as error:
        raise typer.BadParameter(f"{error}.", param_hint="--out") from None
    print(f"{built.games} games in {out}: {built.made} pages made, {built.removed} removed; open {out / 'index.html'}")
