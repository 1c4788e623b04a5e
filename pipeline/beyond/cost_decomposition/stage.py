"""Games, their rounds, moves and items to the steps that their excess cost is made of."""

from pathlib import Path

from pipeline import beyond
from pipeline.beyond.cost_decomposition.counterfactuals import rungs
from pipeline.beyond.cost_decomposition.steps import means, steps
from pipeline.beyond.cost_decomposition.tables import LADDER_MEANS, LADDER_RUNGS, LADDER_STEPS
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_table, write_table
from pipeline.tables.paths import TABLES


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
