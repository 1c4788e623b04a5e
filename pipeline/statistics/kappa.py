"""How far two readers agree beyond chance: Cohen's kappa of yes and no, with an interval over games."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pipeline.truth.recall import Resampling, drawn

Counts = NDArray[np.int64]


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
    Whole numbers up to the division, so that 1 means equal in every unit.
    """
    a, b, c, d = (np.asarray(count, dtype=np.int64) for count in (both, first_only, second_only, neither))
    n = a + b + c + d
    expected = (a + b) * (a + c) + (c + d) * (b + d)
    room = n * n - expected
    values = np.full(room.shape, np.nan)
    np.divide(n * (a + d) - expected, room, out=values, where=room != 0)
    return values


def agreement(by_game: Counts, resampling: Resampling) -> Agreement:
    """Agreement over all games of a table with a row per game: both, first only, second only, neither.

    The interval holds the stated share of the draws of games, with replacement, in which kappa exists.
    """
    cells = by_game.sum(axis=0)
    n, value = int(cells.sum()), kappa(*cells)
    low, high = interval(by_game, resampling)
    both, first_only, second_only, neither = map(int, cells)
    observed = (both + neither) / n if n else None
    return Agreement(
        both, first_only, second_only, neither, observed, None if np.isnan(value) else float(value), low, high
    )


def interval(by_game: Counts, resampling: Resampling) -> tuple[float | None, float | None]:
    """Low and high of kappa over draws of games."""
    if len(by_game) < 2:
        return None, None
    values = kappa(*(drawn(len(by_game), resampling) @ by_game).T)
    values = values[~np.isnan(values)]
    if not len(values):
        return None, None
    low, high = np.quantile(values, [(1 - resampling.level) / 2, (1 + resampling.level) / 2])
    return float(low), float(high)
