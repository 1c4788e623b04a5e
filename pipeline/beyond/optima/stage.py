"""Tasks and games to the tables of all optima: `python -m pipeline.beyond.optima.stage`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.optima.schedules import TooManySchedules, calendars_of
from pipeline.beyond.optima.schemas import OPTIMA, OPTIMA_FAIRNESS, OPTIMA_PRICES, OPTIMA_TASKS
from pipeline.beyond.optima.tasks import (
    Bounds,
    Solved,
    distribution,
    gini,
    mildness,
    optimum_rows,
    percentile,
    price_rows,
    solved,
    task_row,
)
from pipeline.statistics.by_game import ended
from pipeline.tables.io import read_table, write_rows
from pipeline.tables.paths import TABLES
from pipeline.traces.ingest import fairness as ratio
from sim.tasks.oracle import TooManyStates
from sim.tasks.scenario import Meeting

GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
BLOCKED = "blocked"
OPTIMAL, ABOVE, INCOMPLETE = "optimal", "above the optimum", "meetings missing"


def fairness_rows(games: pl.DataFrame, agents: pl.DataFrame, tasks: Mapping[str, Solved]) -> list[dict[str, Any]]:
    """One row a game of a solved task: optima_fairness. games, agents: those tables."""
    paid = dict(agents.sort("agent").group_by("game_id").agg("cost").iter_rows())
    solved_games = games.filter(pl.col("task_id").is_in(list(tasks))).sort("game_id")
    return [
        {name: game[name] for name in GAME} | fairness_row(game, tuple(paid[game["game_id"]]), tasks[game["task_id"]])
        for game in solved_games.iter_rows(named=True)
    ]


def fairness_row(game: Mapping[str, Any], burden: tuple[int, ...], task: Solved) -> dict[str, Any]:
    """A game's burden beside the optima of its task: the columns of optima_fairness after the game's own.

    A game that paid more than the optimum, or that misses meetings, is compared with schedules that it did not match:
    `against` says so. `same_cost` compares it with the schedules of its own cost, where these were enumerated.
    """
    same_cost = task.by_cost.get(sum(burden)) if game["meetings_scheduled"] == game["meetings"] else None
    ratios, largest = distribution(task.optimal, ratio), distribution(task.optimal, mildness)
    own = {
        "burden": list(burden),
        "ratio": ratio(burden),
        "gini": gini(burden),
        "largest": max(burden),
        "against": against(game, sum(burden) - task.cost),
        "is_optimum": burden in task.optimal,
    }
    return own | {
        "percentile": percentile(ratio(burden), ratios),
        "ratios": len(ratios),
        "largest_percentile": percentile(mildness(burden), largest),
        "largest_parts": len(largest),
        "best_ratio": max(ratios),
        "same_cost_percentile": percentile(ratio(burden), distribution(same_cost, ratio)) if same_cost else None,
    }


def against(game: Mapping[str, Any], excess: int) -> str:
    """The kind of comparison with the optima: OPTIMAL, ABOVE or INCOMPLETE."""
    if game["meetings_scheduled"] < game["meetings"]:
        return INCOMPLETE
    return ABOVE if excess else OPTIMAL


def tasks_of(games: pl.DataFrame) -> pl.DataFrame:
    """One row a task: the first of its games, and whether its calendars are the standard or the blocked ones."""
    first = games.sort("task_id", "game_id").unique("task_id", keep="first", maintain_order=True)
    calendars = pl.when(pl.col("condition") == BLOCKED).then(pl.lit(BLOCKED)).otherwise(pl.lit("standard"))
    return first.with_columns(condition=calendars)


def solve_all(games: pl.DataFrame, tables: dict[str, pl.DataFrame], bounds: Bounds) -> Iterator[tuple[str, Solved]]:
    """(task, its optima). Raises TooManySchedules, naming the task."""
    for game in tasks_of(games).iter_rows(named=True):
        of_game = {name: frame.filter(game_id=game["game_id"]) for name, frame in tables.items()}
        calendars = calendars_of(of_game["items"], game["num_agents"], game["num_slots"])
        members = of_game["rounds"].sort("round")["participants"].to_list()
        meetings = [Meeting(number, tuple(agents)) for number, agents in enumerate(members, 1)]
        try:
            yield game["task_id"], solved(calendars, meetings, bounds)
        except (TooManySchedules, TooManyStates) as error:
            raise TooManySchedules(f"task {game['task_id']}: {error}; raise optima.limit") from error


def main(tables: Path = TABLES, out: Path = beyond.TABLES) -> None:
    params = beyond.params("optima")
    bounds = Bounds(params["slack"], tuple(params["steps"]), params["limit"])
    games = ended(read_table(tables, "games")).drop_nulls("optimal_cost")
    solved_tasks = dict(solve_all(games, {name: read_table(tables, name) for name in ("items", "rounds")}, bounds))
    columns = tasks_of(games).select("task_id", "setting", "condition", "difficulty")
    tasks = {row["task_id"]: row for row in columns.iter_rows(named=True)}
    write_rows([{"task_id": t} | row for t, task in solved_tasks.items() for row in optimum_rows(task)], OPTIMA, out)
    write_rows([tasks[t] | task_row(task, bounds.limit) for t, task in solved_tasks.items()], OPTIMA_TASKS, out)
    prices = [tasks[t] | row for t, task in solved_tasks.items() for row in price_rows(task, bounds.steps)]
    write_rows(prices, OPTIMA_PRICES, out)
    write_rows(fairness_rows(games, read_table(tables, "agents"), solved_tasks), OPTIMA_FAIRNESS, out)


if __name__ == "__main__":
    main()
