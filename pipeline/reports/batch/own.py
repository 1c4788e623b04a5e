"""A user's own traces to everything that the study makes of its own: tables, results, and the ledger."""

from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from importlib import import_module
from io import StringIO
from pathlib import Path

from pipeline.behaviour.phrases import Thresholds
from pipeline.derive.parallel import Derived, Recipe, derive
from pipeline.privacy.rules import RULES, Weighing
from pipeline.tables.paths import params

# The study's stages between the tables and the notebooks, in their order.
OF_TABLES = ("truth", "results", "intervals", "comparisons", "mixed_effects", "robustness", "excess")
OF_RESULTS = ("compare", "ledger")


@dataclass(frozen=True)
class Made:
    """What was made, and where."""

    tables: Path
    results: Path
    derived: Derived


def from_traces(traces: Sequence[Path], out: Path, progress: Callable[[int, int], None]) -> Made:
    """Derive the traces by params.yaml into `out/tables`, and the results of these into `out/results`."""
    tables, results = out / "tables", out / "results"
    derived = derive(traces, tables, recipe(), progress=progress)
    if derived.games:
        results_of(tables, results)
    return Made(tables, results, derived)


def recipe() -> Recipe:
    """What the study derives, by the parameters in params.yaml."""
    vps = params("vps")
    rules = replace(RULES[vps["rules"]], epsilon=vps["epsilon"])
    weighing = Weighing(prior=vps["prior"], weight_cap=vps["weight_cap"])
    return Recipe(rules, weighing, Thresholds(**params("patterns")), csv=False)


def results_of(tables: Path, results: Path) -> None:
    """Write every result of a folder of tables, as the study's stages do."""
    results.mkdir(parents=True, exist_ok=True)
    with redirect_stdout(StringIO()):  # stages tell DVC's reader what they wrote
        for stage in OF_TABLES:
            import_module(f"pipeline.paper.stages.{stage}").main(tables, results)
        for stage in OF_RESULTS:
            import_module(f"pipeline.paper.stages.{stage}").main(results)
