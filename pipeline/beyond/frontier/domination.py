"""Which protocols nobody dominates, which dominate the baseline, and how large a box each set of them dominates.

And how far simulated teams, and the models that the paper reports, lie from them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.frontier.points import LEAKAGE, Draws
from pipeline.statistics.pareto import dominates
from pipeline.statistics.resampling import Array, interval_around

ROUNDING = 1e-9  # of a difference: what lies below is none
Row = dict[str, Any]
X = "excess_cost"
VIEWS = "view_bits"
MEASURES = ("vps_uniform_mean", "vps_uniform_all_pairs_mean", "bits", VIEWS)
COLUMNS = ("team", "setting", "kind", "coordination_rate_pct", X)
TRUSTING = ("secure-", "shares-")  # protocols that need an outsider, or a participant, who colludes with nobody


def undominated(x: Array, y: Array) -> NDArray[np.bool_]:
    """Points × draws: whether no other point is at most equal in both and less in one, in each draw."""
    on_frontier = np.ones(x.shape, dtype=bool)
    for i in range(len(x)):
        no_more = (x <= x[i]) & (y <= y[i])
        on_frontier[i] = ~(no_more & ((x < x[i]) | (y < y[i]))).any(axis=0)
    return on_frontier


def pareto(setting: str, draws: Draws, coordinates: Mapping[str, bool]) -> pl.DataFrame:
    """One row per protocol and measure of leakage: frontier_pareto.

    coordinates: whether a team schedules every meeting; who does not is on no frontier.
    """
    able = [team for team in draws.teams if coordinates[team]]
    of_able = draws.only(able)
    rows = []
    for measure in LEAKAGE:
        on_frontier = undominated(of_able.values["excess_cost"], of_able.values[measure])
        for team, excess, leakage in zip(
            draws.teams, draws.values["excess_cost"][:, 0], draws.values[measure][:, 0], strict=True
        ):
            own = on_frontier[able.index(team)] if team in able else np.zeros(2, dtype=bool)
            shares = bool(own[0]), float(own[1:].mean())
            rows.append((team, setting, measure, coordinates[team], float(excess), float(leakage), *shares))
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


def hypervolumes(
    setting: str, draws: Draws, sets: Mapping[str, Sequence[str]], worst: Mapping[str, Any], level: float
) -> pl.DataFrame:
    """One row per measure, for each of two sets of protocols and what the second gains: frontier_hypervolume.

    worst: the reference point, `excess_cost` by setting and `leakage` by measure.
    """
    rows = []
    excess = worst["excess_cost"][setting]
    for measure in LEAKAGE:
        leakage = worst["leakage"][measure]
        by_set = {name: _by_draw(draws.only(teams), measure, excess, leakage) for name, teams in sets.items()}
        first, second = by_set.values()
        for name, values in {**by_set, "gain": second - first}.items():
            bounds = interval_around(values[0], values[1:], level)
            rows.append((name, setting, measure, float(excess), float(leakage), float(values[0]), *bounds))
    names = ["protocols", "setting", "measure", "worst_excess", "worst_leakage", "volume", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _by_draw(draws: Draws, measure: str, excess: float, leakage: float) -> Array:
    """The teams' hypervolume in each draw; excess by log(1 + excess), as it spans three powers of ten."""
    x = np.log1p(np.maximum(draws.values["excess_cost"], 0)) / np.log1p(excess)
    y = draws.values[measure] / leakage
    return np.array([hypervolume(x[:, i], y[:, i]) for i in range(x.shape[1])])


def domination(setting: str, draws: Draws, baseline: str, fair_share: float, level: float) -> pl.DataFrame:
    """One row per protocol and measure: frontier_domination. Tasks are drawn for both at once."""
    rows: list[Row] = []
    for team in draws.teams:
        cost = _beside_baseline("excess_cost", draws, team, baseline, level)
        rows.append(cost | _verdict(cost["difference"] <= ROUNDING, cost["difference_high"] <= ROUNDING))
        for measure in LEAKAGE:
            leakage = _beside_baseline(measure, draws, team, baseline, level)
            rows.append(leakage | _verdict(leakage["share"] < fair_share, leakage["share_high"] < fair_share))
    return pl.DataFrame(rows).with_columns(setting=pl.lit(setting))


def _beside_baseline(measure: str, draws: Draws, team: str, baseline: str, level: float) -> Row:
    """A team's measure beside the baseline's: difference and share, with their intervals."""
    own, base = draws.row(team), draws.row(baseline)
    values, by_task = draws.values[measure], draws.by_task[measure]
    row: Row = {"team": team, "measure": measure}
    for name, compared in (("difference", values[own] - values[base]), ("share", _share(values[own], values[base]))):
        low, high = interval_around(compared[0], compared[1:], level)
        row |= {name: float(compared[0]), f"{name}_low": low, f"{name}_high": high}
    return row | {"largest_difference": float(np.abs(by_task[own] - by_task[base]).max())}


def _verdict(holds: bool, surely: bool) -> Row:
    return {"holds": holds, "holds_surely": surely}


def _share(values: Array, base: Array) -> Array:
    """values / base; where both are 0 it is 1."""
    same = np.where(values == base, 1.0, np.inf)
    return np.where(base == 0, same, values / np.where(base == 0, 1.0, base))


def wide(points: pl.DataFrame) -> pl.DataFrame:
    """One row per team and setting of frontier_points: its means, a column a measure."""
    return points.pivot("measure", index=["team", "setting", "kind"], values="mean", maintain_order=True)


def with_views(means: pl.DataFrame, views: pl.DataFrame, literal: pl.DataFrame) -> pl.DataFrame:
    """The means (`wide`) with `view_bits`: bits a meeting that all observers are told, one by one.

    Of protocols whose views are measured the whole view, under the stated prior; of simulated speakers what they say.

    views: frontier_told; literal: team, setting, view_bits.
    """
    whole = views.filter(suite="published", prior="stated", role="everybody", measure="bits")
    both = pl.concat([whole.select("team", "setting", view_bits="mean"), literal.select("team", "setting", VIEWS)])
    return means.join(both, on=["team", "setting"], how="left", maintain_order="left")


def literal_bits_a_meeting(leaked: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """team, setting, view_bits of simulated speakers' standard games: bits that a round's messages say, over all pairs.

    leaked: leaked_bits; games: that table.
    """
    speakers = games.filter("simulated", condition="standard")
    bits = leaked.group_by("game_id").agg(said=pl.col("bits").sort().sum())
    rows = (
        speakers.join(bits, on="game_id", how="left").sort("game_id").group_by("team", "setting", maintain_order=True)
    )
    return rows.agg(view_bits=pl.col("said").fill_null(0.0).sum() / pl.col("rounds").sum()).sort("team", "setting")


def gaps_to_frontier(others: pl.DataFrame, protocols: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """One row per row of `others` (COLUMNS) and measure that it has: frontier_placed.

    protocols: rows of `with_views` of the protocols that coordinate every meeting.
    """
    rows = [
        {
            **{name: other[name] for name in COLUMNS},
            "measure": measure,
            "leakage": other[measure],
            **_gap(other, able, measure),
        }
        for other in others.iter_rows(named=True)
        for able in [protocols.filter(setting=other["setting"])]
        for measure in measures
        if other.get(measure) is not None
    ]
    lists, floats = ("dominated_by", "dominated_with_outsider"), ("least_leakage", "least_excess", "factor")
    schema = dict.fromkeys(lists, pl.List(pl.String)) | dict.fromkeys(floats, pl.Float64)
    return pl.DataFrame(rows, schema_overrides=schema)


def _gap(other: dict[str, Any], protocols: pl.DataFrame, measure: str) -> dict[str, Any]:
    """Who dominates a team in excess and a measure, with and without an outsider, and how far it is from the best."""
    x, y = other[X], other[measure]
    known = protocols.drop_nulls(measure).select("team", X, measure).sort(X, measure, "team")
    beating = [team for team, *point in known.iter_rows() if dominates(point, (x, y))]
    least = known.filter(pl.col(X) <= x)[measure].min()
    return {
        "dominated_by": [team for team in beating if not team.startswith(TRUSTING)],
        "dominated_with_outsider": [team for team in beating if team.startswith(TRUSTING)],
        "least_leakage": least,
        "least_excess": known.filter(pl.col(measure) <= y)[X].min(),
        "factor": None if least is None else y / least,
    }
