"""Who needs no more than the baseline and gives away less than half as much, measure by measure, on the same tasks."""

import numpy as np
import polars as pl

from pipeline.beyond.frontier.games import LEAKAGE
from pipeline.beyond.frontier.points import Draws, interval

ROUNDING = 1e-9


def domination(setting: str, found: Draws, baseline: str, fair_share: float, level: float) -> pl.DataFrame:
    """One row per protocol and measure: frontier_domination. Tasks are drawn for both at once."""
    rows = []
    for measure in ("excess_cost", *LEAKAGE):
        values, by_task = found.values[measure], found.by_task[measure]
        base = found.row(baseline)
        for team in found.teams:
            i = found.row(team)
            difference, share = values[i] - values[base], _share(values[i], values[base])
            ends, of_share = interval(difference, level), interval(share, level)
            most = difference[0], ends[1]
            if measure != "excess_cost":
                most = share[0], of_share[1]
            limit = ROUNDING if measure == "excess_cost" else fair_share
            verdict = [bool(value <= limit if measure == "excess_cost" else value < limit) for value in most]
            farthest = float(np.abs(by_task[i] - by_task[base]).max())
            numbers = (float(difference[0]), *ends, farthest, float(share[0]), *of_share)
            rows.append((team, setting, measure, *numbers, *verdict))
    names = ["team", "setting", "measure", "difference", "difference_low", "difference_high", "largest_difference"]
    names += ["share", "share_low", "share_high", "holds", "holds_surely"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _share(values: np.typing.NDArray[np.float64], base: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
    """values / base; where both are 0 it is 1."""
    same = np.where(values == base, 1.0, np.inf)
    return np.where(base == 0, same, values / np.where(base == 0, 1.0, base))
