"""A trace is replayed event by event, and refused where its events fit no game."""

from pathlib import Path
from typing import Any

import pytest
from hostile import SMALL, Example
from hostile_games import IMPOSSIBLE
from test_ingest import rows
from trace_builder import TraceBuilder, reschedule, schedule, toy_game

from pipeline.traces import limits
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import TraceError, decode_trace

REFUSED = [example for example in IMPOSSIBLE if example.reason and not example.read and example.name == "x.json"]


@pytest.mark.parametrize("example", REFUSED, ids=[example.what for example in REFUSED])
def test_what_no_game_can_be_is_refused_by_reason_and_place(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, bound in SMALL.items():
        monkeypatch.setattr(limits, name, bound)
    example.make(tmp_path / example.name, "game-1")
    with pytest.raises(TraceError) as caught:
        ingest(decode_trace((tmp_path / example.name).read_bytes()), "a.json")
    assert (caught.value.reason, caught.value.place) == (example.reason.format(**vars(limits)), example.place)


WHERE_NO_ROUND_IS = (
    ("turn_start", {"agent_id": 0}),
    ("decide_end", {"agent_id": 0}),
    ("batch_applied", {"agent_id": 0, "actions": []}),
    ("batch_rejected", {"agent_id": 0}),
    ("decision_failed", {"agent_id": 0}),
    ("resolution", {"coordinated": False}),
)


def refusal(trace: TraceBuilder) -> tuple[str, str]:
    """Why the trace is refused, and the place within its last event."""
    with pytest.raises(TraceError) as caught:
        ingest(decode_trace(trace.text()), "a.json")
    return caught.value.reason, caught.value.place.removeprefix(f".events[{len(trace.content['events']) - 1}].data")


@pytest.mark.parametrize(("kind", "data"), WHERE_NO_ROUND_IS)
def test_nothing_happens_in_a_round_that_has_not_begun(kind: str, data: dict[str, Any]) -> None:
    assert refusal(toy_game().event(kind, round=9, **data)) == ("round 9 has not begun", ".round")


def test_a_turn_ends_for_an_agent_of_the_game() -> None:
    assert refusal(toy_game().event("turn_end", agent_id=7)) == ("agent 7 is not registered", ".agent_id")


INCOMPLETE = (
    (schedule(1, 3) | {"slot": None}, "schedule"),
    (schedule(1, 3) | {"meeting_id": None}, "schedule"),
    (reschedule(1, 0, 3) | {"from_slot": None}, "reschedule"),
    (reschedule(1, 0, 3) | {"to_slot": None}, "reschedule"),
)


@pytest.mark.parametrize(("action", "kind"), INCOMPLETE)
def test_an_action_says_of_what_and_where(action: dict[str, Any], kind: str) -> None:
    trace = toy_game().batch(1, 0, reschedule(1, 1, 3), action)
    assert refusal(trace) == (f"a {kind} action does not say of what, or where", ".actions[1]")


def test_a_round_costs_what_all_its_moves_cost() -> None:
    trace = toy_game().batch(1, 1, reschedule(5, 1, 2), reschedule(77, 3, 0)).batch(1, 0, reschedule(1, 1, 3))
    trace.batch(1, 2, reschedule(9, 0, 1))  # Nothing stands there.
    assert [r["cost"] for r in rows(trace, "rounds")] == [4, 1 + 100 + 4]


def test_a_game_s_end_says_the_agents_shares_where_the_scenario_does_not() -> None:
    trace = toy_game().event("game_end", oracle_per_agent_cost=[3, 2, 1])
    assert [a["oracle_cost"] for a in rows(trace, "agents")] == [3, 2, 1]


def test_a_channel_s_messages_are_counted_apart_by_round() -> None:
    trace = toy_game().group(1, 0, [1, 2], "x")
    trace.event("participant_groupchat_sent", round=1, from_agent=1, to_agents=[2], content="y")
    assert [(r["dms"], r["group_messages"]) for r in rows(trace, "rounds")] == [(3, 0), (1, 2)]
    assert [m["channel"] for m in rows(trace, "messages")][-2:] == ["all_groupchat", "participant_groupchat"]


def test_a_participant_or_speaker_named_twice_is_one() -> None:
    trace = TraceBuilder()
    meeting = {"id": 1, "participants": [1, 0, 1], "cost": 1}
    trace.event("round_start", round=0, meeting=meeting, speaker_order=[1, 0, 1])
    assert [(r["participants"], r["speaker_order"]) for r in rows(trace, "rounds")] == [([0, 1], [1, 0])]


def test_a_message_s_intent_is_that_of_its_tool_call_though_one_before_was_refused() -> None:
    trace = (
        TraceBuilder().round(0).event("turn_end", agent_id=0, intent=[{"act": "a"}, None, {"act": "c"}, {"act": "d"}])
    )
    trace.event("invalid_tool_call", agent_id=0).dm(0, 0, 1, "one").dm(0, 1, 0, "two").dm(0, 0, 2, "three")
    assert [(i["event_index"], i["act"]) for i in rows(trace, "intents")] == [(9, "c")]


def test_a_game_s_messages_count_towards_their_bound_together(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = TraceBuilder().round(0).dm(0, 0, 1, "aaaa").group(0, 1, [0, 2], "b")
    monkeypatch.setattr(limits, "DELIVERED_CHARS", 4 + 2 * len('"b"'))
    assert len(rows(trace, "messages")) == 2
    assert refusal(trace.dm(0, 0, 1, "c"))[1] == ".content"


def whole_refusal(trace: TraceBuilder) -> tuple[str, str]:
    with pytest.raises(TraceError) as caught:
        ingest(decode_trace(trace.text()), "a.json")
    return caught.value.reason, caught.value.place


def test_agents_are_numbered_from_0_without_gaps() -> None:
    trace = TraceBuilder()
    trace.content["events"][-1]["data"]["agent_id"] = 3
    assert whole_refusal(trace) == ("3 agents are registered, but not as 0 to 2", ".events")


def test_who_is_named_must_be_an_agent_wherever_it_is_named() -> None:
    unknown = "agent 7 is not registered"
    assert whole_refusal(toy_game(nosy_agent_ids=[0, 7])) == (unknown, ".config.nosy_agent_ids[1]")
    meeting = {"id": 3, "participants": [0], "cost": 1}
    trace = toy_game().event("round_start", round=2, meeting=meeting, speaker_order=[0, 7])
    assert refusal(trace) == (unknown, ".speaker_order[1]")


@pytest.mark.parametrize(("bound", "enough", "too_few"), [("AGENTS", 3, 2), ("CELLS", 3 * 4, 3 * 4 - 1)])
def test_a_game_may_have_agents_and_calendars_up_to_the_bounds(
    bound: str, enough: int, too_few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, bound, enough)
    assert len(rows(TraceBuilder(), "agents")) == 3
    monkeypatch.setattr(limits, bound, too_few)
    assert refusal(TraceBuilder())[1] == ".agent_id"


def test_a_calendar_may_have_one_slot_and_as_many_as_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = TraceBuilder(calendars=("", "", ""))
    for slots in (1, 9):
        trace.content["events"][0]["data"]["num_slots"] = slots
        monkeypatch.setattr(limits, "SLOTS", slots)
        assert rows(trace, "games")[0]["num_slots"] == slots
    monkeypatch.setattr(limits, "SLOTS", 8)
    assert whole_refusal(trace) == ("num_slots is 9, not a number from 1 to 8", ".events[0].data.num_slots")
    del trace.content["events"][0]
    assert whole_refusal(trace) == ("num_slots is 0, not a number from 1 to 8", ".config.num_slots")
