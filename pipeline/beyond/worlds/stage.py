"""Games in larger worlds to how everything grows: `python -m pipeline.beyond.worlds.stage`."""

from pathlib import Path

import polars as pl

from pipeline.beyond import DERIVED, params
from pipeline.beyond import TABLES as OUT
from pipeline.beyond.worlds.growth import games_of, growth, points, swept
from pipeline.beyond.worlds.suites import suite_tasks
from pipeline.beyond.worlds.tables import DENSITIES, GAMES, GROWTH, POINTS, TASKS
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import write_table

SUITES = Path("data/beyond/suites")
PUBLISHED = Path("data/suites/standard.jsonl")
OF_DENSITIES = ("coordination_rate", "excess_cost", "dms_per_meeting", "vps_mean", "vps_all_pairs", "bits")


def main(out: Path = OUT) -> None:
    p, resampling = params("worlds"), Resampling(**paths.params("intervals"))
    tasks = suite_tasks(SUITES / "worlds.jsonl")
    games = games_of(DERIVED / "worlds", tasks, params("leakage"))
    in_sweeps = swept(games, p)
    made = {
        TASKS: tasks,
        GAMES: games,
        POINTS: points(in_sweeps, ["sweep", "value", "setting", "protocol"], resampling),
        GROWTH: growth(in_sweeps, resampling),
        DENSITIES: pl.concat(
            [
                densities("published", PUBLISHED, paths.TABLES, resampling),
                densities("three densities", SUITES / "three_densities.jsonl", DERIVED / "densities", resampling),
            ]
        ),
    }
    for table, frame in made.items():
        print(f"{write_table(frame, table, out, csv=False)['rows']} rows in {table.name}")


def densities(suite: str, tasks: Path, derived: Path, resampling: Resampling) -> pl.DataFrame:
    """One row per density, setting, protocol and measure of a suite's games, and how many slots its errands fill."""
    listed = suite_tasks(tasks)
    found = points(
        games_of(derived, listed, params("leakage")), ["density", "setting", "protocol"], resampling, OF_DENSITIES
    )
    fill = listed.group_by("density").agg(pl.col("least_errands").min(), pl.col("most_errands").max())
    return found.join(fill, on="density").with_columns(suite=pl.lit(suite))


if __name__ == "__main__":
    main()
