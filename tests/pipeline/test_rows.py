"""A row takes its values by name, and each column holds its own."""

from typing import Any

import pytest
from test_ingest import rows
from trace_builder import FREE, TraceBuilder, rendering, toy_game

from pipeline.tables.schemas.base import ROOMS, TABLES, require_makers
from pipeline.traces.ingest import no_rows


@pytest.mark.parametrize("table", tuple(no_rows()))
def test_a_row_is_made_of_its_table_s_columns_by_name_and_of_no_others(table: str) -> None:
    names = TABLES[table].names
    make = TABLES[table].row_type()
    row = make(**{name: name for name in reversed(names)})
    assert (tuple(row), row._fields) == (names, names)
    with pytest.raises(TypeError, match="missing 1 required"):
        make(**dict.fromkeys(names[1:]))
    with pytest.raises(TypeError, match="unexpected keyword"):
        make(**dict.fromkeys(names), unknown=1)


@pytest.mark.parametrize("room", ROOMS)
def test_a_table_that_nothing_makes_is_named_with_the_place_where_to_add_it(room: str) -> None:
    first, *others = ROOMS[room]
    require_makers(room, ROOMS[room], "here")
    with pytest.raises(LookupError, match=f"^{first}: .* not made; add it to here$"):
        require_makers(room, others, "here")


def whole_game() -> TraceBuilder:
    """The toy game with everything in it that a column tells of, each figure another."""
    optimal = {"cost": 104, "per_agent_cost": [4, 100, 0], "assignments": {"1": 1}}
    game = toy_game(
        simulated=True, difficulty="hard", density=0.7, repeat=2, num_participants=2, seed=11, num_meetings=6,
        scenario={"optimal": optimal}, agents=[{"type": "x", "model": "m", "parameters": {"k": 1.5, "on": True}}] * 3,
        prompts=[{"base_version": "1"}, None, {"file_sha256": "0a" * 32}],
    )  # fmt: skip
    game.content |= {"stopped": True, "stop_cause": "out of money", "stop_category": "budget", "schema_version": 1}
    game.content["events"][0]["data"] |= {"optimal_cost": 3, "greedy_cost": 8, "scenario_seed": 12}
    game.event("turn_end", agent_id=2, intent=[INTENT]).group(1, 2, [1, 0], "Hi")
    game.event("batch_rejected", round=1).event("batch_rolled_back", round=1)
    resolved = next(e["data"] for e in reversed(game.content["events"]) if e["type"] == "resolution")
    resolved |= {"consistency_violated_meeting_ids": [1], "blocked_slot_violations": [0, 1]}
    game.event("decide_end", round=1, agent_id=2, phase="DECISION", attempt=3, tool_calls=[], text="{", thinking="So")
    usage = {"model": "m", "input_tokens": 7, "output_tokens": 5, "served_model": "m-2", "reasoning_tokens": 3}
    return game.event("turn_end", agent_id=1, usage=usage | {"finish_reason": "stop", "from_cache": False})


INTENT = {
    "act": "probe",
    "statements": [{"target": 1, "free": True, "slot": 3, "kind": "positive"}],
    "labels": [{"label": "Gym", "kind": "errand", "id": 5}],
    "behaviours": ["cost_gossip"],
    "phrases": ["open.probe.1"],
    "held_out": True,
}

# The last row of each table, whole: no column may take its neighbour's value.
WHOLE: dict[str, dict[str, Any]] = {
    "games": {
        "trace_path": "a.json", "team": "toy", "simulated": True, "setting": "uniform", "condition": "standard",
        "task_id": "t1", "difficulty": "hard", "density": 0.7, "repeat": 2, "stopped": True, "meetings": 6,
        "meetings_scheduled": 1, "meetings_kept": 1, "coordination_rate": 1 / 6, "optimal_cost": 3, "greedy_cost": 8,
        "realized_cost": 4, "excess_cost": 1, "dms": 4, "fairness": 0.0, "excess_over_greedy": -4,
        "dms_per_meeting": 4.0, "group_messages": 1, "message_chars": 207, "rounds": 2, "num_agents": 3,
        "num_slots": 4, "num_participants": 2, "seed": 12, "stop_cause": "out of money",
        "stop_category": "budget", "schema_version": 1, "game_rules": "15 turns, 3 retries, dm",
        "prompts": f"from file, sha256 {'0a' * 32}; ours, version 1", "calendars_digest": "f4b47ae424c2f52b",
    },
    "rounds": {
        "round": 1, "meeting_id": 2, "participants": [1, 2], "coordinated": False, "slot": None, "dms": 1, "cost": 0,
        "group_messages": 1, "participant_slots": [3, 2], "failure_reason": "different slots",
        "violated_meetings": [1], "violated_since": [1], "blocked_violations": 2,
        "batches_rejected": 1, "decisions_failed": 0, "rolled_back": True, "speaker_order": [], "resolution_event": 16,
        "optimal_cost": None, "oracle_slot": None,
    },
    "agents": {
        "parameters": '{"k":1.5,"on":true}',
        "agent": 2, "agent_type": "toy", "model": "m", "nosy": False, "cost": 0, "oracle_cost": 0, "excess_burden": 0,
        "moves": 0, "messages_sent": 1, "messages_received": 1, "chars_sent": 4,
    },
    "messages": {
        "event_index": 18, "round": 1, "turn": 0, "meeting_id": None, "channel": "all_groupchat", "from_agent": 2,
        "to_agents": [1, 0], "content": '"Hi"', "typed": None, "chars": 4, "said_chars": 4,
    },
    "moves": {
        "event_index": 9, "round": 0, "phase": "DECISION", "agent": 0, "item_kind": "errand", "item_id": 1,
        "from_slot": 0, "to_slot": 1, "cost": 4, "action_index": 0, "blocked": False,
    },
    "items": {"agent": 1, "slot": 1, "item_kind": "errand", "item_id": 5, "cost": 100, "blocked": False},
    "calendars": {
        "round": 0, "agent": 1, "event_index": 5, "costs": [0, 100, 0, 0], "blocked": [], "meeting_slots": [],
    },
    "calls": {
        "event_index": 22, "round": 1, "phase": "CHEAP_TALK", "agent": 1, "model": "m", "input_tokens": 7,
        "output_tokens": 5, "cached_input_tokens": None, "cost_usd": None, "priced_by": None, "failed_attempts": 0,
        "uncounted_attempts": 0, "served_model": "m-2", "reasoning_tokens": 3, "finish_reason": "stop",
        "from_cache": False,
    },
    "agent_parameters": {"agent": 2, "parameter": "k", "value": 1.5},
    "decisions": {
        "event_index": 21, "round": 1, "phase": "DECISION", "agent": 2, "attempt": 3, "actions": 0, "cut_off": True,
    },
    "thoughts": {"event_index": 21, "round": 1, "phase": "DECISION", "agent": 2, "content": "So"},
    "intents": {
        "event_index": 18, "round": 1, "agent": 2, "act": "probe", "behaviours": ["cost_gossip"],
        "phrases": ["open.probe.1"], "held_out": True,
    },
    "intended_statements": {
        "event_index": 18, "statement_index": 0, "target": 1, "slot": 3, "free": True, "kind": "positive",
    },
    "intended_labels": {"event_index": 18, "label_index": 0, "kind": "errand", "item_id": 5, "label": "Gym"},
}  # fmt: skip


@pytest.mark.parametrize(("table", "expected"), WHOLE.items(), ids=WHOLE)
def test_every_column_of_a_row_holds_its_own_value(table: str, expected: dict[str, Any]) -> None:
    assert rows(whole_game(), table)[-1] == {"game_id": "game-1"} | expected


def test_a_meeting_s_share_of_the_oracle_s_schedule_is_what_its_participants_first_held_there() -> None:
    first, second = rows(whole_game(), "rounds")
    assert (first["oracle_slot"], first["optimal_cost"]) == (1, 100)
    assert (second["oracle_slot"], second["optimal_cost"]) == (None, None)


def test_what_a_game_does_not_say_of_itself_its_configuration_does() -> None:
    game = rows(toy_game(seed=11, num_meetings=5), "games")[0]
    assert (game["seed"], game["meetings"]) == (11, 2)


def test_messages_are_shared_among_the_meetings_scheduled() -> None:
    trace = TraceBuilder()
    for number in (0, 1):
        trace.round(number).dm(number, 0, 1, "x").resolution(number, True, a0=1, a1=1)
    assert rows(trace.dm(1, 1, 0, "y"), "games")[0]["dms_per_meeting"] == 1.5


# Participants, where each put the meeting, what the resolution says → the meeting's slot.
SLOTS = (((0,), (2,), True, 2), ((0, 1), (1, 1), True, 1), ((0, 1), (1, 1), False, None), ((0, 1), (1, 2), True, None))


@pytest.mark.parametrize(("participants", "slots", "coordinated", "slot"), SLOTS)
def test_a_meeting_has_a_slot_where_it_is_coordinated_and_all_agree(
    participants: tuple[int, ...], slots: tuple[int, ...], coordinated: bool, slot: int | None
) -> None:
    placed = {f"a{agent}": place for agent, place in zip(participants, slots, strict=True)}
    (row,) = rows(TraceBuilder().round(0, participants).resolution(0, coordinated, **placed), "rounds")
    assert row["slot"] == slot


def test_a_round_that_was_never_resolved_broke_nothing() -> None:
    (row,) = rows(TraceBuilder().round(0), "rounds")
    unresolved = ("coordinated", "slot", "violated_meetings", "blocked_violations", "resolution_event")
    assert [row[name] for name in unresolved] == [None, None, [], 0, None]


def test_a_message_says_the_meeting_it_was_sent_under() -> None:
    trace = TraceBuilder().round(0)
    trace.event("dm_sent", round=0, turn=2, meeting_id=1, from_agent=0, to_agent=1, content="x")
    assert [(m["meeting_id"], m["turn"]) for m in rows(trace, "messages")] == [(1, 2)]


def test_a_calendar_s_meetings_are_told_from_its_errands() -> None:
    shown = rendering(
        FREE, "Meeting M1 (cost=3) participants=[0, 1]", "Blocked Errand #2 (cost=1)", "Errand #3 (cost=2)"
    )
    (row,) = rows(TraceBuilder().round(0).rendered(0, 0, shown), "calendars")
    assert (row["costs"], row["blocked"], row["meeting_slots"]) == ([0, 3, 1, 2], [2], [1])
