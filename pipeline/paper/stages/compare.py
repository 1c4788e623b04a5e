"""The paper's baseline figures beside ours, and the headline figures as DVC metrics."""

from pathlib import Path

import polars as pl

from pipeline.paper.compare import compare, headline, read_numbers, verdict
from pipeline.tables.io import write_csv, write_json
from pipeline.tables.paths import NUMBERS, RESULTS


def main(results: Path = RESULTS, numbers: Path = NUMBERS) -> None:
    table1 = pl.read_csv(results / "table1.csv", glob=False)
    comparison = compare(table1, read_numbers(numbers))
    write_csv(comparison, results / "compare.csv")
    write_json(headline(table1, comparison), results / "metrics.json")
    print(verdict(comparison))


if __name__ == "__main__":
    main()
