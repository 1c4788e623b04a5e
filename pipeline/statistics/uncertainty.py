"""How sure is a mean, a difference between teams, a rank? Tasks are the sample: games that share one stay together.

Every random number comes from a stream with a name, so that results are the same from run to run, whatever else is
drawn. Rows are first put in an order of their own: the order of a frame changes no digit.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations
from math import fsum

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT_PAIRS = 14  # up to 2^14 sign patterns are all tried
DRAWS = 10_000
BLOCK = 1_000_000  # cluster numbers drawn at a time
TIE = 1e-12  # of the sum of absolute differences: sums closer than this differ by rounding only


@dataclass(frozen=True)
class Mean:
    """A mean with its interval. The bounds are None for fewer than two clusters, the mean for no value."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


@dataclass(frozen=True)
class Paired:
    """A sign-flip test of paired differences a − b."""

    difference: float | None  # mean over pairs, None without any
    p_value: float  # two-sided; 1 without any pair
    pairs: int
    exact: bool  # whether all sign patterns were tried


def stream(*names: str) -> np.random.Generator:
    """The generator of a name, such as ("bootstrap", "table_1", "excess_cost")."""
    return np.random.default_rng(int.from_bytes(sha256("\x1f".join(names).encode()).digest()))


def mean_interval(
    frame: pl.DataFrame,
    value: str,
    cluster: str = "task_id",
    level: float = 0.95,
    resamples: int = 2000,
    seed: str = "bootstrap",
) -> Mean:
    """The mean of a column and its percentile bootstrap interval; whole clusters are drawn with replacement.

    Rows without a value are left out, as tables leave them out. The stream is named after seed, value and cluster.
    Raises ValueError for a value that is NaN or infinite, a missing column, or a row without a cluster.
    """
    sums, counts = _clusters(frame, value, cluster)
    n, clusters = int(counts.sum()), len(counts)
    if not clusters:
        return Mean(None, None, None, 0, 0)
    mean = fsum(sums) / n
    if clusters < 2:
        return Mean(mean, None, None, n, clusters)
    rng = stream(seed, value, cluster)
    drawn = np.concatenate([_drawn(sums, counts, size, rng) for size in _blocks(resamples, clusters)])
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Mean(mean, float(low), float(high), n, clusters)


def _clusters(frame: pl.DataFrame, value: str, cluster: str) -> tuple[Array, NDArray[np.int64]]:
    """Sum and number of the values of each cluster, in the order of the clusters' names."""
    missing = [name for name in (value, cluster) if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {', '.join(missing)} in the frame")
    rows = frame.select(c=pl.col(cluster).cast(pl.String), v=pl.col(value).cast(pl.Float64)).drop_nulls("v").sort("c")
    if rows["c"].null_count() or not rows["v"].is_finite().all():
        raise ValueError(f"{value} must be finite and {cluster} known in every row that has a value")
    values = rows["v"].to_numpy()
    starts = np.unique(rows["c"].to_numpy(), return_index=True)[1] if len(values) else np.array([], dtype=np.int64)
    counts = np.diff(np.append(starts, len(values)))
    return np.array([fsum(values[s : s + k]) for s, k in zip(starts, counts, strict=True)]), counts


def _blocks(resamples: int, clusters: int) -> list[int]:
    """Resamples drawn at a time, so that memory stays bounded."""
    block = max(1, BLOCK // clusters)
    return [min(block, resamples - done) for done in range(0, resamples, block)]


def _drawn(sums: Array, counts: NDArray[np.int64], resamples: int, rng: np.random.Generator) -> Array:
    chosen = rng.integers(0, len(sums), size=(resamples, len(sums)))
    return np.asarray(sums[chosen].sum(axis=1) / counts[chosen].sum(axis=1))


MEASURED: dict[str, pl.DataType] = {
    "metric": pl.String(),
    "mean": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "n": pl.Int64(),
    "clusters": pl.Int64(),
}


def mean_intervals(
    frame: pl.DataFrame,
    by: Sequence[str],
    values: Sequence[str],
    cluster: str = "task_id",
    level: float = 0.95,
    resamples: int = 2000,
    seed: str = "bootstrap",
) -> pl.DataFrame:
    """One row a group and value column, sorted by both: the group, metric, mean, low, high, n, clusters."""
    rows = [
        {**dict(zip(by, key, strict=True)), "metric": value}
        | asdict(mean_interval(part, value, cluster, level, resamples, seed))
        for key, part in frame.partition_by(by, as_dict=True).items()
        for value in values
    ]
    types = {name: frame.schema[name] for name in by}
    return pl.DataFrame(rows, schema=types | MEASURED).sort(*by, "metric")


def paired_permutation(
    a: Sequence[float | None], b: Sequence[float | None], names: Sequence[str] = ("paired",), draws: int = DRAWS
) -> Paired:
    """Test whether two teams' values on the same tasks, in the same order, differ: the differences' signs are flipped.

    Pairs with a value missing are left out. All patterns are tried where at most 14 differences are not 0, else `draws`
    of the stream called names, and p = (1 + reached) / (1 + draws). Two-sided, on the mean difference.
    Raises ValueError for lengths that differ or for values that are not finite.
    """
    together = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    differences = np.array([x - y for x, y in together], dtype=float)
    if not np.isfinite(differences).all():
        raise ValueError("a paired value is not finite")
    if not together:
        return Paired(None, 1.0, 0, True)
    moving = differences[differences != 0]
    exact = len(moving) <= EXACT_PAIRS
    signs = _patterns(len(moving)) if exact else stream(*names).integers(0, 2, size=(draws, len(moving))) * 2 - 1
    reached = np.abs(signs @ moving) >= abs(fsum(moving)) - TIE * np.abs(moving).sum()
    p = reached.mean() if exact else (1 + reached.sum()) / (1 + draws)
    return Paired(fsum(differences) / len(together), float(p), len(together), exact)


def _patterns(count: int) -> NDArray[np.int64]:
    """All 2^count rows of signs."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1) * 2 - 1


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values in the order given: rejecting all up to alpha errs somewhere at most alpha of the time.

    Raises ValueError for a value outside 0 … 1.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("a p-value lies between 0 and 1")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


PAIRS = {
    "a": pl.String,
    "b": pl.String,
    "pairs": pl.Int64,
    "difference": pl.Float64,
    "p_value": pl.Float64,
    "p_holm": pl.Float64,
    "exact": pl.Boolean,
}


def pairwise(
    frame: pl.DataFrame, team: str = "team", value: str = "excess_cost", task: str = "task_id", seed: str = "paired"
) -> pl.DataFrame:
    """One row a pair of teams, a before b: tasks that both have, mean difference a − b, p, Holm's p over pairs, exact.

    A team's games of one task count as their mean. Pairs without a common task have p = 1, and count in the correction.
    """
    means = _by_task(frame, team, value, task)
    teams = sorted(means)
    tests = []
    for a, b in combinations(teams, 2):
        common = sorted(means[a].keys() & means[b].keys())
        tested = paired_permutation([means[a][t] for t in common], [means[b][t] for t in common], (seed, value, a, b))
        tests.append((a, b, tested))
    adjusted = holm([tested.p_value for *_, tested in tests])
    rows = [(a, b, t.pairs, t.difference, t.p_value, p, t.exact) for (a, b, t), p in zip(tests, adjusted, strict=True)]
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _by_task(frame: pl.DataFrame, team: str, value: str, task: str) -> dict[str, dict[str, float]]:
    """Team → task → mean of the values that are there. A team without any is listed with no task."""
    columns = pl.col(team).cast(pl.String), pl.col(task).cast(pl.String), pl.col(value).cast(pl.Float64)
    values: dict[str, dict[str, list[float]]] = {}
    for name, place, number in frame.select(*columns).iter_rows():
        kept = values.setdefault(name, {})
        if number is not None:
            kept.setdefault(place, []).append(number)
    return {name: {t: fsum(v) / len(v) for t, v in tasks.items()} for name, tasks in values.items()}


def rank_intervals(
    frame: pl.DataFrame,
    team: str = "team",
    value: str = "excess_cost",
    task: str = "task_id",
    higher_is_better: bool = False,
    alpha: float = 0.05,
    seed: str = "paired",
) -> pl.DataFrame:
    """One row a team, best first: mean over its tasks, tasks, rank by mean, and the ranks that the tests leave open.

    rank_low = 1 + the teams significantly better, rank_high = all teams − those significantly worse (`pairwise`, Holm's
    p at most alpha). Where teams lack different tasks the rank by mean can lie outside: tests take common tasks only.
    """
    means = _by_task(frame, team, value, task)
    overall = {name: fsum(tasks.values()) / len(tasks) if tasks else None for name, tasks in means.items()}
    beaten, beating = dict.fromkeys(means, 0), dict.fromkeys(means, 0)
    for pair in pairwise(frame, team, value, task, seed).filter(pl.col("p_holm") <= alpha).iter_rows(named=True):
        better, worse = (
            (pair["a"], pair["b"]) if (pair["difference"] > 0) == higher_is_better else (pair["b"], pair["a"])
        )
        beating[better] += 1
        beaten[worse] += 1
    rows = [(n, overall[n], len(means[n]), 1 + beaten[n], len(means) - beating[n]) for n in sorted(means)]
    schema = {team: pl.String, "mean": pl.Float64, "tasks": pl.Int64, "rank_low": pl.Int64, "rank_high": pl.Int64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    ranked = table.with_columns(rank=pl.col("mean").rank("min", descending=higher_is_better).cast(pl.Int64))
    return ranked.select(team, "mean", "tasks", "rank", "rank_low", "rank_high").sort("rank", team, nulls_last=True)
