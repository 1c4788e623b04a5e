"""One row per game with liars or probers, beside the truthful game of the same task."""

from pathlib import Path

import polars as pl

from pipeline.beyond.strategy.play import read_name
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables.queries import attach

AGENTS = Path(__file__).with_name("agents.sql")

SUMS = ("cost", "missed", "points", "vps_total", "observers", "pair_rounds", "observed", "updates", "denied")
BITS = ("bits", "bits_true")
KEY = ("protocol", "lie", "seats", "task_id")


def agents_of(tables: Path) -> pl.DataFrame:
    """One row per game and agent of a folder of derived tables, as agents.sql says."""
    with attach(tables) as connection:
        found: pl.DataFrame = connection.sql(AGENTS.read_text(encoding="utf-8")).pl()
    return found


def outcomes(lied: pl.DataFrame, truthful: pl.DataFrame) -> pl.DataFrame:
    """One row per game in which some lie, beside the truthful one (the columns of `strategy_outcomes`).

    lied, truthful: frames of `agents_of` with the columns of `bits_about`, which may be empty; the teams of the first
    are named as pipeline.beyond.strategy.play names them, those of the second after their protocol.
    Raises ValueError for a game without its truthful one.
    """
    named = [(team, *read_name(team)) for team in lied["team"].unique().sort()]
    seats = pl.DataFrame(
        [(team, protocol, lie, "-".join(map(str, who)), list(who)) for team, protocol, lie, who in named],
        schema={
            "team": pl.String,
            "protocol": pl.String,
            "lie": pl.String,
            "seats": pl.String,
            "who": pl.List(pl.Int64),
        },
        orient="row",
    )
    marked = lied.join(seats, on="team")
    there = marked.select(*KEY, "agent", "who").join(
        truthful.rename({"team": "protocol"}), on=["protocol", "task_id", "agent"]
    )
    both = sides(marked).join(sides(there).drop("setting", "liars"), on=KEY, suffix="_truthful")
    if both.height != lied["game_id"].n_unique():
        raise ValueError("a game with liars has no truthful game of its protocol on its task: play those first")
    return both


def sides(agents: pl.DataFrame) -> pl.DataFrame:
    """One row per game: what those of `who` paid and gave away together, and what the others paid."""
    lies = pl.col("who").list.contains(pl.col("agent"))
    own = [pl.col(name).filter(lies).sum().alias(f"own_{name}") for name in SUMS]
    ordered = agents.sort(*KEY, "agent")
    summed = ordered.group_by(KEY, maintain_order=True).agg(
        pl.col("setting").first(),
        *own,
        *(pl.when(pl.col(name).filter(lies).null_count() == 0).then(pl.col(name).filter(lies).sum()) for name in BITS),
        liars=pl.col("who").first().list.len().cast(pl.Int64),
        others_cost=pl.col("cost").filter(~lies).sum(),
        failed=pl.col("failed").first(),
    )
    shares = summed.with_columns(
        pl.col(BITS) / pl.col("own_observers"),
        vps_about=pl.when(pl.col("own_observed") > 0).then(pl.col("own_vps_total") / pl.col("own_observed")),
        vps_all_pairs=pl.col("own_vps_total") / pl.col("own_pair_rounds"),
    )
    return shares.rename({"own_points": "points", "own_updates": "updates", "own_denied": "denied"})


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
