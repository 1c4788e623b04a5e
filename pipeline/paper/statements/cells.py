"""Cells to compare: the paper's printed figures and, at `ours`, Table 1 of the protocols' games here.

How a comparison is written is said in data/paper/statements.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import WORDS
from pipeline.paper.ledger.outcomes import Outcome
from pipeline.tables.paths import NUMBERS, PAPER_PROTOCOLS

OURS = "ours"
SELECTORS = {"at": "source", "in": "setting", "of": "method", "what": "metric"}
TAKEN = {"sum": pl.Expr.sum, "mean": pl.Expr.mean, "least": pl.Expr.min, "most": pl.Expr.max, "count": pl.Expr.len}
FEW, LARGE = 4, 1000  # figures that are all told; from where on a figure has two decimals
EDGE = 1e-9  # what binary fractions add to half of the last printed digit


def printed_cells(numbers: Path = NUMBERS) -> pl.DataFrame:
    """The paper's figures that are numbers: source, setting, method, metric, value, decimals."""
    figures = read_numbers(numbers).filter(~pl.col("metric").is_in(WORDS))
    value, decimals = pl.col("value").cast(pl.Float64), pl.col("decimals").cast(pl.Int64)
    return figures.select("source", "setting", "method", "metric", value, decimals)


def our_cells(table1: pl.DataFrame) -> pl.DataFrame:
    """Table 1 of the protocols here in the same columns, under the paper's names; blocked games too."""
    protocols = table1.filter(
        pl.col("team").is_in(list(PAPER_PROTOCOLS)), pl.col("condition").is_in(["standard", "blocked"])
    )
    named = protocols.with_columns(
        setting=pl.when(condition="blocked").then(pl.lit("blocked ") + pl.col("setting")).otherwise("setting"),
        method=pl.col("team").replace(PAPER_PROTOCOLS),
    )
    metrics = [name for name, kind in table1.schema.items() if kind.is_float()]
    long = named.unpivot(metrics, index=["setting", "method"], variable_name="metric").drop_nulls("value")
    exact = pl.lit(10, pl.Int64).alias("decimals")
    return long.select(
        pl.lit(OURS).alias("source"), "setting", "method", "metric", pl.col("value").cast(pl.Float64), exact
    )


@dataclass(frozen=True)
class Side:
    """One side of a comparison: figures with their names (setting and method), and the unit of their last digit."""

    figures: tuple[tuple[str, str, float], ...]
    unit: float

    def shown(self) -> str:
        """Its figures in words: each after its method, or the span of many."""
        if len(self.figures) > FEW:
            values = [value for *_, value in self.figures]
            return f"{len(values)} figures from {_short(min(values))} to {_short(max(values))}"
        by_name: dict[str, list[str]] = {}
        for _, name, value in self.figures:
            by_name.setdefault(name, []).append(_short(value))
        return ", ".join(f"{name} {' and '.join(values)}".strip() for name, values in by_name.items())


def _short(value: float) -> str:
    return (
        f"{value:.2f}"
        if abs(value) >= LARGE and value % 1
        else f"{value:.4g}"
        if abs(value) < LARGE
        else f"{value:.0f}"
    )


def compared(comparisons: Sequence[Mapping[str, Any]], cells: pl.DataFrame) -> Outcome:
    """Whether every figure on the left stands to every one on the right as is said, in every comparison.

    A comparison has `left`, `is` (<, >, <=, >= or =) and `right`, each side a number or selectors of cells; `all` is
    for both sides, and `by` (setting or method) keeps figures of different ones apart. = is to the last digit printed.
    Raises ValueError where a side selects nothing.
    """
    shown, total, kept = [], 0, 0
    for comparison in comparisons:
        common, relation = comparison.get("all", {}), comparison["is"]
        left, right = (_side(comparison[side], common, cells) for side in ("left", "right"))
        pairs = list(_pairs(left, right, comparison.get("by")))
        if not pairs:
            raise ValueError(f"a comparison has nothing to compare: {comparison}")
        held = sum(_stands(relation, x, y, max(left.unit, right.unit)) for x, y in pairs)
        total, kept = total + len(pairs), kept + held
        stands = relation if held == len(pairs) else f"{'not always' if held else 'not'} {relation}"
        shown.append(f"{left.shown()} {stands} {right.shown()}")
    return Outcome("figure by figure", kept == total, kept < total, "; ".join(shown), total, "comparisons")


def _pairs(left: Side, right: Side, by: str | None) -> Iterator[tuple[float, float]]:
    for key, _, x in left.figures:
        for other, _, y in right.figures:
            if by is None or _part(key, by) == _part(other, by):
                yield x, y


def _part(key: str, by: str) -> str:
    setting, _, method = key.partition("|")
    return setting if by == "setting" else method


def _stands(relation: str, x: float, y: float, unit: float) -> bool:
    slack = unit / 2 + EDGE
    if relation == "=":
        return abs(x - y) <= slack
    if relation in ("<", ">"):
        return x < y if relation == "<" else x > y
    return x <= y + EDGE if relation == "<=" else x >= y - EDGE


def _side(spec: Any, common: Mapping[str, Any], cells: pl.DataFrame) -> Side:
    """One side, by its selectors over those in common; `take` sums up what they select, `per` setting or method."""
    if isinstance(spec, int | float):
        return Side((("|", "", float(spec)),), 0.0)
    wanted = {**common, **spec}
    selected = [pl.col(column).is_in(_listed(wanted[key])) for key, column in SELECTORS.items() if key in wanted]
    chosen = cells.filter(~pl.col("method").is_in(_listed(wanted.get("but", []))), *selected)
    if chosen.is_empty():
        return Side((), 0.0)
    unit = 10.0 ** -int(chosen["decimals"].min())  # type: ignore[arg-type]
    if "take" in wanted:
        chosen, unit = _taken(chosen, wanted["take"], wanted.get("per")), 0.0
    scale = float(wanted.get("times", 1))
    if "over" in wanted:
        ((_, _, denominator),) = _side(wanted["over"], {}, cells).figures
        scale, unit = scale / denominator, 0.0
    figures = chosen.select("setting", "method", "value").iter_rows()
    return Side(tuple((f"{setting}|{method}", method, scale * value) for setting, method, value in figures), unit)


def _taken(chosen: pl.DataFrame, take: str, per: str | None) -> pl.DataFrame:
    """The figures summed up into one, or into one for each setting or method."""
    value = TAKEN[take](pl.col("value")).cast(pl.Float64).alias("value")
    name = {"setting": pl.lit(""), "method": pl.lit("")}
    if per is None:
        return chosen.select(value).with_columns(**name)
    taken = chosen.group_by(per, maintain_order=True).agg(value)
    return taken.with_columns(**{other: text for other, text in name.items() if other != per})


def _listed(allowed: Any) -> list[Any]:
    return allowed if isinstance(allowed, list) else [allowed]
