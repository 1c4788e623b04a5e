"""One row a game: what an ordered pair of agents leaks, what coalitions learn, what had to be disclosed."""

import polars as pl

from pipeline.beyond.leakage.measure import Leakage
from pipeline.privacy.beliefs import ratio

KNOWN = ("team", "simulated", "setting", "condition", "task_id")
CERTIFIED = ("to_initiator_bits", "disclosed_bits", "necessary_bits", "excess_bits", "excess_disclosed_bits")


def by_game(found: Leakage, games: pl.DataFrame) -> pl.DataFrame:
    """One row per game, also for games in which nothing was told; means over pairs are over all ordered pairs."""
    pairs = pl.col("num_agents") * (pl.col("num_agents") - 1)
    rows = games.select("game_id", *KNOWN, "num_agents", "rounds", pairs=pairs, pair_rounds=pl.col("rounds") * pairs)
    for part in (_of_pairs(found.pairs), _of_coalitions(found.coalitions), _of_rounds(found.rounds)):
        rows = rows.join(part, on="game_id", how="left", maintain_order="left")
    zero = ("^round_.*$", "^total_.*$", "touched", "^of_.*$", "^certif.*$")
    return _means(rows.with_columns(pl.col(*zero).fill_null(0))).sort("game_id")


def _of_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's pairs and rounds: `round_` of each round alone, `total_` of all rounds together."""
    alone = {f"round_{name}": pl.col(name) for name in ("bits", "feasible_bits")}
    whole = {
        f"total_{name}": pl.col(f"new_{name}")
        for name in ("bits", "feasible_bits", "bits_true", "feasible_bits_true", "misled")
    }
    lists = pairs.group_by("game_id", maintain_order=True).agg(**alone, **whole, touched=pl.len().cast(pl.Int64))
    return lists.with_columns(pl.col(*alone, *whole).list.sum())


def _of_coalitions(coalitions: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's targets of what all others know together, and over targets and pairs of observers."""
    lists = coalitions.group_by("game_id", maintain_order=True).agg(
        of_two=pl.col("bits").filter(pl.col("members") == 2),
        of_all=pl.col("bits").filter(pl.col("everybody")),
        of_best=pl.col("best_member_bits").filter(pl.col("everybody")),
        of_each=pl.col("members_bits").filter(pl.col("everybody")),
    )
    return lists.with_columns(pl.exclude("game_id").list.sum())


def _of_rounds(rounds: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's rounds whose slot can be certified."""
    lists = rounds.group_by("game_id", maintain_order=True).agg(
        *(pl.col(name).filter(pl.col("certifiable")) for name in CERTIFIED),
        certifiable_rounds=pl.col("certifiable").sum().cast(pl.Int64),
        certified_rounds=(pl.col("certifiable") & pl.col("certified")).sum().cast(pl.Int64),
    )
    return lists.with_columns(pl.col(CERTIFIED).list.sum())


def _means(rows: pl.DataFrame) -> pl.DataFrame:
    """The sums made into means: of a pair, of a pair and round, of a touched pair and round, of a target."""
    agents = pl.col("num_agents")
    two = agents * (agents - 1) * (agents - 2) / 2
    certifiable = pl.col("certifiable_rounds")
    measures = {
        "bits": ratio(pl.col("total_bits"), pl.col("pairs")),
        "feasible_bits": ratio(pl.col("total_feasible_bits"), pl.col("pairs")),
        "bits_true": ratio(pl.col("total_bits_true"), pl.col("pairs")),
        "feasible_bits_true": ratio(pl.col("total_feasible_bits_true"), pl.col("pairs")),
        "misled_slots": pl.col("total_misled"),
        "bits_per_round": ratio(pl.col("round_bits"), pl.col("pair_rounds")),
        "feasible_bits_per_round": ratio(pl.col("round_feasible_bits"), pl.col("pair_rounds")),
        "bits_touched": ratio(pl.col("round_bits"), pl.col("touched")),
        "feasible_bits_touched": ratio(pl.col("round_feasible_bits"), pl.col("touched")),
        "touched_pair_rounds": pl.col("touched"),
        "coalition_pair_bits": ratio(pl.col("of_two"), two),
        "coalition_bits": ratio(pl.col("of_all"), agents),
        "best_member_bits": ratio(pl.col("of_best"), agents),
        "members_bits": ratio(pl.col("of_each"), agents),
        **{f"{name}_per_round": ratio(pl.col(name), certifiable) for name in CERTIFIED},
    }
    return rows.select("game_id", *KNOWN, "certifiable_rounds", "certified_rounds", **measures)
