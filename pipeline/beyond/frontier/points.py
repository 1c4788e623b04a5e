"""Every team of the frontier as a point: its settings, its games, its means with intervals.

`python -m pipeline.beyond.frontier.points` writes the teams as YAML files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from machine.output import replacing
from pipeline import beyond
from pipeline.beyond.leakage.measure import Tables, by_game, leakage
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals, weighted_sums
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Array, Resampling, sample_and_draws
from pipeline.tables.io import read_table

TEAMS = Path("data/beyond/teams/frontier")
LEAKAGE = (
    "vps_uniform_mean",
    "vps_cost_mean",
    "vps_uniform_all_pairs_mean",
    "vps_cost_all_pairs_mean",
    "bits",
)
MEASURES = ("excess_cost", *LEAKAGE, "coalition_bits", "dms_per_meeting", "coordination_rate_pct")
KEY = ("team", "simulated", "setting", "task_id")


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


def games_of(tables: Path, bits: pl.DataFrame) -> pl.DataFrame:
    """One row per standard game that ended: KEY and MEASURES, as Table 1 defines them.

    tables: a folder of derived tables; bits: game_id, bits, coalition_bits.
    """
    games = ended(read_table(tables, "games")).filter(condition="standard")
    rows = games.select(
        "game_id",
        *KEY,
        pl.col("excess_cost").cast(pl.Float64),
        dms_per_meeting=ratio(pl.col("dms"), pl.col("meetings_scheduled")),
        coordination_rate_pct=100.0 * pl.col("coordination_rate"),
    )
    summary = read_table(tables, "game_summary")
    for mode in ("uniform", "cost"):
        vps = summary.filter(weight_mode=mode).select(
            "game_id",
            pl.col("vps_loss_mean").alias(f"vps_{mode}_mean"),
            pl.col("all_pairs_vps_loss_mean").alias(f"vps_{mode}_all_pairs_mean"),
        )
        rows = rows.join(vps, on="game_id", how="left", maintain_order="left")
    rows = rows.join(bits.select("game_id", "bits", "coalition_bits"), on="game_id", how="left", maintain_order="left")
    return rows.select(*KEY, *MEASURES).sort("setting", "team", "task_id")


def bits_of(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: leakage in bits, the columns of leakage's `by_game`.

    What a coalition learns is null where secrets that are no statements can be put together: of secure sums the
    outsider and any one participant learn every cost that was masked, of secret shares any two participants.
    """
    games = by_game(leakage(tables, settings), tables["games"])
    masked = pl.col("team").str.contains("^(secure|shares)-")
    return games.with_columns(coalition_bits=pl.when(~masked).then("coalition_bits"))


def points(games: pl.DataFrame, parametrised: Iterable[Setting], resampling: Resampling) -> pl.DataFrame:
    """One row per team, setting and measure: frontier_points. games: of `games_of`."""
    means = ratio_intervals(measure_lines(games, KEY, MEASURES), ["team", "setting", "measure"], resampling)
    kinds = games.select("team", kind=pl.when("simulated").then(pl.lit("simulated")).otherwise(pl.lit("protocol")))
    names = pl.DataFrame(
        [(s.team, s.protocol, s.parameter) for s in parametrised],
        schema=dict.fromkeys(("team", "protocol", "parameter"), pl.String),
        orient="row",
    )
    named = means.join(kinds.unique(), on="team").join(names, on="team", how="left")
    return named.with_columns(pl.col("protocol").fill_null(pl.col("team")), pl.col("parameter").fill_null(""))


@dataclass(frozen=True)
class Draws:
    """The means of teams (rows) over the suite itself (column 0) and over every draw of its tasks.

    `values` has them by measure, `by_task` the teams' values by task, teams × tasks.
    """

    teams: tuple[str, ...]
    values: Mapping[str, Array]
    by_task: Mapping[str, Array]

    def row(self, team: str) -> int:
        """The row of a team."""
        return self.teams.index(team)

    def only(self, teams: Sequence[str]) -> "Draws":
        """The draws of some teams, in the order given."""
        rows = [self.row(team) for team in teams]
        chosen = ({name: table[rows] for name, table in tables.items()} for tables in (self.values, self.by_task))
        return Draws(tuple(teams), *chosen)


def draws(games: pl.DataFrame, measures: Sequence[str], resampling: Resampling) -> Draws:
    """The means of one setting's teams, all of which played the same tasks. Raises ValueError where one did not."""
    teams, tasks = (tuple(games[name].unique().sort()) for name in ("team", "task_id"))
    means = games.group_by("team", "task_id").agg(pl.col(measures).mean()).sort("team", "task_id")
    if means.height != len(teams) * len(tasks):
        raise ValueError("every team of the frontier must have played every task")
    times = sample_and_draws(tasks, resampling)
    by_task = {m: means[m].cast(pl.Float64).to_numpy().reshape(len(teams), len(tasks)) for m in measures}
    return Draws(teams, {m: weighted_sums(values, times) / len(tasks) for m, values in by_task.items()}, by_task)


def main(folder: Path = TEAMS) -> None:
    """Write each team's file to the folder, and those that play the suite of three densities to one beside it."""
    params = beyond.params("frontier")
    for setting in settings(params["protocols"]):
        _write(setting, folder)
        if setting.team in params["held_out"]:
            _write(setting, folder.with_name(f"{folder.name}_densities"))


def _write(setting: Setting, folder: Path) -> None:
    import yaml

    folder.mkdir(parents=True, exist_ok=True)
    agents = [{"type": setting.protocol, "parameters": dict(setting.parameters)}]
    with replacing(folder / f"{setting.team}.yaml") as path:
        path.write_text(yaml.safe_dump({"team": setting.team, "agents": agents}, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
