"""The command `report`: tables and results of traces of one's own, and a page of each notebook."""

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from machine.processes import cores
from pipeline.behaviour.phrases import Thresholds
from pipeline.derive.parallel import Derived, Recipe, derive
from pipeline.privacy.rules import RULES, Weighing
from pipeline.tables.paths import params

if TYPE_CHECKING:
    from pipeline.reports.batch.pages import PageJob


# The study's stages between tables and notebooks, in their order: those that read tables, those that read results.
TABLE_STAGES = ("truth", "results", "intervals", "comparisons", "mixed_effects", "robustness", "excess")
RESULT_STAGES = ("compare", "ledger")


@dataclass(frozen=True)
class OwnStudy:
    """The tables and results of traces of one's own: their folders, and what was derived."""

    tables: Path
    results: Path
    derived: Derived


def derive_study(traces: Sequence[Path], out: Path, progress: Callable[[int, int], None]) -> OwnStudy:
    """Derive the traces by params.yaml into `out/tables`, and their results into `out/results`."""
    tables, results = out / "tables", out / "results"
    derived = derive(traces, tables, study_recipe(), progress=progress)
    if derived.games:
        write_results(tables, results)
    return OwnStudy(tables, results, derived)


def study_recipe() -> Recipe:
    """How the study derives its tables, by params.yaml."""
    vps = params("vps")
    rules = replace(RULES[vps["rules"]], epsilon=vps["epsilon"])
    weighing = Weighing(prior=vps["prior"], weight_cap=vps["weight_cap"])
    return Recipe(rules, weighing, Thresholds(**params("patterns")), csv=False)


def write_results(tables: Path, results: Path) -> None:
    """Write every result of a folder of tables, as the study's stages do."""
    results.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(StringIO()):  # stages print what they wrote
        for stage in TABLE_STAGES:
            import_module(f"pipeline.paper.stages.{stage}").main(tables, results)
        for stage in RESULT_STAGES:
            import_module(f"pipeline.paper.stages.{stage}").main(results)


NOTEBOOKS = Path("notebooks")
ALL_WRITTEN, SOME_REJECTED, BAD_USAGE, SOME_FAILED = 0, 3, 2, 1

EXAMPLES = """
Examples:

  python -m pipeline report --out reports

  python -m pipeline report --team imap --team candid --condition standard --out reports

  python -m pipeline report traces/my-model --out my-model

Without TRACES: a page for every team and condition of the study. With TRACES: their tables, results and ledger, the
study's notebooks over them, and a page for every team and condition.

Exit code: 0 when every page was made, 3 when some traces were rejected, 1 when a page could not be made (the others
are), 2 for bad usage.
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
    from machine.terminal import progress_bar
    from pipeline.reports.batch.pages import write_index, write_pages

    rejected = 0
    if traces:
        tables, results, rejected = _derive_own_study(traces, out)
    jobs = _team_jobs(tables, results, out, set(team or ()), set(condition or ()))
    if traces:
        jobs = _notebook_jobs(tables, results, out) + jobs
    with progress_bar("making pages") as show:
        failures = write_pages(jobs, workers or cores(), show)
    write_index(jobs, out)
    for line in failures:
        print(f"error: {line}", file=sys.stderr)
    written = len(jobs) - len(failures)
    print(f"{written} {'page' if written == 1 else 'pages'} in {out}; open {out / 'index.html'}", file=sys.stderr)
    raise typer.Exit(SOME_FAILED if failures else SOME_REJECTED if rejected else ALL_WRITTEN)


def _derive_own_study(traces: list[Path], out: Path) -> tuple[Path, Path, int]:
    """Tables and results of the traces, and how many traces were rejected."""
    from machine.terminal import progress_bar

    try:
        with progress_bar("reading traces") as show:
            study = derive_study(traces, out, show)
    except FileNotFoundError as missing:
        raise typer.BadParameter(f"{missing} does not exist.", param_hint="TRACES") from None
    if not study.derived.games:
        raise typer.BadParameter(f"no game could be read from there; {out}/tables/rejected.parquet says why.")
    return study.tables, study.results, len(study.derived.rejected)


def _team_jobs(tables: Path, results: Path, out: Path, teams: set[str], conditions: set[str]) -> "list[PageJob]":
    """A page for each team and condition that has games. Raises BadParameter for an unknown team or condition."""
    import polars as pl

    from pipeline.reports.batch.pages import PageJob, file_name

    if not (tables / "games.parquet").is_file():
        raise typer.BadParameter(f"no tables in {tables}; run `make repro`, or name traces.", param_hint="--tables")
    if not (results / "intervals.csv").is_file():
        raise typer.BadParameter(f"no results in {results}; run `make repro`, or name traces.", param_hint="--results")
    games = (
        pl.read_parquet(tables / "games.parquet", columns=["team", "condition", "simulated"]).unique().sort(pl.all())
    )
    for selected, column in ((teams, "team"), (conditions, "condition")):
        unknown = selected - set(games[column])
        if unknown:
            known = ", ".join(games[column].unique().sort())
            raise typer.BadParameter(f"no {column} {sorted(unknown)[0]}; there are {known}.", param_hint=f"--{column}")
    return [
        PageJob(
            NOTEBOOKS / "report.ipynb",
            {"tables": str(tables), "results": str(results), "team": team, "condition": condition},
            out / f"{file_name(team, condition)}.html",
            f"{team}{' (simulated)' if simulated else ''}, {condition}",
        )
        for team, condition, simulated in games.select("team", "condition", "simulated").iter_rows()
        if (not teams or team in teams) and (not conditions or condition in conditions)
    ]


def _notebook_jobs(tables: Path, results: Path, out: Path) -> "list[PageJob]":
    """A page for each notebook of the study, over these tables."""
    from pipeline.reports.batch.pages import PageJob

    folders = {"tables": str(tables), "results": str(results)}
    notebooks = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    return [PageJob(path, folders, out / f"{path.stem}.html", path.stem.replace("_", " ")) for path in notebooks]
