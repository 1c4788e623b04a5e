"""The paper's figures beside each other: what contradicts does so by computation, and would not with other figures."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from pipeline.paper.figures import ALL, expensive_bounds
from pipeline.paper.ledger.outcomes import TESTS, Outcome
from pipeline.paper.statements.cells import compared, our_cells, printed_cells
from pipeline.paper.statements.checks import (
    ADDITION,
    BY_CONSTRUCTION,
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
    UNDECIDED,
    Statement,
    add_printed,
    by_family,
    read_statements,
)
from pipeline.paper.statements.checks import NOT_SHOWN as UNSHOWN
from pipeline.tables.paths import NUMBERS

ROOT = Path(__file__).parents[2]
ADVERSARIAL, BUCKETS = "section 4, Adversarial", "section 4, Difficulty buckets"
NUMBERS_CSV = (ROOT / NUMBERS).read_text(encoding="utf-8")
STATEMENTS = read_statements(ROOT / "data/paper/statements.yaml")
BESIDE = {s.id: s for s in STATEMENTS if s.test == "beside"}
DISPLACED = "unilateral_displacement"

# What would have to be printed for the verdict to turn: a figure, or a few. A new statement has a row here.
OTHERWISE = [
    ("false-agreements", {("Table 4", "pooled", m, "ambiguous_consensus"): 5.0 for m in
        ("GPT-5.4 Mini", "DeepSeek V4 Pro", "Llama 4 Maverick")}, CONFIRMED),
    ("unilateral-displacements", {
        ("Table 4", "pooled", ALL, DISPLACED): 62.0, ("Table 4", "pooled", "Qwen3.6 Plus", DISPLACED): 23.0,
        ("Table 4", "pooled", "GPT-5.4 Mini", DISPLACED): 13.0}, CONFIRMED),
    ("lowest-coordination", {("Table 1", "varied", "Qwen3.6 Plus", "coordination_rate_pct"): 95.0}, CONFIRMED),
    ("top-models-of-a-pattern", {("Table 4", "pooled", ALL, "semantic_label_leakage"): 14.0}, CONFIRMED),
    ("whose-errand-ids", {("Table 4", "pooled", "Llama 4 Maverick", "errand_id_leakage"): 130.0}, CONFIRMED),
    ("who-accepts-often", {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_pct"): 36.0}, CONFIRMED),
    ("expensive-moves-and-what-they-cost", {("Table 1", "varied", "Gemini 3 Flash", "excess_cost"): 30.0}, CONFIRMED),
    ("messages-in-all", {("section 4.1", "pooled", ALL, "dms"): 38_500.0}, DENIED[PRINTED]),
    ("ratios-of-stance", {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_to_pushback"): 4.66}, DENIED[PRINTED]),
    ("expensive-moves-in-all", {("Table 4", "pooled", ALL, "qualitative_flattening"): 312.0}, DENIED[PRINTED]),
    ("one-count-in-two-tables", {("Table 2", "pooled", ALL, "false_agreement"): 38.0}, DENIED[PRINTED]),
    ("shares-in-the-text", {("section 4.1", "pooled", ALL, "availability_gossip_pct"): 18.8}, DENIED[PRINTED]),
    ("means-by-difficulty", {(BUCKETS, "pooled:hard", ALL, "fairness"): 0.065}, DENIED[PRINTED]),
    ("means-of-whole-games", {("Table 1", "uniform", "Claude Sonnet 4.6", "excess_cost"): 1.15}, DENIED[PRINTED]),
    ("leaks-in-all", {(ADVERSARIAL, "uniform", ALL, "induced_leaks"): 10.0}, DENIED[PRINTED]),
    ("leaks-listed", {(ADVERSARIAL, "pooled", "Gemini 3.1 Pro", "induced_leaks"): 11.0}, DENIED[PRINTED]),
    ("the-rarest-violation", {("Table 4", "pooled", ALL, "semantic_label_leakage"): 134.0}, DENIED[PRINTED]),
    ("leaks-where-costs-vary", {(ADVERSARIAL, "varied", ALL, "induced_leaks"): 8.0}, DENIED[PRINTED]),
]  # fmt: skip
# Rounds that Table 1 leaves failed.
FAILED = {
    "Claude Sonnet 4.6": 0, "DeepSeek V4 Pro": 5, "GPT-5.4 Mini": 13, "Gemini 3 Flash": 1,
    "Gemini 3.1 Pro": 0, "Llama 4 Maverick": 20, "Qwen3.6 Plus": 23,
}  # fmt: skip


def printed(folder: Path, changed: Mapping[tuple[str, str, str, str], float]) -> duckdb.DuckDBPyConnection:
    """The paper's figures, some of them changed, and a suite of one varied task whose optimum costs 979."""
    numbers = pl.read_csv(NUMBERS_CSV.encode(), infer_schema=False)
    keys = numbers.select("source", "setting", "method", "metric").rows()
    assert set(changed) <= set(keys), "a figure that the paper does not print"
    values = [str(changed.get(key, value)) for key, value in zip(keys, numbers["value"], strict=True)]
    numbers.with_columns(value=pl.Series(values)).write_csv(folder / "numbers.csv")
    task = {"setting": "varied", "calendars": [[None]], "meetings": [{"participants": [0]}], "optimal": {"cost": 979}}
    (folder / "tasks.jsonl").write_text(json.dumps(task))
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA results; SET search_path = 'results,main'")
    add_printed(connection, folder / "tasks.jsonl", ROOT / LEAKS, folder / "numbers.csv")
    return connection


def verdict(statement: Statement, connection: duckdb.DuckDBPyConnection) -> str:
    return statement.verdict(statement.outcome(connection, CELLS))


def test_printed_means_imply_whole_games_and_failed_rounds(tmp_path: Path) -> None:
    connection = printed(tmp_path, {})
    assert connection.sql("SELECT models, games, meetings FROM size").fetchall() == [(7, 36, 5)]
    assert dict(connection.sql("SELECT method, sum(failed)::INT FROM failed GROUP BY method").fetchall()) == FAILED


@pytest.mark.parametrize(("name", "changed", "turned"), OTHERWISE, ids=[name for name, *_ in OTHERWISE])
def test_a_verdict_turns_with_the_printed_figures(
    name: str, changed: dict[tuple[str, str, str, str], float], turned: str, tmp_path: Path
) -> None:
    as_printed = verdict(BESIDE[name], printed(tmp_path, {}))
    assert as_printed != verdict(BESIDE[name], printed(tmp_path, changed)) == turned


def test_each_statement_set_beside_others_has_figures_that_would_turn_it() -> None:
    assert sorted(name for name, *_ in OTHERWISE) == sorted(BESIDE)


def test_meetings_with_so_many_expensive_moves_cost_no_less_than_the_bound(tmp_path: Path) -> None:
    dear, cheap = {"errand_id": 1, "cost": 100}, {"errand_id": 2, "cost": 1}
    task = {
        "calendars": [[dear, cheap, None], [dear, dear, cheap]],
        "meetings": [{"participants": [0, 1]}, {"participants": [0, 1]}],
        "optimal": {"cost": 102},
    }
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(json.dumps({"setting": setting, **task}) for setting in ("varied", "uniform")))
    # Slots cost 200, 101 and 1: with one such move 101 + 1, with two 200 + 1, with three 200 + 101.
    assert expensive_bounds(tasks, 4).rows() == [(0, 102), (1, 102), (2, 201), (3, 301)]


CELLS = printed_cells(ROOT / NUMBERS)
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
    ({"left": {"of": "a"}, "is": "<", "right": {"of": "b"}, "all": {"in": "easy"}}, True, 1),
    ({"left": {"in": "hard"}, "is": ">", "right": {"in": "easy"}, "by": "method"}, False, 2),
    ({"left": {"of": "a"}, "is": ">", "right": {"but": "a"}, "all": {"in": "hard"}}, True, 1),
    ({"left": {"of": "a", "take": "sum"}, "is": "=", "right": 4}, True, 1),
    ({"left": {"take": "mean", "per": "method"}, "is": ">=", "right": 1.75}, True, 2),
    ({"left": {"of": "a", "in": "easy", "over": {"in": "easy", "take": "sum"}}, "is": "<", "right": 0.34}, True, 1),
    ({"left": {"of": "b", "in": "easy", "times": 2}, "is": "=", "right": 4}, True, 1),
    ({"left": {"of": "a", "in": "easy"}, "is": "=", "right": 1.005}, True, 1),
    ({"left": {"of": "a", "in": "easy"}, "is": "=", "right": 1.006}, False, 1),
]


@pytest.mark.parametrize(("comparison", "holds", "pairs"), COMPARED)
def test_a_comparison_is_of_every_pair_that_it_names(comparison: dict[str, object], holds: bool, pairs: int) -> None:
    found = compared([comparison], TWO)
    assert (found.holds, found.opposite, found.n) == (holds, not holds, pairs)


def test_a_comparison_without_cells_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match=r"nothing to compare.*nobody"):
        compared([{"left": {"of": "nobody"}, "is": "<", "right": 1}], TWO)


def test_our_cells_are_the_protocols_under_their_printed_names() -> None:
    table1 = pl.DataFrame(
        {"team": ["imap", "exact", "sd"], "setting": ["uniform"] * 3, "condition": ["blocked", "standard", "standard"]}
    ).with_columns(excess_cost=pl.Series([1.0, 2.0, 3.0]))
    assert our_cells(table1).select("setting", "method", "value").rows() == [
        ("blocked uniform", "IMAP", 1.0),
        ("uniform", "SD-MAP", 3.0),
    ]


def outcome(holds: bool, p: float | None) -> Outcome:
    return Outcome("a test", holds, not holds, "", 3, "cases", p_value=p, p_holm=p)


BY_EVIDENCE = [
    (EXACT, outcome(True, None), CONFIRMED),
    (EXACT, outcome(False, None), DENIED[EXACT]),
    (EXACT, outcome(False, 0.2), UNDECIDED),
    (EXACT, outcome(True, 0.2), UNDECIDED),
    (PRINTED, outcome(False, None), DENIED[PRINTED]),
    (PRINTED, outcome(True, 0.2), UNDECIDED),
    (BY_CONSTRUCTION, outcome(True, None), CONFIRMED),
    (BY_CONSTRUCTION, outcome(False, None), DENIED[EXACT]),
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


def test_what_does_not_hold_under_one_reading_only_is_not_said_to_be_contradicted() -> None:
    doubtful = Statement("a", "here", "it is so", EXACT, otherwise=UNSHOWN)
    assert doubtful.verdict(outcome(False, None)) == UNSHOWN
    assert doubtful.verdict(outcome(True, None)) == CONFIRMED
    assert doubtful.verdict(outcome(False, 0.2)) == UNDECIDED, "chance decides nothing under any reading"


def test_an_addition_is_outside_the_tally_whatever_it_shows() -> None:
    beside = Statement("a", "here", "beyond chance", EXACT, addition=True)
    assert {beside.verdict(outcome(holds, p)) for holds in (True, False) for p in (None, 0.001, 0.2)} == {ADDITION}
    assert beside.family != Statement("b", "here", "it is so", EXACT).family


def test_a_test_is_corrected_with_those_of_its_own_family_only() -> None:
    tested = by_family([outcome(True, 0.01), outcome(True, 0.04), None, outcome(True, 0.02)], ["a", "b", "a", "a"])
    assert [o and o.p_holm for o in tested] == [0.02, 0.04, None, 0.02]


def test_what_is_read_in_the_text_is_said_to_be_read() -> None:
    shown = Statement("a", "here", "it is so", passage="item 2 says so")
    lacking = Statement("b", "here", "it is so", passage="no item says so", otherwise=UNSHOWN)
    nothing: Any = None  # no query is asked
    read = [(s, s.outcome(nothing, CELLS)) for s in (shown, lacking)]
    assert [(o.test, s.verdict(o)) for s, o in read if o] == [
        ("read in the text", CONFIRMED),
        ("read in the text", UNSHOWN),
    ]
