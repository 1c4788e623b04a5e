"""What became of every figure of the paper, and of every statement that can be tested, as two tables."""

from pathlib import Path

from pipeline.paper.ledger.build import ledger_of_results
from pipeline.paper.ledger.measures import open_results, open_tables, other_games
from pipeline.paper.ledger.printed import statement_counts, verdict_counts
from pipeline.paper.statements.checks import statements_of_study
from pipeline.tables.io import write_csv
from pipeline.tables.paths import RESULTS


def main(results: Path = RESULTS) -> None:
    """Write the ledger of a folder of results; the tables that they are of stand beside it, in `tables`. Games of other
    tasks than the paper's are left out."""
    tables = results.with_name("tables")
    others = other_games(tables)
    ledger = ledger_of_results(open_tables(tables, others) if others else open_results(results, tables))
    write_csv(ledger, results / "ledger.csv")
    print(", ".join(f"{rows} {verdict}" for verdict, rows, _, _ in verdict_counts(ledger)))


def write_statements() -> None:
    """Write the ledger of statements, which is about the study's own games."""
    statements = statements_of_study()
    write_csv(statements, RESULTS / "statements.csv")
    print(", ".join(f"{rows} {verdict}" for verdict, rows, _ in statement_counts(statements)))


if __name__ == "__main__":
    main()
    write_statements()
