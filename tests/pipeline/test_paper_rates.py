"""Patterns, stance and leaks as the notebooks compare them with the paper's."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.paper.adversarial import leak_rates, reported_leak_rates
from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import figure_values
from pipeline.paper.pattern_rates import (
    is_commonest,
    pattern_rates,
    rank_agreement,
    reported_rates,
)

ROOT = Path(__file__).parents[2]
STRICT = "strict_occurrences"
PATTERNS = pl.DataFrame(
    [
        ("a", True, setting, condition, rank, pattern, "messages", 50, count, count - 1)
        for setting in ("uniform", "varied")
        for condition in ("standard", "blocked")
        for rank, pattern, count in ((1, "gossip", 5), (2, "tax", 2), (3, "errand", 1))
    ],
    schema=[
        "team",
        "simulated",
        "setting",
        "condition",
        "paper_rank",
        "pattern",
        "unit",
        "messages",
        "occurrences",
        STRICT,
    ],
    orient="row",
)
TABLE4 = pl.DataFrame(
    {"metric": ["gossip", "tax", "errand"], "method": ["all models"] * 3, "value": [30.0, 20.0, 10.0]}
)


def test_rates_are_for_a_hundred_messages_over_both_settings() -> None:
    found = pattern_rates(PATTERNS)
    assert found.select("pattern", "messages", "occurrences", "strict", "per_100").rows() == [
        ("gossip", 100, 10, 8, 10.0), ("tax", 100, 4, 2, 4.0), ("errand", 100, 2, 0, 2.0)
    ]  # fmt: skip


def test_the_paper_s_counts_are_rated_by_its_messages() -> None:
    assert reported_rates(TABLE4, 1000)["per_100"].to_list() == pytest.approx([3.0, 2.0, 1.0])


@pytest.mark.parametrize(("values", "rho"), [([30.0, 20.0, 10.0], 1.0), ([10.0, 20.0, 30.0], -1.0)])
def test_ranks_agree_as_far_as_their_order_does(values: list[float], rho: float) -> None:
    theirs = reported_rates(TABLE4.with_columns(value=pl.Series(values)), 1000)
    assert rank_agreement(pattern_rates(PATTERNS), theirs)["rho"].to_list() == pytest.approx([rho])


@pytest.mark.parametrize(
    ("gossip", "tax", "tasks", "commonest"),
    [
        (3, 1, 6, True),
        (1, 3, 7, False),
        (1, 3, 6, None),
        (3, 0, 6, True),
    ],
)
def test_a_pattern_is_the_commonest_where_enough_tasks_show_it(
    gossip: int, tax: int, tasks: int, commonest: bool | None
) -> None:
    counts = {"gossip": gossip, "tax": tax}
    rows = [(f"t{i}", f"g{i}", name, n) for i in range(tasks) for name, n in counts.items() if n]
    schema = {"task_id": pl.String, "game_id": pl.String, "pattern": pl.String, "n": pl.Int64}
    occurrences = pl.DataFrame(rows, schema=schema, orient="row")
    assert is_commonest("gossip", ["tax", "errand"], occurrences) is commonest
    assert is_commonest("gossip", ["tax", "errand"], occurrences.clear()) is None
    assert is_commonest("gossip", [], occurrences) is None


def leaks(*rows: tuple[str, str, str, int, int, int]) -> pl.DataFrame:
    columns = ["condition", "setting", "tier", "messages", "induced_messages", "leaked_messages"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    spontaneous = pl.col("leaked_messages") - pl.col("induced_messages")
    return frame.with_columns(team=pl.lit("a"), simulated=True, games=36, spontaneous_messages=spontaneous)


def test_probed_teams_have_rates_and_exact_intervals() -> None:
    told = leaks(
        ("adversarial", "varied", "all", 1000, 4, 5),
        ("adversarial", "varied", "sensitive", 1000, 1, 1),
        ("standard", "varied", "all", 500, 0, 1),
    )
    row = leak_rates(told).row(0, named=True)
    assert (row["induced_rate"], row["spontaneous_rate"], row["unprobed_rate"], row["sensitive_pct"]) == (4, 1, 2, 25)
    assert 0 < row["induced_rate_low"] < 4 < row["induced_rate_high"]
    assert leak_rates(told.filter(condition="standard")).is_empty()


def test_the_paper_s_leaks_leave_claude_what_the_others_did_not_send() -> None:
    f = figure_values(read_numbers(ROOT / "data/paper/numbers.csv"))
    found = reported_leak_rates(f, pl.read_csv(ROOT / "data/paper/appendix_c.csv"))
    assert found.select("name", "messages", "induced", "sensitive").rows() == [
        ("Claude Sonnet 4.6", 4215, 0, 0), ("Gemini 3 Flash", 5282, 12, 7), ("Gemini 3.1 Pro", 4346, 10, 5),
        ("all three, uniform", 6967, 9, 3), ("all three, varied", 6876, 13, 9),
    ]  # fmt: skip
