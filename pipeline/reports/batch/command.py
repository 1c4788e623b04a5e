"""The command `report`: tables and results of traces of one's own, and a page of each notebook."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from machine.files import InUse, exclusive_access
from machine.processes import cores
from pipeline.reports.batch.own_study import derive_study
from pipeline.traces.limits import printable

if TYPE_CHECKING:
    import polars as pl

    from pipeline.reports.batch.own_study import OwnStudy
    from pipeline.reports.batch.pages import PageJob


NOTEBOOKS = Path("notebooks")
ALL_WRITTEN, BAD_USAGE, SOME_LEFT_OUT = 0, 2, 3

EXAMPLES = """
Examples:

  python -m pipeline report --out reports

  python -m pipeline report --team imap --team candid --condition standard --out reports

  python -m pipeline report traces/my-model --out my-model

Without TRACES: a page for every team and condition of the study. With TRACES: their tables, results and ledger, the
study's notebooks over them, and a page for every team and condition.

Exit code: 0 when every page was made, 3 when traces were rejected, or results or pages could not be made (the others
are, and index.html lists what is missing), 2 for bad usage.
"""


def report(
    traces: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders of traces; none for the study's.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pages.")] = Path("reports"),
    tables: Annotated[Path, typer.Option(help="Folder of tables, where no TRACES are given.")] = Path("data/tables"),
    results: Annotated[Path, typer.Option(help="Folder of their results.")] = Path("data/results"),
    team: Annotated[list[str] | None, typer.Option(help="Only this team; may be given again.")] = None,
    condition: Annotated[list[str] | None, typer.Option(help="Only this condition; may be given again.")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Notebooks at a time; 0 for one a core.")] = 0,
) -> None:
    """Write self-contained pages that open without a network: one per team and condition, and a list of them."""
    selection = Selection(tables, results, frozenset(team or ()), frozenset(condition or ()))
    try:
        with exclusive_access(out):
            complete = _write_report(traces or [], out, selection, workers or cores())
    except (InUse, FileExistsError, NotADirectoryError, PermissionError) as error:
        raise refused(str(error), "--out") from None
    raise typer.Exit(ALL_WRITTEN if complete else SOME_LEFT_OUT)


class Selection(NamedTuple):
    """The tables and results that pages are about, and of which teams and conditions; all where none is named."""

    tables: Path
    results: Path
    teams: frozenset[str]
    conditions: frozenset[str]


def refused(problem: str, option: str) -> typer.BadParameter:
    """The error of bad usage, in one line in which nothing controls the terminal."""
    return typer.BadParameter(printable(problem), param_hint=option)


def _write_report(traces: Sequence[Path], out: Path, selection: Selection, workers: int) -> bool:
    """Write the pages and their list. Returns whether nothing is missing."""
    from machine.terminal import progress_bar
    from pipeline.reports.batch.pages import write_index, write_pages

    missing: list[str] = []
    rejected = 0
    jobs: list[PageJob] = []
    if traces:
        study = _derive_own_study(traces, out)
        selection = selection._replace(tables=study.tables, results=study.results)
        missing, rejected = list(study.failed), len(study.derived.rejected)
        jobs = _notebook_jobs(selection, out)
    elif not (selection.results / "intervals.csv").is_file() and (selection.tables / "games.parquet").is_file():
        raise refused(f"no results in {selection.results}; run `make repro`, or name traces.", "--results")
    jobs += _team_jobs(selection, out)
    with progress_bar("making pages") as show:
        failures = write_pages(jobs, workers, show)
    missing += [printable(f"{job.target.name}: {problem}") for job, problem in failures]
    write_index(jobs, out, missing)
    for line in missing:
        print(f"error: {line}", file=sys.stderr)
    written = len(jobs) - len(failures)
    pages = f"{written} {'page' if written == 1 else 'pages'} in {out}; open {out / 'index.html'}"
    print(printable(pages), file=sys.stderr)
    return not missing and not rejected


def _derive_own_study(traces: Sequence[Path], out: Path) -> "OwnStudy":
    """The tables and results of the traces."""
    from machine.terminal import progress_bar

    try:
        with progress_bar("reading traces") as show:
            study = derive_study(traces, out, show)
    except FileNotFoundError as missing:
        raise refused(f"{missing} does not exist.", "TRACES") from None
    if not study.derived.games:
        raise refused(f"no game could be read from there; {out}/tables/rejected.parquet says why.", "TRACES")
    return study


def _team_jobs(selection: Selection, out: Path) -> "list[PageJob]":
    """A page for each team and condition that has games. Raises BadParameter for an unknown team or condition."""
    import polars as pl

    from pipeline.reports.batch.facts import simulated_mark
    from pipeline.reports.batch.pages import PageJob, file_name

    tables, results, teams, conditions = selection
    if not (tables / "games.parquet").is_file():
        raise refused(f"no tables in {tables}; run `make repro`, or name traces.", "--tables")
    games = pl.read_parquet(tables / "games.parquet", columns=["team", "condition", "simulated"])
    for selected, column in ((teams, "team"), (conditions, "condition")):
        _check_known(column, selected, games[column])
    places = games.group_by("team", "condition").agg("simulated").sort("team", "condition")
    return [
        PageJob(
            NOTEBOOKS / "report.ipynb",
            {"tables": str(tables), "results": str(results), "team": team, "condition": condition},
            out / f"{file_name(team, condition)}.html",
            f"{team}{simulated_mark(simulated)}, {condition}",
        )
        for team, condition, simulated in places.iter_rows()
        if (not teams or team in teams) and (not conditions or condition in conditions)
    ]


def _check_known(column: str, selected: Iterable[str], present: "pl.Series") -> None:
    """Raise BadParameter for a value that no game has."""
    unknown = sorted(set(selected) - set(present))
    if unknown:
        known = ", ".join(present.unique().sort())
        raise refused(f"no {column} {unknown[0]}; there are {known}.", f"--{column}")


def _notebook_jobs(selection: Selection, out: Path) -> "list[PageJob]":
    """A page for each notebook of the study, over these tables."""
    from pipeline.reports.batch.pages import PageJob

    folders = {"tables": str(selection.tables), "results": str(selection.results)}
    notebooks = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    return [PageJob(path, folders, out / f"{path.stem}.html", path.stem.replace("_", " ")) for path in notebooks]
