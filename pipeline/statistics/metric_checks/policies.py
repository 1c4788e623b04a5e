"""Policies that nobody would want, by Table 1's metrics, compared with the best of the paper's protocols."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from pipeline.statistics.metric_checks.metrics import METRICS, Metric
from pipeline.tables.paths import PAPER_PROTOCOLS

if TYPE_CHECKING:
    import polars as pl

    from pipeline.derive.parallel import Recipe

SIGNS = {"high": 1, "low": -1}


def derive_table1(traces: Path, recipe: "Recipe") -> "pl.DataFrame":
    """Table 1 of a file or folder of traces. Raises ValueError where one is rejected."""
    from pipeline.derive.parallel import derive
    from pipeline.tables.queries import query

    with TemporaryDirectory() as folder:
        derived = derive([traces], Path(folder), recipe)
        if derived.rejected:
            raise ValueError(f"{derived.rejected[0]}: play the degenerate policies again")
        return query("table1", Path(folder))


def compare_with_protocols(policies: "pl.DataFrame", table1: "pl.DataFrame") -> "pl.DataFrame":
    """One row per policy, setting and metric (its key): value, best_protocol and its figure `best`, and the outcome for
    the policy: wins, ties, loses or undefined. The result degenerate.csv; both frames are of table1.csv."""
    import polars as pl

    baselines = table1.filter(pl.col("team").is_in(list(PAPER_PROTOCOLS)), condition="standard")
    rows = []
    for policy in policies.iter_rows(named=True):
        protocols = list(baselines.filter(setting=policy["setting"]).sort("team").iter_rows(named=True))
        rows += [_comparison_row(policy, metric, protocols) for metric in METRICS]
    names = ("policy", "setting", "metric", "value", "best_protocol", "best", "outcome")
    numbers = {"value": pl.Float64, "best": pl.Float64}
    return pl.DataFrame(rows, {name: numbers.get(name, pl.String) for name in names}, orient="row")


def _comparison_row(policy: Mapping[str, Any], metric: Metric, protocols: list[dict[str, Any]]) -> tuple[Any, ...]:
    """A row of `compare_with_protocols`. protocols: their rows of table1.csv in the policy's setting."""
    sign, column = SIGNS[metric.best], metric.column
    best = max((r for r in protocols if r[column] is not None), key=lambda r: sign * r[column])
    value = policy[column]
    outcome = "undefined"
    if value is not None:
        lead = sign * (value - best[column])
        outcome = "wins" if lead > 0 else "ties" if lead == 0 else "loses"
    return policy["team"], policy["setting"], column, value, best["team"], best[column], outcome
