"""Who needs no more than the baseline and gives away less than half as much, measure by measure, on the same tasks."""

from typing import Any

import numpy as np
import polars as pl

from pipeline.beyond.frontier.games import LEAKAGE
from pipeline.beyond.frontier.points import Array, Draws, over_draws

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
