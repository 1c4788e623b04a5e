"""Who is beaten by nobody, how often, and how much of the plane protocols dominate together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.frontier.games import LEAKAGE
from pipeline.beyond.frontier.points import Array, Draws, over_draws


def undominated(x: Array, y: Array) -> NDArray[np.bool_]:
    """Points × draws: whether no other point is at most equal in both and less in one, in each draw."""
    kept = np.ones(x.shape, dtype=bool)
    for i in range(len(x)):
        no_more = (x <= x[i]) & (y <= y[i])
        kept[i] = ~(no_more & ((x < x[i]) | (y < y[i]))).any(axis=0)
    return kept


def pareto(setting: str, found: Draws, coordinates: Mapping[str, bool]) -> pl.DataFrame:
    """One row per protocol and measure of leakage: frontier_pareto. Who misses meetings is on no frontier."""
    fit = [team for team in found.teams if coordinates[team]]
    rows = []
    for measure in LEAKAGE:
        x, y = found.values["excess_cost"], found.values[measure]
        able = found.only(fit)
        kept = dict(zip(fit, undominated(able.values["excess_cost"], able.values[measure]), strict=True))
        for team in found.teams:
            of_team = kept.get(team)
            i = found.row(team)
            shares = (False, 0.0) if of_team is None else (bool(of_team[0]), float(of_team[1:].mean()))
            rows.append((team, setting, measure, coordinates[team], float(x[i, 0]), float(y[i, 0]), *shares))
    names = ["team", "setting", "measure", "coordinates", "excess_cost", "leakage", "on_frontier", "frequency"]
    return pl.DataFrame(rows, schema=names, orient="row")


def hypervolume(x: Array, y: Array) -> float:
    """The share of the unit square that the points dominate: what lies above and to the right of one of them.

    Points outside the square count where they reach it. (Zitzler and Thiele's hypervolume in two dimensions.)
    """
    order = np.lexsort((y, x))
    volume, lowest = 0.0, 1.0
    for i in order:
        left, below = max(float(x[i]), 0.0), max(float(y[i]), 0.0)
        if left < 1 and below < lowest:
            volume += (1 - left) * (lowest - below)
            lowest = below
    return volume


def volumes(
    setting: str, found: Draws, sets: Mapping[str, Sequence[str]], worst: Mapping[str, Any], level: float
) -> pl.DataFrame:
    """One row per measure, for each set of protocols and for what the second gains on the first."""
    rows = []
    excess = worst["excess_cost"][setting]
    for measure in LEAKAGE:
        most = worst["leakage"][measure]
        by_set = {name: _volumes(found.only(teams), measure, excess, most) for name, teams in sets.items()}
        first, second = by_set.values()
        for name, values in {**by_set, "gain": second - first}.items():
            ends = over_draws(values, level)
            rows.append((name, setting, measure, float(excess), float(most), float(values[0]), *ends))
    names = ["protocols", "setting", "measure", "worst_excess", "worst_leakage", "volume", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _volumes(found: Draws, measure: str, excess: float, most: float) -> Array:
    """The set's hypervolume in each draw; excess by log(1 + excess), as it spans three powers of ten."""
    x = np.log1p(np.maximum(found.values["excess_cost"], 0)) / np.log1p(excess)
    y = found.values[measure] / most
    return np.array([hypervolume(x[:, i], y[:, i]) for i in range(x.shape[1])])
