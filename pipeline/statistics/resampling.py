"""Random numbers of the statistics: streams with names, and tasks or games drawn anew with replacement.

A stream is named after what is drawn from it, so that results are the same from run to run, whatever else is drawn.
`scipy.stats.bootstrap` draws sample by sample from a generator that it is given: rows that share their tasks would no
longer meet the same draws, and a draw without a denominator would leave no interval at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

import numpy as np
from numpy.typing import NDArray

from pipeline.traces.limits import MAX_NUMBER, require_between

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Resampling:
    """How an interval is made: the number of draws, the share of them that it holds, and the name of their stream."""

    resamples: int = 2000
    level: float = 0.95
    seed: str = "known truth"

    def __post_init__(self) -> None:
        require_between("resamples", self.resamples, 2, MAX_NUMBER)
        require_between("level", self.level, 0.01, 0.9999)


def stream(*names: str) -> np.random.Generator:
    """The generator of a name, such as ("bootstrap", "table_1", "excess_cost")."""
    return np.random.default_rng(int.from_bytes(sha256("\x1f".join(names).encode()).digest()))


def cluster_draws(clusters: Sequence[object], resampling: Resampling) -> Array:
    """How often each cluster is drawn: clusters × resamples. The stream is named after the clusters as well."""
    number = len(clusters)
    rng = stream(resampling.seed, *map(str, clusters))
    times = rng.multinomial(number, np.full(number, 1 / number), size=resampling.resamples)
    return np.ascontiguousarray(times.T, dtype=np.float64)


def game_draws(games: int, resampling: Resampling) -> NDArray[np.int64]:
    """How often each of so many games is drawn: resamples × games. Without games there are no draws."""
    if not games:
        return np.zeros((0, 0), dtype=np.int64)
    return stream(resampling.seed).multinomial(games, np.full(games, 1 / games), size=resampling.resamples)


def fewest_clusters(level: float) -> int:
    """How many clusters an interval needs at the least: with fewer, none between percentiles of draws holds its level.

    Such an interval lies between the least and the largest value. Of n values with a symmetric distribution all lie on
    one side of its middle with probability 2^(1 − n), and then no such interval holds that: of two at most 50 % do, of
    five 93.75 %.
    """
    return next(n for n in count(2) if 1 - 2.0 ** (1 - n) >= level)


def percentiles(draws: Array, level: float) -> Array:
    """The (low, high) between which the share `level` of the draws lies. Raises IndexError without draws."""
    low_and_high: Array = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return low_and_high


def sample_and_draws(clusters: Sequence[object], resampling: Resampling) -> Array:
    """How often each cluster counts: once in column 0, the sample itself, then as drawn. Clusters × (1 + resamples)."""
    return np.hstack([np.ones((len(clusters), 1)), cluster_draws(clusters, resampling)])


def interval_around(estimate: float, draws: Array, level: float) -> tuple[float, float]:
    """Percentile bounds of the draws, widened to hold the estimate; NaN without draws."""
    low, high = percentiles(draws, level) if len(draws) else (np.nan, np.nan)
    return float(min(low, estimate)), float(max(high, estimate))
