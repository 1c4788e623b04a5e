"""Games of all protocols to their frontier: `python -m pipeline.beyond.frontier.stage`.

Reads the study's tables with leakage in bits (leaked_games, leaked_bits), those derived from the frontier's own games,
and those of the games on the suite of three densities.
"""

from functools import partial
from pathlib import Path

import polars as pl

from machine.cores import cores, map_ordered
from pipeline import beyond
from pipeline.beyond.frontier.domination import (
    MEASURES,
    domination,
    gaps_to_frontier,
    hypervolumes,
    literal_bits_a_meeting,
    pareto,
    wide,
    with_views,
)
from pipeline.beyond.frontier.points import LEAKAGE, bits_of, draws, games_of, points, settings
from pipeline.beyond.frontier.schemas import FRONTIER_TABLES
from pipeline.beyond.leakage.attacker import attack, attacked, view_means
from pipeline.beyond.leakage.measure import read_tables
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_table, write_table
from pipeline.tables.paths import TABLES
from pipeline.tables.paths import params as study_params

DERIVED = beyond.DERIVED / "frontier"
# Suite → tables of the paper's protocols, and of those beyond them.
FOLDERS = {
    "published": (TABLES, DERIVED),
    "three densities": (beyond.DERIVED / "densities", beyond.DERIVED / "frontier_densities"),
}
ANEW = ("excess_cost", "vps_uniform_mean", "vps_uniform_all_pairs_mean", "bits", "dms_per_meeting")
DECIMALS = 9  # of a float: what lies below is rounding


def main(out: Path = beyond.TABLES) -> None:
    leakage = beyond.params("leakage")
    games = pl.concat([study_games(out), games_of(DERIVED, bits_of(read_tables(DERIVED), leakage))])
    views = whole_views()
    literal = literal_bits_a_meeting(
        pl.read_parquet(out / "leaked_bits.parquet", glob=False), read_table(TABLES, "games")
    )
    of_suite = {"frontier_told": views, "frontier_held_out": held_out()}
    for name, frame in (frames(games, views, literal) | of_suite).items():
        rounded = frame.with_columns(pl.selectors.float().round(DECIMALS))
        write_table(rounded, FRONTIER_TABLES[name], out, csv=False)
        print(f"{frame.height} rows in {out / name}.parquet")


def whole_views() -> pl.DataFrame:
    """What whole views tell, of all teams that are attacked: frontier_told."""
    params, turns = beyond.params("frontier"), study_params("game")["max_turns_per_round"]
    teams = list(attacked(params, FOLDERS))
    of_team = partial(attack, leakage=beyond.params("leakage"), max_turns=turns)
    seen = pl.concat(list(map_ordered(of_team, teams, cores())))
    return view_means(seen, params["baseline"], Resampling(**params["intervals"]))


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


def study_games(out: Path) -> pl.DataFrame:
    """The study's own games, as of `games_of`: of the paper's protocols, and of simulated speakers."""
    study = games_of(TABLES, pl.read_parquet(out / "leaked_games.parquet", glob=False))
    return study.filter(pl.col("simulated") | pl.col("team").is_in(paper_protocols()))


def paper_protocols() -> list[str]:
    """The paper's protocols."""
    return list(study_params("teams")["protocols"])


def frames(games: pl.DataFrame, views: pl.DataFrame, literal: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of the frontier on the paper's tasks, by name. games: of `games_of`; views: frontier_told."""
    params = beyond.params("frontier")
    resampling = Resampling(**params["intervals"])
    measured = points(games, settings(params["protocols"]), resampling)
    means = wide(measured)
    parts = [_compare(setting, games, means, resampling) for setting in games["setting"].unique().sort()]
    with_bits = with_views(means, views, literal)
    able = with_bits.filter(pl.col("kind") == "protocol", pl.col("coordination_rate_pct") >= 100)
    return {
        "frontier_points": measured,
        **{name: pl.concat([part[name] for part in parts]) for name in parts[0]},
        "frontier_placed": gaps_to_frontier(with_bits.filter(kind="simulated"), able, MEASURES),
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
    main()
