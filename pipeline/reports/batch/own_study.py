"""Tables and results of traces of one's own, made as the study makes its own."""

from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path

from pipeline.behaviour.phrases import Thresholds
from pipeline.derive.parallel import Derived, Recipe, derive
from pipeline.privacy.rules import Weighing, chosen_rules
from pipeline.tables.paths import params
from pipeline.tables.queries import query_names
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.traces.limits import printable

# The study's stages between tables and notebooks, in their order: those that read tables, those that read results.
TABLE_STAGES = ("truth", "results", "intervals", "comparisons", "mixed_effects", "robustness", "excess")
RESULT_STAGES = ("compare", "ledger")


@dataclass(frozen=True)
class OwnStudy:
    """The tables and results of traces of one's own: their folders, and what was derived."""

    tables: Path
    results: Path
    derived: Derived
    failed: Sequence[str] = ()  # a line for each stage whose results could not be made


def derive_study(traces: Sequence[Path], out: Path, progress: Callable[[int, int], None]) -> OwnStudy:
    """Derive the traces by params.yaml into `out/tables`, and their results into `out/results`."""
    tables, results = out / "tables", out / "results"
    derived = derive(traces, tables, study_recipe(), progress=progress)
    failed = write_results(tables, results) if derived.games else ()
    return OwnStudy(tables, results, derived, failed)


def study_recipe() -> Recipe:
    """How the study derives its tables, by params.yaml."""
    vps = params("vps")
    rules = chosen_rules(vps)
    weighing = Weighing(prior=vps["prior"], weight_cap=vps["weight_cap"])
    return Recipe(rules, weighing, Thresholds(**params("patterns")), csv=False)


def write_results(tables: Path, results: Path) -> list[str]:
    """Write every result of a folder of tables, as the study's stages do. Returns a line for each stage that failed."""
    results.mkdir(parents=True, exist_ok=True)
    for name in (*RESULT_TABLES, *query_names()):
        (results / f"{name}.csv").unlink(missing_ok=True)  # of an earlier run, which a stage that fails would leave
    calls: list[tuple[str, tuple[Path, ...]]] = [(stage, (tables, results)) for stage in TABLE_STAGES]
    calls += [(stage, (results,)) for stage in RESULT_STAGES]
    failed = []
    with redirect_stdout(StringIO()):  # stages print what they wrote
        for stage, folders in calls:
            try:
                import_module(f"pipeline.paper.stages.{stage}").main(*folders)
            except Exception as error:  # whatever it is, the pages that need nothing of this stage can be made
                failed.append(printable(f"results of {stage}: {type(error).__name__}: {error}".partition("\n")[0]))
    return failed
