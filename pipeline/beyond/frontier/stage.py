"""Games of all protocols to their frontier: `python -m pipeline.beyond.frontier.stage`.

Reads the study's tables with leakage in bits (leaked_games), and those derived from the frontier's own games.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.frontier.domination import domination, hypervolumes, pareto
from pipeline.beyond.frontier.gap_to_frontier import COLUMNS, gaps_to_frontier, reported_models, wide
from pipeline.beyond.frontier.inferences import by_prior, games_of_teams
from pipeline.beyond.frontier.points import LEAKAGE, bits_of, draws, games_of, points, settings
from pipeline.beyond.frontier.schemas import FRONTIER_TABLES
from pipeline.beyond.leakage.measure import read_tables
from pipeline.paper.compare import read_numbers
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import write_table
from pipeline.tables.paths import NUMBERS, TABLES
from pipeline.tables.paths import params as study_params

DERIVED = beyond.DERIVED / "frontier"
DECIMALS = 9  # of a float: what lies below is rounding


def main(out: Path = beyond.TABLES) -> None:
    leakage = beyond.params("leakage")
    games = pl.concat([study_games(out), games_of(DERIVED, bits_of(read_tables(DERIVED), leakage))])
    for name, frame in (frames(games) | {"frontier_priors": under_priors(leakage)}).items():
        rounded = frame.with_columns(pl.selectors.float().round(DECIMALS))
        write_table(rounded, FRONTIER_TABLES[name], out, csv=False)
        print(f"{frame.height} rows in {out / name}.parquet")


def study_games(out: Path) -> pl.DataFrame:
    """The study's own games, as of `games_of`: of the paper's protocols, and of simulated speakers."""
    study = games_of(TABLES, pl.read_parquet(out / "leaked_games.parquet"))
    return study.filter(pl.col("simulated") | pl.col("team").is_in(paper_protocols()))


def under_priors(leakage: Mapping[str, Any]) -> pl.DataFrame:
    """The candidates' bits beside the baseline's, under other priors: frontier_priors."""
    params = beyond.params("frontier")
    tables = games_of_teams({TABLES: [params["baseline"]], DERIVED: params["candidates"]})
    return by_prior(tables, params["baseline"], leakage)


def paper_protocols() -> list[str]:
    """The paper's protocols."""
    return list(study_params("teams")["protocols"])


def frames(games: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of the frontier by name, but for frontier_priors. games: of `games_of`."""
    params = beyond.params("frontier")
    resampling = Resampling(**params["intervals"])
    measured = points(games, settings(params["protocols"]), resampling)
    means = wide(measured)
    parts = [_compare(setting, games, means, resampling) for setting in games["setting"].unique().sort()]
    able = means.filter(pl.col("kind") == "protocol", pl.col("coordination_rate_pct") >= 100)
    simulated = means.filter(kind="simulated").select(COLUMNS)
    others = pl.concat([simulated, reported_models(read_numbers(NUMBERS))])
    return {
        "frontier_points": measured,
        **{name: pl.concat([part[name] for part in parts]) for name in parts[0]},
        "frontier_placed": gaps_to_frontier(others, able),
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
