"""The JSON Schema of a trace (paper, Appendix D.6), made by msgspec from a table of events and their fields.

`python -m pipeline docs` writes it to docs/trace.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sim.calendar import Errand, ScheduledMeeting
from sim.game.trace import SCHEMA_VERSION

Fields = Mapping[str, Any]  # name of a field → its type

Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


def record(
    name: str, fields: Fields, sometimes: Mapping[str, Any] = {}, closed: bool = True, **options: Any
) -> type[Struct]:
    """A record that has all the fields, may have some more, and, where closed, no others."""
    may = [(field, kind | UnsetType, UNSET) for field, kind in sometimes.items()]
    return msgspec.defstruct(name, [*fields.items(), *may], kw_only=True, forbid_unknown_fields=closed, **options)


def item() -> dict[str, Any]:
    """The schema of what a slot of a calendar holds: nothing, an errand or a meeting."""
    errand = {"errand_id": Count, "cost": Count}
    kinds = (
        record(Errand.__name__, errand, {"blocked": bool}),
        record(ScheduledMeeting.__name__, {"meeting_id": Count, "cost": Count, "participants": list[Count]}),
    )
    _, components = msgspec.json.schema_components(kinds)
    return {"anyOf": [{"type": "null"}, *components.values()]}


RECEIVED = record("Received", {"from": Count, "to": Count, "channel": str, "meeting_id": Count, "content": str})
MEETING = record(
    "Meeting",
    {"id": Count, "participants": list[Count], "cost": Count, "duration": Literal[1], "speaker_order": list[Count]},
)
WHERE: Fields = {"round": int, "turn": int, "phase": str, "agent_id": Count | None}
ANSWER: Fields = {
    "tool_calls": Any,
    "text": str | None,
    "thinking": str | None,
    "usage": dict[str, Any] | None,
    "latency_ms": float | None,
}
SENT: Fields = {"from_agent": Count, "meeting_id": Count, "content": str, "content_chars": Count, "channel": str}
METRICS: Fields = {
    "coordination_rate": Share,
    "meetings_scheduled": Count,
    "meetings_kept": Count,
    "realized_cost": Count,
    "optimal_cost": Count,
    "greedy_cost": Count,
    "excess_cost": int,
    "cost_vs_optimal": float | None,
    "cost_vs_greedy": float | None,
    "fairness": Share,
    "total_dms_sent": Count,
    "total_dm_chars": Count,
    "total_participant_groupchat_messages_sent": Count,
    "total_all_groupchat_messages_sent": Count,
    "dms_per_meeting": float | None,
}

# What each kind of event holds beside its place.
EVENTS: Mapping[str, Fields] = {
    "game_start": {
        "scenario_seed": int,
        "num_agents": Count,
        "num_slots": Count,
        "optimal_cost": Count,
        "greedy_cost": Count,
        "nosy_agent_ids": list[Count],
    },
    "agent_registered": {"is_nosy_agent": bool, "system_prompt": str, "calendar_render": str},
    "round_start": {"meeting": MEETING, "speaker_order": list[Count]},
    "turn_start": {"inbox_drained": list[RECEIVED], "calendar_render": str, "prompt_sent": str},  # type: ignore[valid-type]
    "turn_end": ANSWER,
    "dm_sent": {**SENT, "to_agent": Count},
    "participant_groupchat_sent": {**SENT, "to_agents": list[Count]},
    "all_groupchat_sent": {**SENT, "to_agents": list[Count]},
    "invalid_tool_call": {"tool_call": Any, "reason": str},
    "decide_start": {"attempt": Count, "calendar_snapshot_render": str, "prompt_sent": str},
    "decide_end": {"attempt": Count, **ANSWER},
    "batch_rejected": {"attempt": Count, "conflict_description": str, "actions": Any},
    "batch_applied": {"actions": list[Any], "cost": Count, "calendar_render_after": str},
    "batch_rolled_back": {"actions": list[Any]},
    "decision_failed": {"attempts": Count},
    "resolution": {
        "meeting_id": Count,
        "per_agent_slot": dict[str, Count | None],
        "coordinated": bool,
        "slot_conflicts": dict[str, list[Count]],
        "consistency_violated_meeting_ids": list[Count],
        "blocked_slot_violations": list[Count],
    },
    "consistency_violation": {"meeting_id": Count, "violated_meeting_ids": list[Count]},
    "game_end": METRICS,
    "game_stopped": {"cause": str},
}

# What only some answers hold: what a simulated speaker meant, how a model's was read.
READING: Fields = {"intent": Any, "parse": str | None}
SOMETIMES: Mapping[str, Fields] = {"turn_end": READING, "decide_end": READING}

FINAL_STATE: Fields = {
    "calendars": list[list[Annotated[Any, Meta(extra_json_schema=item())]]],
    "per_agent_cost": list[Count],
    "oracle_per_agent_cost": list[Count],
    "per_agent_excess_burden": list[int],
    "per_agent_messages_sent": list[Count],
    "per_agent_messages_received": list[Count],
    "total_displacement_cost": Count,
    "rounds_succeeded": Count,
    "rounds_failed": Count,
    "messages": Count,
    "consistency_violations": Count,
    "agent_summaries": list[dict[str, Any]],
}
AGENT = record("Agent", {"type": Any}, closed=False)
SCENARIO = dict.fromkeys(("parameters", "meetings", "optimal", "greedy", "witness", "labels"), Any)
CONFIG: Fields = {
    **dict.fromkeys(("game_name", "team", "task_id", "difficulty"), str),
    "simulated": bool,
    "setting": Literal["uniform", "varied"],
    "condition": Literal["standard", "blocked", "adversarial"],
    "seed": int,
    "density": float,
    **dict.fromkeys(("repeat", "num_agents", "num_participants", "num_meetings", "num_slots"), Count),
    **dict.fromkeys(("max_turns_per_round", "decision_retries"), Count),
    "dm_cap": Count | None,
    "channels": list[str],
    "agents": list[AGENT],  # type: ignore[valid-type]
    "scenario": record("Scenario", SCENARIO, closed=False),
}


def event(kind: str) -> type[Struct]:
    """One kind of event; a timestamp only where a provider took part."""
    data = record(f"{kind}_data", {**WHERE, **EVENTS[kind]}, SOMETIMES.get(kind, {}))
    return record(kind, {"data": data}, {"timestamp": str}, tag_field="type", tag=kind)


def trace_schema() -> dict[str, Any]:
    """The JSON Schema of a whole trace."""
    fields = {
        "schema_version": Literal[SCHEMA_VERSION],
        "game_id": UUID,
        "config": record("Config", CONFIG, closed=False),
        "events": list[Union[tuple(map(event, EVENTS))]],  # type: ignore[misc]  # noqa: UP007
        "final_state": record("FinalState", FINAL_STATE),
        "metrics": record("Metrics", METRICS),
        **dict.fromkeys(("started_at", "ended_at", "stop_cause", "stop_category"), str | None),
        "stopped": bool,
    }
    schema = msgspec.json.schema(record("Trace", fields, {"record_sha256": str}))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "CalBench trace"} | schema


def schema_text() -> str:
    """The schema as its file holds it."""
    return json.dumps(trace_schema(), indent=1) + "\n"
