"""The paper's figures beside each other: what contradicts does so by computation, and would not with other figures."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pipeline.paper import agreements, contradictions
from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import (
    AGREES,
    ALL,
    CONTRADICTS,
    NOT_SHOWN,
    Check,
    Suite,
    failed_rounds,
    figures,
    games,
    meetings,
    models,
    varied_suite,
)
from pipeline.paper.inconsistencies import CHECKS, LEAKS, NUMBERS, checks

ROOT = Path(__file__).parents[2]
F = figures(read_numbers(ROOT / NUMBERS))
LISTED = pl.read_csv(ROOT / LEAKS)
SUITE = Suite(optimal_cost=979, fewest_moves=119)
ADVERSARIAL, BUCKETS = "section 4, Adversarial", "section 4, Difficulty buckets"

VERDICTS = {
    contradictions.false_agreements: CONTRADICTS,
    contradictions.unilateral_displacements: CONTRADICTS,
    contradictions.least_coordination: CONTRADICTS,
    contradictions.top_models: CONTRADICTS,
    contradictions.rarest_pattern: CONTRADICTS,
    contradictions.errand_ids: CONTRADICTS,
    contradictions.accepts_often: CONTRADICTS,
    contradictions.sd_map: CONTRADICTS,
    contradictions.stance_and_cost: NOT_SHOWN,
    contradictions.varied_leaks: NOT_SHOWN,
    agreements.ratios: AGREES,
    agreements.expensive_moves_add_up: AGREES,
    agreements.two_tables: AGREES,
    agreements.shares_in_prose: AGREES,
    agreements.difficulty_buckets: AGREES,
    agreements.messages_in_all: AGREES,
    agreements.whole_games: AGREES,
    agreements.leaks_by_model_and_setting: AGREES,
}

# What would have to be printed for the verdict to turn: one figure, or a few.
OTHERWISE = [
    (contradictions.false_agreements, {("Table 4", "pooled", m, "ambiguous_consensus"): 5.0 for m in
        ("GPT-5.4 Mini", "DeepSeek V4 Pro", "Llama 4 Maverick")}, AGREES),
    (contradictions.unilateral_displacements, {
        ("Table 4", "pooled", ALL, "unilateral_displacement"): 62.0,
        ("Table 4", "pooled", "Qwen3.6 Plus", "unilateral_displacement"): 23.0,
        ("Table 4", "pooled", "GPT-5.4 Mini", "unilateral_displacement"): 13.0}, AGREES),
    (contradictions.least_coordination, {("Table 1", "varied", "Qwen3.6 Plus", "coordination_rate_pct"): 95.0}, AGREES),
    (contradictions.top_models, {("Table 4", "pooled", ALL, "semantic_label_leakage"): 14.0}, AGREES),
    (contradictions.rarest_pattern, {("Table 4", "pooled", ALL, "semantic_label_leakage"): 12.0}, AGREES),
    (contradictions.errand_ids, {("Table 4", "pooled", "Llama 4 Maverick", "errand_id_leakage"): 130.0}, AGREES),
    (contradictions.accepts_often, {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_pct"): 36.0}, AGREES),
    (contradictions.varied_leaks, {(ADVERSARIAL, "varied", ALL, "induced_leaks"): 16.0}, AGREES),
    (agreements.ratios, {("Table 3", "pooled", "Gemini 3.1 Pro", "acquiescence_to_pushback"): 4.66}, CONTRADICTS),
    (agreements.expensive_moves_add_up, {("Table 4", "pooled", ALL, "qualitative_flattening"): 312.0}, CONTRADICTS),
    (agreements.two_tables, {("Table 2", "pooled", ALL, "false_agreement"): 38.0}, CONTRADICTS),
    (agreements.shares_in_prose, {("section 4.1", "pooled", ALL, "availability_gossip_pct"): 18.8}, CONTRADICTS),
    (agreements.difficulty_buckets, {(BUCKETS, "pooled:hard", ALL, "fairness"): 0.065}, CONTRADICTS),
    (agreements.messages_in_all, {("section 4.1", "pooled", ALL, "dms"): 38_500.0}, CONTRADICTS),
    (agreements.whole_games, {("Table 1", "uniform", "Claude Sonnet 4.6", "excess_cost"): 1.15}, CONTRADICTS),
    (agreements.leaks_by_model_and_setting, {(ADVERSARIAL, "uniform", ALL, "induced_leaks"): 10.0}, CONTRADICTS),
]  # fmt: skip

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


@pytest.mark.parametrize(
    ("suite", "short"),
    [
        (SUITE, ["Gemini 3 Flash", "Gemini 3.1 Pro"]),
        (Suite(979, 0), ["Gemini 3 Flash"]),
        (Suite(2000, 119), []),
    ],
)
def test_expensive_moves_cannot_cost_more_than_was_paid(suite: Suite, short: list[str]) -> None:
    check = contradictions.expensive_moves_paid(F, suite)
    told = check.computed
    assert [m for m in models(F) if told["cost_at_least"][m] > told["paid"][m]] == short
    assert check.verdict == (CONTRADICTS if short else AGREES)


def test_appendix_c_lists_what_the_text_counts() -> None:
    assert agreements.leaks_listed(F, LISTED).verdict == AGREES
    assert agreements.leaks_listed(F, LISTED.head(21)).verdict == CONTRADICTS


def test_contradictions_come_first_and_every_check_has_a_name() -> None:
    made = checks(F, SUITE, LISTED)
    order = [CONTRADICTS, NOT_SHOWN, AGREES]
    assert [c.verdict for c in made] == sorted((c.verdict for c in made), key=order.index)
    assert len({c.name for c in made}) == len(made) == len(CHECKS) + 2


def test_the_varied_tasks_leave_a_least_number_of_moves(tmp_path: Path) -> None:
    held = {"errand_id": 1, "cost": 100}
    task = {
        "calendars": [[held, None], [held, held]],
        "meetings": [{"participants": [0, 1]}],
        "optimal": {"cost": 7},
    }
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("\n".join(json.dumps({"setting": setting, **task}) for setting in ("varied", "uniform")))
    assert varied_suite(tasks) == Suite(optimal_cost=7, fewest_moves=1)
