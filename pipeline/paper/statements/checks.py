"""Every check of a statement of the paper against its own figures.

Statements that are confirmed are listed too, so that a reader sees what was tried.
"""

from pathlib import Path

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import Figures, Suite, figure_values, varied_suite
from pipeline.paper.statements import confirmed, denied
from pipeline.paper.statements.check import VERDICTS, Check
from pipeline.tables.paths import NUMBERS

LEAKS, TASKS = Path("data/paper/appendix_c.csv"), Path("data/suites/standard.jsonl")
CHECKS = (*denied.CHECKS, *confirmed.CHECKS)


def check_statements(f: Figures, suite: Suite, leaks: pl.DataFrame) -> list[Check]:
    """Every check, contradictions first.

    f: of `figure_values`. suite: of `varied_suite`. leaks: rows of data/paper/appendix_c.csv.
    """
    checks = [denied.expensive_moves_paid(f, suite), *(check(f) for check in CHECKS), confirmed.leaks_listed(f, leaks)]
    return sorted(checks, key=lambda check: VERDICTS.index(check.verdict))


def check_paper(numbers: Path = NUMBERS, tasks: Path = TASKS, leaks: Path = LEAKS) -> list[Check]:
    """Every check, from the project's files."""
    return check_statements(figure_values(read_numbers(numbers)), varied_suite(tasks), pl.read_csv(leaks))
