"""Do two measures put teams in one order? Kendall's tau-b, with tasks drawn anew for its interval."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.statistics.resampling import Resampling, cluster_draws

Array = NDArray[np.float64]
DECIMALS = 9  # of a mean: what lies below is rounding, and teams that differ by it are tied


def kendall(a: Array, b: Array) -> Array:
    """Kendall's tau-b of each row's two orders: rows × teams each. NaN where one of them ties all teams."""
    pairs = np.array(list(combinations(range(a.shape[1]), 2)), dtype=np.int64).reshape(-1, 2)
    signs = [
        np.sign(values[:, pairs[:, 0]] - values[:, pairs[:, 1]]) for values in (a.round(DECIMALS), b.round(DECIMALS))
    ]
    untied = np.sqrt((signs[0] ** 2).sum(axis=1) * (signs[1] ** 2).sum(axis=1))
    agreed = (signs[0] * signs[1]).sum(axis=1)
    return np.asarray(np.divide(agreed, untied, out=np.full(len(a), np.nan), where=untied > 0))


def reversed_pairs(a: Array, b: Array) -> int:
    """The pairs of teams that two lists of means order differently, ties left out."""
    pairs = combinations(range(len(a)), 2)
    return sum((a[i] - a[j]).round(DECIMALS) * (b[i] - b[j]).round(DECIMALS) < 0 for i, j in pairs)


def orders(games: pl.DataFrame, pairs: Sequence[tuple[str, str]], resampling: Resampling) -> pl.DataFrame:
    """One row per condition, setting, group of teams and pair of measures. An interval never leaves its tau out."""
    rows = []
    for (condition, setting), part in games.sort("team", "task_id").group_by(
        "condition", "setting", maintain_order=True
    ):
        simulated = pl.col("simulated")
        groups = {"all": part, "protocols": part.filter(~simulated), "simulated": part.filter(simulated)}
        for group, members in groups.items():
            if members["team"].n_unique() > 1:
                rows += [(condition, setting, group, *row) for row in _compared(members, pairs, resampling)]
    columns = ("condition", "setting", "group", "a", "b")
    floats = dict.fromkeys(("tau", "low", "high"), pl.Float64)
    schema = dict.fromkeys(columns, pl.String) | {"teams": pl.Int64} | floats | {"reversed_pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(*floats).fill_nan(None))


def _compared(
    games: pl.DataFrame, pairs: Sequence[tuple[str, str]], resampling: Resampling
) -> list[tuple[str, str, int, float, float, float, int]]:
    teams, tasks = (games[name].unique().sort().to_list() for name in ("team", "task_id"))
    times = cluster_draws(tasks, resampling)
    means = {name: _means(games, name, teams, tasks, times) for pair in pairs for name in pair}
    rows = []
    for a, b in pairs:
        taus = kendall(means[a], means[b])
        known = taus[1:][np.isfinite(taus[1:])]
        ends = (
            np.quantile(known, [(1 - resampling.level) / 2, (1 + resampling.level) / 2]) if len(known) else [np.nan] * 2
        )
        low, high = min(ends[0], taus[0]), max(ends[1], taus[0])
        rows.append(
            (a, b, len(teams), float(taus[0]), float(low), float(high), reversed_pairs(means[a][0], means[b][0]))
        )
    return rows


def _means(games: pl.DataFrame, name: str, teams: Sequence[str], tasks: Sequence[str], times: Array) -> Array:
    """The teams' means, first over all tasks, then in each draw: 1 + draws × teams; 0 where a team has no value."""
    rows = games.select("team", "task_id", pl.col(name)).drop_nulls()
    sums, counts = np.zeros((len(teams), len(tasks))), np.zeros((len(teams), len(tasks)))
    places = {team: i for i, team in enumerate(teams)}, {task: i for i, task in enumerate(tasks)}
    for team, task, value in rows.iter_rows():
        sums[places[0][team], places[1][task]] += value
        counts[places[0][team], places[1][task]] += 1
    weights = np.concatenate([np.ones((len(tasks), 1)), times], axis=1)
    # Sums in the order of the tasks' names, so that no digit depends on the machine.
    total, number = (sum(side[:, [k]] * weights[[k]] for k in range(len(tasks))) for side in (sums, counts))
    return np.asarray(np.divide(total, number, out=np.zeros_like(total), where=number > 0).T)
