"""Tasks to all their optima, and games to their place among them: `python -m pipeline.beyond.optima.stage`."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond.optima.problem import calendars_of
from pipeline.beyond.optima.schedules import TooManySchedules
from pipeline.beyond.optima.tables import OPTIMA, OPTIMA_FAIRNESS, OPTIMA_PRICES, OPTIMA_TASKS
from pipeline.beyond.optima.tasks import Bounds, Solved, optimum_rows, price_rows, solved, task_row
from pipeline.beyond.optima.teams import fairness_rows
from pipeline.beyond.rows import write_rows
from pipeline.statistics.by_game import ended
from pipeline.tables.io import read_table
from pipeline.tables.paths import TABLES
from sim.tasks.oracle import TooManyStates
from sim.tasks.scenario import Meeting

BLOCKED = "blocked"


def tasks_of(games: pl.DataFrame) -> pl.DataFrame:
    """One row a task: the first of its games, and whether its calendars are the standard or the blocked ones."""
    first = games.sort("task_id", "game_id").unique("task_id", keep="first", maintain_order=True)
    calendars = pl.when(pl.col("condition") == BLOCKED).then(pl.lit(BLOCKED)).otherwise(pl.lit("standard"))
    return first.with_columns(condition=calendars)


def solve_all(games: pl.DataFrame, tables: dict[str, pl.DataFrame], bounds: Bounds) -> Iterator[tuple[str, Solved]]:
    """(task, its optima). Raises TooManySchedules, naming the task."""
    for game in tasks_of(games).iter_rows(named=True):
        own = {name: frame.filter(game_id=game["game_id"]) for name, frame in tables.items()}
        calendars = calendars_of(own["items"], game["num_agents"], game["num_slots"])
        members = own["rounds"].sort("round")["participants"].to_list()
        meetings = [Meeting(number, tuple(agents)) for number, agents in enumerate(members, 1)]
        try:
            yield game["task_id"], solved(calendars, meetings, bounds)
        except (TooManySchedules, TooManyStates) as error:
            raise TooManySchedules(f"task {game['task_id']}: {error}; raise optima.limit") from error


def main(tables: Path = TABLES, out: Path = beyond.TABLES) -> None:
    params = beyond.params("optima")
    bounds = Bounds(params["slack"], tuple(params["steps"]), params["limit"])
    games = ended(read_table(tables, "games")).drop_nulls("optimal_cost")
    found = dict(solve_all(games, {name: read_table(tables, name) for name in ("items", "rounds")}, bounds))
    of_task = tasks_of(games).select("task_id", "setting", "condition", "difficulty")
    known = {row["task_id"]: row for row in of_task.iter_rows(named=True)}
    write_rows([{"task_id": t} | row for t, task in found.items() for row in optimum_rows(task)], OPTIMA, out)
    write_rows([known[t] | task_row(task, bounds.limit) for t, task in found.items()], OPTIMA_TASKS, out)
    prices = [known[t] | row for t, task in found.items() for row in price_rows(task, bounds.steps)]
    write_rows(prices, OPTIMA_PRICES, out)
    write_rows(fairness_rows(games, read_table(tables, "agents"), found), OPTIMA_FAIRNESS, out)


if __name__ == "__main__":
    main()
