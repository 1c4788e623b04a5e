"""How far simulated teams, and the models that the paper reports, lie from the frontier in excess cost and VPS."""

import polars as pl

from pipeline.statistics.pareto import dominates

X, Y = "excess_cost", "vps_uniform_mean"
COLUMNS = ("team", "setting", "kind", "coordination_rate_pct", X, Y)


def wide(points: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting of frontier_points: its means, a column a measure."""
    return points.pivot("measure", index=["team", "setting", "kind"], values="mean", maintain_order=True)


def reported_models(numbers: pl.DataFrame) -> pl.DataFrame:
    """The models of the paper's Table 1, as it reports them: COLUMNS. numbers: of `read_numbers`."""
    models = numbers.filter(source="Table 1", kind="model").select(
        pl.col("method").alias("team"), "setting", "metric", pl.col("value").cast(pl.Float64)
    )
    by_model = models.pivot("metric", index=["team", "setting"], values="value", maintain_order=True)
    return by_model.with_columns(kind=pl.lit("reported")).select(COLUMNS)


def gaps_to_frontier(others: pl.DataFrame, protocols: pl.DataFrame) -> pl.DataFrame:
    """One row per row of `others` (COLUMNS): frontier_placed.

    protocols: rows of `wide` of the protocols that coordinate every meeting.
    """
    rows = []
    for other in others.select(COLUMNS).iter_rows(named=True):
        of_setting = protocols.filter(setting=other["setting"])
        by_excess = of_setting.select("team", X, Y).sort(X, Y, "team").iter_rows()
        dominating = [team for team, *point in by_excess if dominates(point, (other[X], other[Y]))]
        least_vps = of_setting.filter(pl.col(X) <= other[X])[Y].min()
        least_excess = of_setting.filter(pl.col(Y) <= other[Y])[X].min()
        factor = None if least_vps is None else other[Y] / least_vps
        rows.append({**other, "dominated_by": dominating, "least_vps": least_vps, "least_excess": least_excess,
                     "vps_factor": factor})  # fmt: skip
    schema = {"dominated_by": pl.List(pl.String)} | dict.fromkeys(
        ("least_vps", "least_excess", "vps_factor"), pl.Float64
    )
    return pl.DataFrame(rows, schema_overrides=schema)
