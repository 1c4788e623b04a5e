"""Where others lie relative to the protocols' frontier: simulated speakers, and the models that the paper reports."""

import polars as pl

from pipeline.statistics.pareto import beats

X, Y = "excess_cost", "vps_uniform_mean"
COLUMNS = ("team", "setting", "kind", "coordination_rate_pct", X, Y)


def wide(points: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting, its means in columns by measure."""
    return points.pivot("measure", index=["team", "setting", "kind"], values="mean", maintain_order=True)


def reported(numbers: pl.DataFrame) -> pl.DataFrame:
    """The models of the paper's Table 1, as it reports them: rows as those of `wide`."""
    models = numbers.filter(source="Table 1", kind="model").select(
        pl.col("method").alias("team"), "setting", "metric", pl.col("value").cast(pl.Float64)
    )
    found = models.pivot("metric", index=["team", "setting"], values="value", maintain_order=True)
    return found.with_columns(kind=pl.lit("reported")).select(COLUMNS)


def placed(others: pl.DataFrame, protocols: pl.DataFrame) -> pl.DataFrame:
    """One row per row of `others`: frontier_placed. protocols: rows of `wide` that coordinate every meeting."""
    rows = []
    for other in others.select(COLUMNS).iter_rows(named=True):
        here = protocols.filter(setting=other["setting"])
        place = (other[X], other[Y])
        beaten = [
            team for team, *point in here.select("team", X, Y).sort(X, Y, "team").iter_rows() if beats(point, place)
        ]
        least_vps = here.filter(pl.col(X) <= other[X])[Y].min()
        least_excess = here.filter(pl.col(Y) <= other[Y])[X].min()
        factor = None if least_vps is None else other[Y] / least_vps
        rows.append({**other, "dominated_by": beaten, "least_vps": least_vps, "least_excess": least_excess,
                     "vps_factor": factor})  # fmt: skip
    schema = {"dominated_by": pl.List(pl.String)} | dict.fromkeys(
        ("least_vps", "least_excess", "vps_factor"), pl.Float64
    )
    return pl.DataFrame(rows, schema_overrides=schema)
