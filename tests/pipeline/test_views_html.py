"""What a reader sees of a game is what was said and done, and nothing that an agent wrote does anything."""

import json
import re
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.views import html
from pipeline.views.beliefs import beliefs_over_time
from pipeline.views.html import Mark, marked, plain
from pipeline.views.sentences import sentence, slots

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "**bold** [a](javascript:b)",
    "\u202eevil",
    "\x1b[31m",
]


def visible(code: str) -> str:
    """The text that a browser shows of HTML without elements of its own."""
    return unescape(re.sub(r"</?mark[^>]*>", "", code))


@given(
    st.text(max_size=40), st.lists(st.tuples(st.integers(-3, 45), st.integers(-3, 45), st.text(max_size=5)), max_size=4)
)
def test_marks_change_nothing_of_the_text(text: str, spans: list[tuple[int, int, str]]) -> None:
    code = marked(text, [Mark(start, end, "leak", note) for start, end, note in spans])
    assert visible(code) == unescape(plain(text))
    assert not re.search(r"<(?!/?mark)", code)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    shown = plain(text)
    assert "<" not in shown
    assert "\u202e" not in shown and "\x1b" not in shown


def test_where_marks_overlap_a_piece_carries_both() -> None:
    code = marked("slot 4 is free", [Mark(0, 14, "evidence", "a"), Mark(0, 6, "pattern", "b")])
    assert '<mark class="evidence pattern" title="a; b">slot 4</mark>' in code


@pytest.mark.parametrize(
    ("numbers", "told"), [([], ""), ([3], "3"), ([1, 2], "1, 2"), ([0, 1, 2, 3, 5, 7], "0–3, 5, 7"), ([9, 8, 7], "7–9")]
)
def test_slots_are_shortened_where_they_follow_each_other(numbers: list[int], told: str) -> None:
    assert slots(numbers) == told


MOVE = {"meeting_id": 1, "from_slot": 2, "to_slot": 5}
EXAMPLES: list[tuple[dict[str, Any], str]] = [
    ({"imap": "cost_request", "meeting_id": 1, "slots": [0, 1, 2, 3]}, "asks what slots 0–3 would cost"),
    ({"imap": "costs", "costs": {"0": 1, "1": None, "2": 0}}, "cost 0: 2; cost 1: 0; impossible: 1"),
    ({"imap": "decision", "slot": 4}, "decides for slot 4"),
    ({"sd": "propose", "slot": 4}, "proposes slot 4"),
    ({"sd": "reply", "slot": 4, "reply_status": "PENDING"}, "could take slot 4"),
    ({"sd": "reply", "slot": 4, "reply_status": "IMPOSSIBLE"}, "cannot take slot 4"),
    ({"sd": "fail", "meeting_id": 3}, "gives up on M3"),
    ({"sd": "propose_reschedule", **MOVE}, "proposes to move M1 2 → 5"),
    ({"dsm": "proposals", "plans": [{"id": 5, "slot": 5, "displacements": []}]}, "offers slots 5"),
    (
        {"dsm": "proposals", "plans": [{"id": 6001, "slot": 5, "displacements": [MOVE]}]},
        "offers slot 5 (plan 6001: M1 2 → 5)",
    ),
    ({"dsm": "scores", "scores": {"5": 11}}, "scores 5: 11 (0 never, 11 gladly)"),
    ({"dsm": "decision", "slot": 5, "displacements": [MOVE]}, "decides for slot 5, with M1 2 → 5"),
]


@pytest.mark.parametrize(("body", "told"), EXAMPLES)
def test_a_typed_message_stands_in_words(body: dict[str, Any], told: str) -> None:
    assert sentence(json.dumps(body), next(iter(body))) == told


@pytest.mark.parametrize("content", ['{"imap": "costs"}', '{"imap": ["costs"]}', "[1]", '{"sd": 1', '{"dsm": "new"}'])
def test_what_no_protocol_sends_has_no_words(content: str) -> None:
    assert sentence(content, "imap") is None


def test_english_has_no_words_but_its_own() -> None:
    assert sentence("Slot 4 is free", None) is None


def update(observer: int, slot: int, after: float, index: int = 0) -> dict[str, Any]:
    return {
        "observer_agent": observer, "target_agent": 2, "slot": slot, "belief_after": after, "update_index": index,
        "belief_before": 0.5, "source": "language_positive", "span_start": 0, "span_end": 6,
    }  # fmt: skip


def test_beliefs_stay_until_a_message_moves_them() -> None:
    messages = [
        {"updates": [update(0, 1, 0.9), update(0, 1, 0.95, 1)]},
        {"updates": []},
        {"updates": [update(1, 0, 0.1)]},
    ]
    told = beliefs_over_time(messages, 2)
    assert told == {
        (0, 2): [[0.5, 0.5], [0.5, 0.95], [0.5, 0.95], [0.5, 0.95]],
        (1, 2): [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.1, 0.5]],
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_a_conversation_shows_hostile_messages_as_text(text: str) -> None:
    message = {
        "turn": 0, "from_agent": 1, "to_agents": [0], "content": "Slot 1 is free " + text, "in_words": None,
        "updates": [update(0, 1, 0.95)], "leaks": [], "patterns": [{"pattern": "cost_gossip", "span_start": None}],
    }  # fmt: skip
    code = html.conversation({"rounds": [{"messages": [message]}]}, 0).data
    assert not re.search(r"<(script|img|a)\b", code)
    assert plain(text) in code and "cost gossip" in code and 'class="evidence"' in code
