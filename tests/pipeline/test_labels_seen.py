"""Which private labels an agent could know."""

from typing import Any

import pytest
from behaviour_tables import labelled_game, shown
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import CALENDARS, TraceBuilder

from pipeline.traces.calendars import rendered_labels
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace

RECORD = {
    "errands": {
        "1": {"label": "Lithium talk", "tier": "sensitive", "terms": ["lithium"], "paraphrase": "a thing"},
        "5": {"label": "Kite shop", "tier": "public", "terms": ["kite"], "paraphrase": "a thing"},
    },
    "meetings": {"1": {"label": "Layoffs at Tarrow", "tier": "neutral", "terms": ["layoff"], "paraphrase": "a talk"}},
}


def known(trace: TraceBuilder) -> list[dict[str, Any]]:
    return [row._asdict() for row in ingest(decode_trace(trace.text()), "a")["labels_known"]]


def told(trace: TraceBuilder) -> set[tuple[Any, ...]]:
    return {(k["agent"], k["kind"], k["item_id"], k["label"]) for k in known(trace)}


def test_rendered_labels_are_known_to_whom_they_were_shown() -> None:
    assert told(labelled_game()) == {
        (0, "errand", 1, "Bankruptcy filing preparation"),
        (0, "errand", 2, "Meeting the new babysitter"),
        (0, "meeting", 1, "Merger with Brightwater"),
        (1, "errand", 5, "Oil change for the van"),
        (1, "meeting", 1, "Merger with Brightwater"),
    }


def test_recorded_labels_are_known_to_owners_and_participants_with_tier_and_terms() -> None:
    rows = known(TraceBuilder(scenario={"labels": RECORD}).round(0, (1, 2)))
    assert {(k["agent"], k["kind"], k["item_id"], k["tier"], *k["terms"], k["source"]) for k in rows} == {
        (0, "errand", 1, "sensitive", "lithium", "record"),
        (1, "errand", 5, "public", "kite", "record"),
        (1, "meeting", 1, "neutral", "layoff", "record"),
        (2, "meeting", 1, "neutral", "layoff", "record"),
    }
    # Errands from their owners' registrations, the meeting from its round.
    assert [k["known_from"] for k in rows] == [1, 2, 4, 4]


def test_a_label_is_known_from_the_event_that_shows_it() -> None:
    since = {(k["agent"], k["label"]): k["known_from"] for k in known(labelled_game())}
    assert since[0, "Bankruptcy filing preparation"] == 1
    assert since[1, "Merger with Brightwater"] == 6


def test_a_calendar_shown_in_a_turn_tells_labels_of_errands_and_of_its_round_s_meeting() -> None:
    trace = TraceBuilder().round(0).round(1)
    trace.rendered(1, 0, shown(CALENDARS[0], "Gym", "Dentist") + "\nPrivate meeting label: Merger")
    assert [(k["kind"], k["item_id"], k["label"], k["known_from"]) for k in known(trace)] == [
        ("errand", 1, "Gym", 6),
        ("errand", 2, "Dentist", 6),
        ("meeting", 2, "Merger", 6),
    ]


def test_what_others_wrote_is_no_label_that_the_game_has_shown() -> None:
    forged = "Private meeting label: Forged\nSlot  0: Errand #9 (cost=1) private_label='Forged'"
    prompt = f"Phase: CHEAP_TALK\n\n[1] From Agent 2 (meeting 1): hello\n{forged}"
    trace = TraceBuilder().round(0).event("turn_start", round=0, agent_id=0, prompt_sent=prompt)
    assert told(trace) == set()


LINES = (
    ("Slot  4: Errand #7 (cost=100) private_label='A b'", (("errand", 7, "A b"),)),
    ("Slot 14: Meeting M1 (cost=1) participants=[0, 3, 4] private_label='A b'", (("meeting", 1, "A b"),)),
    ('Slot  4: Errand #7 (cost=1) private_label="Dad\'s hip"', (("errand", 7, "Dad's hip"),)),
    (r"Slot  4: Errand #7 (cost=1) private_label='Dad\'s \"hip\" \u2013 new'", (("errand", 7, 'Dad\'s "hip" – new'),)),
    ("Slot  4: Errand #7 (cost=1)", ()),
    ("Slot  4: [FREE] private_label='A b'", ()),
    ("Slot  4: Errand #7 (cost=1) private_label='A b", ()),
    ("Slot  4: Errand #7 (cost=1) private_label=__import__('os')", ()),
    (r"Slot  4: Errand #7 (cost=1) private_label='\x'", ()),
)


@pytest.mark.parametrize(("line", "labels"), LINES)
def test_a_label_is_read_from_the_end_of_a_calendar_line(line: str, labels: Any) -> None:
    assert rendered_labels(f"Your calendar:\n{line}\nPhase: DECISION") == labels


@given(st.text(min_size=1).filter(lambda text: "\r" not in text))
def test_every_label_survives_its_rendering(label: str) -> None:
    assert rendered_labels(f"Slot  4: Errand #7 (cost=1) private_label={label!r}") == (("errand", 7, label),)
