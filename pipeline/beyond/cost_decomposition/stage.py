"""Games to the steps that their excess cost is made of: `python -m pipeline.beyond.cost_decomposition.stage`."""

from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond.cost_decomposition.counterfactuals import rungs
from pipeline.beyond.cost_decomposition.schemas import LADDER_MEANS, LADDER_RUNGS, LADDER_STEPS
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_table, write_table
from pipeline.tables.paths import TABLES

FUTURE, LANDING, INFORMATION, EXECUTION = "future", "landing", "information", "execution"
STEPS = (FUTURE, LANDING, INFORMATION, EXECUTION)
ORDERS = ("cost", "landing_first", "landing_last")
GROUP = ("team", "simulated", "setting", "condition", "difficulty", "step")

# What a step costs in an order: each pair's first rung less its second, added up.
OWN_LANDING = ("team_own", "team_first")
EXECUTED = [("realized", "team_own")]
INFORMED = [("team_first", "myopic_first")]
DIFFERENCES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "cost": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("myopic_first", "myopic_best"), OWN_LANDING],
        INFORMATION: INFORMED,
        EXECUTION: EXECUTED,
    },
    "landing_first": {
        FUTURE: [("myopic_first", "clairvoyant_first")],
        LANDING: [("clairvoyant_first", "optimal"), OWN_LANDING],
        INFORMATION: INFORMED,
        EXECUTION: EXECUTED,
    },
    "landing_last": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("team_own", "team_best")],
        INFORMATION: [("team_best", "myopic_best")],
        EXECUTION: EXECUTED,
    },
}


def steps(rungs: pl.DataFrame) -> pl.DataFrame:
    """One row a game and step: ladder_steps. In each order a game's steps add up to its excess cost.

    rungs: ladder_rungs.
    """
    rows = [
        rungs.select(
            "game_id",
            pl.lit(step).alias("step"),
            pl.lit(place).alias("place"),
            *(step_cost(DIFFERENCES[order][step]).alias(order) for order in ORDERS),
        )
        for place, step in enumerate(STEPS, 1)
    ]
    return pl.concat(rows).with_columns(average=pl.sum_horizontal(ORDERS) / len(ORDERS))


def step_cost(pairs: list[tuple[str, str]]) -> pl.Expr:
    """What a step costs: the sum of the differences of its pairs of rungs."""
    return pl.sum_horizontal(pl.col(above) - pl.col(below) for above, below in pairs)


def means(steps: pl.DataFrame, games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a team, setting, condition, difficulty (or all) and step: ladder_means. games: of ladder_rungs."""
    named = steps.join(games.select("game_id", "task_id", *GROUP[:-1]), on="game_id")
    with_all = pl.concat([named, named.with_columns(difficulty=pl.lit("all"))])
    lines = with_all.with_columns(numerator=pl.col("cost"), denominator=pl.lit(1.0))
    intervals = ratio_intervals(lines, GROUP, resampling)
    others = with_all.group_by(GROUP).agg(
        pl.col("landing_first", "landing_last", "average").mean(), place=pl.first("place")
    )
    return intervals.join(others, on=GROUP)


def main(tables: Path = TABLES, out: Path = beyond.TABLES) -> None:
    params = beyond.params("ladder")
    games = ended(read_table(tables, "games"))
    rounds, moves, items = (read_table(tables, name) for name in ("rounds", "moves", "items"))
    replayed = rungs(games, rounds, moves, items, params["limit"])
    game_steps = steps(replayed)
    write_table(replayed, LADDER_RUNGS, out, csv=False)
    write_table(game_steps, LADDER_STEPS, out, csv=False)
    write_table(means(game_steps, replayed, Resampling(**params["resampling"])), LADDER_MEANS, out, csv=False)


if __name__ == "__main__":
    main()
