"""Is telling the truth a best response? Each protocol, setting and number of liars, over the lies that were played."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.beyond.strategy.effects import gain
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.paired_tests import by_task, holm, paired_permutation
from pipeline.statistics.resampling import Resampling

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
    of_lies = by_task(games, "lie", "gain", "task_id")
    names = [str(value) for value in games.select(TESTED_BY).row(0)]
    found = []
    for lie in sorted(of_lies):
        values = [of_lies[lie][task] for task in sorted(of_lies[lie])]
        stream = (testing.seed, *names, lie)
        found.append(paired_permutation(values, [0.0] * len(values), stream, testing.draws).p_value)
    return holm(found)
