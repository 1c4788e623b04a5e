"""Which points nobody dominates, which dominate whom, and how far a point lies from the frontier."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.frontier.points import LEAKAGE, Array, Draws, over_draws
from pipeline.statistics.pareto import dominates


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


ROUNDING = 1e-9
Row = dict[str, Any]


def domination(setting: str, found: Draws, baseline: str, fair_share: float, level: float) -> pl.DataFrame:
    """One row per protocol and measure: frontier_domination. Tasks are drawn for both at once."""
    rows: list[Row] = []
    for team in found.teams:
        cost = _beside("excess_cost", found, team, baseline, level)
        rows.append(cost | _verdict(cost["difference"] <= ROUNDING, cost["difference_high"] <= ROUNDING))
        for measure in LEAKAGE:
            told = _beside(measure, found, team, baseline, level)
            rows.append(told | _verdict(told["share"] < fair_share, told["share_high"] < fair_share))
    return pl.DataFrame(rows).with_columns(setting=pl.lit(setting))


def _beside(measure: str, found: Draws, team: str, baseline: str, level: float) -> Row:
    """A team's measure beside the baseline's: difference and share, with their intervals."""
    own, base = found.row(team), found.row(baseline)
    values, by_task = found.values[measure], found.by_task[measure]
    difference, share = values[own] - values[base], _share(values[own], values[base])
    ends, of_share = over_draws(difference, level), over_draws(share, level)
    return {
        "team": team,
        "measure": measure,
        "difference": float(difference[0]),
        "difference_low": ends[0],
        "difference_high": ends[1],
        "largest_difference": float(np.abs(by_task[own] - by_task[base]).max()),
        "share": float(share[0]),
        "share_low": of_share[0],
        "share_high": of_share[1],
    }


def _verdict(holds: bool, surely: bool) -> Row:
    return {"holds": holds, "holds_surely": surely}


def _share(values: Array, base: Array) -> Array:
    """values / base; where both are 0 it is 1."""
    same = np.where(values == base, 1.0, np.inf)
    return np.where(base == 0, same, values / np.where(base == 0, 1.0, base))


X, Y = "excess_cost", "vps_uniform_mean"
COLUMNS = ("team", "setting", "kind", "coordination_rate_pct", X, Y)


def wide(points: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting, its means in columns by measure."""
    return points.pivot("measure", index=["team", "setting", "kind"], values="mean", maintain_order=True)


def reported(numbers: pl.DataFrame) -> pl.DataFrame:
    """The models of the paper's Table 1, as it reports them: rows as those of `wide`."""
    models = numbers.filter(source="Table 1", kind="model").select(
        pl.col("method").alias("team"), "setting", "metric", pl.col("value").cast(pl.Float64)
    )
    found = models.pivot("metric", index=["team", "setting"], values="value", maintain_order=True)
    return found.with_columns(kind=pl.lit("reported")).select(COLUMNS)


def placed(others: pl.DataFrame, protocols: pl.DataFrame) -> pl.DataFrame:
    """One row per row of `others`: frontier_placed. protocols: rows of `wide` that coordinate every meeting."""
    rows = []
    for other in others.select(COLUMNS).iter_rows(named=True):
        here = protocols.filter(setting=other["setting"])
        place = (other[X], other[Y])
        beaten = [
            team for team, *point in here.select("team", X, Y).sort(X, Y, "team").iter_rows() if dominates(point, place)
        ]
        least_vps = here.filter(pl.col(X) <= other[X])[Y].min()
        least_excess = here.filter(pl.col(Y) <= other[Y])[X].min()
        factor = None if least_vps is None else other[Y] / least_vps
        rows.append({**other, "dominated_by": beaten, "least_vps": least_vps, "least_excess": least_excess,
                     "vps_factor": factor})  # fmt: skip
    schema = {"dominated_by": pl.List(pl.String)} | dict.fromkeys(
        ("least_vps", "least_excess", "vps_factor"), pl.Float64
    )
    return pl.DataFrame(rows, schema_overrides=schema)
