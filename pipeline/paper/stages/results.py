"""Tables to results: one CSV for each query of pipeline/tables/sql, and the difficulty of the suites' tasks."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.paper.figures import own_difficulty
from pipeline.tables.io import write_csv
from pipeline.tables.paths import RESULTS, TABLES
from pipeline.tables.queries import write_query_results

SUITES = (Path("data/suites/standard.jsonl"), Path("data/suites/blocked.jsonl"))


def main(tables: Path = TABLES, results: Path = RESULTS, suites: Sequence[Path] = SUITES) -> None:
    for path in write_query_results(tables, results):
        print(path)
    if all(path.is_file() for path in suites):  # made by the study; traces of one's own need none of them
        write_csv(own_difficulty(suites), results / "difficulty.csv")
        print(results / "difficulty.csv")


if __name__ == "__main__":
    main()
