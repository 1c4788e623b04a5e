"""Policies that nobody would want, measured as teams are, beside the best of the paper's four protocols."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pipeline.statistics.metric_checks.metrics import METRICS, Metric
from pipeline.tables.names import PAPER_PROTOCOLS

if TYPE_CHECKING:
    import polars as pl

    from pipeline.derive.parallel import Recipe

SIGNS = {"high": 1, "low": -1}


def table1_of(traces: Path, recipe: "Recipe") -> "pl.DataFrame":
    """Table 1 of the traces. Raises ValueError where one is rejected."""
    from pipeline.derive.parallel import derive
    from pipeline.tables.queries import query

    with TemporaryDirectory() as folder:
        derived = derive([traces], Path(folder), recipe)
        if derived.rejected:
            raise ValueError(f"{derived.rejected[0]}: play the degenerate policies again")
        return query("table1", Path(folder))


def beside_protocols(policies: "pl.DataFrame", table1: "pl.DataFrame") -> "pl.DataFrame":
    """One row per policy, setting and metric: its figure, the best protocol's, and which is better."""
    import polars as pl

    baselines = table1.filter(pl.col("team").is_in(list(PAPER_PROTOCOLS)), condition="standard")
    rows = []
    for policy in policies.iter_rows(named=True):
        rivals = list(baselines.filter(setting=policy["setting"]).sort("team").iter_rows(named=True))
        rows += [row(policy, metric, rivals) for metric in METRICS]
    names = ("policy", "setting", "metric", "value", "best_protocol", "best", "outcome")
    numbers = {"value": pl.Float64, "best": pl.Float64}
    return pl.DataFrame(rows, {name: numbers.get(name, pl.String) for name in names}, orient="row")


def row(policy: Mapping[str, Any], metric: Metric, rivals: list[dict[str, Any]]) -> tuple[Any, ...]:
    """A policy's figure of one metric beside the best of the rivals'."""
    sign, column = SIGNS[metric.best], metric.column
    best = max((r for r in rivals if r[column] is not None), key=lambda r: sign * r[column])
    value = policy[column]
    outcome = "undefined"
    if value is not None:
        lead = sign * (value - best[column])
        outcome = "wins" if lead > 0 else "ties" if lead == 0 else "loses"
    return policy["team"], policy["setting"], column, value, best["team"], best[column], outcome
