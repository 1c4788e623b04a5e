"""Games of all protocols to their frontier: `python -m pipeline.beyond.frontier.stage`.

Reads the study's tables with leakage in bits (leaked_games), and those derived from the frontier's own games.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.frontier.domination import domination, pareto, placed, reported, volumes, wide
from pipeline.beyond.frontier.inferences import by_prior, games_of_teams
from pipeline.beyond.frontier.points import LEAKAGE, MEASURES, bits_of, draws, games_of, points, settings
from pipeline.beyond.frontier.tables import FRONTIER_TABLES
from pipeline.beyond.leakage.measure import read_tables
from pipeline.paper.compare import read_numbers
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import write_table
from pipeline.tables.paths import NUMBERS, TABLES

DERIVED = beyond.DERIVED / "frontier"
DECIMALS = 9  # of a float: what lies below is rounding


def main(out: Path = beyond.TABLES) -> None:
    bits = beyond.params("leakage")
    games = pl.concat([of_study(out), games_of(DERIVED, bits_of(read_tables(DERIVED), bits))])
    for name, frame in (frames(games) | {"frontier_priors": under_priors(bits)}).items():
        rounded = frame.with_columns(pl.selectors.float().round(DECIMALS))
        write_table(rounded, FRONTIER_TABLES[name], out, csv=False)
        print(f"{frame.height} rows in {out / name}.parquet")


def of_study(out: Path) -> pl.DataFrame:
    """The study's own games: the paper's protocols, and simulated speakers."""
    study = games_of(TABLES, pl.read_parquet(out / "leaked_games.parquet"))
    return study.filter(pl.col("simulated") | pl.col("team").is_in(papers()))


def under_priors(bits: Mapping[str, Any]) -> pl.DataFrame:
    """The candidates' bits beside the baseline's, under other priors."""
    params = beyond.params("frontier")
    tables = games_of_teams({TABLES: [params["baseline"]], DERIVED: params["candidates"]})
    return by_prior(tables, params["baseline"], bits)


def papers() -> list[str]:
    """The paper's protocols."""
    from pipeline.tables.paths import params

    return list(params("teams")["protocols"])


def frames(games: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of the frontier, by name."""
    params = beyond.params("frontier")
    resampling = Resampling(**params["intervals"])
    found = points(games, settings(params["protocols"]), resampling)
    means = wide(found)
    parts = [_of_setting(name, games, means, resampling) for name in games["setting"].unique().sort()]
    able = means.filter(pl.col("kind") == "protocol", pl.col("coordination_rate_pct") >= 100)
    columns = ["team", "setting", "kind", "coordination_rate_pct", "excess_cost", "vps_uniform_mean"]
    others = pl.concat([means.filter(kind="simulated").select(columns), reported(read_numbers(NUMBERS))])
    return {
        "frontier_points": found,
        **{name: pl.concat([part[name] for part in parts]) for name in parts[0]},
        "frontier_placed": placed(others, able),
    }


def _of_setting(
    setting: str, games: pl.DataFrame, means: pl.DataFrame, resampling: Resampling
) -> dict[str, pl.DataFrame]:
    """The tables that compare protocols draw by draw, of one setting."""
    params = beyond.params("frontier")
    here = games.filter(pl.col("setting") == setting, ~pl.col("simulated"))
    coordination = means.filter(setting=setting).select("team", pl.col("coordination_rate_pct") >= 100)
    coordinates = dict(coordination.iter_rows())
    measures = [m for m in MEASURES if m == "excess_cost" or m in LEAKAGE]
    found = draws(here, measures, resampling)
    fit = [team for team in found.teams if coordinates[team]]
    sets = {"paper": [team for team in fit if team in papers()], "all": fit}
    return {
        "frontier_pareto": pareto(setting, found, coordinates),
        "frontier_hypervolume": volumes(setting, found, sets, params["worst"], resampling.level),
        "frontier_domination": domination(setting, found, params["baseline"], params["fair_share"], resampling.level),
    }


if __name__ == "__main__":
    main()
