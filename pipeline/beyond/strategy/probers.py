"""The adversary that adapts beside the study's, in teams of simulated speakers."""

from pathlib import Path

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables.database import attach

PROBERS = Path(__file__).with_name("probers.sql")
PER = 1000  # messages
DIFFERENCE = "adaptive - fixed"

# Each measure as numerator and denominator of one game: leaks are messages, labels are told to the prober itself.
MEASURES = {
    "induced leaks per 1000 messages": ("induced", "messages", PER),
    "labels learnt a game": ("labels", "games", 1),
    "questions answered or refused a game": ("questions", "games", 1),
    "labels learnt per 100 questions": ("labels", "questions", 100),
    "messages a game": ("messages", "games", 1),
}
DIFFERENCES = {"labels": "labels learnt a game", "induced": "induced leaks a game"}


def probed_games(tables: Path) -> pl.DataFrame:
    """One row per game with a prober of a folder of derived tables, as probers.sql says."""
    with attach(tables) as connection:
        found: pl.DataFrame = connection.sql(PROBERS.read_text(encoding="utf-8")).pl()
    return found


def probers(games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row per team of speakers, kind of prober (or their difference on the same tasks) and measure, with intervals.

    games: as of `probed_games`. A difference is taken task by task, of what stands in one game.
    """
    parts = games.with_columns(
        speakers=pl.col("team").str.split(".").list.first(), prober=pl.col("team").str.split(".").list.last()
    )
    lines = pl.concat([line(parts, name) for name in MEASURES])
    found = ratio_intervals(lines, ["speakers", "prober", "measure"], resampling)
    pairs = pl.concat([difference(parts, counted, name) for counted, name in DIFFERENCES.items()])
    differences = ratio_intervals(pairs, ["speakers", "prober", "measure"], resampling)
    return pl.concat([found, differences])


def line(games: pl.DataFrame, measure: str) -> pl.DataFrame:
    """A game's part of a measure."""
    above, below, per = MEASURES[measure]
    return games.select(
        "speakers",
        "prober",
        "task_id",
        measure=pl.lit(measure),
        numerator=pl.col(above).cast(pl.Float64) * per,
        denominator=pl.col(below).cast(pl.Float64),
    )


def difference(games: pl.DataFrame, counted: str, measure: str) -> pl.DataFrame:
    """How many more of something the adaptive prober has in its games of a task than the fixed one in its, a game."""
    adapts = pl.col("prober") == "adaptive"
    signed = pl.when(adapts).then(pl.col(counted)).otherwise(-pl.col(counted)).cast(pl.Float64)
    return games.group_by("speakers", "task_id").agg(
        prober=pl.lit(DIFFERENCE),
        measure=pl.lit(measure),
        numerator=signed.sum(),
        denominator=adapts.sum().cast(pl.Float64),
    )
