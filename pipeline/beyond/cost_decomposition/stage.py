"""Games, their rounds, moves and items to the steps that their excess cost is made of, with intervals."""

from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond.cost_decomposition.counterfactuals import rungs
from pipeline.beyond.cost_decomposition.tables import LADDER_MEANS, LADDER_RUNGS, LADDER_STEPS
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_table, write_table
from pipeline.tables.paths import TABLES

FUTURE, LANDING, INFORMATION, EXECUTION = "future", "landing", "information", "execution"
STEPS = (FUTURE, LANDING, INFORMATION, EXECUTION)
ORDERS = ("cost", "landing_first", "landing_last")
MEANS_OF = ("team", "simulated", "setting", "condition", "difficulty", "step")

# The two ends of each stretch, a rung above and the rung below it.
OWN_LANDING = ("team_own", "team_first")
CARRIED_OUT = [("realized", "team_own")]
INFORMED = [("team_first", "myopic_first")]
STRETCHES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "cost": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("myopic_first", "myopic_best"), OWN_LANDING],
        INFORMATION: INFORMED,
        EXECUTION: CARRIED_OUT,
    },
    "landing_first": {
        FUTURE: [("myopic_first", "clairvoyant_first")],
        LANDING: [("clairvoyant_first", "optimal"), OWN_LANDING],
        INFORMATION: INFORMED,
        EXECUTION: CARRIED_OUT,
    },
    "landing_last": {
        FUTURE: [("myopic_best", "optimal")],
        LANDING: [("team_own", "team_best")],
        INFORMATION: [("team_best", "myopic_best")],
        EXECUTION: CARRIED_OUT,
    },
}


def steps(rungs: pl.DataFrame) -> pl.DataFrame:
    """One row a game and step: the columns of LADDER_STEPS. In each order a game's steps add up to its excess cost."""
    rows = [
        rungs.select(
            "game_id",
            pl.lit(step).alias("step"),
            pl.lit(place).alias("place"),
            *(amount(STRETCHES[order][step]).alias(order) for order in ORDERS),
        )
        for place, step in enumerate(STEPS, 1)
    ]
    return pl.concat(rows).with_columns(average=pl.sum_horizontal(ORDERS) / len(ORDERS))


def amount(stretches: list[tuple[str, str]]) -> pl.Expr:
    """What a step costs: the sum of its stretches, each the upper rung less the lower one."""
    return pl.sum_horizontal(pl.col(above) - pl.col(below) for above, below in stretches)


def means(stepped: pl.DataFrame, games: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """One row a team, setting, condition, difficulty (or all) and step: the columns of LADDER_MEANS."""
    shown = stepped.join(games.select("game_id", "task_id", *MEANS_OF[:-1]), on="game_id")
    both = pl.concat([shown, shown.with_columns(difficulty=pl.lit("all"))])
    lines = both.with_columns(numerator=pl.col("cost"), denominator=pl.lit(1.0))
    intervals = ratio_intervals(lines, MEANS_OF, resampling)
    others = both.group_by(MEANS_OF).agg(
        pl.col("landing_first", "landing_last", "average").mean(), place=pl.first("place")
    )
    return intervals.join(others, on=MEANS_OF)


def main(tables: Path = TABLES, out: Path = beyond.TABLES) -> None:
    params = beyond.params("ladder")
    games = ended(read_table(tables, "games"))
    rounds, moves, items = (read_table(tables, name) for name in ("rounds", "moves", "items"))
    found = rungs(games, rounds, moves, items, params["limit"])
    stepped = steps(found)
    write_table(found, LADDER_RUNGS, out, csv=False)
    write_table(stepped, LADDER_STEPS, out, csv=False)
    write_table(means(stepped, found, Resampling(**params["resampling"])), LADDER_MEANS, out, csv=False)


if __name__ == "__main__":
    main()
