"""The JSON Schema of a trace (paper, Appendix D.6), built from a table of events and fields.

`python -m sim docs` writes it to docs/trace.schema.json.
"""

from __future__ import annotations

import json
from typing import Any

from sim.game.trace import SCHEMA_VERSION

Schema = dict[str, Any]

INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
OPTIONAL_TEXT: Schema = {"type": ["string", "null"]}
OPTIONAL_COUNT: Schema = {"type": ["integer", "null"], "minimum": 0}
OPTIONAL_NUMBER: Schema = {"type": ["number", "null"]}
OPTIONAL_OBJECT: Schema = {"type": ["object", "null"]}
INTEGERS: Schema = {"type": "array", "items": INTEGER}
COUNTS: Schema = {"type": "array", "items": COUNT}

RECEIVED: Schema = {
    "type": "object",
    "required": ["from", "to", "channel", "meeting_id", "content"],
    "properties": {"from": COUNT, "to": COUNT, "channel": TEXT, "meeting_id": COUNT, "content": TEXT},
    "additionalProperties": False,
}
MEETING: Schema = {
    "type": "object",
    "required": ["id", "participants", "cost", "duration", "speaker_order"],
    "properties": {"id": COUNT, "participants": COUNTS, "cost": COUNT, "duration": COUNT, "speaker_order": COUNTS},
    "additionalProperties": False,
}
ITEM: Schema = {
    "oneOf": [
        {"type": "null"},
        {
            "type": "object",
            "required": ["errand_id", "cost"],
            "properties": {"errand_id": COUNT, "cost": COUNT, "blocked": FLAG},
            "additionalProperties": False,
        },
        {
            "type": "object",
            "required": ["meeting_id", "cost", "participants"],
            "properties": {"meeting_id": COUNT, "cost": COUNT, "participants": COUNTS},
            "additionalProperties": False,
        },
    ]
}

WHERE: Schema = {"round": INTEGER, "turn": INTEGER, "phase": TEXT, "agent_id": OPTIONAL_COUNT}
ANSWER: Schema = {
    "tool_calls": ANYTHING,
    "text": OPTIONAL_TEXT,
    "thinking": OPTIONAL_TEXT,
    "usage": OPTIONAL_OBJECT,
    "latency_ms": OPTIONAL_NUMBER,
}
SENT: Schema = {"from_agent": COUNT, "meeting_id": COUNT, "content": TEXT, "content_chars": COUNT, "channel": TEXT}
METRICS: Schema = {
    "coordination_rate": {"type": "number", "minimum": 0, "maximum": 1},
    "meetings_scheduled": COUNT,
    "meetings_kept": COUNT,
    "realized_cost": COUNT,
    "optimal_cost": COUNT,
    "greedy_cost": COUNT,
    "excess_cost": INTEGER,
    "cost_vs_optimal": OPTIONAL_NUMBER,
    "cost_vs_greedy": OPTIONAL_NUMBER,
    "fairness": {"type": "number", "minimum": 0, "maximum": 1},
    "total_dms_sent": COUNT,
    "total_dm_chars": COUNT,
    "total_participant_groupchat_messages_sent": COUNT,
    "total_all_groupchat_messages_sent": COUNT,
    "dms_per_meeting": OPTIONAL_NUMBER,
}

# What each kind of event holds beside its place.
EVENTS: dict[str, Schema] = {
    "game_start": {
        "scenario_seed": INTEGER,
        "num_agents": COUNT,
        "num_slots": COUNT,
        "optimal_cost": COUNT,
        "greedy_cost": COUNT,
        "nosy_agent_ids": COUNTS,
    },
    "agent_registered": {"is_nosy_agent": FLAG, "system_prompt": TEXT, "calendar_render": TEXT},
    "round_start": {"meeting": MEETING, "speaker_order": COUNTS},
    "turn_start": {
        "inbox_drained": {"type": "array", "items": RECEIVED},
        "calendar_render": TEXT,
        "prompt_sent": TEXT,
    },
    "turn_end": ANSWER,
    "dm_sent": SENT | {"to_agent": COUNT},
    "participant_groupchat_sent": SENT | {"to_agents": COUNTS},
    "all_groupchat_sent": SENT | {"to_agents": COUNTS},
    "invalid_tool_call": {"tool_call": ANYTHING, "reason": TEXT},
    "decide_start": {"attempt": COUNT, "calendar_snapshot_render": TEXT, "prompt_sent": TEXT},
    "decide_end": {"attempt": COUNT} | ANSWER,
    "batch_rejected": {"attempt": COUNT, "conflict_description": TEXT, "actions": ANYTHING},
    "batch_applied": {"actions": {"type": "array"}, "cost": COUNT, "calendar_render_after": TEXT},
    "batch_rolled_back": {"actions": {"type": "array"}},
    "decision_failed": {"attempts": COUNT},
    "resolution": {
        "meeting_id": COUNT,
        "per_agent_slot": {"type": "object", "additionalProperties": OPTIONAL_COUNT},
        "coordinated": FLAG,
        "slot_conflicts": {"type": "object", "additionalProperties": COUNTS},
        "consistency_violated_meeting_ids": COUNTS,
        "blocked_slot_violations": COUNTS,
    },
    "consistency_violation": {"meeting_id": COUNT, "violated_meeting_ids": COUNTS},
    "game_end": METRICS,
    "game_stopped": {"cause": TEXT},
}

# What only some events of a kind hold: what a simulated speaker meant, how an answer was read.
SOMETIMES: dict[str, Schema] = {
    "turn_end": {"intent": ANYTHING, "parse": OPTIONAL_TEXT},
    "decide_end": {"intent": ANYTHING, "parse": OPTIONAL_TEXT},
}

FINAL_STATE: Schema = {
    "calendars": {"type": "array", "items": {"type": "array", "items": ITEM}},
    "per_agent_cost": COUNTS,
    "oracle_per_agent_cost": COUNTS,
    "per_agent_excess_burden": INTEGERS,
    "per_agent_messages_sent": COUNTS,
    "per_agent_messages_received": COUNTS,
    "total_displacement_cost": COUNT,
    "rounds_succeeded": COUNT,
    "rounds_failed": COUNT,
    "messages": COUNT,
    "consistency_violations": COUNT,
    "agent_summaries": {"type": "array", "items": {"type": "object"}},
}

CONFIG: Schema = {
    "game_name": TEXT,
    "team": TEXT,
    "simulated": FLAG,
    "setting": {"enum": ["uniform", "varied"]},
    "condition": {"enum": ["standard", "blocked", "adversarial"]},
    "task_id": TEXT,
    "seed": INTEGER,
    "difficulty": TEXT,
    "density": {"type": "number"},
    "repeat": COUNT,
    "num_agents": COUNT,
    "num_participants": COUNT,
    "num_meetings": COUNT,
    "num_slots": COUNT,
    "max_turns_per_round": COUNT,
    "decision_retries": COUNT,
    "dm_cap": OPTIONAL_COUNT,
    "channels": {"type": "array", "items": TEXT},
    "agents": {"type": "array", "items": {"type": "object", "required": ["type"]}},
    "scenario": {"type": "object", "required": ["parameters", "meetings", "optimal", "greedy", "witness", "labels"]},
}


def record(fields: Schema, sometimes: Schema | None = None, closed: bool = True) -> Schema:
    """An object that has all the fields, may have some more, and, where closed, no others."""
    properties = fields | (sometimes or {})
    return {"type": "object", "required": list(fields), "properties": properties, "additionalProperties": not closed}


def event(kind: str) -> Schema:
    """One kind of event; a timestamp only where a provider took part."""
    data = record(WHERE | EVENTS[kind], SOMETIMES.get(kind))
    return record({"type": {"const": kind}, "data": data}, {"timestamp": TEXT})


def trace_schema() -> Schema:
    """The JSON Schema of a whole trace."""
    fields = {
        "schema_version": {"const": SCHEMA_VERSION},
        "game_id": {"type": "string", "format": "uuid"},
        "config": record(CONFIG, closed=False),
        "events": {"type": "array", "items": {"oneOf": [event(kind) for kind in EVENTS]}},
        "final_state": record(FINAL_STATE),
        "metrics": record(METRICS),
        "started_at": OPTIONAL_TEXT,
        "ended_at": OPTIONAL_TEXT,
        "stopped": FLAG,
        "stop_cause": OPTIONAL_TEXT,
        "stop_category": OPTIONAL_TEXT,
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "CalBench trace"} | record(
        fields, {"record_sha256": TEXT}
    )


def schema_text() -> str:
    """The schema as its file holds it."""
    return json.dumps(trace_schema(), indent=1) + "\n"
