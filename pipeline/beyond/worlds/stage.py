"""Games in larger worlds to how everything grows: `python -m pipeline.beyond.worlds.stage`."""

from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond import DERIVED, TRACES, params
from pipeline.beyond.worlds.growth import games_of, growth, held_out, means_by_density, points, swept
from pipeline.beyond.worlds.schemas import DENSITIES, GAMES, GROWTH, HELD_OUT, POINTS, TASKS
from pipeline.beyond.worlds.suites import suite_tasks
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import write_table

SUITES = Path("data/beyond/suites")
PUBLISHED = Path("data/suites/standard.jsonl")
BASELINE = "imap.jsonl.zst"
DENSITY_MEASURES = ("coordination_rate", "excess_cost", "dms_per_meeting", "vps_mean", "vps_all_pairs", "bits")


def main(out: Path = beyond.TABLES) -> None:
    p, resampling = params("worlds"), Resampling(**paths.params("intervals"))
    tasks = suite_tasks(SUITES / "worlds.jsonl")
    games = games_of(DERIVED / "worlds", tasks, params("leakage"))
    in_sweeps = swept(games, p)
    frames = {
        TASKS: tasks,
        GAMES: games,
        POINTS: points(in_sweeps, ["sweep", "value", "setting", "protocol"], resampling.level),
        GROWTH: growth(in_sweeps, resampling.level),
        DENSITIES: pl.concat(
            [
                densities("published", PUBLISHED, paths.TABLES, resampling),
                densities("three densities", SUITES / "three_densities.jsonl", DERIVED / "densities", resampling),
            ]
        ),
        HELD_OUT: pl.concat(
            [
                held_out("worlds", TRACES / "held_out/worlds.jsonl.zst", TRACES / "worlds" / BASELINE, tasks),
                held_out(
                    "three densities",
                    TRACES / "held_out/densities.jsonl.zst",
                    TRACES / "densities" / BASELINE,
                    suite_tasks(SUITES / "three_densities.jsonl"),
                ),
            ]
        ),
    }
    for table, frame in frames.items():
        print(f"{write_table(frame, table, out, csv=False)['rows']} rows in {table.name}")


def densities(suite: str, tasks: Path, derived: Path, resampling: Resampling) -> pl.DataFrame:
    """One row per density, setting, protocol and measure of a suite's games: worlds_densities.

    tasks: the suite's file; derived: the folder of its games' tables.
    """
    suite_rows = suite_tasks(tasks)
    games = games_of(derived, suite_rows, params("leakage"))
    means = means_by_density(games, ["density", "setting", "protocol"], resampling, DENSITY_MEASURES)
    fill = suite_rows.group_by("density").agg(pl.col("least_errands").min(), pl.col("most_errands").max())
    return means.join(fill, on="density").with_columns(suite=pl.lit(suite))


if __name__ == "__main__":
    main()
