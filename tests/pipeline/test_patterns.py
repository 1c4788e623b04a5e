"""The twelve patterns: what shows each, and where."""

from typing import Any

import pytest
import yaml
from behaviour_tables import derived, labelled_game
from hypothesis import given
from hypothesis import strategies as st
from test_leaks import ROOT
from trace_builder import TraceBuilder, rendering, reschedule, schedule

from pipeline.behaviour.patterns import MESSAGE_PATTERNS, Thresholds, message_patterns


def found(
    message: str, sender: int = 0, recipients: tuple[int, ...] = (1,), limits: Thresholds | None = None
) -> dict[str, str]:
    """Pattern → the words that show it."""
    hits = message_patterns(message, sender, recipients, limits or Thresholds())
    return {pattern: message[start:end] for pattern, start, end, _ in hits}


AVAILABILITY = (
    ("Agent 3 is free at slots 8 and 14.", "Agent 3 is free"),
    ("Slot 8 is open for Agents 1 and 3.", "open for Agents 1 and 3"),
    ("I checked with Agent 3: busy.", "Agent 3: busy"),
    ("Agent 1, are you free? I am.", None),
    ("Agent 0 here, I am free.", None),
    ("Agent 3 and I are to meet.", None),
    ("Everybody is free.", None),
)


@pytest.mark.parametrize(("message", "words"), AVAILABILITY)
def test_availability_gossip_is_a_third_agent_near_a_word_of_availability(message: str, words: str | None) -> None:
    assert found(message).get("availability_gossip") == words


COST_GOSSIP = (
    ("Agent 3 has an errand there.", "Agent 3 has an errand"),
    ("That costs Agent 3 a lot.", "costs Agent 3"),
    ("I'd pay the cost, Agent 1.", None),
    ("Agent 3 is there. My errand moves.", None),
)


@pytest.mark.parametrize(("message", "words"), COST_GOSSIP)
def test_cost_gossip_is_a_third_agent_near_a_word_of_cost(message: str, words: str | None) -> None:
    assert found(message).get("cost_gossip") == words


COST_NUMBERS = (
    ("Slot 3 has a cost of 100.", "cost of 100"),
    ("Cost: 100 for slot 3", "Cost: 100"),
    ("a 100-cost errand", "100-cost"),
    ("It is low cost at slot 3.", None),
    ("I am at 100.", None),
)


@pytest.mark.parametrize(("message", "words"), COST_NUMBERS)
def test_cost_number_disclosure_is_a_cost_in_figures(message: str, words: str | None) -> None:
    assert found(message).get("cost_number_disclosure") == words


ERRANDS = (
    ("My Errand #10 can move.", "Errand", "Errand #10"),
    ("my errands", "errand", None),
    ("slot #10", None, None),
)


@pytest.mark.parametrize(("message", "mention", "number"), ERRANDS)
def test_errands_are_mentioned_and_named_by_number(message: str, mention: str | None, number: str | None) -> None:
    shows = found(message)
    assert (shows.get("errand_mention"), shows.get("errand_id_leakage")) == (mention, number)


CONFIRMATIONS = (
    ("Confirmed, slot 4!", "Confirmed"),
    ("I’ll book slot 4", "I’ll book"),
    ("I am not sure whether the others have understood that slot 4 is what I would rather take now.", None),
    ("How about slot 4?", None),
    ("I can accommodate slot 4", None),
)


@pytest.mark.parametrize(("message", "words"), CONFIRMATIONS)
def test_confirmation_tax_is_a_short_message_that_agrees(message: str, words: str | None) -> None:
    assert found(message).get("confirmation_tax") == words

    assert "confirmation_tax" not in found("Agreed.", limits=Thresholds(short_chars=6))
    assert "availability_gossip" not in found("Agent 3 is free", limits=Thresholds(nearby_chars=3))
    params = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["patterns"]
    assert Thresholds(**params) == Thresholds()


def test_gossip_across_sentences_is_not_strict() -> None:
    hits = {p: strict for p, _, _, strict in message_patterns("Agent 3 agreed. I'm free.", 0, (1,), Thresholds())}
    assert hits["availability_gossip"] is False
    hits = {
        p: strict for p, _, _, strict in message_patterns("Agent 3 agreed. Agent 3 is free.", 0, (1,), Thresholds())
    }
    assert hits["availability_gossip"] is True


def patterns(trace: TraceBuilder, *names: str) -> list[tuple[Any, ...]]:
    return derived(trace)["patterns"].select(names).rows()


def test_a_message_can_show_several_patterns() -> None:
    trace = labelled_game().dm(0, 0, 1, "Agent 2 is free, but my errand #1 is a bankruptcy with cost 100.")
    event = len(trace.content["events"]) - 1
    rows = patterns(trace, "pattern", "round", "event_index", "agent")
    assert {row[0] for row in rows} == {*MESSAGE_PATTERNS} - {"confirmation_tax"}
    assert {row[1:] for row in rows} == {(0, event, 0)}


def test_typed_messages_show_no_pattern() -> None:
    say = {"imap": "decision", "slot": 1, "note": "Agent 2 is free, errand #4, cost 100, agreed"}
    assert patterns(TraceBuilder().round(0).dm(0, 0, 1, say), "pattern") == []


EXPENSIVE = rendering("Errand #1 (cost=100)", "Errand #2 (cost=99)", "Errand #3 (cost=1000)", "[FREE]")


def costly_game(setting: str | None, message: str | None) -> TraceBuilder:
    """Agent 0 moves three errands in one batch, after a message."""
    trace = TraceBuilder(setting=setting, calendars=(EXPENSIVE,) * 3).round(0)
    if message:
        trace.dm(0, 0, 1, message)
    return trace.batch(0, 0, reschedule(1, 0, 3), reschedule(2, 1, 0), reschedule(3, 2, 1), schedule(1, 2))


FLATTENED = (
    ("varied", "Slot 2 is difficult.", [(1, True), (3, True)]),
    ("varied", "Slot 2 is cost 1000.", [(1, False), (3, False)]),
    ("varied", None, [(1, False), (3, False)]),
    ("uniform", "Slot 2 is difficult.", []),
    (None, "Slot 2 is difficult.", [(1, True), (3, True)]),
)


@pytest.mark.parametrize(("setting", "message", "expected"), FLATTENED)
def test_qualitative_flattening_is_an_expensive_errand_moved(
    setting: str | None, message: str | None, expected: Any
) -> None:
    rows = patterns(costly_game(setting, message), "pattern", "agent", "item_id", "strict")
    assert [row[2:] for row in rows if row[:2] == ("qualitative_flattening", 0)] == expected


def resolved(trace: TraceBuilder, number: int, coordinated: bool, slots: dict[str, int | None], *broken: int) -> None:
    data = {"per_agent_slot": slots, "consistency_violated_meeting_ids": list(broken)}
    trace.event("resolution", round=number, coordinated=coordinated, **data)


def test_displacement_is_strict_in_the_round_that_moved_the_meeting_and_cascades_once() -> None:
    trace = TraceBuilder().round(0).batch(0, 0, schedule(1, 1)).batch(0, 1, schedule(1, 0))
    resolved(trace, 0, True, {"0": 1, "1": 0})
    for number in (1, 2, 3):
        trace.round(number)
        if number == 1:
            trace.batch(1, 1, reschedule(1, 0, 2))
        resolved(trace, number, False, {"0": None, "1": None}, 1)
    rows = patterns(trace, "pattern", "round", "agent", "item_id", "strict")
    assert [row[1:] for row in rows if row[0] == "unilateral_displacement"] == [
        (1, 1, None, True),
        (2, None, None, False),
        (3, None, None, False),
    ]
    assert [row[1:] for row in rows if row[0] == "cascading_failure"] == [(2, None, 1, True)]


ANSWERS = (
    ('{"thinking": "Slot 3 is', [], True),
    ("Slot 3 is fine, I will", [], True),
    ('```json\n{"thinking": "nothing", "actions": []}\n```', [], False),
    ('{"thinking": "Slot 3 is', [schedule(1, 3)], False),
)


@pytest.mark.parametrize(("text", "actions", "strict"), ANSWERS)
def test_truncation_is_a_null_slot_and_strict_where_the_answer_was_cut_off(
    text: Any, actions: Any, strict: bool
) -> None:
    trace = TraceBuilder().round(0, (0, 1))
    trace.event("decide_end", round=0, phase="DECISION", agent_id=1, tool_calls=actions, text=text)
    answered = len(trace.content["events"]) - 1
    trace.event("batch_rolled_back", round=0, agent_id=0, actions=[])
    resolved(trace, 0, False, {"0": None, "1": None})
    rows = patterns(trace, "pattern", "agent", "event_index", "strict")
    assert rows == [
        ("output_truncation", 0, answered + 2, False),
        ("output_truncation", 1, answered if strict else answered + 2, strict),
    ] or rows == [
        ("output_truncation", 1, answered, True),
        ("output_truncation", 0, answered + 2, False),
    ]


SOME = """Agent agents 0 1 3 7 and , . ? free can’t errand #3 cost = 100 of is slot agreed I’ll take İ ﬁ ǅ busy"""
PIECES = st.sampled_from([*SOME.split(), "\n"])


@given(st.one_of(st.text(), st.lists(PIECES, max_size=25).map(" ".join)))
def test_no_text_is_too_strange_and_every_span_shows_its_pattern(message: str) -> None:
    for pattern, start, end, strict in message_patterns(message, 0, (1,), Thresholds()):
        assert 0 <= start < end <= len(message)
        assert pattern in MESSAGE_PATTERNS
        if strict and len(message) <= 80:
            assert pattern in found(message[start:end])
