"""A trace that is changed in any of these ways is found out, under the code that says what is wrong."""

import json
from typing import Any

import pytest
from audit_bases import Raw, raw_of, sealed
from audit_changes import (
    Change,
    at,
    batch,
    book,
    cut,
    drop,
    forget,
    inbox,
    move,
    nth,
    put,
    repeat,
    retype,
    show,
    silence,
    swap,
    tell_label,
    unlabelled,
    unsay,
    word,
)
from hypothesis import given
from hypothesis import strategies as st

from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import CODES, ERROR, KNOWN

pytestmark = pytest.mark.slow

WHY, ASKED = "conflict_description", "prompt_sent"
FREE, DECIDES = "Slot 4: [FREE]", {"phase": "DECISION", "agent_id": 0}
E2 = "Errand #2 (cost=4)"
TURNED = (f"{E2}\nSlot 3: [FREE]", f"[FREE]\nSlot 3: {E2}")
M1 = "Meeting M1 (cost=1) participants=[0, 1]"


def unversioned(raw: Raw) -> None:
    """Leave out what marks a trace as ours, and the optimum, so that the game has no excess."""
    del raw["schema_version"], raw["metrics"]["optimal_cost"], nth(raw, "game_start")["optimal_cost"]


def show_twice(raw: Raw) -> None:
    """Show another cost in the field that readers take first, and the true calendar beside it."""
    data = nth(raw, "turn_start")
    data["calendar_snapshot_render"] = data["calendar_render"]
    show("turn_start", "cost=4", "cost=400")(raw)


def list_others(raw: Raw) -> None:
    """Name more participants than meet, and say that the task lists some who don't."""
    raw["config"]["num_participants"] = 4
    raw["config"]["scenario"]["parameters"]["participant_lists"] = [[0, 1]]


def oracle(**said: Any) -> Change:
    """Say this of the oracle, in a trace without a scenario."""
    return at("config.scenario", {"optimal": said})


def shares_alone(raw: Raw) -> None:
    """Say nowhere but in the scenario what each agent owes."""
    oracle(per_agent_cost=[9] * 4)(raw)
    for holder in (raw["final_state"], raw["metrics"], nth(raw, "game_end")):
        holder.pop("oracle_per_agent_cost", None)


# Of the scripted game: what is changed, how, and the code that tells it.
MUTATIONS: tuple[tuple[str, Change, str], ...] = (
    ("an event is lost", drop("turn_end", 3), "missing_event"),
    ("a rejection is lost", drop("batch_rejected"), "missing_event"),
    ("an event comes twice", repeat("turn_start", 2), "unexpected_event"),
    ("two events change places", swap("turn_start", 1), "unexpected_event"),
    ("a turn is numbered wrong", put("dm_sent", "turn", 9), "missing_event"),
    ("the end is lost", drop("game_end"), "broken_off"),
    ("it claims to be stopped", at("stopped", True), "stop_claim"),
    ("an event of no known kind", retype("turn_start", "rumour"), "unknown_event"),
    ("the number of agents is wrong", put("game_start", "num_agents", 9), "wrong_setup"),
    ("the number of slots is wrong", at("config.num_slots", 7), "wrong_setup"),
    ("somebody else is nosy", put("game_start", "nosy_agent_ids", [2]), "wrong_setup"),
    ("it starts later", at("started_at", "2030-01-01T00:00:00"), "wrong_times"),
    ("a meeting takes longer", put("round_start", "meeting", lambda m: m | {"duration": 2}), "meeting_differs"),
    ("it has a cause to stop, and did not", at("stop_cause", "a storm"), "stop_claim"),
    ("the seed is wrong", put("game_start", "scenario_seed", 1), "wrong_setup"),
    ("the repeat is another", at("config.repeat", 1), "wrong_game_id"),
    ("a model is another", at("config.agents.0.type", "sd"), "wrong_game_id"),
    ("the id is another's", at("game_id", "14d0c3f2-2f83-4bec-9619-a2de54e668bb"), "wrong_game_id"),
    ("the version is left out", forget("schema_version"), "wrong_setup"),
    ("the optimum is left out", forget("config.scenario.optimal"), "wrong_setup"),
    ("it is called adversarial", at("config.condition", "adversarial"), "wrong_setup"),
    ("version and optimum are left out", unversioned, "missing_metric"),
    ("no optimum is announced", lambda raw: nth(raw, "game_start").pop("optimal_cost"), "wrong_setup"),
    ("an initial errand costs more", show("agent_registered", "=5", "=6"), "wrong_setup"),
    ("the speakers change places", put("round_start", "speaker_order", [1, 0]), "meeting_differs"),
    ("an agent is not registered", drop("agent_registered", 2), "unreadable"),
    # what agents saw
    ("a calendar is no calendar", put("turn_start", "calendar_render", "busy"), "wrong_calendar"),
    ("a shown errand costs more", show("decide_start", "#2 (cost=4)", "#2 (cost=40)", agent_id=0), "wrong_calendar"),
    ("an inbox holds other words", inbox(1, lambda i: i[0].update(content="Slot 9?")), "inbox_differs"),
    # what was said
    ("a message says something else", put("dm_sent", "content", "Slot 3?"), "message_differs"),
    ("a message goes to somebody else", put("dm_sent", "to_agent", 2), "wrong_recipients"),
    ("a group message leaves one out", put("all_groupchat_sent", "to_agents", [1, 2]), "wrong_recipients"),
    ("a message goes to its sender", retype("invalid_tool_call", "dm_sent"), "delivered_invalid"),
    ("a valid message is refused", retype("dm_sent", "invalid_tool_call"), "refused_valid"),
    ("a refusal quotes another call", put("invalid_tool_call", "tool_call", {"type": "shout"}), "refusal_differs"),
    ("the cap is overrun", retype("invalid_tool_call", "dm_sent", -1), "dm_cap"),
    ("the cap is lower than what was sent", at("config.dm_cap", 3), "dm_cap"),
    # what was done
    ("an applied batch is no list", batch(1, 0, {"type": "dance"}), "malformed_batch"),
    ("a slot is not on the calendar", batch(1, 0, book(1, 6)), "slot_out_of_bounds"),
    ("an unknown item is moved", batch(1, 0, move(55, 1, 2), book(1, 0)), "unknown_item"),
    ("a blocked item is moved", batch(0, 0, move(5, 5, 1), book(1, 3), attempt=1), "blocked_move"),
    ("two items go to one slot", batch(1, 0, move(101, 1, 2), move(104, 4, 2), book(1, 0)), "target_conflict"),
    ("an item goes to a full slot", batch(1, 0, move(101, 1, 4), book(1, 0)), "target_not_free"),
    ("an item is moved twice", batch(1, 0, move(101, 1, 2), move(101, 1, 3), book(1, 0)), "cloned_item"),
    ("nothing is scheduled", batch(1, 0), "schedule_count"),
    ("another meeting is scheduled", batch(1, 0, book(2, 0)), "wrong_meeting"),
    ("a full slot is scheduled", batch(1, 0, book(1, 1)), "schedule_not_free"),
    ("a valid batch was rejected", put("decide_end", "tool_calls", [book(1, 3)], **DECIDES), "false_rejection"),
    ("a rejection names another rule", word("batch_rejected", WHY, "Schedule", "Target"), "wrong_conflict"),
    ("another batch is applied", put("batch_applied", "actions", [], agent_id=0), "batch_differs"),
    ("an attempt is numbered wrong", put("decide_start", "attempt", 3, attempt=1), "wrong_attempt"),
    ("there are fewer retries than taken", at("config.decision_retries", 1), "wrong_attempt"),
    ("a rolled back batch is applied", retype("batch_rolled_back", "batch_applied"), "not_all_or_none"),
    ("an applied batch is rolled back", retype("batch_applied", "batch_rolled_back", **DECIDES), "not_all_or_none"),
    ("a batch costs less", put("batch_applied", "cost", 0, agent_id=0), "wrong_cost"),
    ("the total is less", at("metrics.realized_cost", 1), "wrong_cost"),
    # what was claimed
    ("a meeting stands elsewhere", put("resolution", "per_agent_slot", {"0": 3, "1": 0}), "wrong_slots"),
    ("a failed meeting is coordinated", put("resolution", "coordinated", True, 3), "false_coordination"),
    ("a coordinated meeting is failed", put("resolution", "coordinated", False), "denied_coordination"),
    ("a violation is denied", put("resolution", "consistency_violated_meeting_ids", [], 2), "wrong_violations"),
    ("a disagreement is denied", put("resolution", "slot_conflicts", {}, 3), "slot_conflicts"),
    ("a blocked slot is called touched", put("resolution", "blocked_slot_violations", [0]), "wrong_blocked"),
    ("broken meetings are not told", forget("metrics.meetings_kept"), "meeting_broken"),
    ("broken meetings count as kept", at("metrics.meetings_kept", 1), "wrong_metric"),
    ("excess is less", at("metrics.excess_cost", 0), "wrong_metric"),
    ("a metric is left out", forget("metrics.fairness"), "missing_metric"),
    ("a metric that nobody knows", at("metrics.charm", 3), "unchecked_metric"),
    ("the end tells another figure", put("game_end", "fairness", 0.9), "end_differs"),
    ("a final calendar is empty", at("final_state.calendars", [[None] * 6] * 4), "wrong_final_state"),
    ("the final calendars are missing", at("final_state.calendars", []), "wrong_final_state"),
    ("the optimum is less", at("metrics.optimal_cost", 0), "wrong_optimum"),
    ("the optimum is not proven", at("config.scenario.optimal_bound", 0), "unproven_optimum"),
    ("no schedule is said to cost so little", at("config.scenario.optimal_bound", 99), "wrong_optimum"),
    ("the announced optimum is more", put("game_start", "optimal_cost", 99), "wrong_optimum"),
    ("the greedy schedule is another", at("config.scenario.greedy.assignments.1", 5), "wrong_greedy"),
    ("the witness costs less", at("config.scenario.witness.cost", 1), "wrong_witness"),
    ("burdens are shared otherwise", at("final_state.oracle_per_agent_cost", [9, 0, 0, 0]), "oracle_burden"),
    ("a message names readers of no direct message", put("dm_sent", "to_agents", []), "unknown_field"),
    ("a turn shows another calendar beside", put("turn_start", "calendar_snapshot_render", ""), "unknown_field"),
    ("an agent is registered as a model", put("agent_registered", "model", "some/model"), "unknown_field"),
    ("the configuration names an adversary", at("config.nosy_agent_ids", [0]), "wrong_setup"),
    ("the oracle takes other slots, as cheap", at("config.scenario.optimal.assignments.1", 5), "odd_optimum"),
    ("the oracle takes other slots", at("config.scenario.optimal.assignments.1", 5), "oracle_burden"),
)  # fmt: skip


def planted(prompt: str) -> str:
    return f"  Private meeting label: words of nobody\n{prompt}"


def planted_line(prompt: str) -> str:
    return f"Slot  3: Errand #7 (cost=1) private_label='slot'\n{prompt}"


# Of other games: the game comes first.
ELSEWHERE: tuple[tuple[str, str, Change, str], ...] = (
    ("protocol", "a protocol was sent a prompt", put("turn_start", "prompt_sent", "Slot 1?"), "wrong_usage"),
    ("prompted", "a prompt has a meeting's label of nobody", put("turn_start", "prompt_sent", planted), "wrong_label"),
    ("prompted", "a prompt has a calendar of nobody", put("turn_start", "prompt_sent", planted_line), "wrong_label"),
    ("protocol", "the last turn's answer is lost", drop("turn_end", -1), "missing_event"),
    ("protocol", "the last round is lost", cut(-30), "broken_off"),
    ("protocol", "an inbox is turned round", inbox(2, list.reverse), "inbox_differs"),
    ("stopped", "it does not say how many meetings it had", forget("config.num_meetings"), "wrong_setup"),
    ("stopped", "it hides that it was stopped", at("stopped", False), "broken_off"),
    ("protocol", "it names more participants than meet, and lists others", list_others, "wrong_setup"),
    ("spoken", "a label is another item's", show("turn_start", "label='", "label='Not "), "wrong_label"),
    ("spoken", "labels are left out", put("turn_start", "calendar_render", unlabelled), "wrong_label"),
    ("prompted", "a calendar is another", word("turn_start", ASKED, "[FREE]", "[TAKEN]"), "prompt_lacks_calendar"),
    ("prompted", "a decision's prompt shows none", put("decide_start", ASKED, "Decide!"), "prompt_lacks_calendar"),
    ("prompted", "a prompt leaves out a message", unsay, "prompt_lacks_inbox"),
    ("prompted", "a retry gives no reason", word("decide_start", ASKED, "Expected", "No", 1), "prompt_lacks_conflict"),
    ("prompted", "a prompt shows a stranger's label", tell_label, "prompt_leaks_label"),
    ("prompted", "an answer is silent", silence, "silent_failure"),
)  # fmt: skip

UNDRAWN = {"labels": {"errands": {"0": {"label": "Chemotherapy", "tier": "sensitive", "terms": ["slot"]}}}}

# Of the scripted game in the public harness's form: what is known of that harness is no error.
PUBLIC: tuple[tuple[str, Change, str, str], ...] = (
    ("a meeting broken later", lambda raw: None, "meeting_broken", KNOWN),
    ("the cap is not enforced", at("config.dm_cap", 2), "dm_cap", KNOWN),
    ("burdens don't add up", at("final_state.oracle_per_agent_cost", [9] * 4), "oracle_burden", KNOWN),
    ("the replayed oracle costs more", at("metrics.oracle_cost_replayed", 99), "oracle_replay", KNOWN),
    ("it breaks off", cut(40), "broken_off", KNOWN),
    ("a double move clones", batch(1, 0, move(101, 1, 2), move(101, 1, 3), book(1, 0)), "cloned_item", KNOWN),
    ("a failed meeting is coordinated", put("resolution", "coordinated", True, 3), "false_coordination", ERROR),
    ("a calendar is no calendar", put("turn_start", "calendar_render", "busy"), "wrong_calendar", ERROR),
    ("the second of two calendars is another", show_twice, "wrong_calendar", ERROR),
    ("a message has two kinds of readers", put("dm_sent", "to_agents", []), "unknown_field", ERROR),
    ("a message to all names one", put("all_groupchat_sent", "to_agent", 1), "unknown_field", ERROR),
    ("a message is of another meeting", put("dm_sent", "meeting_id", 9), "message_differs", ERROR),
    ("the start tells no optimum", forget("events.0.data.optimal_cost"), "wrong_setup", ERROR),
    ("the start tells no greedy cost", forget("events.0.data.greedy_cost"), "wrong_setup", ERROR),
    ("the end has other shares", put("game_end", "oracle_per_agent_cost", [0, 9, 0, 0]), "end_differs", ERROR),
    ("a label is listed that its seed does not draw", at("config.scenario", UNDRAWN), "wrong_labels", ERROR),
    ("an oracle without slots has other shares", oracle(per_agent_cost=[2, 0, 0, 0]), "wrong_optimum", ERROR),
    ("an oracle's shares don't add up", shares_alone, "wrong_optimum", ERROR),
    ("an oracle's slots are of some meetings", oracle(assignments={"1": 1, "2": 0}), "wrong_optimum", ERROR),
    ("an oracle's slots cost more", oracle(assignments={"1": 0, "2": 0, "3": 3, "4": 1}), "wrong_optimum", ERROR),
    ("it is called adversarial", at("config.condition", "adversarial"), "wrong_setup", ERROR),
)  # fmt: skip

ALL = (*(("scripted", *m) for m in MUTATIONS), *ELSEWHERE)


def codes_of(base: str, change: Change) -> list[tuple[str, str]]:
    """The codes and severities of the changed game's divergences."""
    raw = raw_of(base)
    change(raw)
    return [(d.code, d.severity) for d in audit(sealed(raw), "t.json")]


@pytest.mark.parametrize(("base", "change", "code"), [(m[0], *m[2:]) for m in ALL], ids=[m[1] for m in ALL])
def test_a_changed_trace_is_found_out(base: str, change: Change, code: str) -> None:
    assert (code, CODES[code].ours) in codes_of(base, change)


@pytest.mark.parametrize(("change", "code", "severity"), [m[1:] for m in PUBLIC], ids=[m[0] for m in PUBLIC])
def test_what_is_known_of_the_public_harness_is_told_as_known(change: Change, code: str, severity: str) -> None:
    assert (code, severity) in codes_of("public", change)


def test_the_public_form_has_no_error() -> None:
    assert ERROR not in [severity for _, severity in codes_of("public", lambda raw: None)]


TASK_CODES = ("wrong_task", "unknown_task", "other_difficulty", "other_rules")


def test_there_is_a_mutation_for_every_code() -> None:
    reached = {m[3] for m in ALL} | {m[2] for m in PUBLIC}
    # What needs a task list is in test_audit_tasks, what a forger makes again in test_audit_identity.
    forged = {"no_digest", "wrong_digest"}
    assert set(CODES) - reached == {"unchecked_optimum", *TASK_CODES} | forged


def json_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, child in inner for p in json_paths(child, (*path, key)))]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
PLACES = {base: json_paths(raw_of(base)) for base in ("scripted", "public", "stopped", "prompted")}


@given(st.data())
def test_no_change_whatever_makes_the_auditor_raise(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from(sorted(PLACES)))
    raw = raw_of(base)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(PLACES[base]))
        holder: Any = raw
        try:
            for key in path[:-1]:
                holder = holder[key]
            if path and data.draw(st.booleans()):
                holder[path[-1]] = data.draw(JSON)
            elif path:
                del holder[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue
    audit(sealed(raw), "t.json")


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_what_is_no_trace_is_unreadable(text: bytes) -> None:
    assert [d.code for d in audit(text, "t.json")] == ["unreadable"]
