"""Where the paper's own figures meet each other: what contradicts, what is not shown, and what agrees.

What agrees is listed too, so that a reader sees what was tried.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from pipeline.paper import agreements, contradictions
from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import VERDICTS, Check, Figures, Suite, figures, varied_suite
from pipeline.tables.paths import NUMBERS

LEAKS, TASKS = Path("data/paper/appendix_c.csv"), Path("data/suites/standard.jsonl")

CHECKS: tuple[Callable[[Figures], Check], ...] = (
    contradictions.false_agreements,
    contradictions.unilateral_displacements,
    contradictions.least_coordination,
    contradictions.top_models,
    contradictions.rarest_pattern,
    contradictions.errand_ids,
    contradictions.accepts_often,
    contradictions.sd_map,
    contradictions.stance_and_cost,
    contradictions.varied_leaks,
    agreements.ratios,
    agreements.expensive_moves_add_up,
    agreements.two_tables,
    agreements.shares_in_prose,
    agreements.difficulty_buckets,
    agreements.messages_in_all,
    agreements.whole_games,
    agreements.leaks_by_model_and_setting,
)


def checks(f: Figures, suite: Suite, leaks: pl.DataFrame) -> list[Check]:
    """Every check, contradictions first. leaks: rows of data/paper/appendix_c.csv."""
    made = [contradictions.expensive_moves_paid(f, suite), *(check(f) for check in CHECKS)]
    made.append(agreements.leaks_listed(f, leaks))
    return sorted(made, key=lambda check: VERDICTS.index(check.verdict))


def paper_checks(numbers: Path = NUMBERS, tasks: Path = TASKS, leaks: Path = LEAKS) -> list[Check]:
    """Every check of the paper's figures in the project's files."""
    return checks(figures(read_numbers(numbers)), varied_suite(tasks), pl.read_csv(leaks))
