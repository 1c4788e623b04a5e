"""Tables to results: one CSV for each query of pipeline/tables/sql."""

from pathlib import Path

from pipeline.tables.paths import RESULTS, TABLES
from pipeline.tables.queries import write_query_results


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    for path in write_query_results(tables, results):
        print(path)


if __name__ == "__main__":
    main()
