"""What became of every figure of the paper, as one table."""

from pathlib import Path

from pipeline.paper.ledger.build import ledger_of
from pipeline.paper.ledger.command import counts
from pipeline.paper.ledger.measures import from_results
from pipeline.tables.io import write_csv
from pipeline.tables.paths import RESULTS


def main(results: Path = RESULTS) -> None:
    found = ledger_of(from_results(results))
    write_csv(found, results / "ledger.csv")
    print(", ".join(f"{rows} {verdict}" for verdict, rows, _, _ in counts(found)))


if __name__ == "__main__":
    main()
