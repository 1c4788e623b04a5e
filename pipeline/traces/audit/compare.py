"""One event of the engine beside the one that the trace has."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import CALENDAR_FIELDS, LABEL, SENT, Event, Trace
from sim.agents import DECISION
from sim.game.trace import Event as Played
from sim.game.trace_schema import EVENTS, SOMETIMES

# The fields of a reply, which the replay has from the trace itself.
REPLY = frozenset(("tool_calls", "text", "thinking", "usage", "latency_ms", "parse", "intent", "prompt_sent"))
# What the public harness numbers, words or leaves out otherwise.
OTHERWISE = frozenset(("attempt", "attempts", "slot_conflicts", "cost", "reason", "conflict_description"))
# What the engine keeps in tuples.
WITH_TUPLES = frozenset(("meeting", "speaker_order"))
PLACE = ("round", "turn", "phase", "agent_id")
CODES_OF_FIELDS = {
    "num_agents": "wrong_setup",
    "num_slots": "wrong_setup",
    "cause": "stop_claim",
    "meeting": "meeting_differs",
    "speaker_order": "meeting_differs",
    "inbox_drained": "inbox_differs",
    "to_agent": "wrong_recipients",
    "to_agents": "wrong_recipients",
    "tool_call": "refusal_differs",
    "reason": "refusal_differs",
    "attempt": "wrong_attempt",
    "attempts": "wrong_attempt",
    "conflict_description": "wrong_conflict",
    "actions": "batch_differs",
    "cost": "wrong_cost",
    "per_agent_slot": "wrong_slots",
    "slot_conflicts": "slot_conflicts",
    "consistency_violated_meeting_ids": "wrong_violations",
    "violated_meeting_ids": "wrong_violations",
    "blocked_slot_violations": "wrong_blocked",
}
CODES_OF_MEETINGS = {"resolution": "wrong_slots", "consistency_violation": "wrong_violations"}
# The words by which the engine says that a batch breaks a rule.
RULES = {
    "Unknown action type": "malformed_batch",
    "must be a list": "malformed_batch",
    "must be an integer": "slot_out_of_bounds",
    "is not at slot": "unknown_item",
    "there is no item": "unknown_item",
    "is blocked": "blocked_move",
    "Two actions move": "cloned_item",
    "Two actions target": "target_conflict",
    "Target slot": "target_not_free",
    "schedule action": "schedule_count",
    "Only meeting": "wrong_meeting",
    "Schedule slot": "schedule_not_free",
}
CLOSED = {"batch_applied": "batch_rolled_back", "batch_rolled_back": "batch_applied"}


class Difference(NamedTuple):
    """What the replay gives and what the trace has, under a code; detail: the field."""

    code: str
    expected: Any
    found: Any
    detail: str


def place_of(data: dict[str, Any]) -> tuple[Any, ...]:
    """(round, turn, phase, agent) as the event names them."""
    return tuple(data.get(name) for name in PLACE)


def without_costs(actions: Any) -> Any:
    """The actions without the cost that the public harness adds to those it applied."""
    if not isinstance(actions, list):
        return actions
    return [{k: v for k, v in a.items() if k != "cost"} if isinstance(a, dict) else a for a in actions]


def difference(expected: Played, recorded: Iterator[Event], public: bool, labelled: bool) -> Difference | None:
    """The first difference between the engine's event and the first of those recorded from there on, if any.

    public: whether the public harness wrote the trace. labelled: whether labels are compared, too.
    """
    found = next(recorded)
    wanted, there = (expected.type, *place_of(expected.data)), (found.type, *place_of(found.data))
    if not equal(wanted, there):
        code = code_of_event(expected, found, list(recorded))
        why = expected.data.get("conflict_description") or expected.data.get("reason")
        return Difference(code, why or list(wanted), list(there), f"{expected.type}, not {found.type}")
    for name, value, other in fields(expected, found.data, public):
        if name in CALENDAR_FIELDS:
            if problem := calendar_difference(value, other, labelled):
                return Difference(*problem, f"{found.type}.{name}")
        elif not equal(value, other):
            return Difference(code_of_field(expected, name), value, other, f"{found.type}.{name}")
    return None


def code_of_event(expected: Played, found: Event, later: Iterable[Event]) -> str:
    """The code of an event in the place of another."""
    agent, number = expected.data.get("agent_id"), expected.data.get("round")
    own = [e for e in (found, *later) if e.data.get("agent_id") == agent and e.data.get("round") == number]
    same = found in own
    if expected.type == "invalid_tool_call" and found.type in SENT and same:
        return "dm_cap" if "cap of" in expected.data["reason"] else "delivered_invalid"
    if found.type == "invalid_tool_call" and expected.type in SENT and same:
        return "refused_valid"
    kinds = {e.type for e in own}
    retried = found.type == "decide_start" and same
    if expected.type == "batch_rejected" and not retried and "batch_applied" in kinds and "batch_rejected" not in kinds:
        return rule_of(expected.data["conflict_description"])
    if found.type == "batch_rejected" and expected.type != "batch_rejected" and expected.data["phase"] == DECISION:
        return "false_rejection"
    if CLOSED.get(expected.type) == found.type:
        return "not_all_or_none"
    if expected.type == "decision_failed" and found.type == "decide_start" and same:
        return "wrong_attempt"
    missing = not any(e.type == expected.type and place_of(e.data) == place_of(expected.data) for e in own)
    return "missing_event" if missing else "unexpected_event"


def rule_of(conflict: str) -> str:
    """The code of the rule that the engine says a batch breaks."""
    return next((code for words, code in RULES.items() if words in conflict), "malformed_batch")


def fields(expected: Played, data: dict[str, Any], public: bool) -> Iterator[tuple[str, Any, Any]]:
    """(name, the engine's value, the trace's) of the fields to compare."""
    for name, replayed in expected.data.items():
        value = msgspec.json.decode(msgspec.json.encode(replayed)) if name in WITH_TUPLES else replayed
        if name in REPLY or name in PLACE:
            continue
        if not public:
            yield name, value, data.get(name)
        elif name in CALENDAR_FIELDS:
            shown = [other for field in CALENDAR_FIELDS if (other := data.get(field)) is not None]
            yield from ((name, value, other) for other in shown or [None])
        elif name == "inbox_drained":
            yield name, [said(message) for message in value], [said(message) for message in listed(data.get(name))]
        elif name == "actions":
            yield name, without_costs(value), without_costs(data.get(name))
        elif name == "meeting":
            yield name, value, value | data[name] if isinstance(data.get(name), dict) else None
        elif name not in OTHERWISE and (name != "meeting_id" or expected.type in (*SENT, "resolution")):
            yield name, value, data.get(name)


def listed(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def said(message: Any) -> Any:
    """Who sent a message, and what it says."""
    return [message.get("from"), message.get("content")] if isinstance(message, dict) else message


def code_of_field(expected: Played, name: str) -> str:
    """The code of a field that says something else."""
    if name == "coordinated":
        return "denied_coordination" if expected.data[name] else "false_coordination"
    if name == "meeting_id":
        return CODES_OF_MEETINGS.get(expected.type, "message_differs")
    return CODES_OF_FIELDS.get(name, "message_differs")


def calendar_difference(replayed: str, recorded: Any, labelled: bool) -> tuple[str, Any, Any] | None:
    """(code, the line of the replay, the trace's) of the first line in which a shown calendar differs."""
    if replayed == recorded:
        return None
    if not isinstance(recorded, str):
        return "wrong_calendar", replayed, recorded
    bare = [LABEL.sub("", text).split("\n") for text in (replayed, recorded)]
    if bare[0] == bare[1]:
        lines, code = (replayed.split("\n"), recorded.split("\n")), "wrong_label"
    else:
        lines, code = (bare[0], bare[1]), "wrong_calendar"
    if code == "wrong_label" and not labelled:
        return None
    pairs = zip(*lines, strict=False)
    first = next((pair for pair in pairs if pair[0] != pair[1]), (f"{len(lines[0])} lines", f"{len(lines[1])} lines"))
    return code, *first


def equal(replayed: Any, recorded: Any) -> bool:
    """Equality that tells true from 1."""
    return bool(replayed == recorded) and isinstance(replayed, bool) == isinstance(recorded, bool)


def check_fields(trace: Trace, findings: Findings) -> None:
    """Events of unknown kinds, and fields that no event of its kind has: readers may take them for others."""
    for kind in sorted({e.type for e in trace.events} - set(EVENTS)):
        findings.add("unknown_event", "", kind, f"{len(trace.all_of(kind))} times")
    for number, event in enumerate(trace.events):
        if event.type in EVENTS and (more := unknown_fields(event, trace.public)):
            findings.add("unknown_field", "", sorted(more), event.type, event=number, round=event.data.get("round"))


def unknown_fields(event: Event, public: bool) -> set[str]:
    """The fields that no event of its kind has. Of a public trace, which has fields of its own, those that name a
    message's readers otherwise than its channel does."""
    known = {*PLACE, *EVENTS[event.type], *SOMETIMES.get(event.type, ())}
    if not public:
        return event.data.keys() - known
    readers = {name for name in ("to_agent", "to_agents") if event.data.get(name) is not None}
    return readers - known if event.type in SENT else set()
