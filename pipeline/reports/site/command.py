"""The command `python -m pipeline site`: the tables, or a user's own traces, as a folder of static pages."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machine.files import of_project
from machine.manifests import held_origins
from machine.output import Staged, staged
from machine.terminal import progress_bar
from pipeline.reports.batch.command import (
    EnglishOption,
    check_english_option,
    count_rejected,
    reading_traces,
    require_tables,
)
from pipeline.reports.site.folder import PAGES
from pipeline.tables.paths import NUMBERS, ROOT, TABLES, params

if TYPE_CHECKING:
    from pipeline.reports.site.build import Origins

EXAMPLES = """
Examples:

  calbench site

  calbench site runs/mine other.json.gz --out mine

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
    english: EnglishOption = "",
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0 for one a core.")] = 0,
) -> None:
    """Write leaderboard and trace viewer as pages that open offline; what has not changed stays."""
    from pipeline.reports.batch.own_study import made_from

    check_english_option(english, traces or [])
    with staged(out, "site", PAGES) as work:
        origins, rejected = _origins(traces or [], tables, results, english, work.scratch, workers)
        with held_origins(made_from(traces or [], origins.tables, origins.results)) as work.made_from:
            _build(origins, work, out, workers)
    raise typer.Exit(SOME_REJECTED if rejected else ALL_SHOWN)


def _origins(
    traces: list[Path], tables: Path, results: Path | None, english: str, scratch: Path, workers: int
) -> tuple["Origins", int]:
    """The content's origins, and how many traces were rejected. Tables of traces are made in the folder `scratch`."""
    from pipeline.reports.site.build import Origins

    if traces:
        rejected = derive_traces(traces, scratch / "tables", workers)
        return Origins(scratch / "tables", numbers=of_project(NUMBERS)), rejected
    tables = of_project(tables)
    from pipeline.tables.paths import no_tables

    if absent := no_tables(tables):
        raise typer.BadParameter(f"{absent}, or name traces.", param_hint="--tables")
    require_tables(tables, "--tables", english)
    from pipeline.tables.queries import other_results

    made = results or tables.parent / "results"
    if (problem := other_results(tables, made)) and results:
        raise typer.BadParameter(f"{problem}; name the results of these.", param_hint="--results")
    is_study = tables.resolve() == (ROOT / TABLES).resolve() and not problem
    of_study = ("reports", "figures", "book/html") if is_study else ()
    own = [path if path.exists() else None for path in (of_project(NUMBERS), *(ROOT / place for place in of_study))]
    return Origins(tables, made if made.exists() and not problem else None, *own, english=english), 0


def derive_traces(traces: list[Path], scratch: Path, workers: int) -> int:
    """Derive the traces' tables; prints each rejected trace and returns how many there are."""
    from pipeline.derive.parallel import derive
    from pipeline.reports.batch.own_study import study_recipe
    from pipeline.traces.audit.files import print_doubts

    with reading_traces() as show:
        print_doubts(traces, workers)
        derived = derive(traces, scratch, study_recipe(), workers=workers or None, progress=show)
    return count_rejected(derived, traces)


def _build(origins: "Origins", work: Staged, out: Path, workers: int) -> None:
    from machine.terminal import counted
    from pipeline.reports.site.build import build
    from pipeline.statistics.resampling import Resampling

    resampling = params("intervals", ROOT)  # as the study's own intervals are drawn
    with progress_bar("making pages") as show:
        built = build(origins, work, out, Resampling(**resampling), workers or None, show)
    games, made = counted(built.games, "game"), counted(built.made, "page")
    print(f"{games} in {out}: {made} made, {built.removed} removed; open {out / 'index.html'}")
