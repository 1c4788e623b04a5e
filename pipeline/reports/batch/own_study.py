"""Tables and results of traces of one's own, made as the study makes its own."""

import atexit
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from machine.errors import UserError
from machine.files import held
from machine.stores import is_url
from pipeline.behaviour.patterns import Thresholds
from pipeline.derive.parallel import Derived, Recipe, derive
from pipeline.paper.parameters import check_parameters
from pipeline.privacy.rules import chosen_rules, chosen_weighing
from pipeline.tables.fetched import fetch_tables
from pipeline.tables.paths import ROOT, params
from pipeline.traces.limits import printable

# The study's stages between tables and notebooks, in their order: those that read tables, those that read results.
TABLE_STAGES = ("truth", "results", "intervals", "comparisons", "mixed_effects", "robustness", "excess")
RESULT_STAGES = ("ledger",)


class Selection(NamedTuple):
    """The tables and results that pages are about, of which teams and conditions (all where none is named), a team's
    own prices, and how English was read where the tables do not record it."""

    tables: Path
    results: Path
    teams: frozenset[str]
    conditions: frozenset[str]
    prices: Path | None = None
    english: str = ""


@dataclass(frozen=True)
class OwnStudy:
    """The tables and results of traces of one's own: their folders, and what was derived."""

    tables: Path
    results: Path
    derived: Derived
    failed: Sequence[str] = ()  # a line for each stage whose results could not be made


def derive_study(traces: Sequence[Path], folder: Path, progress: Callable[[int, int], None]) -> OwnStudy:
    """Derive the traces by the project's params.yaml into `folder/tables`, and their results, where a game could be
    read, into `folder/results`. folder: an absolute path."""
    tables, results, failed = folder / "tables", folder / "results", []
    derived = derive(traces, tables, study_recipe(), progress=progress)
    if derived.games:
        failed = write_results(tables, results)
    return OwnStudy(tables, results, derived, failed)


def study_recipe() -> Recipe:
    """How the study derives its tables, by the project's params.yaml. Raises UserError if a value there is none."""
    try:
        check_parameters(ROOT)
    except ValueError as problem:
        raise UserError(str(problem), 2) from None
    vps, patterns = params("vps", ROOT), params("patterns", ROOT)
    rules = chosen_rules(vps)
    weighing = chosen_weighing(vps)
    return Recipe(rules, weighing, Thresholds(**patterns), csv=False)


def write_results(tables: Path, results: Path) -> list[str]:
    """Write every result of a folder of tables into a new folder, as the study's stages do.

    Both are absolute paths, as stages run in the project's folder. Returns a line for each stage that failed.
    """
    results.mkdir(parents=True, exist_ok=True)
    try:
        check_parameters(ROOT)
    except ValueError as problem:
        return [printable(str(problem))]
    calls: list[tuple[str, tuple[Path, ...]]] = [(stage, (tables, results)) for stage in TABLE_STAGES]
    calls += [(stage, (results,)) for stage in RESULT_STAGES]
    failed = []
    with chdir(ROOT), redirect_stdout(StringIO()):  # stages print what they wrote
        for stage, folders in calls:
            try:
                import_module(f"pipeline.paper.stages.{stage}").main(*folders)
            except Exception as error:  # whatever it is, the pages that need nothing of this stage can be made
                failed.append(printable(f"results of {stage}: {type(error).__name__}: {error}".partition("\n")[0]))
    return failed


def made_from(traces: Sequence[Path], tables: Path, results: Path | None) -> dict[str, list[Path]]:
    """The files that a report or a site is made from, by what they are: traces, or where there are none the study's
    tables and results. Raises FileNotFoundError for traces that are not there."""
    from pipeline.traces.sources import find_sources, local_files

    if traces:
        return {"traces": local_files(find_sources(traces))}
    return {"tables": list(tables.glob("*.parquet")), "results": list(results.glob("*.csv")) if results else []}


def folders_at_hand(tables: str, results: str) -> tuple[Path, Path]:
    """The folders of a study's tables and results on this machine, for a notebook that is given them as parameters.

    tables: a folder, the project's where the current one has none of that name, or the URL of one, whose tables are
    fetched. results: a folder, or "" for the folder `results` beside the tables; where that is not there, or is of
    other tables, results are made as the study makes its own. What is fetched or made is gone when the process ends.
    Raises FileNotFoundError where there are no tables; ValueError where results are of other tables; ValueError and
    OSError of a URL that cannot be read.
    """
    from pipeline.tables.paths import no_tables
    from pipeline.tables.queries import other_results

    scratch = TemporaryDirectory(prefix="study-")
    atexit.register(scratch.cleanup)
    folder = fetch_tables(tables, Path(scratch.name, "tables")) if is_url(tables) else _located(tables)
    if absent := no_tables(folder):
        raise FileNotFoundError(printable(absent.replace(str(folder), tables)))
    made = _located(results) if results else folder.with_name("results")
    problem = other_results(folder, made)
    if problem and results:
        raise ValueError(problem)
    if not results and (problem or not (made / "table1.csv").is_file()):
        made = Path(scratch.name, "results")
        with held(folder.glob("*.parquet")):
            failed = write_results(folder.resolve(), made)
        if not any(made.glob("*.csv")):
            raise ValueError(failed[0])
    return folder, made


def _located(place: str) -> Path:
    """A folder of the current one, or where that has none of the name, of the project."""
    return Path(place).absolute() if Path(place).exists() else ROOT / place
