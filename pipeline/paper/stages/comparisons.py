"""Table 1's metrics, game by game, to tests between teams and the ranks that they leave open."""

from pathlib import Path

from pipeline.statistics.paired_tests import Testing, comparisons, metrics_by_game
from pipeline.statistics.resampling import Resampling
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    testing, resampling = Testing(**params("comparisons")), Resampling(**params("intervals"))
    pairs, ranks = comparisons(metrics_by_game(tables), testing, resampling)
    print(write_result(pairs, "comparisons", results))
    print(write_result(ranks, "ranks", results))


if __name__ == "__main__":
    main()
