"""What a reader sees of a game is what was said and done, and nothing that an agent wrote does anything."""

import json
import re
from html import unescape
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reports.views import html
from pipeline.reports.views.beliefs import beliefs_over_time
from pipeline.reports.views.html import Mark, escape_text, mark_spans
from pipeline.reports.views.sentences import sentence, slot_ranges

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
    code = mark_spans(text, [Mark(start, end, "leak", note) for start, end, note in spans])
    assert visible(code) == unescape(escape_text(text))
    assert not re.search(r"<(?!/?mark)", code)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    shown = escape_text(text)
    assert "<" not in shown
    assert "\u202e" not in shown and "\x1b" not in shown


@pytest.mark.parametrize(
    ("numbers", "told"), [([], ""), ([3], "3"), ([1, 2], "1, 2"), ([0, 1, 2, 3, 5, 7], "0–3, 5, 7"), ([9, 8, 7], "7–9")]
)
def test_slots_are_shortened_where_they_follow_each_other(numbers: list[int], told: str) -> None:
    assert slot_ranges(numbers) == told


MOVE = {"meeting_id": 1, "from_slot": 2, "to_slot": 5}
EXAMPLES: list[tuple[dict[str, Any], str]] = [
    ({"imap": "cost_request", "meeting_id": 1, "slots": [0, 1, 2, 3]}, "asks what slots 0–3 would cost"),
    ({"imap": "costs", "costs": {"0": 1, "1": None, "2": 0}}, "cost 0: 2; cost 1: 0; impossible: 1"),
    ({"sd": "reply", "slot": 4, "reply_status": "PENDING"}, "could take slot 4"),
    ({"sd": "propose_reschedule", **MOVE}, "proposes to move M1 2 → 5"),
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


def update(observer: int, slot: int, after: float | None, index: int = 0) -> dict[str, Any]:
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
    told = beliefs_over_time(messages, 2, 0.5)
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
    assert escape_text(text) in code and "cost gossip" in code and 'class="evidence"' in code


def test_a_table_shows_hostile_words_as_text_and_nothing_where_a_value_is_missing() -> None:
    frame = pl.DataFrame({"a_name": [*HOSTILE, None], "share": [0.12345, 2.5, None, 1.0, 3.0, 0.0]})
    code = html.table(frame).data
    assert not re.search(r"<(script|img|a)\b", code) and "\u202e" not in code
    assert all(escape_text(text) in code for text in HOSTILE)
    named = html.table(pl.DataFrame({text: [1] for text in HOSTILE})).data
    assert not re.search(r"<(script|img|a)\b|[\u202e\x1b]", named)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", code)
    assert cells[1::2] == ["0.123", "2.5", "", "1", "3", "0"] and cells[-2] == ""
    assert ">a name</th>" in code and "None" not in code


def test_a_frame_is_shown_without_quotes_and_nulls_and_with_all_its_columns() -> None:
    columns = {f"c{i}": [i] for i in range(30)}
    frame = pl.DataFrame(columns | {"text": ["<b>"], "none": [None], "nan": [float("nan")], "yes": [True]})
    shown = html.plain_table(frame.with_columns(third=pl.lit(1 / 3), small=pl.lit(2e-7), listed=pl.lit([1, 2])))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", shown)
    assert cells == [*map(str, range(30)), "&lt;b&gt;", "–", "–", "yes", "0.333333", "2e-07", "1, 2"]
