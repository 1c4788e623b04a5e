"""What lies change against truthful games: gains, harm, and bits about liars."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage.gains import pair_gains
from pipeline.beyond.leakage.measure import of_games, read_statements, read_tables, setting_parts
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling

GROUP = ("protocol", "setting", "lie")
BITS = ("bits", "bits_true")
ALL = "all"
LIARS = pl.col("liars")


def increase(name: str) -> pl.Expr:
    """How much greater a column is than in the truthful game."""
    return pl.col(name) - pl.col(f"{name}_truthful")


def decrease(name: str) -> pl.Expr:
    """How much smaller a column is than in the truthful game."""
    return pl.col(f"{name}_truthful") - pl.col(name)


def gain(prices: Mapping[str, float] | None = None) -> pl.Expr:
    """What a liar's moves cost it less than in the truthful game, a mean over the liars.

    prices: what a failed meeting costs each participant, by setting; nothing where it is not given.
    """
    price = pl.col("setting").replace_strict(dict(prices), return_dtype=pl.Float64) if prices else pl.lit(0.0)
    return (decrease("own_cost") + price * decrease("own_missed")) / LIARS


def measures(prices: Mapping[str, float]) -> dict[str, tuple[pl.Expr, pl.Expr]]:
    """Each measure of `strategy_effects` as a numerator and a denominator of one game; means are ratios of their sums.

    gain, gain_priced: of a liar, without and with the price of failed meetings. saved: gain as a share of what it pays
    when it is truthful. gains, loses: whether gain is above, or below, 0. harm: what all others pay more. total: what
    all pay more. missed: meetings that a liar misses more. failed: meetings that fail more. points: of DSM's that a
    liar has more. vps_about, vps_all_pairs, bits, bits_true: about the liars, more than in the truthful game. denied:
    share of the updates about them that call a possible slot impossible.
    """
    one = pl.lit(1.0)
    return {
        "gain": (gain(), one),
        "gain_priced": (gain(prices), one),
        "saved": (gain(), pl.col("own_cost_truthful") / LIARS),
        "gains": (gain() > 0, one),
        "loses": (gain() < 0, one),
        "harm": (increase("others_cost"), one),
        "total": (increase("own_cost") + increase("others_cost"), one),
        "missed": (increase("own_missed") / LIARS, one),
        "failed": (increase("failed"), one),
        "points": (increase("points") / LIARS, one),
        "vps_about": increase_where_known("vps_about"),
        "vps_all_pairs": (increase("vps_all_pairs"), one),
        "bits": increase_where_known("bits"),
        "bits_true": increase_where_known("bits_true"),
        "denied": (pl.col("denied"), pl.col("updates")),
    }


def increase_where_known(name: str) -> tuple[pl.Expr, pl.Expr]:
    """The increase of a column over the games in which both sides have it, as numerator and denominator."""
    difference = increase(name)
    return difference.fill_null(0.0), difference.is_not_null()


def effects(outcomes: pl.DataFrame, prices: Mapping[str, float], resampling: Resampling) -> pl.DataFrame:
    """One row per protocol, setting, lie, seats (also `all`) and measure: strategy_effects.

    outcomes: strategy_outcomes; prices: as for `gain`.
    """
    by = (*GROUP, "seats", "measure")
    with_all = pl.concat([outcomes, outcomes.with_columns(seats=pl.lit(ALL))])
    lines = [
        with_all.select(
            *GROUP,
            "seats",
            "task_id",
            measure=pl.lit(name),
            numerator=above.cast(pl.Float64),
            denominator=below.cast(pl.Float64),
        )
        for name, (above, below) in measures(prices).items()
    ]
    return ratio_intervals(pl.concat(lines), by, resampling)


def bits_about(tables: Path, teams: Sequence[str], settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per standard game of the teams and agent: the bits about it that all others hold at the end, added up.

    bits: what their beliefs moved by; bits_true: towards what is so, below 0 where they are misled.
    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    derived = read_tables(tables)
    games = derived["games"].filter(pl.col("team").is_in(list(teams)), condition="standard")
    parts = []
    for part, prior in setting_parts(of_games(derived, games), settings):
        _, statements, likelihoods = read_statements(part, prior)
        pairs, _ = pair_gains(statements, likelihoods, prior, settings["least"])
        parts.append(pairs.select("game_id", "target_agent", *(pl.col(f"new_{name}").alias(name) for name in BITS)))
    lists = pl.concat(parts).sort("game_id", "target_agent").group_by("game_id", "target_agent", maintain_order=True)
    sums = lists.agg(*BITS).with_columns(pl.col(*BITS).list.sum()).rename({"target_agent": "agent"})
    agents = games.select("game_id", agent=pl.int_ranges(pl.col("num_agents"))).explode("agent")
    return agents.join(sums, on=["game_id", "agent"], how="left").with_columns(pl.col(*BITS).fill_null(0.0))
