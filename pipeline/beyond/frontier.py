"""What excess cost buys in privacy: protocols with a parameter, their Pareto frontier, and who dominates whom.

`python -m pipeline.beyond.frontier teams` writes one YAML file per team. `python -m pipeline.beyond.frontier` makes the
tables from those of the study, with its leakage in bits (leaked_games, leaked_bits), from those of the frontier's own
games, and from those of the games on the suite of three densities.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from machine.cores import cores, map_ordered
from pipeline import beyond
from pipeline.beyond.leakage.attacker import Attacked, attack, view_means
from pipeline.beyond.leakage.measure import Tables, by_game, leakage, read_tables
from pipeline.beyond.tables import declare, write, write_team
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals, weighted_sums
from pipeline.statistics.by_game import ended
from pipeline.statistics.pareto import dominates
from pipeline.statistics.resampling import Array, Resampling, interval_around, sample_and_draws
from pipeline.tables import paths
from pipeline.tables.io import read_table

TABLES = declare(
    """
    frontier_points (setting, team, measure): one team, setting and measure: its mean over the suite's tasks
    team: str who played
    setting: str uniform or varied errand costs
    measure: str excess_cost, a measure of leakage, dms_per_meeting or coordination_rate_pct
    kind: str protocol or simulated (speakers)
    protocol: str the agents' type; the team itself where it has no parameter
    parameter: str the setting of the protocol's parameters
    mean: float mean over its games
    low: float lower end of its 95 % interval, tasks drawn anew
    high: float upper end
    games: int games that have a value
    tasks: int tasks that have one

    frontier_pareto (setting, measure, team): one protocol, setting and measure of leakage
    team, setting
    measure: str the measure of leakage
    coordinates: bool whether it schedules every meeting: only then its excess cost can be compared
    excess_cost: float mean excess cost
    leakage: float mean of the measure
    on_frontier: bool whether no protocol that coordinates is at most equal in both and less in one
    frequency: float share of the draws of tasks in which it is on the frontier

    frontier_hypervolume (setting, measure, protocols): one set of protocols, setting and measure of leakage
    protocols: str paper: those of the paper; all: with those beyond it; gain: all less paper
    setting, measure
    worst_excess: float the reference point's excess cost
    worst_leakage: float the reference point's leakage
    volume: float share of the box from 0 to the reference point that they dominate, on log(1 + excess)
    low, high

    frontier_domination (setting, measure, team): one protocol, setting and measure, beside the baseline on the same
        tasks
    team, setting
    measure: str excess_cost or a measure of leakage
    difference: float mean over tasks of its value less the baseline's
    difference_low: float lower end of its 95 % interval, tasks drawn anew
    difference_high: float upper end
    largest_difference: float largest distance from the baseline on a task
    share: float its mean over the baseline's
    share_low: float lower end of its 95 % interval, tasks drawn anew
    share_high: float upper end
    holds: bool excess: difference at most 0; leakage: share below the fair share
    holds_surely: bool the same of the interval's upper end

    frontier_placed (setting, team, measure): one simulated team, setting and measure: where it lies relative to the
        frontier
    team, setting, kind
    coordination_rate_pct: float [%] meetings that it schedules
    excess_cost: float its mean excess cost
    measure: str vps_uniform_mean, vps_uniform_all_pairs_mean, bits, or view_bits: per meeting, of protocols the whole
        view, of speakers what they say
    leakage: float its mean of the measure
    dominated_by: list[str] protocols without secrets that coordinate every meeting, at most equal in both, less in one
    dominated_with_outsider: list[str] the same of secure sums and secret shares, which need that nobody colludes
    least_leakage: float the least of such a protocol with at most its excess cost; null where none has so little
    least_excess: float least excess cost of one with at most its leakage; null where none has so little
    factor: float its leakage over least_leakage: how many times more it gives away

    frontier_told (suite, setting, prior, team, role, measure): one suite, setting, prior, team, role of the observers
        and measure: what whole views tell
    suite: str published: the paper's 72 tasks, on which protocols were chosen; three densities: ours
    setting
    prior: str stated (feasible 0.5); or other tasks: of each task the shares of states in all others
    team
    role: str initiator, responder, outsider (who is told something), two participants together; everybody: one by one,
        summed
    measure: str bits: the whole view's, a round; literal_bits: of what is said, slot by slot; floor_bits: the least of
        a truthful proof; times_floor: bits over floor_bits, of rounds with both; share: bits over the baseline's
    mean: float its mean over rounds, or ratio of sums
    low, high
    games: int tasks' games that have a value
    tasks

    frontier_held_out (setting, team, measure): one team, setting and measure on the suite of three densities, on which
        nothing was chosen
    team, setting
    measure: str excess_cost, vps_uniform_mean, vps_uniform_all_pairs_mean, bits or dms_per_meeting
    mean: float mean over its games
    low, high
    games: int games that have a value
    tasks
    below_dsm: int tasks on which it is below that of DSM-Welfare, by any difference
    above_dsm: int tasks on which it is above that
    """
)


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
    """One setting of a protocol's parameters: the agents' type, the setting's name, and the parameters."""

    protocol: str
    name: str
    parameters: Mapping[str, Any]


def teams_of(protocols: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Setting]:
    """Team → what its agents play, a team for each setting of each protocol."""
    settings = [Setting(protocol, name, of[name]) for protocol, of in protocols.items() for name in of]
    return {f"{setting.protocol}-{setting.name}": setting for setting in settings}


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


def points(games: pl.DataFrame, teams: Mapping[str, Setting], resampling: Resampling) -> pl.DataFrame:
    """One row per team, setting and measure: frontier_points. games: of `games_of`; teams: of `teams_of`."""
    means = ratio_intervals(measure_lines(games, KEY, MEASURES), ["team", "setting", "measure"], resampling)
    kinds = games.select("team", kind=pl.when("simulated").then(pl.lit("simulated")).otherwise(pl.lit("protocol")))
    team = pl.col("team")
    return means.join(kinds.unique(), on="team").with_columns(
        protocol=team.replace({name: setting.protocol for name, setting in teams.items()}),
        parameter=team.replace_strict({name: setting.name for name, setting in teams.items()}, default=""),
    )


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


def write_teams(folder: Path = TEAMS) -> None:
    """Write each team's file to the folder, and those that play the suite of three densities to one beside it."""
    params = beyond.params("frontier")
    for name, setting in teams_of(params["protocols"]).items():
        team = {"team": name, "agents": [{"type": setting.protocol, "parameters": dict(setting.parameters)}]}
        for target in (folder, *([folder.with_name(f"{folder.name}_densities")] if name in params["held_out"] else [])):
            write_team(team, target)


ROUNDING = 1e-9  # of a difference: what lies below is none
Row = dict[str, Any]
X = "excess_cost"
VIEWS = "view_bits"
PLACED = ("vps_uniform_mean", "vps_uniform_all_pairs_mean", "bits", VIEWS)
COLUMNS = ("team", "setting", "kind", "coordination_rate_pct", X)
TRUSTING = ("secure-", "shares-")  # protocols that need an outsider, or a participant, who colludes with nobody


def undominated(x: Array, y: Array) -> NDArray[np.bool_]:
    """Points × draws: whether no other point is at most equal in both and less in one, in each draw."""
    on_frontier = np.ones(x.shape, dtype=bool)
    for i in range(len(x)):
        no_more = (x <= x[i]) & (y <= y[i])
        on_frontier[i] = ~(no_more & ((x < x[i]) | (y < y[i]))).any(axis=0)
    return on_frontier


def pareto(setting: str, draws: Draws, coordinates: Mapping[str, bool]) -> pl.DataFrame:
    """One row per protocol and measure of leakage: frontier_pareto.

    coordinates: whether a team schedules every meeting; who does not is on no frontier.
    """
    able = [team for team in draws.teams if coordinates[team]]
    of_able = draws.only(able)
    rows = []
    for measure in LEAKAGE:
        on_frontier = undominated(of_able.values["excess_cost"], of_able.values[measure])
        means = (draws.values[name][:, 0].tolist() for name in ("excess_cost", measure))
        for team, excess, leaked in zip(draws.teams, *means, strict=True):
            own = on_frontier[able.index(team)] if team in able else np.zeros(2, dtype=bool)
            shares = bool(own[0]), float(own[1:].mean())
            rows.append((team, setting, measure, coordinates[team], excess, leaked, *shares))
    names = ["team", "setting", "measure", "coordinates", "excess_cost", "leakage", "on_frontier", "frequency"]
    return pl.DataFrame(rows, schema=names, orient="row")


def hypervolume(x: Array, y: Array) -> float:
    """The share of the unit square that the points dominate: what lies above and to the right of one of them.

    Points outside the square count where they reach it. (Zitzler and Thiele's hypervolume in two dimensions.)
    """
    order = np.lexsort((y, x))
    volume, lowest = 0.0, 1.0
    for i in order:
        left, below = max(float(x[i]), 0.0), max(float(y[i]), 0.0)
        if left < 1 and below < lowest:
            volume += (1 - left) * (lowest - below)
            lowest = below
    return volume


def hypervolumes(
    setting: str, draws: Draws, sets: Mapping[str, Sequence[str]], worst: Mapping[str, Any], level: float
) -> pl.DataFrame:
    """One row per measure, for each of two sets of protocols and what the second gains: frontier_hypervolume.

    worst: the reference point, `excess_cost` by setting and `leakage` by measure.
    """
    rows = []
    excess = worst["excess_cost"][setting]
    for measure in LEAKAGE:
        leakage = worst["leakage"][measure]
        by_set = {name: _by_draw(draws.only(teams), measure, excess, leakage) for name, teams in sets.items()}
        first, second = by_set.values()
        for name, values in {**by_set, "gain": second - first}.items():
            bounds = interval_around(values[0], values[1:], level)
            rows.append((name, setting, measure, float(excess), float(leakage), float(values[0]), *bounds))
    names = ["protocols", "setting", "measure", "worst_excess", "worst_leakage", "volume", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _by_draw(draws: Draws, measure: str, excess: float, leakage: float) -> Array:
    """The teams' hypervolume in each draw; excess by log(1 + excess), as it spans three powers of ten."""
    x = np.log1p(np.maximum(draws.values["excess_cost"], 0)) / np.log1p(excess)
    y = draws.values[measure] / leakage
    return np.array([hypervolume(x[:, i], y[:, i]) for i in range(x.shape[1])])


def domination(setting: str, draws: Draws, baseline: str, fair_share: float, level: float) -> pl.DataFrame:
    """One row per protocol and measure: frontier_domination. Tasks are drawn for both at once."""
    rows: list[Row] = []
    for team in draws.teams:
        cost = _beside_baseline("excess_cost", draws, team, baseline, level)
        holds, surely = (cost[name] <= ROUNDING for name in ("difference", "difference_high"))
        rows.append(cost | {"holds": holds, "holds_surely": surely})
        for measure in LEAKAGE:
            leaked = _beside_baseline(measure, draws, team, baseline, level)
            holds, surely = (leaked[name] < fair_share for name in ("share", "share_high"))
            rows.append(leaked | {"holds": holds, "holds_surely": surely})
    return pl.DataFrame(rows).with_columns(setting=pl.lit(setting))


def _beside_baseline(measure: str, draws: Draws, team: str, baseline: str, level: float) -> Row:
    """A team's measure beside the baseline's: difference and share, with their intervals."""
    own, base = draws.row(team), draws.row(baseline)
    values, by_task = draws.values[measure], draws.by_task[measure]
    row: Row = {"team": team, "measure": measure}
    for name, compared in (("difference", values[own] - values[base]), ("share", _share(values[own], values[base]))):
        low, high = interval_around(compared[0], compared[1:], level)
        row |= {name: float(compared[0]), f"{name}_low": low, f"{name}_high": high}
    return row | {"largest_difference": float(np.abs(by_task[own] - by_task[base]).max())}


def _share(values: Array, base: Array) -> Array:
    """values / base; where both are 0 it is 1."""
    same = np.where(values == base, 1.0, np.inf)
    return np.where(base == 0, same, values / np.where(base == 0, 1.0, base))


def wide(points: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting of frontier_points: its means, a column a measure."""
    return points.pivot("measure", index=["team", "setting", "kind"], values="mean", maintain_order=True)


def with_views(means: pl.DataFrame, views: pl.DataFrame, literal: pl.DataFrame) -> pl.DataFrame:
    """The means (`wide`) with `view_bits`: bits a meeting that all observers are told, one by one.

    Of protocols whose views are measured the whole view, under the stated prior; of simulated speakers what they say.

    views: frontier_told; literal: team, setting, view_bits.
    """
    whole = views.filter(suite="published", prior="stated", role="everybody", measure="bits")
    both = pl.concat([whole.select("team", "setting", view_bits="mean"), literal.select("team", "setting", VIEWS)])
    return means.join(both, on=["team", "setting"], how="left", maintain_order="left")


def literal_bits_a_meeting(leaked: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """team, setting, view_bits of simulated speakers' standard games: bits that a round's messages say, over all pairs.

    leaked: leaked_bits; games: that table.
    """
    speakers = games.filter("simulated", condition="standard")
    bits = leaked.group_by("game_id").agg(said=pl.col("bits").sort().sum())
    rows = (
        speakers.join(bits, on="game_id", how="left").sort("game_id").group_by("team", "setting", maintain_order=True)
    )
    return rows.agg(view_bits=pl.col("said").fill_null(0.0).sum() / pl.col("rounds").sum()).sort("team", "setting")


def gaps_to_frontier(others: pl.DataFrame, protocols: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """One row per row of `others` (COLUMNS) and measure that it has: frontier_placed.

    protocols: rows of `with_views` of the protocols that coordinate every meeting.
    """
    rows = [
        {
            **{name: other[name] for name in COLUMNS},
            "measure": measure,
            "leakage": other[measure],
            **_gap(other, able, measure),
        }
        for other in others.iter_rows(named=True)
        for able in [protocols.filter(setting=other["setting"])]
        for measure in measures
        if other.get(measure) is not None
    ]
    lists, floats = ("dominated_by", "dominated_with_outsider"), ("least_leakage", "least_excess", "factor")
    schema = dict.fromkeys(lists, pl.List(pl.String)) | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema_overrides=schema)


def _gap(other: dict[str, Any], protocols: pl.DataFrame, measure: str) -> dict[str, Any]:
    """Who dominates a team in excess and a measure, with and without an outsider, and how far it is from the best."""
    x, y = other[X], other[measure]
    known = protocols.drop_nulls(measure).select("team", X, measure).sort(X, measure, "team")
    beating = [team for team, *point in known.iter_rows() if dominates(point, (x, y))]
    least = known.filter(pl.col(X) <= x)[measure].min()
    return {
        "dominated_by": [team for team in beating if not team.startswith(TRUSTING)],
        "dominated_with_outsider": [team for team in beating if team.startswith(TRUSTING)],
        "least_leakage": least,
        "least_excess": known.filter(pl.col(measure) <= y)[X].min(),
        "factor": None if least is None else y / least,
    }


DERIVED = beyond.DERIVED / "frontier"
# Suite → tables of the paper's protocols, and of those beyond them.
FOLDERS = {
    "published": (paths.TABLES, DERIVED),
    "three densities": (beyond.DERIVED / "densities", beyond.DERIVED / "frontier_densities"),
}
ANEW = ("excess_cost", "vps_uniform_mean", "vps_uniform_all_pairs_mean", "bits", "dms_per_meeting")


def main(out: Path = beyond.TABLES) -> None:
    """Write the frontier's tables. out: also the folder of leaked_games and leaked_bits."""
    leaked_games, leaked_bits = (pl.read_parquet(out / f"leaked_{n}.parquet", glob=False) for n in ("games", "bits"))
    study = games_of(paths.TABLES, leaked_games)
    study = study.filter(pl.col("simulated") | pl.col("team").is_in(paper_protocols()))
    games = pl.concat([study, games_of(DERIVED, bits_of(read_tables(DERIVED), beyond.params("leakage")))])
    views = whole_views()
    literal = literal_bits_a_meeting(leaked_bits, read_table(paths.TABLES, "games"))
    of_suites = {"frontier_told": views, "frontier_held_out": held_out()}
    write(frames(games, views, literal) | of_suites, TABLES, out, rounded=True)


def paper_protocols() -> list[str]:
    """The paper's protocols."""
    return list(paths.params("teams")["protocols"])


def whole_views() -> pl.DataFrame:
    """What whole views tell, of all teams that are attacked: frontier_told."""
    params, turns = beyond.params("frontier"), paths.params("game")["max_turns_per_round"]
    of_team = partial(attack, leakage=beyond.params("leakage"), max_turns=turns)
    seen = pl.concat(list(map_ordered(of_team, list(attacked(params)), cores())))
    return view_means(seen, params["baseline"], Resampling(**params["intervals"]))


def attacked(params: Mapping[str, Any]) -> Iterator[Attacked]:
    """The teams of params["attack"], suite by suite."""
    ours = teams_of(params["protocols"])
    for suite, (paper, rest) in FOLDERS.items():
        for team in params["attack"]["teams"][suite]:
            if team in ours:
                yield Attacked(team, ours[team].protocol, ours[team].parameters, rest, suite)
            else:
                known = params["attack"]["paper"][team]
                yield Attacked(team, known["type"], known.get("parameters", {}), paper, suite)


def held_out() -> pl.DataFrame:
    """The means on the suite of three densities: frontier_held_out."""
    leakage, resampling = beyond.params("leakage"), Resampling(**beyond.params("frontier")["intervals"])
    folders = FOLDERS["three densities"]
    games = pl.concat([games_of(folder, bits_of(read_tables(folder), leakage)) for folder in folders])
    lines = measure_lines(games, ["team", "setting", "task_id"], ANEW)
    by = ["setting", "team", "measure"]
    return ratio_intervals(lines, by, resampling).join(beside_dsm(lines, by), on=by, how="left")


def beside_dsm(lines: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Keys `by`, below_dsm, above_dsm: on how many tasks a measure is below and above that of DSM-Welfare.

    lines: of `measure_lines`, a row a setting, team, task and measure.
    """
    known = lines.filter(pl.col("denominator") > 0)
    of_dsm = known.filter(team="dsm-welfare").select("setting", "task_id", "measure", dsm="numerator")
    beside = known.join(of_dsm, on=["setting", "task_id", "measure"])
    below, above = pl.col("numerator") < pl.col("dsm"), pl.col("numerator") > pl.col("dsm")
    return beside.group_by(by).agg(below_dsm=below.sum().cast(pl.Int64), above_dsm=above.sum().cast(pl.Int64))


def frames(games: pl.DataFrame, views: pl.DataFrame, literal: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of the frontier on the paper's tasks, by name. games: of `games_of`; views: frontier_told."""
    params = beyond.params("frontier")
    resampling = Resampling(**params["intervals"])
    measured = points(games, teams_of(params["protocols"]), resampling)
    means = wide(measured)
    parts = [_compare(setting, games, means, resampling) for setting in games["setting"].unique().sort()]
    with_bits = with_views(means, views, literal)
    able = with_bits.filter(pl.col("kind") == "protocol", pl.col("coordination_rate_pct") >= 100)
    return {
        "frontier_points": measured,
        **{name: pl.concat([part[name] for part in parts]) for name in parts[0]},
        "frontier_placed": gaps_to_frontier(with_bits.filter(kind="simulated"), able, PLACED),
    }


def _compare(setting: str, games: pl.DataFrame, means: pl.DataFrame, resampling: Resampling) -> dict[str, pl.DataFrame]:
    """The tables that compare one setting's protocols draw by draw."""
    params = beyond.params("frontier")
    protocols = games.filter(pl.col("setting") == setting, ~pl.col("simulated"))
    coordination = means.filter(setting=setting).select("team", pl.col("coordination_rate_pct") >= 100)
    coordinates = dict(coordination.iter_rows())
    means_by_draw = draws(protocols, ["excess_cost", *LEAKAGE], resampling)
    able = [team for team in means_by_draw.teams if coordinates[team]]
    sets = {"paper": [team for team in able if team in paper_protocols()], "all": able}
    return {
        "frontier_pareto": pareto(setting, means_by_draw, coordinates),
        "frontier_hypervolume": hypervolumes(setting, means_by_draw, sets, params["worst"], resampling.level),
        "frontier_domination": domination(
            setting, means_by_draw, params["baseline"], params["fair_share"], resampling.level
        ),
    }


if __name__ == "__main__":
    write_teams() if sys.argv[1:] == ["teams"] else main()
