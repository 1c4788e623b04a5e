"""A judge's replies: what is read, what is refused and why, and which units are compared."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.beyond.judge.agreement import by_game, count, mentioned, rows_of
from pipeline.beyond.judge.replies import Asked, Question, Reading, read_reply
from pipeline.privacy.rules import RULES

PAPER = RULES["paper"]
SAID = "Slot 3 is free for me; “slot 3 is free”, too. I can't do 12."
QUESTION = Question(sender=1, agents=5, slots=16, message=SAID)
GOOD = {"target": 1, "slot": 3, "class": "positive", "quote": "Slot 3 is free"}


def reading(*claims: Any, question: Question = QUESTION) -> Reading:
    return read_reply(json.dumps({"claims": claims}), False, question, PAPER)


def test_a_claim_gets_its_span_and_the_rules_values() -> None:
    (claim,) = reading(GOOD).claims
    assert claim == (1, 3, "language_positive", 0.95, 1.0, "Slot 3 is free", 0, 14)


def test_a_quote_that_stands_twice_is_found_where_it_stands_first_and_a_claim_counts_once() -> None:
    (claim,) = reading(GOOD | {"quote": "free"}, GOOD | {"quote": "free"}).claims
    assert claim[-3:] == ("free", 10, 14)


WHOLE = [
    ("", "the reply is empty"),
    ("I found no claims.", "not JSON"),
    ('{"claims": [{"slot": ' + "9" * 5000 + "}]}", "not JSON"),
    ('{"claims": []} I hope that helps', "text around the JSON"),
    ("[]", "no list of claims in the JSON"),
    ('{"thinking": 5, "actions": "none"}', "no list of claims in the JSON"),
]


@pytest.mark.parametrize(("reply", "reason"), WHOLE, ids=range(len(WHOLE)))
def test_a_reply_that_is_no_list_of_claims_is_refused_as_a_whole(reply: str, reason: str) -> None:
    found = read_reply(reply, False, QUESTION, PAPER)
    assert (found.whole, found.claims) == (False, ())
    assert [(r.place, r.reason) for r in found.refused] == [(None, reason)]
    assert "cut off" in read_reply(reply, True, QUESTION, PAPER).refused[0].reason


def test_a_code_fence_around_all_of_a_reply_is_passed_over() -> None:
    fenced = f"```json\n{json.dumps({'claims': [GOOD]})}\n```\n"
    assert read_reply(fenced, False, QUESTION, PAPER).claims == reading(GOOD).claims


CLAIMS = [
    ("free", "a claim that is no object"),
    (GOOD | {"class": "maybe"}, "unknown class 'maybe'"),
    (GOOD | {"slot": 16}, "slot 16 is outside the calendar of 0 to 15"),
    (GOOD | {"target": 5}, "target 5 is none of the agents 0 to 4"),
    ({"slot": 3}, "unknown class None"),
    (GOOD | {"quote": "slot 3 is taken"}, "unlocated: the message does not hold the quote 'slot 3 is taken'"),
    (GOOD | {"quote": ""}, "unlocated: the message does not hold the quote ''"),
    (GOOD | {"quote": None}, "unlocated: the message does not hold the quote None"),
]


@pytest.mark.parametrize(("said", "reason"), CLAIMS, ids=range(len(CLAIMS)))
def test_a_claim_that_makes_no_sense_is_dropped_and_the_others_stay(said: Any, reason: str) -> None:
    found = reading(GOOD, said, GOOD | {"quote": "free"})
    assert len(found.claims) == 2
    assert [(r.place, r.reason) for r in found.refused] == [(1, reason)]
    assert found.whole


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
PIECE = st.sampled_from([SAID[i:j] for i in range(0, 40, 7) for j in range(i, 60, 9)])
CLAIM = st.fixed_dictionaries(
    {
        "target": st.integers(-1, 6) | ANYTHING,
        "slot": st.integers(-1, 17) | ANYTHING,
        "class": st.sampled_from(list(PAPER.language)) | ANYTHING,
        "quote": PIECE | ANYTHING,
    }
)


@given(st.lists(CLAIM | ANYTHING, max_size=4))
def test_every_claim_is_kept_with_its_exact_span_or_refused_with_a_reason(claims: list[Any]) -> None:
    found = reading(*claims)
    for target, slot, source, evidence, strength, clause, start, end in found.claims:
        assert start is not None and slot is not None
        assert clause == SAID[start:end] != ""
        assert 0 <= target < 5 and 0 <= slot < 16
        assert (source, evidence, strength) == PAPER.language[source.removeprefix("language_")]
    assert len(found.refused) + len(found.claims) <= len(claims)
    assert len(claims) == 0 or found.refused or found.claims
    assert all(refused.reason.isascii() and refused.reason.isprintable() for refused in found.refused)


MENTIONED = [
    ("Are you free at slots 3, 12 and 4-6?", {3, 4, 5, 6, 12}),
    ("Meeting 2 is settled.", set()),
    ("", set()),
]


@pytest.mark.parametrize(("message", "slots"), MENTIONED)
def test_mentioned_slots_are_those_of_the_parser_s_slot_finder(message: str, slots: set[int]) -> None:
    assert mentioned(message, 16) == slots


@given(st.text(st.sampled_from("slot 0129,-andfreI.?\n"), max_size=40))
def test_any_message_mentions_slots_of_the_calendar_only(message: str) -> None:
    assert mentioned(message, 12) <= set(range(12))


def table(message: str, *judged: Any) -> dict[str, tuple[int, ...]]:
    question = Question(1, 5, 16, message)
    cells = count(question, reading(*judged, question=question).claims, PAPER)
    return {name: tuple(map(int, row)) for name, row in zip(rows_of(PAPER), cells, strict=True)}


def claim(target: int, slot: int, kind: str) -> dict[str, Any]:
    return {"target": target, "slot": slot, "class": kind, "quote": "lot"}


def test_units_are_what_either_reader_names_and_the_slots_that_both_leave_unclaimed() -> None:
    """The parser finds 3 positive and 4 negative, both of the sender; 5 and 6 are only asked about."""
    said = "Slot 3 is free and slot 4 is not. Are slots 5 and 6 fine?"
    found = table(said, claim(1, 3, "positive"), claim(1, 4, "cost"), claim(2, 5, "positive"))
    assert found == {
        "occupied": (0, 0, 0, 4),
        "negative": (0, 1, 0, 3),
        "positive": (1, 0, 1, 2),
        "cost": (0, 0, 1, 3),
        "proposal": (0, 0, 0, 4),
        "pooled": (1, 1, 2, 16),
        "any": (2, 0, 1, 1),
    }


def test_messages_count_as_often_as_they_were_sent_and_unread_ones_not_at_all() -> None:
    first, second = (Question(1, 5, 16, f"Slot {n} is free.") for n in (3, 4))
    asked = [Asked("a", 1, first), Asked("a", 5, first), Asked("b", 2, first), Asked("c", 9, second)]
    cells = by_game(asked, {first: ()}, PAPER)
    assert cells[:, -1].tolist() == [[0, 2, 0, 0], [0, 1, 0, 0]]
