"""What became of every figure of the paper, as one table."""

from pathlib import Path

from pipeline.paper.ledger.build import ledger_of_results
from pipeline.paper.ledger.command import verdict_counts
from pipeline.paper.ledger.measures import open_results
from pipeline.tables.io import write_csv
from pipeline.tables.paths import RESULTS


def main(results: Path = RESULTS) -> None:
    ledger = ledger_of_results(open_results(results))
    write_csv(ledger, results / "ledger.csv")
    print(", ".join(f"{rows} {verdict}" for verdict, rows, _, _ in verdict_counts(ledger)))


if __name__ == "__main__":
    main()
