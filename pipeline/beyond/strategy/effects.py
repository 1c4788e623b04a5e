"""What a lie does: to the liar, to the others, to what is learnt. Each measure stands once, here."""

from collections.abc import Mapping

import polars as pl

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling

GROUP = ("protocol", "setting", "lie")
ALL = "all"

LIARS = pl.col("liars")


def more(name: str) -> pl.Expr:
    """How much more of it there is than in the truthful game."""
    return pl.col(name) - pl.col(f"{name}_truthful")


def less(name: str) -> pl.Expr:
    """How much less of it there is than in the truthful game."""
    return pl.col(f"{name}_truthful") - pl.col(name)


def gain(prices: Mapping[str, float] | None = None) -> pl.Expr:
    """What a liar's moves cost it less than in the truthful game, a mean over the liars.

    prices: what a failed meeting costs each participant, by setting; nothing where it is not given.
    """
    price = pl.col("setting").replace_strict(dict(prices), return_dtype=pl.Float64) if prices else pl.lit(0.0)
    return (less("own_cost") + price * less("own_missed")) / LIARS


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
        "harm": (more("others_cost"), one),
        "total": (more("own_cost") + more("others_cost"), one),
        "missed": (more("own_missed") / LIARS, one),
        "failed": (more("failed"), one),
        "points": (more("points") / LIARS, one),
        "vps_about": where_known("vps_about"),
        "vps_all_pairs": (more("vps_all_pairs"), one),
        "bits": where_known("bits"),
        "bits_true": where_known("bits_true"),
        "denied": (pl.col("denied"), pl.col("updates")),
    }


def where_known(name: str) -> tuple[pl.Expr, pl.Expr]:
    """How much more of it there is, in games where both have it."""
    difference = more(name)
    return difference.fill_null(0.0), difference.is_not_null()


def effects(outcomes: pl.DataFrame, prices: Mapping[str, float], resampling: Resampling) -> pl.DataFrame:
    """One row per protocol, setting, lie, seats (also `all`) and measure; for intervals tasks are drawn anew.

    outcomes: as `strategy_outcomes`.
    """
    by = (*GROUP, "seats", "measure")
    every = pl.concat([outcomes, outcomes.with_columns(seats=pl.lit(ALL))])
    lines = [
        every.select(
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
