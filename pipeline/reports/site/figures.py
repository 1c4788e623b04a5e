"""The leaderboard's figures: which metrics, each team's means with intervals and ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.reports.measures import Reading
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ALL, TEAM, UNKNOWN, by_game, ended, level_name
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_result, read_table
from pipeline.tables.paths import read_yaml

METRICS = Path(__file__).parent / "metrics.yaml"


@dataclass(frozen=True)
class Metric:
    """A column: its key in the results, how it is shown, what it measures and where it misleads."""

    key: str
    label: str
    unit: str
    decimals: int
    better: str
    first: bool
    notebook: str
    about: str
    weakness: str
    ranks_as: str = ""


def read_metrics(prior: float | None = None, reading: Reading = Reading("paper", "full")) -> list[Metric]:
    """The columns in the order of the leaderboard. prior: what beliefs start from, where anybody learnt anything."""
    listed: list[dict[str, Any]] = read_yaml(METRICS)
    words = {"prior": "" if prior is None else f", {prior:g}", "reading": reading.name, "learnt": reading.learnt}
    return [Metric(**entry | {key: entry[key].format(**words) for key in ("label", "about")}) for entry in listed]


CELL = ("difficulty", "density")
ROW = (*TEAM, *CELL, "metric")
RANKED = ("setting", "condition", "metric", "team")
RANKS = ("rank_low", "rank_high")


def figures(tables: Path, metrics: Sequence[str], resampling: Resampling) -> pl.DataFrame:
    """One row a team, setting, condition, difficulty, density and metric, `all` among difficulties and densities.

    simulated (the team is), mean, low, high (bounds of the interval), games and tasks that count. Games that were
    stopped are left out.
    """
    values = _values(tables)
    lines = _cells(values).unpivot(metrics, index=[*TEAM, *CELL, "task_id"], variable_name="metric", value_name="value")
    value = pl.col("value").cast(pl.Float64)
    counted = lines.with_columns(numerator=value.fill_null(0.0), denominator=value.is_not_null().cast(pl.Float64))
    simulated = values.group_by("team").agg(pl.col("simulated").any())
    measured = ratio_intervals(counted, ROW, resampling).filter(pl.col("mean").is_not_null())
    return measured.join(simulated, on="team", how="left")


def _values(tables: Path) -> pl.DataFrame:
    """One row a game that was not stopped: team, setting, condition, task, difficulty, density, Table 1's metrics."""
    tasks = ended(read_table(tables, "games")).select(
        "game_id",
        "task_id",
        difficulty=level_name(),
        density=pl.col("density").cast(pl.String).fill_null(UNKNOWN),
    )
    own = by_game("table1", tables).drop(CELL, strict=False).join(tasks, on="game_id")
    return own.with_columns(pl.col("setting").fill_null(UNKNOWN)).sort("game_id")


def _cells(values: pl.DataFrame) -> pl.DataFrame:
    """Each game once for every cell that it counts in: its difficulty or `all`, its density or `all`."""
    for name in CELL:
        values = pl.concat([values, values.with_columns(pl.lit(ALL).alias(name))])
    return values


def ranks(tables: Path, results: Path | None, metrics: Sequence[Metric], resampling: Resampling) -> pl.DataFrame:
    """One row a setting, condition, metric and team that shares tasks with another: the ranks that paired tests leave
    open over all tasks.

    They are read from the results where those hold them, and else computed.
    """
    stored = results / "ranks.csv" if results else None
    rank_rows = read_result(stored) if stored and stored.is_file() else compute_ranks(tables, metrics, resampling)
    alike = [rank_rows.filter(metric=m.ranks_as).with_columns(metric=pl.lit(m.key)) for m in metrics if m.ranks_as]
    every = pl.concat([rank_rows.filter(~pl.col("metric").is_in([m.key for m in metrics if m.ranks_as])), *alike])
    among_others = every.filter(pl.col("teams") > 1)
    return among_others.with_columns(pl.col("setting").fill_null(UNKNOWN)).select(*RANKED, *RANKS)


def compute_ranks(tables: Path, metrics: Sequence[Metric], resampling: Resampling) -> pl.DataFrame:
    from pipeline.statistics.paired_tests import Testing, comparisons

    own = _values(tables).drop(CELL)
    if own.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(RANKED, pl.String) | dict.fromkeys((*RANKS, "teams"), pl.Int64))
    return comparisons(own, Testing(better={m.key: m.better for m in metrics if not m.ranks_as}), resampling)[1]


def with_ranks(figures: pl.DataFrame, rank_rows: pl.DataFrame) -> pl.DataFrame:
    """The figures with ranks, which exist over all tasks only: null in other cells."""
    over_all = rank_rows.with_columns(pl.lit(ALL).alias(name) for name in CELL)
    return figures.join(over_all, on=[*RANKED, *CELL], how="left").sort(ROW)
