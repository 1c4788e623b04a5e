"""Shares of rare things with exact intervals, Fisher's test of two shares, and Cohen's kappa of two readers.

Intervals and Fisher's test take the trials for independent. Messages of one game are not quite: `intervals.csv` has
intervals over games, and so has kappa.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from pipeline.statistics.resampling import Resampling, game_draws, percentiles

Counts = NDArray[np.int64]


def exact_interval(count: int, total: int, level: float = 0.95) -> tuple[float | None, float | None]:
    """Clopper and Pearson's interval of a share, (None, None) without a trial. Raises ValueError for no share."""
    from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} is no share")
    if total == 0:
        return None, None
    low, high = proportion_confint(count, total, alpha=1 - level, method="beta")
    return float(low), float(high)


def with_shares(frame: pl.DataFrame, count: str, total: str, name: str, per: float = 1) -> pl.DataFrame:
    """The frame with `name`, `{name}_low` and `{name}_high`: the count's share of the total, times `per`.

    Null where the total is 0 or either is null. Raises ValueError for a count above its total.
    """
    names = (name, f"{name}_low", f"{name}_high")
    shares = [
        (c / t if t else None, *exact_interval(c, t)) if c is not None and t is not None else (None, None, None)
        for c, t in frame.select(count, total).iter_rows()
    ]
    columns = pl.DataFrame(shares, schema=dict.fromkeys(names, pl.Float64), orient="row")
    return frame.with_columns(columns.select(pl.all() * per))


def fisher_p(count_a: int, total_a: int, count_b: int, total_b: int) -> float:
    """The two-sided p-value of Fisher's exact test that two shares are one."""
    from scipy.stats import fisher_exact  # type: ignore[import-untyped]

    return float(fisher_exact([[count_a, total_a - count_a], [count_b, total_b - count_b]]).pvalue)


@dataclass(frozen=True)
class Agreement:
    """What two readers say of the same units. Kappa is None where both say the same of all; so are the bounds where
    there are fewer than two games."""

    both: int
    first_only: int
    second_only: int
    neither: int
    observed: float | None
    kappa: float | None
    low: float | None
    high: float | None


def kappa(both: ArrayLike, first_only: ArrayLike, second_only: ArrayLike, neither: ArrayLike) -> NDArray[np.float64]:
    """Cohen's kappa of each two-by-two table (Educational and Psychological Measurement 20, 1960): (p - e) / (1 - e).

    p is the share of units of which both say the same, e the share expected of two readers who say yes as often as
    these and know nothing of each other. NaN where e is 1: a reader that never varies leaves nothing to agree on.
    Whole numbers up to the division, so that 1 means equal in every unit, and all draws at once: statsmodels'
    `cohens_kappa` takes 0.36 s for 2,000 tables, 2,000 times as long, and the last digit of most of them differs.
    """
    a, b, c, d = (np.asarray(count, dtype=np.int64) for count in (both, first_only, second_only, neither))
    n = a + b + c + d
    expected = (a + b) * (a + c) + (c + d) * (b + d)
    room = n * n - expected
    values = np.full(room.shape, np.nan)
    np.divide(n * (a + d) - expected, room, out=values, where=room != 0)
    return values


def agreement(by_game: Counts, resampling: Resampling) -> Agreement:
    """Agreement over all games, from games × 4 counts: both, first only, second only, neither.

    The interval holds the stated share of the draws of games, with replacement, in which kappa exists.
    """
    cells = by_game.sum(axis=0)
    n, value = int(cells.sum()), kappa(*cells)
    low, high = _interval(by_game, resampling)
    both, first_only, second_only, neither = map(int, cells)
    observed = (both + neither) / n if n else None
    return Agreement(
        both, first_only, second_only, neither, observed, None if np.isnan(value) else float(value), low, high
    )


def _interval(by_game: Counts, resampling: Resampling) -> tuple[float | None, float | None]:
    """Low and high of kappa over draws of games."""
    if len(by_game) < 2:
        return None, None
    values = kappa(*(game_draws(len(by_game), resampling) @ by_game).T)
    values = values[~np.isnan(values)]
    if not len(values):
        return None, None
    low, high = percentiles(values, resampling.level)
    return float(low), float(high)
