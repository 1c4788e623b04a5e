"""The paper's figures beside each other: what contradicts does so by computation, and would not with other figures."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import ALL, Suite, failed_rounds, figure_values, games, meetings, models, varied_suite
from pipeline.paper.ledger.outcomes import TESTS, Outcome
from pipeline.paper.statements import confirmed, denied
from pipeline.paper.statements.cells import compared, printed_cells
from pipeline.paper.statements.check import AGREES, CONTRADICTS, NOT_SHOWN, UNDECIDED, Check
from pipeline.paper.statements.checks import (
    ADDITION,
    CHECKS,
    CONFIRMED,
    DENIED,
    EVIDENCE,
    EXACT,
    LEAKS,
    NEEDS_TRACES,
    OPPOSITE,
    PRINTED,
    SAME,
    SIMULATED,
    STATEMENT_VERDICTS,
    Statement,
    read_statements,
)
from pipeline.tables.paths import NUMBERS

ROOT = Path(__file__).parents[2]
F = figure_values(read_numbers(ROOT / NUMBERS))
LISTED = pl.read_csv(ROOT / LEAKS)
SUITE = Suite(optimal_cost=979, reduced=(*(0,) * 98, 188))  # at 98 less, all meetings cost 188 at least
ADVERSARIAL, BUCKETS = "section 4, Adversarial", "section 4, Difficulty buckets"

VERDICTS = {
    denied.false_agreements: CONTRADICTS,
    denied.unilateral_displacements: NOT_SHOWN,
    denied.least_coordination: CONTRADICTS,
    denied.top_models: CONTRADICTS,
    denied.errand_ids: CONTRADICTS,
    denied.accepts_often: NOT_SHOWN,
    denied.stance_and_cost: UNDECIDED,
    confirmed.ratios: AGREES,
    confirmed.expensive_moves_add_up: AGREES,
    confirmed.two_tables: AGREES,
    confirmed.shares_in_prose: AGREES,
    confirmed.difficulty_buckets: AGREES,
    denied.messages_in_all: UNDECIDED,
    confirmed.whole_games: AGREES,
    confirmed.leaks_by_model_and_setting: AGREES,
    confirmed.rarest_pattern: AGREES,
    confirmed.varied_leaks: AGREES,
}

# What would have to be printed for the verdict to turn: one figure, or a few. A new statement has a row here.
OTHERWISE = [
    (denied.false_agreements, {("Table 4", "pooled", m, "ambiguous_consensus"): 5.0 for m in
        ("GPT-5.4 Mini", "DeepSeek V4 Pro", "Llama 4 Maverick")}, AGREES),
    (denied.unilateral_displacements, {
        ("Table 4", "pooled", ALL, "unilateral_displacement"): 62.0,
        ("Table 4", "pooled", "Qwen3.6 Plus", "unilateral_displacement"): 23.0,
        ("Table 4", "pooled", "GPT-5.4 Mini", "unilateral_displacement"): 13.0}, AGREES),
    (denied.least_coordination, {("Table 1", "varied", "Qwen3.6 Plus", "coordination_rate_pct"): 95.0}, AGREES),
    (denied.top_models, {("Table 4", "pooled", ALL, "semantic_label_leakage"): 14.0}, AGREES),
    (denied.errand_ids, {("Table 4", "pooled", "Llama 4 Maverick", "errand_id_leakage"): 130.0}, AGREES),
    (denied.accepts_often, {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_pct"): 36.0}, AGREES),
    (confirmed.ratios, {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_to_pushback"): 4.66}, CONTRADICTS),
    (confirmed.expensive_moves_add_up, {("Table 4", "pooled", ALL, "qualitative_flattening"): 312.0}, CONTRADICTS),
    (confirmed.two_tables, {("Table 2", "pooled", ALL, "false_agreement"): 38.0}, CONTRADICTS),
    (confirmed.shares_in_prose, {("section 4.1", "pooled", ALL, "availability_gossip_pct"): 18.8}, CONTRADICTS),
    (confirmed.difficulty_buckets, {(BUCKETS, "pooled:hard", ALL, "fairness"): 0.065}, CONTRADICTS),
    (denied.messages_in_all, {("section 4.1", "pooled", ALL, "dms"): 38_500.0}, CONTRADICTS),
    (confirmed.whole_games, {("Table 1", "uniform", "Claude Sonnet 4.6", "excess_cost"): 1.15}, CONTRADICTS),
    (confirmed.leaks_by_model_and_setting, {(ADVERSARIAL, "uniform", ALL, "induced_leaks"): 10.0}, CONTRADICTS),
    (confirmed.rarest_pattern, {("Table 4", "pooled", ALL, "semantic_label_leakage"): 134.0}, CONTRADICTS),
    (confirmed.varied_leaks, {(ADVERSARIAL, "varied", ALL, "induced_leaks"): 8.0}, CONTRADICTS),
]  # fmt: skip

# No single figure turns it: a correlation is over all models.
WITHOUT_OTHERWISE = {denied.stance_and_cost}

FAILED = {
    "Claude Sonnet 4.6": 0, "DeepSeek V4 Pro": 5, "GPT-5.4 Mini": 13, "Gemini 3 Flash": 1,
    "Gemini 3.1 Pro": 0, "Llama 4 Maverick": 20, "Qwen3.6 Plus": 23,
}  # fmt: skip


def test_printed_means_imply_whole_games_and_failed_rounds() -> None:
    assert (games(F), meetings(F)) == (36, 5)
    assert {m: failed_rounds(F, m) for m in models(F)} == FAILED


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_check_has_its_verdict_on_the_printed_figures(check: Callable[..., Check]) -> None:
    assert check(F).verdict == VERDICTS[check]


@pytest.mark.parametrize(("check", "printed", "verdict"), OTHERWISE, ids=lambda value: getattr(value, "__name__", ""))
def test_a_verdict_turns_with_the_figures(
    check: Callable[..., Check], printed: dict[tuple[str, str, str, str], float], verdict: str
) -> None:
    assert set(printed) <= set(F), "a figure that the paper does not print"
    assert check({**F, **printed}).verdict == verdict != VERDICTS[check]


def test_each_check_has_a_verdict_and_figures_that_would_turn_it() -> None:
    assert set(CHECKS) == set(VERDICTS)
    assert {check for check, _, _ in OTHERWISE} == set(CHECKS) - WITHOUT_OTHERWISE


@pytest.mark.parametrize(
    ("suite", "short"),
    [
        (SUITE, ["Gemini 3 Flash", "Gemini 3.1 Pro"]),
        (Suite(979, ()), ["Gemini 3 Flash"]),
        (Suite(2000, SUITE.reduced), []),
    ],
)
def test_expensive_moves_cannot_cost_more_than_was_paid(suite: Suite, short: list[str]) -> None:
    check = denied.expensive_moves_paid(F, suite)
    computed = check.computed
    assert [m for m in models(F) if computed["cost_at_least"][m] > computed["paid"][m]] == short
    assert check.verdict == (CONTRADICTS if short else AGREES)


def test_appendix_c_lists_what_the_text_counts() -> None:
    assert confirmed.leaks_listed(F, LISTED).verdict == AGREES
    assert confirmed.leaks_listed(F, LISTED.head(21)).verdict == CONTRADICTS


def test_meetings_with_so_many_expensive_moves_cost_no_less_than_the_bound(tmp_path: Path) -> None:
    dear, cheap = {"errand_id": 1, "cost": 100}, {"errand_id": 2, "cost": 1}
    task = {
        "calendars": [[dear, cheap, None], [dear, dear, cheap]],
        "meetings": [{"participants": [0, 1]}, {"participants": [0, 1]}],
        "optimal": {"cost": 102},
    }
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(json.dumps({"setting": setting, **task}) for setting in ("varied", "uniform")))
    suite = varied_suite(tasks)
    assert suite.optimal_cost == 102
    # Slots cost 200, 101 and 1: with one such move 101 + 1, with two 200 + 1, with three 200 + 101.
    assert [suite.cost_with(moves) for moves in (1, 2, 3)] == [102, 201, 301]


CELLS = printed_cells(ROOT / NUMBERS)
STATEMENTS = read_statements(ROOT / "data/paper/statements.yaml")
OF_PRINT = [s for s in STATEMENTS if s.compare and s.evidence == PRINTED]


def test_a_statement_has_a_name_of_its_own_and_one_test_at_most() -> None:
    assert len({s.id for s in STATEMENTS}) == len(STATEMENTS)
    assert [s.id for s in STATEMENTS if bool(s.compare) + bool(s.query) + bool(s.passage) > 1] == []
    assert {s.test for s in STATEMENTS} <= set(TESTS)
    assert {s.evidence for s in STATEMENTS} == set(EVIDENCE)
    assert {s.otherwise for s in STATEMENTS} <= {"", *STATEMENT_VERDICTS}


@pytest.mark.parametrize("statement", OF_PRINT, ids=lambda s: s.id)
def test_a_comparison_selects_printed_figures_on_both_sides(statement: Statement) -> None:
    assert compared(statement.compare, CELLS).n > 0


def cells(*rows: tuple[str, str, str, float]) -> pl.DataFrame:
    """Cells of one metric, with two decimals."""
    schema = ["source", "setting", "method", "value"]
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        metric=pl.lit("cost"), decimals=pl.lit(2, pl.Int64)
    )


TWO = cells(("T", "easy", "a", 1.0), ("T", "easy", "b", 2.0), ("T", "hard", "a", 3.0), ("T", "hard", "b", 1.5))
COMPARED = [
    ({"left": {"of": "a"}, "is": "<", "right": {"of": "b"}, "by": "setting"}, False, 2),
    ({"left": {"of": "a"}, "is": ">", "right": {"but": "a"}, "all": {"in": "hard"}}, True, 1),
    ({"left": {"of": "a", "in": "easy", "over": {"in": "easy", "take": "sum"}}, "is": "<", "right": 0.34}, True, 1),
    ({"left": {"of": "b", "in": "easy", "times": 2}, "is": "=", "right": 4}, True, 1),
    ({"left": {"of": "a", "in": "easy"}, "is": "=", "right": 1.005}, True, 1),
]


@pytest.mark.parametrize(("comparison", "holds", "pairs"), COMPARED)
def test_a_comparison_is_of_every_pair_that_it_names(comparison: dict[str, object], holds: bool, pairs: int) -> None:
    found = compared([comparison], TWO)
    assert (found.holds, found.opposite, found.n) == (holds, not holds, pairs)


def test_a_comparison_without_cells_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match=r"nothing to compare.*nobody"):
        compared([{"left": {"of": "nobody"}, "is": "<", "right": 1}], TWO)


def outcome(holds: bool, p: float | None) -> Outcome:
    return Outcome("a test", holds, not holds, "", 3, "cases", p_value=p, p_holm=p)


BY_EVIDENCE = [
    (EXACT, outcome(True, None), CONFIRMED),
    (EXACT, outcome(False, 0.2), UNDECIDED),
    (PRINTED, outcome(False, None), DENIED[PRINTED]),
    (SIMULATED, outcome(True, 0.01), SAME),
    (SIMULATED, outcome(False, 0.01), OPPOSITE),
    (SIMULATED, outcome(False, 0.2), UNDECIDED),
    (PRINTED, None, NEEDS_TRACES),
]


@pytest.mark.parametrize(("evidence", "found", "verdict"), BY_EVIDENCE)
def test_a_verdict_says_by_what_evidence_and_never_more_than_the_test(
    evidence: str, found: Outcome | None, verdict: str
) -> None:
    assert Statement("a", "here", "it is so", evidence).verdict(found) == verdict


def test_an_addition_is_outside_the_tally_whatever_it_shows() -> None:
    beside = Statement("a", "here", "beyond chance", EXACT, addition=True)
    assert {beside.verdict(outcome(holds, p)) for holds in (True, False) for p in (None, 0.001, 0.2)} == {ADDITION}
    assert beside.family != Statement("b", "here", "it is so", EXACT).family
