"""Tables to leakage in bits: `python -m pipeline.beyond.leakage.stage [--tables DIR] [--name X]`.

Of the study's tables, where no other folder is named. With a name each table is called after it: leaked_games_X.
"""

import argparse
from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond.leakage.measure import by_game, leakage, read_tables, with_figures
from pipeline.beyond.leakage.orders import MEASURES, PAIRS, by_prior, orders, team_means, vps_reversed
from pipeline.beyond.leakage.schemas import LEAKAGE_TABLES, named
from pipeline.privacy.rules import Weighing
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import read_table, write_table
from pipeline.tables.paths import no_tables

DECIMALS = 9  # of a float: what lies below is rounding


def main(tables: Path = paths.TABLES, name: str | None = None, out: Path = beyond.TABLES) -> None:
    settings = beyond.params("leakage")
    resampling = Resampling(**settings["intervals"])
    read = read_tables(tables)
    leaked = leakage(read, settings)
    games = by_game(leaked, read["games"])
    vps = _vps(tables, read["belief_evidence"])
    for measures in (vps, with_figures(read, settings)):
        games = games.join(measures, on="game_id", how="left", maintain_order="left")
    whole_games = ended(read["games"])  # what was broken off is no sample of what a team leaks
    compared = games.drop("task_id").join(whole_games.select("game_id", "task_id"), on="game_id", maintain_order="left")
    frames = {
        "leaked_bits": leaked.pairs,
        "leaked_coalitions": leaked.coalitions,
        "leaked_rounds": leaked.rounds,
        "leaked_games": games,
        "leaked_teams": team_means(compared, MEASURES, resampling),
        "leaked_orders": orders(compared, PAIRS, resampling),
        "leaked_priors": by_prior(read | {"games": whole_games}, vps.select("game_id", "vps"), settings),
    }
    for table, frame in frames.items():
        rounded = frame.with_columns(pl.selectors.float().round(DECIMALS))
        write_table(rounded, named(LEAKAGE_TABLES[table], name), out, csv=False)
    written = out / f"leaked_*{f'_{name}' if name else ''}.parquet"
    print(f"{games.height} games, {leaked.pairs.height} pairs told something in a round: {written}")


def _vps(tables: Path, evidence: pl.DataFrame) -> pl.DataFrame:
    """One row a game: its VPS, over touched pairs as in the paper and over all, under both weights, and backwards."""
    summary = read_table(tables, "game_summary")
    names = {"uniform": ("vps", "vps_all_pairs"), "cost": ("vps_cost", "vps_cost_all_pairs")}
    columns = [
        summary.filter(weight_mode=mode).select(
            "game_id", pl.col("vps_loss_mean").alias(touched), pl.col("all_pairs_vps_loss_mean").alias(every)
        )
        for mode, (touched, every) in names.items()
    ]
    beliefs = Weighing(prior=paths.params("vps")["prior"])
    return columns[0].join(columns[1], on="game_id").join(vps_reversed(evidence, beliefs), on="game_id", how="left")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Leakage in bits of the games in a folder of derived tables")
    parser.add_argument("--tables", type=Path, default=paths.TABLES, help="folder of derived tables")
    parser.add_argument("--name", help="what to call the tables after")
    arguments = parser.parse_args()
    if absent := no_tables(arguments.tables):
        parser.error(absent)
    if arguments.name is not None and not arguments.name.isidentifier():
        parser.error(f"--name has to be letters, digits and _, for it is part of tables' names: {arguments.name!r}")
    return arguments


if __name__ == "__main__":
    arguments = _arguments()
    main(arguments.tables, arguments.name)
