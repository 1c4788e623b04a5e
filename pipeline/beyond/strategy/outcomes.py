"""Games in which some lie, beside the truthful games on the same tasks."""

from pathlib import Path

import polars as pl

from pipeline.beyond.strategy.teams import read_name
from pipeline.tables.database import attach

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
    are named as pipeline.beyond.strategy.teams names them, those of the second after their protocol.
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
