"""Games to the regressions of Appendix I, and each team's own line."""

from pathlib import Path

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.statistics.by_game import team_groups
from pipeline.statistics.paired_tests import metrics_by_game
from pipeline.statistics.regressions import Tests, fits_table, slopes_table
from pipeline.tables.paths import NUMBERS, RESULTS, ROOT, TABLES, params
from pipeline.tables.queries import write_result


def main(tables: Path = TABLES, results: Path = RESULTS, numbers: Path = ROOT / NUMBERS) -> None:
    tests = params("mixed_effects")
    games = metrics_by_game(tables).filter(condition=tests.pop("condition"))
    teams = team_groups(games, params("teams"))
    print(write_result(fits_table(games, teams, Tests(**tests), printed_means(numbers)), "mixed_effects", results))
    print(write_result(slopes_table(games, teams), "mixed_effects_slopes", results))


def printed_means(numbers: Path) -> pl.DataFrame:
    """Table 1's rows of the paper's models: setting, method, and a column of floats a metric."""
    printed = read_numbers(numbers).filter(source="Table 1", kind="model")
    return printed.pivot("metric", index=["setting", "method"], values="value").cast(
        dict.fromkeys(printed["metric"].unique(), pl.Float64)
    )


if __name__ == "__main__":
    main()
