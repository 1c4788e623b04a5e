"""Tables to results: one CSV for each query of pipeline/tables/sql, the difficulty of the suites' tasks, the paper's
baseline figures beside ours, and the headline figures as DVC metrics."""

from collections.abc import Sequence
from pathlib import Path

from pipeline.paper.compare import compare, headline, of_suite, read_numbers, verdict
from pipeline.paper.figures import own_difficulty
from pipeline.tables.io import read_result, read_table, write_csv, write_json
from pipeline.tables.paths import NUMBERS, RESULTS, TABLES
from pipeline.tables.queries import write_query_results

SUITES = (Path("data/suites/standard.jsonl"), Path("data/suites/blocked.jsonl"))


def main(tables: Path = TABLES, results: Path = RESULTS, suites: Sequence[Path] = SUITES) -> None:
    for path in write_query_results(tables, results):
        print(path)
    if all(path.is_file() for path in suites):  # made by the study; traces of one's own need none of them
        write_csv(own_difficulty(suites), results / "difficulty.csv")
        print(results / "difficulty.csv")
    write_comparison(tables, results)


def write_comparison(tables: Path, results: Path) -> None:
    """compare.csv and metrics.json, of table1.csv."""
    table1 = read_result(results / "table1.csv")
    comparison = compare(of_suite(table1, read_table(tables, "games")), read_numbers(NUMBERS))
    write_csv(comparison, results / "compare.csv")
    write_json(headline(table1, comparison), results / "metrics.json")
    print(verdict(comparison))


if __name__ == "__main__":
    main()
