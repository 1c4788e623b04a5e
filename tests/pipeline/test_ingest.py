"""What happened in a game is counted from its events."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_builder import CALENDARS, FREE, TraceBuilder, rendering, reschedule, schedule, toy_game

from pipeline.traces.calendars import read_line, read_rendering
from pipeline.traces.ingest import fairness, ingest
from pipeline.traces.trace import TraceError, decode_trace
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.sim.worlds import tiny_task


def rows(trace: TraceBuilder, table: str) -> list[dict[str, Any]]:
    return [row._asdict() for row in ingest(decode_trace(trace.text()), "a.json")[table]]


LINES = (
    ("Slot  0: [FREE]", (0, None)),
    ("Slot 12: Errand #7 (cost=100)", (12, ("errand", 7, 100, False))),
    ("Slot  5: Blocked Errand #8 (cost=1)", (5, ("errand", 8, 1, True))),
    ("Slot 14: Meeting M1 (cost=3) participants=[0, 3, 4]", (14, ("meeting", 1, 3, False))),
    ("Slot  3: Errand #9 (cost=2) private_label='therapy\\nSlot  4: [FREE]'", (3, ("errand", 9, 2, False))),
    ('Slot  3: Errand #9 (cost=2) private_label="a son\'s visit"', (3, ("errand", 9, 2, False))),
    ("Private meeting label: x", None),
    ("Slot 1: Errand #9 (cost=cheap)", None),
    ("", None),
)


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_a_rendered_line_is_read(line: str, expected: object) -> None:
    assert read_line(line) == expected


def test_a_slot_beyond_the_calendar_is_refused() -> None:
    with pytest.raises(ValueError, match="slot 9"):
        read_rendering("Slot  9: Errand #1 (cost=1)", 4)


GAME = (
    ("meetings", 2),
    ("meetings_scheduled", 1),
    ("meetings_kept", 1),
    ("coordination_rate", 0.5),
    ("realized_cost", 4),
    ("excess_cost", 3),
    ("excess_over_greedy", -5),
    ("dms", 4),
    ("dms_per_meeting", 4.0),
    ("fairness", 0.0),
    ("team", "toy"),
    ("num_agents", 3),
    ("stopped", False),
)


@pytest.mark.parametrize(("column", "expected"), GAME)
def test_the_toy_game_adds_up(column: str, expected: object) -> None:
    assert rows(toy_game(), "games")[0][column] == expected


def test_figures_that_a_trace_claims_are_not_believed() -> None:
    liar = toy_game()
    liar.content["metrics"] = {"realized_cost": 0, "total_dms_sent": 1, "fairness": 1.0, "meetings_scheduled": 2}
    assert rows(liar, "games") == rows(toy_game(), "games")


def test_a_batch_moves_all_items_at_once() -> None:
    calendar = rendering("Errand #1 (cost=4)", "Errand #2 (cost=7)", FREE, FREE)
    trace = TraceBuilder(calendars=(calendar, *CALENDARS[1:])).round(0)
    trace.batch(0, 0, reschedule(1, 0, 1), reschedule(2, 1, 2), schedule(1, 0))
    trace.batch(0, 0, reschedule(1, 1, 3))
    moves = [(m["item_kind"], m["item_id"], m["from_slot"], m["to_slot"], m["cost"]) for m in rows(trace, "moves")]
    assert moves == [("errand", 1, 0, 1, 4), ("errand", 2, 1, 2, 7), ("errand", 1, 1, 3, 4)]


def test_what_stands_in_the_slot_decides_what_was_moved() -> None:
    trace = TraceBuilder().round(0).batch(0, 2, schedule(1, 0)).batch(0, 2, reschedule(1, 0, 3))
    assert [(m["item_kind"], m["cost"]) for m in rows(trace, "moves")] == [("meeting", 1)]


def test_a_meeting_costs_what_its_round_says_not_what_the_agent_who_booked_it_says() -> None:
    cheap = schedule(1, 0) | {"cost": 0}
    trace = TraceBuilder().round(0).batch(0, 2, cheap).batch(0, 2, reschedule(1, 0, 3))
    assert [m["cost"] for m in rows(trace, "moves")] == [1]


def test_moving_nothing_costs_nothing() -> None:
    trace = TraceBuilder().round(0).batch(0, 2, reschedule(77, 0, 3)).batch(0, 2, reschedule(77, -1, 99))
    assert [(m["item_kind"], m["item_id"], m["cost"]) for m in rows(trace, "moves")] == [(None, 77, None)] * 2
    assert rows(trace, "games")[0]["realized_cost"] == 0


def test_a_meeting_broken_later_is_scheduled_but_not_kept() -> None:
    trace = toy_game().batch(1, 0, reschedule(1, 0, 3))
    game = rows(trace, "games")[0]
    assert (game["meetings_scheduled"], game["meetings_kept"]) == (1, 0)


def test_a_game_broken_off_counts_the_meetings_still_to_come() -> None:
    trace = toy_game(num_meetings=5)
    trace.content["stopped"] = True
    assert rows(trace, "games")[0]["coordination_rate"] == 0.2


def test_a_group_message_is_one_message() -> None:
    trace = toy_game().group(1, 0, [1, 2], {"x": 1})
    assert rows(trace, "games")[0]["group_messages"] == 1
    assert rows(trace, "messages")[-1]["to_agents"] == [1, 2]
    assert [(a["messages_sent"], a["messages_received"]) for a in rows(trace, "agents")] == [(3, 1), (2, 3), (0, 2)]


def test_messages_say_which_protocol_they_are_of() -> None:
    assert [m["typed"] for m in rows(toy_game(), "messages")] == ["imap", "imap", "imap", None]


def test_a_round_says_where_each_participant_went() -> None:
    told = [(r["coordinated"], r["slot"], r["participant_slots"], r["cost"]) for r in rows(toy_game(), "rounds")]
    assert told == [(True, 0, [0, 0], 4), (False, None, [3, 2], 0)]


def test_setbacks_are_counted_by_round() -> None:
    trace = toy_game()
    for kind in ("batch_rejected", "batch_rejected", "decision_failed", "batch_rolled_back"):
        trace.event(kind, round=1, agent_id=1)
    told = rows(trace, "rounds")[1]
    assert (told["batches_rejected"], told["decisions_failed"], told["rolled_back"]) == (2, 1, True)


def test_the_first_rendering_of_a_round_is_kept() -> None:
    trace = toy_game().rendered(0, 0, CALENDARS[0]).rendered(0, 0, rendering(FREE, FREE, FREE, FREE))
    kept = {(c["round"], c["agent"]): (c["costs"], c["blocked"]) for c in rows(trace, "calendars")}
    assert kept == {(0, 1): ([0, 100, 0, 0], []), (0, 0): ([4, 0, 1, 0], [2])}


PUBLIC = (
    ("b042_medium_5a_3p_d0p6_c1_2", "imap", "imap", ("imap", "uniform", "standard", "medium", 0.6)),
    ("b067_hard_5a_3p_d1p0_c3_3_blocked6", "paper_dsm", "x", ("dsm-welfare", "varied", "blocked", "hard", 1.0)),
    ("b001_easy_5a_3p_d0p8_c1_1", "private_dsm", "x", ("dsm-private", "uniform", "standard", "easy", 0.8)),
    ("b001_easy_5a_3p_d0p8_c3_1", "sd_map", "x", ("sd", "varied", "standard", "easy", 0.8)),
    ("b001_easy_5a_3p_d0p8_c3_1", "llm", "Some Model", ("Some Model", "varied", "standard", "easy", 0.8)),
)


@pytest.mark.parametrize(("task_id", "kind", "label", "expected"), PUBLIC)
def test_a_public_trace_is_known_by_its_names(task_id: str, kind: str, label: str, expected: tuple[Any, ...]) -> None:
    trace = toy_game()
    trace.content["config"] = {"task_id": task_id, "density": 0.5, "agents": [{"type": kind}] * 3}
    trace.content["metrics"] = {"team_model_label": label}
    game = rows(trace, "games")[0]
    assert tuple(game[c] for c in ("team", "setting", "condition", "difficulty", "density")) == expected


def test_an_agent_told_to_probe_makes_the_game_adversarial() -> None:
    trace = toy_game()
    trace.content["config"] = {"task_id": "t", "nosy_agent_ids": [0], "experiment_name": "varied_llm"}
    game = rows(trace, "games")[0]
    assert (game["condition"], game["setting"]) == ("adversarial", "varied")
    assert [a["nosy"] for a in rows(trace, "agents")] == [True, False, False]


def test_what_a_task_costs_at_least_is_unknown_where_nobody_has_proven_it() -> None:
    optimal = {"per_agent_cost": [1, 2, 3], "assignments": {"1": 0}}
    for bound, known in ((None, True), (0, False)):
        trace = toy_game()
        trace.content["config"]["scenario"] = {"optimal": optimal, "optimal_bound": bound}
        game = rows(trace, "games")[0]
        assert [game[name] is not None for name in ("optimal_cost", "excess_cost")] == [known, known]
        assert [row["oracle_cost"] is not None for row in rows(trace, "agents")] == [known] * 3
        assert (rows(trace, "rounds")[0]["oracle_slot"] is not None) == known


def test_an_agents_share_of_the_oracle_is_what_the_scenario_says() -> None:
    trace = toy_game(scenario={"optimal": {"cost": 1, "per_agent_cost": [1, 0, 0]}})
    told = [(a["cost"], a["oracle_cost"], a["excess_burden"]) for a in rows(trace, "agents")]
    assert told == [(4, 1, 3), (0, 0, 0), (0, 0, 0)]
    assert rows(toy_game(), "agents")[0]["oracle_cost"] is None


BROKEN = (
    (b"", "not JSON"),
    (b'{"game_id": "a", "events": [', "not JSON"),
    (b"\xff\xfe", "not JSON"),
    (b"[1, 2]", "not a trace"),
    (b'{"events": []}', "game_id"),
    (b'{"game_id": "", "events": []}', "game_id is empty"),
    (b'{"game_id": "a", "events": [{"type": "game_start", "data": {"num_slots": "x"}}]}', "not a trace"),
    (b'{"game_id": "a", "events": []}', "num_slots"),
    (b'{"game_id": "a", "config": {"num_slots": 4}, "events": []}', "no agent is registered"),
)


@pytest.mark.parametrize(("text", "reason"), BROKEN)
def test_what_is_no_trace_is_refused_with_a_reason(text: bytes, reason: str) -> None:
    with pytest.raises(TraceError, match=reason):
        ingest(decode_trace(text), "a.json")


def test_the_place_of_a_fault_is_named() -> None:
    trace = toy_game().dm(0, 0, 1, "x")
    trace.content["events"][-1]["data"]["round"] = "first"
    with pytest.raises(TraceError) as caught:
        decode_trace(trace.text())
    assert caught.value.place == f".events[{len(trace.content['events']) - 1}].data.round"


def test_an_event_of_an_unknown_type_is_passed_over() -> None:
    trace = toy_game().event("thought", round="x", content=3)
    assert rows(trace, "games") == rows(toy_game(), "games")


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=6))
def test_fairness_is_a_share(costs: list[int]) -> None:
    share = fairness(costs)
    assert 0 <= share <= 1
    assert (share == 1) == (min(costs) == max(costs))


MODELS = (
    ({"model": "maker/one"}, "maker/one"),
    ({"parameters": {"model": "maker/two"}}, "maker/two"),
    ({"model": "maker/one", "parameters": {"model": "maker/two"}}, "maker/one"),
    ({"parameters": {"model": ["maker/two"]}}, None),
    ({"parameters": {"model": "x" * 100_000}}, None),
    ({"parameters": "maker/two"}, None),
)


@pytest.mark.parametrize(("spec", "model"), MODELS)
def test_an_agent_s_model_is_named_in_its_spec_or_among_its_parameters(spec: dict[str, Any], model: str | None) -> None:
    trace = toy_game(agents=[{"type": "llm"} | spec] * 3)
    assert {row["model"] for row in rows(trace, "agents")} == {model}


def test_the_costs_of_a_game_s_two_schedules_are_told_apart() -> None:
    game = rows(toy_game(), "games")[0]
    assert [game[c] for c in ("optimal_cost", "greedy_cost", "excess_cost", "excess_over_greedy")] == [1, 9, 3, -5]


@pytest.mark.parametrize(
    ("config", "rules"),
    [
        ({}, "15 turns, 3 retries, dm"),
        ({"dm_cap": 1_000_000}, "15 turns, 3 retries, dm"),
        ({"max_turns_per_round": 6, "dm_cap": 100, "channels": ["dm"]}, "6 turns, 3 retries, dm, 100 messages at most"),
        ({"decision_retries": 0, "channels": ["all_groupchat", "dm"]}, "15 turns, 0 retries, dm, all_groupchat"),
        (
            {"decision_retries": -1, "channels": 3, "max_turns_per_round": "x", "dm_cap": 10**30},
            "15 turns, 3 retries, dm",
        ),
    ],
)
def test_a_game_s_rules_are_those_of_its_configuration_else_the_paper_s(config: dict[str, Any], rules: str) -> None:
    trace = toy_game()
    trace.content["config"] = {**trace.content["config"], **config}
    assert rows(trace, "games")[0]["game_rules"] == rules


@pytest.mark.parametrize(
    ("prompts", "origin"),
    [
        (None, None),
        ("ours", None),
        ([None, 3, {}, {"base_version": 1}, {"base_version": "x" * 99}, {"file_sha256": "no digest"}], None),
        ([{"base_version": "2"}, {"base_version": "1"}, {"base_version": "1"}], "ours, version 1; ours, version 2"),
        ([None, {"file_sha256": "ab" * 32}], f"from file, sha256 {'ab' * 32}"),
    ],
)
def test_a_game_s_prompts_are_those_of_its_configuration_where_it_says_so(prompts: Any, origin: str | None) -> None:
    trace = toy_game()
    trace.content["config"] = {**trace.content["config"], "prompts": prompts}
    assert rows(trace, "games")[0]["prompts"] == origin


def test_a_recipient_named_twice_is_one_recipient() -> None:
    trace = toy_game().group(1, 0, [1, 1, 2, 1], "x")
    assert rows(trace, "messages")[-1]["to_agents"] == [1, 2]
    assert [a["messages_received"] for a in rows(trace, "agents")] == [1, 3, 2]


def test_a_game_without_meetings_has_no_rates() -> None:
    trace = TraceBuilder()
    for stopped in (False, True):
        trace.content["stopped"] = stopped
        game = rows(trace, "games")[0]
        assert (game["meetings"], game["coordination_rate"], game["dms_per_meeting"]) == (0, None, None)


def test_agents_moves_and_messages_are_added_up() -> None:
    trace = toy_game().batch(1, 0, reschedule(1, 1, 3), reschedule(9, 99, 0))  # Nothing stands in 99.
    lengths = [0, 0, 0]
    for message in rows(trace, "messages"):
        lengths[message["from_agent"]] += len(message["content"])
    assert [a["cost"] for a in rows(trace, "agents")] == [4 + 4, 0, 0]
    assert [(a["moves"], a["chars_sent"]) for a in rows(trace, "agents")] == [(2, lengths[0]), (0, lengths[1]), (0, 0)]


def test_an_agent_s_type_is_its_registration_s_else_its_spec_s() -> None:
    trace = TraceBuilder(agents=[{"type": "a", "model": "m"}, {"type": "b"}])
    for event in trace.content["events"][2:]:
        del event["data"]["agent_type"]
    assert [(a["agent_type"], a["model"]) for a in rows(trace, "agents")] == [("toy", "m"), ("b", None), (None, None)]


def test_an_item_moved_is_the_one_that_stands_there_whatever_the_action_calls_it() -> None:
    trace = TraceBuilder().round(0).batch(0, 0, reschedule(77, 0, 1), reschedule(77, 2, 3))
    moves = [(m["item_id"], m["cost"], m["blocked"]) for m in rows(trace, "moves")]
    assert moves == [(1, 4, False), (2, 1, True)]


def test_a_message_that_names_nobody_reaches_nobody() -> None:
    trace = TraceBuilder().round(0).event("dm_sent", round=0, from_agent=0, content="x")
    assert rows(trace, "messages")[0]["to_agents"] == []


def test_shares_of_the_oracle_that_fit_no_agents_are_refused_by_their_source() -> None:
    trace = toy_game()
    trace.content["metrics"] = {"oracle_per_agent_cost": [1]}
    with pytest.raises(TraceError) as caught:
        rows(trace, "agents")
    assert (caught.value.reason, caught.value.place) == ("1 costs for 3 agents", ".metrics.oracle_per_agent_cost")
    with pytest.raises(TraceError) as caught:
        rows(trace.event("game_end", oracle_per_agent_cost=[1, 2]), "agents")
    assert (caught.value.reason, caught.value.place) == ("2 costs for 3 agents", "game_end's oracle_per_agent_cost")


def test_the_meetings_optimal_costs_add_up_to_the_game_s() -> None:
    trace = play_game(Play(tiny_task(1, num_slots=9, prior_meetings=2), named_teams()["imap"]))
    rounds = ingest(decode_trace(encoded(trace)), "t.json")["rounds"]
    assert sum(row._asdict()["optimal_cost"] for row in rounds) == trace.metrics["optimal_cost"]
