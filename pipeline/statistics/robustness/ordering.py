"""The order of teams by VPS at each point of a grid, compared with that at one of them, the study's choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, groupby
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.statistics.bootstrap import percentile_bounds
from pipeline.statistics.paired_tests import holm, paired_permutation
from pipeline.statistics.resampling import Array, Resampling, cluster_draws
from pipeline.tables.io import to_frame
from pipeline.tables.schemas.results import ROBUSTNESS, ROBUSTNESS_FLIPS, ROBUSTNESS_RANKS

DECIMALS = 8  # of a mean or a correlation: what lies below is rounding
ALL = "all"
AGREEMENT = {
    "teams": pl.Int64,
    "kendall": pl.Float64,
    "spearman": pl.Float64,
    "pairs_compared": pl.Int64,
    "flips": pl.Int64,
}


@dataclass(frozen=True)
class Standings:
    """One setting's teams, by name, at every point of a grid."""

    setting: str | None
    teams: tuple[str, ...]
    simulated: tuple[bool, ...]
    games: NDArray[np.int64]  # points × teams: those with a VPS
    means: Array  # points × teams: the mean over a team's games
    intervals: Array  # points × teams × 2: its interval, NaN where there is none
    by_task: Array  # points × teams × tasks, NaN where a team has no game

    @cached_property
    def differences(self) -> Array:
        """How much more VPS one team has than another, over the tasks that both have: points × teams × teams, NaN for
        two without such a task, and of a team itself where it has none."""
        known = np.isfinite(self.by_task)
        apart = np.full((*self.means.shape, len(self.teams)), np.nan)
        for a, b in combinations_with_replacement(range(len(self.teams)), 2):
            both = known[:, a] & known[:, b]
            sums = [np.where(both, self.by_task[:, team], 0.0).sum(axis=1) for team in (a, b)]
            tasks = both.sum(axis=1)
            mean = np.divide(np.subtract(*sums), tasks, out=np.full(len(tasks), np.nan), where=tasks > 0)
            apart[:, a, b] = mean.round(DECIMALS)
            apart[:, b, a] = -apart[:, a, b]
        return apart

    def ranks(self) -> list[list[int | None]]:
        """Each point's ranks of the teams: 1 + those that have less on the tasks that both of a pair have; None for a
        team without a VPS."""
        ranks = np.where(np.isfinite(self.means), 1 + (self.differences > 0).sum(axis=2), -1)
        return [[int(rank) if rank > 0 else None for rank in row] for row in ranks]


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
        np.stack([np.isfinite(values).sum(axis=1) for values in by_team], axis=1),
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
    """One row a setting, point and team: games, mean VPS with its interval, and its rank among those that share tasks
    with it: 1 is the least, equal means share a rank.
    """
    parts = [
        points.with_columns(
            setting=pl.lit(s.setting, pl.String),
            team=pl.lit(team),
            simulated=pl.lit(s.simulated[i]),
            games=pl.Series(s.games[:, i], dtype=pl.Int64),
            vps=pl.Series(s.means[:, i]),
            low=pl.Series(np.minimum(s.intervals[:, i, 0], s.means[:, i])),
            high=pl.Series(np.maximum(s.intervals[:, i, 1], s.means[:, i])),
            rank=pl.Series([row[i] for row in ranks], dtype=pl.Int64),
        )
        for s in settings
        for ranks in [s.ranks()]
        for i, team in enumerate(s.teams)
    ]
    means = pl.concat([to_frame(ROBUSTNESS, []), *parts], how="diagonal")
    return means.with_columns(pl.col("vps", "low", "high").fill_nan(None))


def agreement_table(
    points: pl.DataFrame, settings: Sequence[Standings], groups: Mapping[str, Sequence[str]], at: int
) -> pl.DataFrame:
    """One row a setting, point and group of teams: how its order agrees with that at the point `at`.

    Kendall's τ-b and Spearman's ρ, null where one order is all ties, and the number of pairs that flip: of the teams
    that have a VPS at both points, as one that tells nobody anything has no place in the order. Two without a common
    task are no pair, and where there are such there is no Spearman's ρ. A group with fewer than two teams that have a
    VPS at the point `at` has no rows.
    """
    parts = [to_frame(ROBUSTNESS_RANKS, [])]
    for s in settings:
        for group, members in {ALL: s.teams, **groups}.items():
            of = np.flatnonzero([team in members for team in s.teams])
            orders = s.differences[:, of][:, :, of]
            if np.isfinite(orders[at].diagonal()).sum() > 1:
                compared = [_compare_orders(here, orders[at]) for here in orders]
                columns = pl.DataFrame(compared, schema=AGREEMENT, orient="row")
                named = columns.with_columns(setting=pl.lit(s.setting, pl.String), group=pl.lit(group))
                parts.append(pl.concat([points, named], how="horizontal"))
    return pl.concat(parts, how="diagonal")


def _compare_orders(here: Array, chosen: Array) -> tuple[int, float | None, float | None, int, int]:
    """AGREEMENT's figures of two orders, each as how much more one team has than another: teams × teams. They are of
    the teams that have a VPS in both, and of the pairs that share tasks."""
    known = np.isfinite((here + chosen).diagonal())
    signs = np.sign(np.stack([here, chosen])[:, known][:, :, known])
    each = signs[:, *np.triu_indices(known.sum(), 1)]
    pairs = np.isfinite(each).all(axis=0)
    each = each[:, pairs]
    # A rank less the mean of ranks is half of those below less those above, as ties share the mean of theirs.
    spearman = _cosine(signs.sum(axis=2)) if pairs.all() else None
    return int(known.sum()), _cosine(each), spearman, int(pairs.sum()), int((each[0] * each[1] < 0).sum())


def _cosine(rows: Array) -> float | None:
    """Of two rows: of signs of pairs it is Kendall's τ-b, of centred ranks Spearman's ρ. None where one is all 0."""
    below = np.sqrt((rows**2).sum(axis=1)).prod()
    return round(float(rows[0] @ rows[1] / below), DECIMALS) if below > 0 else None


def flips_table(points: pl.DataFrame, settings: Sequence[Standings], at: int, draws: int, seed: str) -> pl.DataFrame:
    """One row a setting, point and pair of teams whose order is the reverse of that at the point `at`.

    difference is how much more VPS the first team has than the second on the tasks that both have; p of the paired
    permutation test, here and at `at`, not corrected for their number. p_holm is that of the flip: the larger of the
    two, as both orders must be there, by Holm's correction over all pairs that have both orders; one that keeps its
    order counts there with p = 1.
    """
    parts = [_flips(points, s, at, draws, seed) for s in settings]
    return pl.concat([to_frame(ROBUSTNESS_FLIPS, []), *parts], how="diagonal")


def _flips(points: pl.DataFrame, s: Standings, at: int, draws: int, seed: str) -> pl.DataFrame:
    differences = s.differences[:, *np.triu_indices(len(s.teams), 1)]  # pairs as `combinations` has them
    where, which = np.nonzero(np.sign(differences) * np.sign(differences[at]) < 0)
    every = list(combinations(range(len(s.teams)), 2))
    pairs = [every[k] for k in which]
    compared = np.isfinite(differences + differences[at]).sum(axis=1)

    def p(point: int, pair: tuple[int, int]) -> float:
        a, b = (s.by_task[point, i] for i in pair)
        both = np.isfinite(a) & np.isfinite(b)
        names = (seed, f"{s.setting}", *(s.teams[i] for i in pair))
        return paired_permutation(a[both].tolist(), b[both].tolist(), names, draws).p_value

    asked = sorted({(pair, point) for k, pair in enumerate(pairs) for point in (at, int(where[k]))})
    p_values = {(pair, point): p(point, pair) for pair, point in asked}  # pair by pair, whose signs are drawn once
    at_choice = [p_values[pair, at] for pair in pairs]
    here = [p_values[pair, int(point)] for point, pair in zip(where, pairs, strict=True)]
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
        pl.Series("p_holm", _corrected_by_point(where.tolist(), of_flip, compared.tolist()), pl.Float64),
        setting=pl.lit(s.setting, pl.String),
    )


def _corrected_by_point(where: Sequence[int], p_values: Sequence[float], pairs: Sequence[int]) -> list[float]:
    """Holm's p of each flip over all pairs at its point; where: the points of the flips, in their order; pairs: how
    many are compared at each point."""
    adjusted: list[float] = []
    for point, flips in groupby(zip(where, p_values, strict=True), key=lambda flip: flip[0]):
        here = [p for _, p in flips]
        adjusted += holm([*here, *[1.0] * (pairs[point] - len(here))])[: len(here)]
    return adjusted


def is_same_order(agreement: pl.DataFrame, flips: pl.DataFrame, alpha: float = 0.05) -> bool | None:
    """Whether no pair of teams changes places: False where one does beyond chance, None where those that do may do so
    by chance, and where there is no order, as no two teams are compared or all are equal. agreement, flips: rows of
    both tables, of the same points and teams.
    """
    if agreement["kendall"].is_null().all():
        return None
    if flips.is_empty():
        return True
    return False if (flips["p_holm"] <= alpha).any() else None
