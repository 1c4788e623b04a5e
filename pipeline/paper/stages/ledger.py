"""What became of every figure of the paper, as one table."""

from pathlib import Path

import duckdb
import polars as pl

from pipeline.paper.inconsistencies import TASKS, paper_checks
from pipeline.tables.io import write_csv
from pipeline.paper.ledger.build import ledger, read_paper
from pipeline.paper.ledger.facts import facts
from pipeline.paper.ledger.measures import from_results
from pipeline.paper.ledger.show import counts
from pipeline.paper.stages import RESULTS


def build(results: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The ledger of any results. The set-up is the study's own, whoever played.

    The paper's statements are checked where the suite's tasks have been made.
    """
    with results:
        return ledger(results, read_paper(), facts(RESULTS), paper_checks() if TASKS.is_file() else ())


def main(results: Path = RESULTS) -> None:
    found = build(from_results(results))
    write_csv(found, results / "ledger.csv")
    print(", ".join(f"{rows} {verdict}" for verdict, rows, _, _ in counts(found)))


if __name__ == "__main__":
    main()
