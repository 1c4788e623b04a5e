"""Precision and recall against what simulated speakers meant."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from behaviour_tables import derived
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builder import TraceBuilder

from pipeline.behaviour.tables import detector_counts
from pipeline.statistics.detector_accuracy import gold_accuracy, precision_and_recall, read_gold
from pipeline.statistics.resampling import Resampling, game_draws, percentiles
from pipeline.tables.io import to_frame
from pipeline.tables.schemas.base import TABLES

Meant = dict[str, Any]

RECORD = {"errands": {"1": {"label": "Lithium talk", "tier": "sensitive", "terms": ["lithium"]}}}


def slot(target: int, number: int, free: bool) -> Meant:
    return {"target": target, "slot": number, "free": free, "kind": "positive" if free else "negative"}


def meant(*statements: Meant, held_out: bool = False, **more: Any) -> Meant:
    return {"act": "test", "statements": list(statements), "held_out": held_out, "phrases": ["p1"], **more}


def talk(*said: tuple[int, int, str, Meant | None]) -> TraceBuilder:
    """A game of messages (sender, recipient, text, what was meant), each a turn of its own."""
    trace = TraceBuilder(scenario={"labels": RECORD}).round(0)
    for sender, recipient, text, intent in said:
        trace.event("turn_end", round=0, agent_id=sender, tool_calls=[{}], intent=[intent])
        trace.dm(0, sender, recipient, text)
    return trace


def judged(trace: TraceBuilder, finder: str) -> dict[tuple[str, bool], tuple[int, int, int]]:
    """(part, held out) → (hits, false alarms, misses)."""
    rows = derived(trace)["truth"].filter(finder=finder)
    names = ("part", "held_out", "hits", "false_alarms", "misses")
    return {(part, held): tuple(counts) for part, held, *counts in rows.select(names).iter_rows()}


def test_intents_belong_to_the_messages_of_their_turn_in_order() -> None:
    first, third = meant(slot(0, 1, True)), meant(slot(0, 2, False), held_out=True)
    trace = TraceBuilder().round(0)
    trace.event("turn_end", round=0, agent_id=0, tool_calls=[{}] * 4, intent=[first, None, meant(), third])
    trace.dm(0, 0, 1, "one").event("invalid_tool_call", round=0, agent_id=0, tool_call={}, reason="no")
    trace.dm(0, 0, 1, "two").dm(0, 0, 2, "three").dm(0, 1, 0, "not meant")
    tables, start = derived(trace), len(trace.content["events"]) - 5
    assert tables["intents"].select("event_index", "agent", "held_out").rows() == [
        (start, 0, False),
        (start + 2, 0, False),
        (start + 3, 0, True),
    ]
    assert tables["intended_statements"].select("event_index", "slot", "free").rows() == [
        (start, 1, True),
        (start + 3, 2, False),
    ]


def evidence(*rows: tuple[int, int, int, float]) -> pl.DataFrame:
    names = ("event_index", "target_agent", "slot", "evidence")
    every = [
        {"game_id": "game-1", "round": 0, "update_index": i, **dict(zip(names, row, strict=True))}
        for i, row in enumerate(rows)
    ]
    return to_frame(
        TABLES["belief_evidence"], [tuple(row.get(n) for n in TABLES["belief_evidence"].names) for row in every]
    )


def test_language_evidence_is_judged_by_target_slot_and_side() -> None:
    trace = talk(
        (0, 1, "one", meant(slot(0, 1, True), slot(2, 3, False), slot(1, 2, True))), (1, 0, "two", meant(held_out=True))
    )
    tables = derived(trace)
    first, second = tables["intents"]["event_index"].to_list()
    found = evidence((first, 0, 1, 0.95), (first, 0, 1, 0.7), (first, 2, 3, 0.51), (second, 1, 0, 0.25))
    rows = detector_counts(tables | {"belief_evidence": found}).filter(finder="language")
    assert rows.select("part", "held_out", "hits", "false_alarms", "misses").rows() == [
        ("all", False, 1, 1, 1),
        ("all", True, 0, 1, 0),
        ("feasible", False, 1, 1, 0),
        ("infeasible", False, 0, 0, 1),
        ("infeasible", True, 0, 1, 0),
    ]


def test_leaks_are_judged_by_label_and_tier() -> None:
    label = {"slot": 0, "kind": "errand", "id": 1, "label": "Lithium talk"}
    trace = talk(
        (0, 1, "It's about lithium.", meant(labels=[label])),
        (0, 1, "It's about a talk.", meant(labels=[label])),
        (0, 1, "The lithium again.", meant()),
        (0, 1, "Lithium, unjudged.", None),
    )
    assert judged(trace, "leaks") == {("all", False): (1, 1, 1), ("sensitive", False): (1, 1, 1)}


def test_patterns_are_judged_by_message() -> None:
    trace = talk(
        (0, 1, "My errand moves.", meant(behaviours=["errand_mention", "something_else"])),
        (0, 1, "An errand.", meant()),
        (0, 1, "Agent 2 said so. I am free.", meant(behaviours=["availability_gossip"], held_out=True)),
    )
    assert judged(trace, "patterns") == {
        ("all", False): (1, 1, 0),
        ("all", True): (1, 0, 0),
        ("availability_gossip", True): (1, 0, 0),
        ("availability_gossip_strict", True): (0, 0, 1),
        ("errand_mention", False): (1, 1, 0),
    }


def test_a_game_without_intents_is_not_judged() -> None:
    assert derived(TraceBuilder().round(0).dm(0, 0, 1, "My errand."))["truth"].height == 0


COUNTS = st.lists(st.tuples(*(st.integers(0, 9) for _ in range(3))), min_size=1, max_size=8)


def counted(games: list[tuple[int, int, int]], part: str = "all") -> pl.DataFrame:
    """A game each with these hits, false alarms and misses, all of its messages from a template of its own."""
    rows = [(f"g{i}", "leaks", part, False, f"open.t{i}", *counts) for i, counts in enumerate(games)]
    return to_frame(TABLES["truth"], rows)


@settings(max_examples=12)
@given(COUNTS)
def test_shares_lie_in_their_intervals_and_come_out_the_same_again(games: list[tuple[int, int, int]]) -> None:
    few = Resampling(resamples=60)
    table = precision_and_recall(counted(games), few)
    assert table.equals(precision_and_recall(counted(games).sample(fraction=1.0, shuffle=True, seed=1), few))
    row = table.row(0, named=True)
    hits, alarms, _ = map(sum, zip(*games, strict=True))
    assert row["precision"] == (pytest.approx(hits / (hits + alarms)) if hits + alarms else None)
    for measure in ("precision", "recall"):
        low, high = row[f"{measure}_low"], row[f"{measure}_high"]
        assert low is None or 0 <= low <= high <= 1
        assert (low is None) == (row[measure] is None or len(games) < 2)


def test_intervals_are_those_of_templates_drawn_anew() -> None:
    games = [(9, 1, 0)] * 50 + [(1, 9, 0)] * 50
    row = precision_and_recall(counted(games), Resampling()).row(0, named=True)
    assert (row["precision"], row["recall"], row["recall_low"]) == (0.5, 1.0, 1.0)
    half_width = 1.96 * 0.4 / 100**0.5
    assert (row["precision_low"], row["precision_high"]) == pytest.approx(
        (0.5 - half_width, 0.5 + half_width), abs=0.012
    )


def test_a_message_counts_as_often_as_its_templates_together() -> None:
    rows = [
        ("g", "leaks", "all", False, wording, hits, 2 - hits, 0) for wording, hits in (("a+b", 2), ("b", 0), ("a", 1))
    ]
    times = dict(zip(("a", "b"), game_draws(2, Resampling(resamples=50)).T, strict=True))
    kept = times["a"] * times["b"] + times["a"] + times["b"] > 0
    hits, weight = 2 * times["a"] * times["b"] + times["a"], times["a"] * times["b"] + times["a"] + times["b"]
    low, high = percentiles(hits[kept] / (2 * weight[kept]), 0.95)
    row = precision_and_recall(to_frame(TABLES["truth"], rows), Resampling(resamples=50)).row(0, named=True)
    assert (row["precision_low"], row["precision_high"]) == pytest.approx((low, high))


GOLD = Path(__file__).parents[2] / "data/gold"
PAGES = Path(__file__).parents[2] / "docs"


def read_anew(name: str) -> dict[str, Any]:
    """How a gold set is read, all of it."""
    accuracy = gold_accuracy(read_gold(GOLD / f"{name}.yaml"), Resampling(resamples=2))
    return accuracy.row(by_predicate=pl.col("part") == "all", named=True)


NOT_MENDED_FOR = ("twelfth", "thirteenth", "fourteenth")
LEAKS = ("in_other_words", "opened_later", "of_five_hands", "opened_last", "of_four_hands", "opened_newest", "unseen")


def shares_of(number: str) -> tuple[str, ...]:
    """Precision and both recalls of a wording, read anew."""
    read = read_anew(f"{number}_wording")
    return tuple(f"{read[measure]:.3f}" for measure in ("precision", "recall of H.3", "recall of a reader"))


@pytest.mark.slow
def test_the_pages_say_how_the_gold_sets_are_read() -> None:
    for number in NOT_MENDED_FOR:
        said = "`{}_wording.yaml` precision {}, recall {} of what H.3 fixes and {} of what a person reads"
        assert said.format(number, *shares_of(number)) in (PAGES / "language.md").read_text("utf-8")
    for name in LEAKS:
        leaks = read_anew(f"leaks_{name}")
        told = (f"{leaks['recall']:.3f}", leaks["spoken"], leaks["silent"] + leaks["spoken"])
        assert "recall {}, false alarms in {} of {}.".format(*told) in (PAGES / "patterns.md").read_text("utf-8")


ENTRIES = """
- {author: a, kind: plain, sender: 1, message: "I'm free at slot 3.", rows: ["1 3 positive"]}
- {author: b, kind: plain, sender: 1, message: "I'm busy at slot 4.", rows: ["1 4 positive"], more: ["1 5 cost"]}
- {author: b, kind: silent, sender: 1, message: "Hello.", rows: []}
"""


def test_a_gold_set_is_judged_by_what_h3_fixes_and_by_what_a_person_reads(tmp_path: Path) -> None:
    (tmp_path / "gold.yaml").write_text(ENTRIES)
    table = gold_accuracy(read_gold(tmp_path / "gold.yaml"))
    assert table["part"].to_list() == ["all", "author: a", "author: b", "kind: plain", "kind: silent"]
    measures = ("precision", "recall of H.3", "recall of a reader", "silent kept silent")
    assert table.select(measures).row(0) == (1 / 2, 1 / 2, 1 / 3, 1.0)
    assert table["precision_low"].is_null().to_list() == [False, True, True, False, True]
