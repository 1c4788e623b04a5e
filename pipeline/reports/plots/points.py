"""Frames ready to draw: a team's printed name and kind, and the interval of each of its means beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.reports.plots.style import kind, name

TEAM = ("team", "setting", "condition")

# For seaborn, which would make intervals of its own: the first of with_ends' values is the mean, the others its ends.
WITH_ENDS: dict[str, Any] = {"estimator": lambda values: values.iloc[0], "errorbar": ("pi", 100)}


def named(table: pl.DataFrame) -> pl.DataFrame:
    """The table with `name` and `kind` (of plots.style.KINDS) for its columns team and simulated."""
    teams = table.select("team", "simulated").unique()
    told = [(team, bool(simulated), name(team), kind(team, bool(simulated))) for team, simulated in teams.iter_rows()]
    schema = {"team": pl.String, "simulated": pl.Boolean, "name": pl.String, "kind": pl.String}
    told_apart = pl.DataFrame(told, schema=schema, orient="row")
    return table.join(told_apart, on=["team", "simulated"], how="left", maintain_order="left", nulls_equal=True)


def bounded(
    table: pl.DataFrame, intervals: pl.DataFrame, measures: Sequence[str], part: str | None = None
) -> pl.DataFrame:
    """The table with `{measure}_low` and `{measure}_high` beside each measure, null where there is no interval.

    intervals: as Study.intervals has them; part: the table's column that tells rows of a team, setting and condition
    apart, such as difficulty.
    """
    keyed = table.with_columns(part=pl.col(part).cast(pl.String) if part else pl.lit(None, pl.String))
    for measure in measures:
        bounds = intervals.filter(measure=measure).select(
            *TEAM, "part", pl.col("low").alias(f"{measure}_low"), pl.col("high").alias(f"{measure}_high")
        )
        keyed = keyed.join(bounds, on=[*TEAM, "part"], how="left", nulls_equal=True, maintain_order="left")
    return keyed.drop("part")


def reported(figures: pl.DataFrame) -> pl.DataFrame:
    """The paper's models as rows like ours: setting, name, kind, and a column for each metric that it prints of them.

    figures: as Study.paper has them, of one heading.
    """
    models = figures.filter(kind="model")
    if models.is_empty():
        return models.select("setting", name="method", kind="kind")
    wide = models.pivot("metric", index=["setting", "method"], values="value")
    return wide.rename({"method": "name"}).with_columns(kind=pl.lit("reported"))


def with_ends(points: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Each row with the measure as `value`, and twice more with {measure}_low and _high where both are known.

    Rows without the measure are left out.
    """
    ends = [end for end in (f"{measure}_low", f"{measure}_high") if end in points.columns]
    both = pl.all_horizontal(pl.col(ends).is_not_null())
    known = points.drop_nulls(measure).with_columns(pl.when(both).then(pl.col(end)) for end in ends)
    kept = [column for column in points.columns if column not in (measure, *ends)]
    return known.unpivot([measure, *ends], index=kept, variable_name="end", value_name="value").drop_nulls("value")


def told(points: pl.DataFrame, decimals: Mapping[str, int]) -> pl.DataFrame:
    """The points with each measure as text at its decimals, its interval in brackets, and no *_low and *_high."""
    columns = [
        pl.Series(m, [_told(row, m, d) for row in points.iter_rows(named=True)], pl.String) for m, d in decimals.items()
    ]
    ends = [f"{m}_{end}" for m in decimals for end in ("low", "high")]
    return points.with_columns(columns).drop(ends, strict=False)


def _told(row: Mapping[str, Any], measure: str, decimals: int) -> str | None:
    if row[measure] is None:
        return None
    low, high = row.get(f"{measure}_low"), row.get(f"{measure}_high")
    interval = "" if low is None or high is None else f" [{low:,.{decimals}f}, {high:,.{decimals}f}]"
    return f"{row[measure]:,.{decimals}f}{interval}".replace("-", "−")
