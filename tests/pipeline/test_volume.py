"""How much was said, and what it led to."""

from typing import Any

import polars as pl
import pytest
from behaviour_tables import derived
from trace_builder import TraceBuilder, rendering, reschedule, schedule, toy_game

from pipeline.behaviour.tables import first_feasible_slots
from pipeline.traces.typed_messages import said_chars

LENGTHS = (
    ("Slot 3 works.", 13),
    ("", 0),
    ('{"sd": "propose", "slot": 12}', len("sdproposeslot12")),
    ('{"imap": "costs", "costs": {"0": 100, "1": null}}', len("imapcostscosts01001null")),
    ('{"dsm": "scores", "list": [1, [true, "a b"], 0.5]}', len("dsmscoreslist1truea b0.5")),
    ('{"not": "a protocol"}', 21),
)


@pytest.mark.parametrize(("content", "expected"), LENGTHS)
def test_a_protocols_message_counts_its_keys_and_values(content: str, expected: int) -> None:
    assert said_chars(content) == expected


def test_the_toy_game_is_counted_by_round() -> None:
    names = ("meeting_index", "messages", "dms", "said_chars", "cumulative_cost", "cumulative_optimal_cost")
    rows = derived(toy_game())["round_volume"].select(names).rows()
    english = next(e["data"]["content"] for e in toy_game().content["events"][::-1] if e["type"] == "dm_sent")
    said = sum(map(len, ("imapcost_requestmeeting_id1slots012", "imapcostsmeeting_id1costs001100", "2null")))
    assert rows == [(1, 3, 3, said + len("imapdecisionmeeting_id1slot0"), 4, None), (2, 1, 1, len(english), 4, None)]


def test_cost_builds_up_against_the_oracles_schedule() -> None:
    trace = toy_game(scenario={"optimal": {"assignments": {"1": 0, "2": 1}}})
    names = ("cumulative_cost", "cumulative_optimal_cost", "cumulative_excess")
    assert derived(trace)["round_volume"].select(names).rows() == [(4, 4, 0), (4, 104, -100)]


def test_speakers_have_the_place_of_their_order() -> None:
    trace = TraceBuilder()
    meeting = {"id": 1, "participants": [0, 1], "cost": 1}
    trace.event("round_start", round=0, meeting=meeting, speaker_order=[1, 0])
    trace.dm(0, 1, 0, "abc").dm(0, 1, 2, "de").dm(0, 2, 1, "f").group(0, 2, [0, 1], {"sd": "x"})
    names = ("agent", "position", "messages", "dms", "said_chars")
    assert derived(trace)["speaker_volume"].select(names).rows() == [
        (0, 2, 0, 0, 0),
        (1, 1, 2, 2, 5),
        (2, None, 2, 1, 4),
    ]


# Each participant's costs by slot with its fixed slots → the first slot that all of them can take the meeting in.
CALENDARS = (
    ([([5, 4, 0, 0], [0, 2])], 1),
    ([([1, 2, 3], [])], None),
    ([([0, 1], [])], 0),
    ([([0, 1, 0], [0]), ([3, 0, 0], [1])], 2),
    ([([0, 1, 0], [0]), ([3, 0, 4], [1])], None),
)


@pytest.mark.parametrize(("shown", "expected"), CALENDARS)
def test_a_slot_can_take_a_meeting_if_it_is_free_or_its_errand_has_somewhere_to_go_for_all(
    shown: list[tuple[list[int], list[int]]], expected: int | None
) -> None:
    key = {"game_id": "a", "round": 0}
    agents = list(range(len(shown)))
    lists = dict.fromkeys(("costs", "blocked", "meeting_slots"), pl.List(pl.Int64))
    rows = [key | {"agent": i, "costs": costs, "blocked": [], "meeting_slots": f} for i, (costs, f) in enumerate(shown)]
    calendars = pl.DataFrame(rows, schema_overrides=lists)
    first = first_feasible_slots(pl.DataFrame([key | {"participants": agents}]), calendars)
    assert first["first_feasible_slot"].to_list() == [expected]
    unknown = first_feasible_slots(pl.DataFrame([key | {"participants": [*agents, len(agents)]}]), calendars)
    assert unknown.is_empty(), "a calendar that was not shown"


def moved_twice() -> list[dict[str, Any]]:
    return [reschedule(1, 0, 1), schedule(2, 0)]


def test_an_earlier_meeting_that_moves_counts_once_a_round() -> None:
    trace = TraceBuilder(calendars=(rendering(*["[FREE]"] * 4),) * 3)
    trace.round(0).batch(0, 0, schedule(1, 0)).batch(0, 1, schedule(1, 0)).round(1)
    trace.batch(1, 0, *moved_twice()).batch(1, 1, *moved_twice())
    assert derived(trace)["round_volume"]["prior_meetings_moved"].to_list() == [0, 1]
