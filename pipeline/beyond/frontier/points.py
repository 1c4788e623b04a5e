"""Every team of the frontier as a point: its settings, its games, its means with intervals."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from machine.files import replacing
from pipeline import beyond
from pipeline.beyond.leakage.measure import Tables, by_game, leakage
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.bootstrap import ratio_intervals, weighted_sums
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling, cluster_draws, percentiles
from pipeline.tables.io import read_table

TEAMS = Path("data/beyond/teams/frontier")


class Setting(NamedTuple):
    """One setting of a protocol's parameters, and the team that plays it."""

    team: str
    protocol: str
    parameter: str
    parameters: Mapping[str, Any]


def settings(protocols: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[Setting]:
    """A team for each setting of each protocol."""
    for protocol, named in protocols.items():
        for name, parameters in named.items():
            yield Setting(f"{protocol}-{name}", protocol, name, parameters)


def main(folder: Path = TEAMS) -> None:
    import yaml

    folder.mkdir(parents=True, exist_ok=True)
    for found in settings(beyond.params("frontier")["protocols"]):
        agents = [{"type": found.protocol, "parameters": dict(found.parameters)}]
        with replacing(folder / f"{found.team}.yaml") as path:
            path.write_text(yaml.safe_dump({"team": found.team, "agents": agents}, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()


LEAKAGE = (
    "vps_uniform_mean",
    "vps_cost_mean",
    "vps_uniform_all_pairs_mean",
    "vps_cost_all_pairs_mean",
    "bits",
)
MEASURES = ("excess_cost", *LEAKAGE, "coalition_bits", "dms_per_meeting", "coordination_rate_pct")
KNOWN = ("team", "simulated", "setting", "task_id")


def games_of(tables: Path, bits: pl.DataFrame) -> pl.DataFrame:
    """One row per standard game that ended: KNOWN and MEASURES, as Table 1 defines them; bits by game from `bits`."""
    games = ended(read_table(tables, "games")).filter(condition="standard")
    scheduled = pl.col("meetings_scheduled")
    rows = games.select(
        "game_id",
        *KNOWN,
        pl.col("excess_cost").cast(pl.Float64),
        dms_per_meeting=ratio(pl.col("dms"), scheduled),
        coordination_rate_pct=100.0 * pl.col("coordination_rate"),
    )
    for mode in ("uniform", "cost"):
        told = read_table(tables, "game_summary").filter(weight_mode=mode)
        pairs = pl.col("all_pairs_vps_loss_mean").alias(f"vps_{mode}_all_pairs_mean")
        told = told.select("game_id", pl.col("vps_loss_mean").alias(f"vps_{mode}_mean"), pairs)
        rows = rows.join(told, on="game_id", how="left", maintain_order="left")
    rows = rows.join(bits.select("game_id", "bits", "coalition_bits"), on="game_id", how="left", maintain_order="left")
    return rows.select(*KNOWN, *MEASURES).sort("setting", "team", "task_id")


def bits_of(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: leakage in bits.

    What a coalition learns is null where secrets that are no statements can be put together: of secure sums the
    outsider and any one participant learn every cost that was masked.
    """
    found = by_game(leakage(tables, settings), tables["games"])
    masked = pl.col("team").str.starts_with("secure-")
    return found.with_columns(coalition_bits=pl.when(~masked).then("coalition_bits"))


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
    return Draws(teams, {m: weighted_sums(values, times) / len(tasks) for m, values in by_task.items()}, by_task)


def over_draws(values: Array, level: float) -> tuple[float, float]:
    """Percentile bounds over draws, widened to hold the suite's own value, the first."""
    low, high = percentiles(values[1:], level)
    return float(min(low, values[0])), float(max(high, values[0]))
