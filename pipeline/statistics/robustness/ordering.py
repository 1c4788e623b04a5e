"""The order of teams by VPS at each point of a grid, compared with that at one of them, the study's choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any

import numpy as np
import polars as pl
from scipy import stats  # type: ignore[import-untyped]

from pipeline.statistics.bootstrap import percentile_bounds
from pipeline.statistics.paired_tests import holm, paired_permutation
from pipeline.statistics.resampling import Resampling, cluster_draws
from pipeline.statistics.robustness.sweep import POINT, Array
from pipeline.tables.io import to_frame
from pipeline.tables.schemas.results import ROBUSTNESS, ROBUSTNESS_FLIPS, ROBUSTNESS_RANKS

DECIMALS = 8  # of a mean or a correlation: what lies below is rounding
ALL = "all"


@dataclass(frozen=True)
class Standings:
    """One setting's teams, by name, at every point of a grid."""

    setting: str | None
    teams: tuple[str, ...]
    simulated: tuple[bool, ...]
    games: tuple[int, ...]  # of each team, with a VPS
    means: Array  # points × teams: the mean over a team's games
    intervals: Array  # points × teams × 2: its interval, NaN where there is none
    by_task: Array  # points × teams × tasks, NaN where a team has no game

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The indices of every two teams."""
        return list(combinations(range(len(self.teams)), 2))

    def differences(self, pairs: Sequence[tuple[int, int]]) -> Array:
        """First team's mean less the second's: points × pairs."""
        differences = [self.means[:, a] - self.means[:, b] for a, b in pairs]
        return np.reshape(differences, (len(pairs), len(self.means))).T


def standings(vps: Array, games: pl.DataFrame, resampling: Resampling) -> list[Standings]:
    """The standings of every setting; vps is points × games, in the order of the rows of `games`."""
    indexed = games.with_row_index("row").sort("setting", "row")
    settings = indexed.group_by("setting", maintain_order=True)
    return [_setting_standings(setting, vps, part, resampling) for (setting,), part in settings]


def _setting_standings(setting: Any, vps: Array, games: pl.DataFrame, resampling: Resampling) -> Standings:
    teams, tasks = (sorted(games[name].unique().to_list()) for name in ("team", "task_id"))
    by_task = np.full((len(vps), len(teams), len(tasks)), np.nan)
    for (team, task), part in games.group_by("team", "task_id"):
        by_task[:, teams.index(team), tasks.index(task)] = known_mean(vps[:, part["row"].to_numpy()])
    parts = [games.filter(team=team) for team in teams]
    by_team = [vps[:, part["row"].to_numpy()] for part in parts]
    intervals = [
        _intervals(values, part["task_id"].to_list(), resampling) for values, part in zip(by_team, parts, strict=True)
    ]
    return Standings(
        setting,
        tuple(teams),
        tuple(bool(part["simulated"].any()) for part in parts),
        tuple(int(np.isfinite(values[0]).sum()) for values in by_team),
        np.stack([known_mean(values) for values in by_team], axis=1).round(DECIMALS),
        np.stack(intervals, axis=1).round(DECIMALS),
        by_task,
    )


def _intervals(values: Array, tasks: Sequence[str], resampling: Resampling) -> Array:
    """The interval of each row's mean, tasks drawn anew: rows × games and the games' tasks → rows × 2."""
    names = sorted(set(tasks))
    by_task = [values[:, [i for i, task in enumerate(tasks) if task == name]] for name in names]
    sums = np.stack([np.nansum(task_values, axis=1) for task_values in by_task], axis=1)
    counts = np.stack([np.isfinite(task_values).sum(axis=1) for task_values in by_task], axis=1).astype(np.float64)
    return percentile_bounds(sums, counts, cluster_draws(names, resampling), resampling.level)


def known_mean(values: Array) -> Array:
    """The mean of each row's values that are not NaN; NaN where there is none."""
    known = np.isfinite(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.asarray(np.divide(sums, counts, out=np.full(len(values), np.nan), where=counts > 0))


def point_index(points: pl.DataFrame, choice: Mapping[str, object]) -> int:
    """The index of the choice among the points. Raises ValueError where it is not one of them."""
    indices = points.with_row_index("index").filter(**choice)["index"]
    if len(indices) != 1:
        raise ValueError(f"no point of the grid is {dict(choice)}: add the study's choice to robustness in params.yaml")
    return int(indices[0])


def with_changes(points: pl.DataFrame, choice: Mapping[str, object]) -> pl.DataFrame:
    """The points with `changed`: what differs from the choice, joined by +; empty at the choice itself."""
    names = [pl.when(pl.col(name) != value).then(pl.lit(name)) for name, value in choice.items()]
    return points.with_columns(changed=pl.concat_str(names, separator="+", ignore_nulls=True))


def means_table(points: pl.DataFrame, settings: Sequence[Standings]) -> pl.DataFrame:
    """One row a setting, point and team: games, mean VPS with its interval, and its rank: 1 is the least, equal means
    share a rank.
    """
    parts = [
        points.with_columns(
            setting=pl.lit(s.setting, pl.String),
            team=pl.lit(team),
            simulated=pl.lit(s.simulated[i]),
            games=pl.lit(s.games[i], pl.Int64),
            vps=pl.Series(s.means[:, i]),
            low=pl.Series(np.fmin(s.intervals[:, i, 0], s.means[:, i])),
            high=pl.Series(np.fmax(s.intervals[:, i, 1], s.means[:, i])),
        )
        for s in settings
        for i, team in enumerate(s.teams)
    ]
    rank = pl.col("vps").rank("min").over("setting", *POINT).cast(pl.Int64)
    means = pl.concat([to_frame(ROBUSTNESS, []), *parts], how="diagonal")
    return means.with_columns(pl.col("vps", "low", "high").fill_nan(None)).with_columns(rank=rank)


def agreement_table(
    points: pl.DataFrame, settings: Sequence[Standings], groups: Mapping[str, Sequence[str]], at: int
) -> pl.DataFrame:
    """One row a setting, point and group of teams: how its order agrees with that at the point `at`.

    Kendall's τ-b and Spearman's ρ, null where one order is all ties, and the number of pairs that flip.
    """
    parts = [to_frame(ROBUSTNESS_RANKS, [])]
    for s in settings:
        for group, members in {ALL: s.teams, **groups}.items():
            indices = [i for i, team in enumerate(s.teams) if team in members]
            if len(indices) > 1:
                parts.append(_agreement(points, s, group, indices, at))
    return pl.concat(parts, how="diagonal")


def _agreement(points: pl.DataFrame, s: Standings, group: str, indices: list[int], at: int) -> pl.DataFrame:
    signs = np.sign(s.differences(list(combinations(indices, 2))))
    ranks = stats.rankdata(s.means[:, indices], axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    product = signs * signs[at]
    return points.with_columns(
        setting=pl.lit(s.setting, pl.String),
        group=pl.lit(group),
        teams=pl.lit(len(indices), pl.Int64),
        kendall=_cosine(signs, at),
        spearman=_cosine(ranks, at),
        pairs_compared=pl.lit(product.shape[1], pl.Int64),
        flips=pl.Series((product < 0).sum(axis=1)).cast(pl.Int64),
    )


def _cosine(rows: Array, at: int) -> pl.Series:
    """Of each row with one of them: of signs of pairs it is Kendall's τ-b, of centred ranks Spearman's ρ."""
    sizes = np.sqrt((rows**2).sum(axis=1))
    below = sizes * sizes[at]
    cosines = np.divide(rows @ rows[at], below, out=np.full(len(rows), np.nan), where=below > 0)
    return pl.Series(cosines.round(DECIMALS)).fill_nan(None)


def flips_table(points: pl.DataFrame, settings: Sequence[Standings], at: int, draws: int, seed: str) -> pl.DataFrame:
    """One row a setting, point and pair of teams whose order is the reverse of that at the point `at`.

    difference is the first team's mean VPS less the second's; p of the paired permutation test, here and at `at`, not
    corrected for their number. p_holm is that of the flip: the larger of the two, as both orders must be there, by
    Holm's correction over all pairs of teams at the point; a pair that keeps its order counts there with p = 1.
    """
    parts = [_flips(points, s, at, draws, seed) for s in settings]
    return pl.concat([to_frame(ROBUSTNESS_FLIPS, []), *parts], how="diagonal")


def _flips(points: pl.DataFrame, s: Standings, at: int, draws: int, seed: str) -> pl.DataFrame:
    differences = s.differences(s.pairs)
    where, which = np.nonzero(np.sign(differences) * np.sign(differences[at]) < 0)
    pairs = [s.pairs[k] for k in which]

    def p(point: int, pair: tuple[int, int]) -> float:
        a, b = (s.by_task[point, i] for i in pair)
        both = np.isfinite(a) & np.isfinite(b)
        names = (seed, f"{s.setting}", *(s.teams[i] for i in pair))
        return paired_permutation(a[both].tolist(), b[both].tolist(), names, draws).p_value

    asked = sorted({(pair, point) for k, pair in enumerate(pairs) for point in (at, int(where[k]))})
    found = {(pair, point): p(point, pair) for pair, point in asked}  # pair by pair, whose signs are drawn once
    at_choice = [found[pair, at] for pair in pairs]
    here = [found[pair, int(point)] for point, pair in zip(where, pairs, strict=True)]
    of_flip = list(map(max, here, at_choice))
    return points[where.tolist()].with_columns(
        pl.Series("a", [s.teams[a] for a, _ in pairs], pl.String),
        pl.Series("b", [s.teams[b] for _, b in pairs], pl.String),
        pl.Series("a_simulated", [s.simulated[a] for a, _ in pairs], pl.Boolean),
        pl.Series("b_simulated", [s.simulated[b] for _, b in pairs], pl.Boolean),
        pl.Series("difference_at_choice", differences[at, which].round(DECIMALS)),
        pl.Series("difference", differences[where, which].round(DECIMALS)),
        pl.Series("p_at_choice", at_choice, pl.Float64),
        pl.Series("p_value", here, pl.Float64),
        pl.Series("p_holm", _corrected_by_point(where.tolist(), of_flip, len(s.pairs)), pl.Float64),
        setting=pl.lit(s.setting, pl.String),
    )


def _corrected_by_point(where: Sequence[int], p_values: Sequence[float], pairs: int) -> list[float]:
    """Holm's p of each flip over all pairs of teams at its point; where: the points of the flips, in their order."""
    adjusted: list[float] = []
    for _, flips in groupby(zip(where, p_values, strict=True), key=lambda flip: flip[0]):
        here = [p for _, p in flips]
        adjusted += holm([*here, *[1.0] * (pairs - len(here))])[: len(here)]
    return adjusted
