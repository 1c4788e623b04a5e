"""Games to the regressions of Appendix I, and each team's own line."""

from pathlib import Path

from pipeline.statistics.paired_tests import metrics_by_game
from pipeline.statistics.regressions import Tests, fits_table, slopes_table
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    tests = params("mixed_effects")
    games, teams = metrics_by_game(tables).filter(condition=tests.pop("condition")), params("teams")
    print(write_result(fits_table(games, teams, Tests(**tests)), "mixed_effects", results))
    print(write_result(slopes_table(games, teams), "mixed_effects_slopes", results))


if __name__ == "__main__":
    main()
