"""Games, rounds and calendars to excess cost by three definitions, with intervals."""

from pathlib import Path

from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness.excess import excess_table, least_costs, measures
from pipeline.tables.io import read_table
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    games = ended(read_table(tables, "games"))
    optima = least_costs(games, read_table(tables, "rounds"), read_table(tables, "calendars"))
    measured = measures(games.join(optima, on="game_id"), params("excess")["penalties"])
    print(write_result(excess_table(measured, Resampling(**params("intervals"))), "excess", results))


if __name__ == "__main__":
    main()
