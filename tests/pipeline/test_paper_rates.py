"""Patterns, stance and leaks as the notebooks compare them with the paper's."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.paper.adversarial import leak_rates, reported_leak_rates
from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import figure_values
from pipeline.paper.pattern_rates import (
    is_commonest,
    pattern_accuracy,
    pattern_rates,
    rank_agreement,
    reported_rates,
)
from pipeline.reports.plots.dots import BEYOND_COLOR, Count, counts_and_limits
from pipeline.reports.plots.heat import pattern_map, rate_text
from pipeline.reports.plots.planes import stance_plane

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


def test_a_team_that_shows_nothing_has_no_rank_correlation() -> None:
    silent = pattern_rates(PATTERNS.with_columns(occurrences=0, strict_occurrences=0))
    assert rank_agreement(silent, reported_rates(TABLE4, 1000))["rho"].to_list() == [None]


@pytest.mark.parametrize(
    ("gossip", "tax", "tasks", "commonest"),
    [
        (3, 1, 6, True),
        (1, 3, 7, False),
        (1, 3, 6, None),
        (3, 1, 5, None),
        (2, 2, 20, None),
        (3, 0, 6, True),
        (0, 3, 7, False),
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


def test_trust_counts_what_is_found_for_each_that_was_meant() -> None:
    truth = pl.DataFrame(
        [
            ("patterns", "tax", "false", 8, 0, 2, 1.0, 0.8),
            ("patterns", "tax", "true", 2, 2, 8, 0.5, 0.2),
            ("leaks", "all", "true", 1, 0, 0, 1.0, 1.0),
        ],
        schema=["finder", "part", "held_out", "hits", "false_alarms", "misses", "precision", "recall"],
        orient="row",
    )
    row = pattern_accuracy(truth).row(0, named=True)
    names = ("pattern", "recall_open", "recall_held_out", "found_per_meant_open", "found_per_meant_held_out")
    assert tuple(row[name] for name in names) == ("tax", 0.8, 0.2, 8 / 10, 4 / 10)
    assert pattern_accuracy(truth.clear()).is_empty()


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


def test_the_map_shows_every_rate_but_those_of_0() -> None:
    cells = pattern_rates(PATTERNS.with_columns(occurrences=pl.col("occurrences") * (pl.col("pattern") != "tax")))
    figure = pattern_map(
        cells.with_columns(name="team", kind=pl.lit("simulated")),
        {"errand": "errand talk"},
        "Patterns",
        "by construction of",
    )
    assert figure is not None
    axes = figure.axes[0]
    shown = [axes.get_xlabel(), *(text.get_text() for text in axes.texts)]
    assert (
        {"10.0", "2.0"} <= set(shown)
        and "0.0" not in shown
        and shown[0].split() == ["simulated", "speakers", "(no", "model)"]
    )
    assert "errand talk" in figure.get_supxlabel()
    assert pattern_map(cells.clear(), {}, "", "") is None
    silent = cells.with_columns(name="team", kind=pl.lit("other"), per_100=pl.lit(None, pl.Float64))
    assert pattern_map(silent, {}, "", "") is None


@pytest.mark.parametrize(("value", "words"), [(41.18, "41.2"), (0.126, "0.13"), (0.004, "<0.01")])
def test_rates_are_told_in_few_characters(value: float, words: str) -> None:
    assert rate_text(value) == words


def test_the_stance_plane_has_a_point_and_a_name_for_each_team() -> None:
    points = pl.DataFrame(
        {
            "name": ["a", "b"],
            "kind": ["simulated", "reported"],
            "acquiescence_pct": [10.0, None],
            "pushback_pct": [5.0, 1.0],
        }
    )
    figure = stance_plane(points, "Stance")
    assert figure is not None
    assert [text.get_text() for text in figure.axes[0].texts if text.get_text() in "ab"] == ["a"]
    assert stance_plane(points.clear(), "") is None


def test_only_counts_beyond_their_room_are_marked() -> None:
    panel = Count("rounds", "", {"a": 3.0, "b": 9.0}, {"a": 5.0, "b": 5.0, "c": 1.0})
    axes = counts_and_limits([panel], "Counts").axes[0]
    assert [text.get_text() for text in axes.texts] == ["9"]
    assert [line.get_color() == BEYOND_COLOR for line in axes.lines] == [False, True]
