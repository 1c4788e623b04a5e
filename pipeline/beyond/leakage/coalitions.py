"""What several observers know together when they lay open to each other all that they were told."""

from itertools import combinations

import polars as pl

from pipeline.beyond.leakage.gains import Array, of_slots, summed
from pipeline.beyond.leakage.leaked import first_told
from pipeline.beyond.leakage.priors import Prior

COALITION = ["game_id", "coalition", "target_agent"]


def coalitions(agents: int, target: int, pairs: bool) -> list[tuple[int, ...]]:
    """The coalitions against a target: all pairs of other agents (if wanted), and all other agents together."""
    others = [agent for agent in range(agents) if agent != target]
    found: list[tuple[int, ...]] = [*combinations(others, 2)] if pairs else []
    everybody = tuple(others)
    return found if everybody in found or not others else [*found, everybody]


def members(agents: int, pairs: bool) -> pl.DataFrame:
    """A row per target, coalition and member."""
    rows = [
        (agents, target, "+".join(map(str, coalition)), len(coalition), member)
        for target in range(agents)
        for coalition in coalitions(agents, target, pairs)
        for member in coalition
    ]
    columns = ("agents", "target_agent", "coalition", "members", "observer_agent")
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Int64) | {"coalition": pl.String}, orient="row")


def pooled(
    facts: pl.DataFrame,
    games: pl.DataFrame,
    pairs: pl.DataFrame,
    likelihoods: Array,
    prior: Prior,
    least: float,
    pairs_up_to: int,
) -> pl.DataFrame:
    """One row per game, coalition and target of which a member was told something: the measures at the game's end.

    Beside them what its best member knows alone, and the sum over its members (`pairs`: a row per round, observer and
    target). Pairs are formed in games of at most `pairs_up_to` agents. What two members were told alike counts once;
    what was news to the member that was told it counts, whatever the others knew of their own meetings.
    Together they can know more than the sum: who is told "feasible" and who is told "not free" have found an errand.
    """
    sizes = games["num_agents"].unique().sort().to_list()
    found = pl.concat([members(n, n <= pairs_up_to) for n in sizes] or [members(0, False)])
    known = games.select("game_id", agents="num_agents")
    firsts = first_told(facts, ["game_id", "observer_agent", "target_agent", "slot", "spell"])
    told = firsts.join(known, on="game_id", how="left", maintain_order="left")
    told = told.join(found, on=["agents", "target_agent", "observer_agent"], how="inner", maintain_order="left_right")
    together, _ = of_slots(told, [*COALITION, "slot", "spell"], likelihoods, prior, least)
    return _beside_members(summed(together, COALITION), known, found, pairs).sort(COALITION)


def _beside_members(rows: pl.DataFrame, games: pl.DataFrame, found: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The coalitions with their size, whether it is everybody, and the bits of the best member and of all of them."""
    alone = pairs.group_by("game_id", "observer_agent", "target_agent", maintain_order=True).agg(
        bits_alone=pl.col("total_bits").last()
    )
    each = rows.select(COALITION).join(games, on="game_id", how="left", maintain_order="left")
    each = each.join(found, on=["agents", "target_agent", "coalition"], how="left", maintain_order="left_right")
    each = each.join(alone, on=["game_id", "observer_agent", "target_agent"], how="left", maintain_order="left")
    beside = each.group_by(COALITION, maintain_order=True).agg(
        members=pl.first("members"),
        everybody=pl.first("members") == pl.first("agents") - 1,
        best_member_bits=pl.col("bits_alone").fill_null(0.0).max(),
        members_bits=pl.col("bits_alone").fill_null(0.0),
    )
    beside = beside.with_columns(pl.col("members_bits").list.sum())
    return rows.join(beside, on=COALITION, how="left", maintain_order="left")
