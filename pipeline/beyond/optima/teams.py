"""How fair a team was, beside what was possible: its place among the optima, and among schedules that cost as much."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.beyond.optima.fairness import gini, mildness, percentile, spread
from pipeline.beyond.optima.tasks import Solved
from pipeline.traces.ingest import fairness as ratio

GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
OPTIMAL, ABOVE, INCOMPLETE = "optimal", "above the optimum", "meetings missing"


def fairness_rows(games: pl.DataFrame, agents: pl.DataFrame, tasks: Mapping[str, Solved]) -> list[dict[str, Any]]:
    """One row a game of a solved task: the columns of OPTIMA_FAIRNESS. games, agents: those tables."""
    paid = dict(agents.sort("agent").group_by("game_id").agg("cost").iter_rows())
    known = games.filter(pl.col("task_id").is_in(list(tasks))).sort("game_id")
    return [
        {name: game[name] for name in GAME} | fairness_row(game, tuple(paid[game["game_id"]]), tasks[game["task_id"]])
        for game in known.iter_rows(named=True)
    ]


def fairness_row(game: Mapping[str, Any], burden: tuple[int, ...], task: Solved) -> dict[str, Any]:
    """What a game's burden is among the optima of its task.

    A game that paid more than the optimum, or that misses meetings, is compared with schedules that it did not match:
    `against` says so. `same_cost` compares it with the schedules of its own cost, where these were enumerated.
    """
    alike = task.by_cost.get(sum(burden)) if game["meetings_scheduled"] == game["meetings"] else None
    ratios, largest = spread(task.optimal, ratio), spread(task.optimal, mildness)
    spent = {
        "burden": list(burden),
        "ratio": ratio(burden),
        "gini": gini(burden),
        "largest": max(burden),
        "against": against(game, sum(burden) - task.cost),
        "is_optimum": burden in task.optimal,
    }
    return spent | {
        "percentile": percentile(ratio(burden), ratios),
        "ratios": len(ratios),
        "largest_percentile": percentile(mildness(burden), largest),
        "largest_parts": len(largest),
        "best_ratio": max(ratios),
        "same_cost_percentile": percentile(ratio(burden), spread(alike, ratio)) if alike else None,
    }


def against(game: Mapping[str, Any], excess: int) -> str:
    """Of which kind the comparison with the optima is."""
    if game["meetings_scheduled"] < game["meetings"]:
        return INCOMPLETE
    return ABOVE if excess else OPTIMAL
