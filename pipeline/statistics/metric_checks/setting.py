"""A game with another frame: one more round in which nothing happens, or costs counted in a smaller unit."""

import re
from typing import Any

Raw = dict[str, Any]

UNIT = 10
COST = re.compile(r"\(cost=(\d+)\)")
COSTS = frozenset(("cost", "optimal_cost", "greedy_cost", "per_agent_cost", "oracle_per_agent_cost"))
SHOWN = frozenset(("calendar_render", "calendar_snapshot_render", "calendar_render_after"))


def with_empty_round(raw: Raw) -> Raw:
    """The trace with a last round in which nobody says or schedules anything."""
    events = raw["events"]
    last = next(e["data"] for e in reversed(events) if e["type"] == "round_start")
    end = next(i for i, e in enumerate(events) if e["type"] == "game_end")
    meeting = last["meeting"] | {"id": last["meeting"]["id"] + 1}
    place = {"round": last["round"] + 1, "turn": 0}
    members = sorted(meeting["participants"])
    start = {"type": "round_start", "data": last | place | {"meeting": meeting}}
    shown = [turn(raw, agent, place) for agent in members]
    resolution = {
        "type": "resolution",
        "data": place
        | {"phase": "RESOLUTION", "agent_id": None, "meeting_id": meeting["id"], "coordinated": False}
        | {"per_agent_slot": {str(a): None for a in members}, "slot_conflicts": {}}
        | {"consistency_violated_meeting_ids": [], "blocked_slot_violations": []},
    }
    config = raw["config"] | {"num_meetings": raw["config"]["num_meetings"] + 1}
    return raw | {"config": config, "events": [*events[:end], start, *shown, resolution, *events[end:]]}


def turn(raw: Raw, agent: int, place: dict[str, int]) -> dict[str, Any]:
    """A turn of an agent who sees its calendar as it last did, and says nothing."""
    shown = [e["data"] for e in raw["events"] if e["data"].get("agent_id") == agent and SHOWN & e["data"].keys()]
    text = next(text for data in reversed(shown) for name in SHOWN if (text := data.get(name)))
    data = place | {"phase": "CHEAP_TALK", "agent_id": agent, "inbox_drained": [], "calendar_render": text}
    return {"type": "turn_start", "data": data | {"prompt_sent": ""}}


def in_smaller_units(value: Any, name: str = "") -> Any:
    """The trace with every cost UNIT times as large, as euros in cents."""
    if name in COSTS and isinstance(value, int | list):
        return value * UNIT if isinstance(value, int) else [cost * UNIT for cost in value]
    if name in SHOWN and isinstance(value, str):
        return COST.sub(lambda found: f"(cost={int(found[1]) * UNIT})", value)
    if isinstance(value, dict):
        return {key: in_smaller_units(item, key) for key, item in value.items()}
    return [in_smaller_units(item) for item in value] if isinstance(value, list) else value
