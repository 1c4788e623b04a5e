"""Where each team stands: means of each measure with intervals, and the same means in every draw of tasks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.frontier.games import KNOWN, MEASURES
from pipeline.beyond.frontier.teams import Setting
from pipeline.statistics.bootstrap import ratio_intervals, sums
from pipeline.statistics.resampling import Resampling, cluster_draws, percentiles

Array = NDArray[np.float64]


def points(games: pl.DataFrame, ours: Iterable[Setting], resampling: Resampling) -> pl.DataFrame:
    """One row per team, setting and measure: frontier_points."""
    by = ["team", "setting", "measure"]
    lines = games.unpivot(MEASURES, index=KNOWN, variable_name="measure", value_name="numerator")
    lines = lines.with_columns(
        pl.col("numerator").fill_null(0.0), denominator=pl.col("numerator").is_not_null().cast(pl.Float64)
    )
    found = ratio_intervals(lines, by, resampling)
    kinds = games.select("team", kind=pl.when("simulated").then(pl.lit("simulated")).otherwise(pl.lit("protocol")))
    names = pl.DataFrame(
        [(s.team, s.protocol, s.parameter) for s in ours],
        schema=dict.fromkeys(("team", "protocol", "parameter"), pl.String),
        orient="row",
    )
    named = found.join(kinds.unique(), on="team").join(names, on="team", how="left")
    return named.with_columns(pl.col("protocol").fill_null(pl.col("team")), pl.col("parameter").fill_null(""))


@dataclass(frozen=True)
class Draws:
    """The means of teams (rows) in the suite itself (column 0) and in every draw of its tasks.

    `values` has them by measure, `by_task` the teams' values by task, teams × tasks.
    """

    teams: tuple[str, ...]
    values: Mapping[str, Array]
    by_task: Mapping[str, Array]

    def row(self, team: str) -> int:
        """The row of a team."""
        return self.teams.index(team)

    def only(self, teams: Sequence[str]) -> "Draws":
        """The same of some teams, in the order given."""
        rows = [self.row(team) for team in teams]
        kept = ({name: table[rows] for name, table in tables.items()} for tables in (self.values, self.by_task))
        return Draws(tuple(teams), *kept)


def draws(games: pl.DataFrame, measures: Sequence[str], resampling: Resampling) -> Draws:
    """The means of one setting's teams, all of which played the same tasks. Raises ValueError where one did not."""
    teams, tasks = (tuple(games[name].unique().sort()) for name in ("team", "task_id"))
    means = games.group_by("team", "task_id").agg(pl.col(measures).mean()).sort("team", "task_id")
    if means.height != len(teams) * len(tasks):
        raise ValueError("every team of the frontier must have played every task")
    times = np.hstack([np.ones((len(tasks), 1)), cluster_draws(tasks, resampling)])
    by_task = {m: means[m].cast(pl.Float64).to_numpy().reshape(len(teams), len(tasks)) for m in measures}
    return Draws(teams, {m: sums(values, times) / len(tasks) for m, values in by_task.items()}, by_task)


def over_draws(values: Array, level: float) -> tuple[float, float]:
    """Percentile bounds over draws, widened to hold the suite's own value, the first."""
    low, high = percentiles(values[1:], level)
    return float(min(low, values[0])), float(max(high, values[0]))
