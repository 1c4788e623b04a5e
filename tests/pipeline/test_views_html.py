"""What a reader sees of a game is what was said and done, and nothing that an agent wrote does anything."""

import json
import re
from html import unescape
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.reports.plots.heat import draw_beliefs
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


def test_where_marks_overlap_a_piece_carries_both() -> None:
    code = mark_spans("slot 4 is free", [Mark(0, 14, "evidence", "a"), Mark(0, 6, "pattern", "b")])
    assert '<mark class="evidence pattern" title="a; b">slot 4</mark>' in code


@pytest.mark.parametrize(
    ("numbers", "told"), [([], ""), ([3], "3"), ([1, 2], "1, 2"), ([0, 1, 2, 3, 5, 7], "0–3, 5, 7"), ([9, 8, 7], "7–9")]
)
def test_slots_are_shortened_where_they_follow_each_other(numbers: list[int], told: str) -> None:
    assert slot_ranges(numbers) == told


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


def test_beliefs_start_from_the_prior_that_they_were_derived_with() -> None:
    assert beliefs_over_time([{"updates": [update(0, 1, 0.9)]}], 2, 0.3) == {(0, 2): [[0.3, 0.3], [0.3, 0.9]]}


def test_who_learnt_nothing_has_no_beliefs() -> None:
    assert beliefs_over_time([{"updates": [update(0, 7, None)]}], 2, 0.3) == {}
    assert beliefs_over_time([{"updates": []}], 2, None) == {}


@pytest.mark.parametrize(("prior", "ends"), [(0.5, (0, 1)), (0.3, (-0.4, 1)), (0.8, (0, 1.6))])
def test_white_is_the_prior_and_equal_moves_are_equally_dark(prior: float, ends: tuple[float, float]) -> None:
    figure = draw_beliefs({(0, 1): [[prior, prior], [prior, 1.0]]}, prior)
    norm = figure.axes[0].images[0].norm
    assert (norm.vmin, norm.vmax) == pytest.approx(ends)
    assert float(norm(prior)) == pytest.approx(0.5)
    assert figure.axes[-1].get_ylim() == (0, 1)


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


def test_the_same_table_is_the_same_html_twice() -> None:
    frame = pl.DataFrame({"a": ["x"], "b": [1.0]})
    assert html.table(frame).data == html.table(frame).data != html.table(frame.reverse().head(0)).data


def held(cost: int, kind: str = "errand", blocked: bool = False) -> dict[str, Any]:
    return {"kind": kind, "id": 7, "cost": cost, "blocked": blocked}


def test_calendars_show_what_moved_and_where_the_meeting_stands() -> None:
    told = {
        "before": [[held(100), None, held(1000, blocked=True)], [None, held(10), None]],
        "after": [[held(4, "meeting"), held(100), held(1000, blocked=True)], [None, held(10), None]],
        "participants": [0], "slot": 0, "oracle_slot": 1,
    }  # fmt: skip
    code = html.calendars({"game": {"num_slots": 3}, "rounds": [told]}, 0).data
    looks = [(dict(re.findall(r"([a-z-]+): ([^;]+);", look)), words) for look, words in CELL.findall(code)]
    assert [words for _, words in looks] == ["<s>100</s> M7", "100", "1000", "·", "10", "·"]
    assert [look for look, _ in looks] == [
        {"font-weight": "700", "background": "#dce9f2", "color": "#123"} | ARRIVES | AGREED,
        ARRIVES,
        {"background": "#444", "color": "#fff"},
        {"color": "#999"} | AGREED | OUTSIDER,
        OUTSIDER,
        {"color": "#999"} | OUTSIDER,
    ]
    assert ">1 ◎</th>" in code


CELL = re.compile(r'<td(?: style="([^"]*)")? headers="[^"]*" class="gt_row gt_center">(.*?)</td>')
ARRIVES = {"outline": "2px solid #b8500c", "outline-offset": "-2px"}
AGREED = {"border-left": "3px solid #0b4f6c", "border-right": "3px solid #0b4f6c"}
OUTSIDER = {"opacity": ".55"}


def test_an_overview_says_who_played_what_and_what_each_round_cost() -> None:
    game = {
        "team": "<b>x", "simulated": True, "task_id": "t", "condition": "standard", "meetings_scheduled": 1,
        "meetings": 2, "realized_cost": 5, "optimal_cost": None, "dms": 4,
    }  # fmt: skip
    row = {
        "meeting_id": 3,
        "participants": [0, 2],
        "slot": None,
        "failure_reason": "different slots",
        "oracle_slot": 4,
        "cost": 5,
        "cost_so_far": 5,
        "dms": 4,
    }
    view = {"game": game, "rounds": [{"round": 0, **row, "vps": []}, {"round": 1, **row, "vps": [{"vps_loss": 0.5}]}]}
    code = html.overview(view).data
    assert "&lt;b&gt;x (simulated speakers: no model) on t, standard" in code
    assert "1 of 2 meetings, cost 5, 4 DMs" in code
    cells = re.findall(r"<td [^>]*gt_row[^>]*>([^<]*)</td>", code)
    assert cells[:9] == ["0", "M3", "0, 2", "different slots", "4", "5", "5", "4", "–"] and cells[17] == "0.50"


def test_a_frame_is_shown_without_quotes_and_nulls_and_with_all_its_columns() -> None:
    columns = {f"c{i}": [i] for i in range(30)}
    frame = pl.DataFrame(columns | {"text": ["<b>"], "none": [None], "nan": [float("nan")], "yes": [True]})
    shown = html.plain_table(frame.with_columns(third=pl.lit(1 / 3), small=pl.lit(2e-7), listed=pl.lit([1, 2])))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", shown)
    assert cells == [*map(str, range(30)), "&lt;b&gt;", "–", "–", "yes", "0.333333", "2e-07", "1, 2"]


def test_a_frame_of_many_rows_says_how_many_more_there_are_and_an_empty_one_that_it_is() -> None:
    assert "and 40 more rows" in html.plain_table(pl.DataFrame({"a": range(html.MOST_ROWS + 40)}))
    assert html.NO_ROW in html.plain_table(pl.DataFrame(schema={"a": pl.Int64}))
