"""The paper's baseline figures beside ours, and the headline figures as DVC metrics."""

from pathlib import Path

import polars as pl

from pipeline.paper.compare import compare, headline, of_suite, read_numbers, verdict
from pipeline.tables.io import read_table, write_csv, write_json
from pipeline.tables.paths import NUMBERS, RESULTS, TABLES


def main(tables: Path = TABLES, results: Path = RESULTS, numbers: Path = NUMBERS) -> None:
    table1 = pl.read_csv(results / "table1.csv", glob=False)
    comparison = compare(of_suite(table1, read_table(tables, "games")), read_numbers(numbers))
    write_csv(comparison, results / "compare.csv")
    write_json(headline(table1, comparison), results / "metrics.json")
    print(verdict(comparison))


if __name__ == "__main__":
    main()
