"""What a lie changes against the truthful game: gains, harm, bits, and whether it pays beyond chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage.gains import leaked
from pipeline.beyond.leakage.measure import of_settings, read_tables, statements
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.paired_tests import holm, means_by_task, paired_permutation
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


TESTED_BY = ("protocol", "setting", "liars")


@dataclass(frozen=True)
class SignTests:
    """Draws of signs, the level of the tests, the name of their stream, and below what a gain is rounding."""

    draws: int = 10_000
    alpha: float = 0.05
    seed: str = "incentives"
    noise: float = 1e-9


def incentives(
    outcomes: pl.DataFrame, prices: Mapping[str, float], testing: SignTests, resampling: Resampling
) -> pl.DataFrame:
    """One row per protocol, setting, number of liars and price of a failed meeting (none; dearest errand).

    outcomes: as `strategy_outcomes`. The columns are those of `strategy_incentives`.
    """
    rows = [
        {"price": price, **dict(zip(TESTED_BY, group, strict=True)), **best_response(part, testing, resampling)}
        for price, of_failures in (("none", None), ("dearest errand", prices))
        for group, part in groups(outcomes.with_columns(gain=gain(of_failures)))
    ]
    return pl.DataFrame(rows)


def groups(outcomes: pl.DataFrame) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    """Each group and its games, in order."""
    yield from outcomes.sort(*TESTED_BY, "lie", "seats", "task_id").group_by(TESTED_BY, maintain_order=True)


def best_response(games: pl.DataFrame, testing: SignTests, resampling: Resampling) -> dict[str, object]:
    """What the lies of one group gain over the truth, and whether any of them does."""
    lines = games.select("lie", "task_id", numerator="gain", denominator=pl.lit(1.0))
    means = ratio_intervals(lines, ["lie"], resampling)
    tested = dict(zip(means["lie"], p_values(games, testing), strict=True))
    best = means.sort("mean", "lie", descending=[True, False]).row(0, named=True)
    pays = [
        r["lie"] for r in means.iter_rows(named=True) if r["mean"] > testing.noise and tested[r["lie"]] < testing.alpha
    ]
    chances = games.group_by("task_id", "seats").agg(best=pl.col("gain").max()).sort("task_id", "seats")["best"]
    return {
        "best_lie": best["lie"],
        "gain": best["mean"],
        "low": best["low"],
        "high": best["high"],
        "p_holm": tested[best["lie"]],
        "truth_is_best": not pays,
        "tempted": (chances > testing.noise).mean(),
        "hindsight": chances.clip(lower_bound=0).mean(),
        "lies": means.height,
    }


def p_values(games: pl.DataFrame, testing: SignTests) -> list[float]:
    """Holm's p of each lie, in the order of their names: that its gain, task by task, is 0."""
    of_lies = means_by_task(games, "lie", "gain", "task_id")
    names = [str(value) for value in games.select(TESTED_BY).row(0)]
    found = []
    for lie in sorted(of_lies):
        values = [of_lies[lie][task] for task in sorted(of_lies[lie])]
        stream = (testing.seed, *names, lie)
        found.append(paired_permutation(values, [0.0] * len(values), stream, testing.draws).p_value)
    return holm(found)


SUMS = {"bits": pl.Float64, "bits_true": pl.Float64}


def bits_about(tables: Path, teams: Sequence[str], settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game of the teams and agent: the bits about it that all others hold at the end, added up.

    bits: what their beliefs moved by; bits_true: towards what is so, below 0 where they are misled.
    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    read = read_tables(tables)
    games = read["games"].filter(pl.col("team").is_in(list(teams)), condition="standard")
    some = {n: frame.join(games, on="game_id", how="semi", maintain_order="left") for n, frame in read.items()}
    found = []
    for _, part, prior in of_settings(some, settings):
        _, facts, likelihoods = statements(part, prior)
        pairs, _ = leaked(facts, likelihoods, prior, settings["least"])
        found.append(pairs.select("game_id", "target_agent", *(pl.col(f"new_{name}").alias(name) for name in SUMS)))
    lists = pl.concat(found).sort("game_id", "target_agent").group_by("game_id", "target_agent", maintain_order=True)
    known = lists.agg(*SUMS).with_columns(pl.col(*SUMS).list.sum()).rename({"target_agent": "agent"})
    agents = games.select("game_id", agent=pl.int_ranges(pl.col("num_agents"))).explode("agent")
    return agents.join(known, on=["game_id", "agent"], how="left").with_columns(pl.col(*SUMS).fill_null(0.0))
