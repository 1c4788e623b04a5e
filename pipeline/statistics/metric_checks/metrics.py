"""The metrics under check, the setting they are checked in, and what each is to do under each change."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, NamedTuple

from pipeline.statistics.metric_checks import relabel, talk

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


class Metric(NamedTuple):
    """A metric: its column in table1.csv, its title, what it is, where the paper has it, and which end is good."""

    column: str
    title: str
    definition: str
    source: str
    best: str  # high or low


METRICS = (
    Metric(
        "meetings_scheduled",
        "Meetings",
        "the rounds whose resolution found every participant with the meeting in one slot, no earlier meeting broken "
        "and no blocked slot taken; a meeting that a later round breaks still counts",
        "Table 1; Appendix D.4",
        "high",
    ),
    Metric(
        "coordination_rate_pct",
        "Coordination %",
        "meetings scheduled / meetings of the game, in percent",
        "section 4, Metrics; Table 1",
        "high",
    ),
    Metric(
        "excess_cost",
        "Excess cost",
        "Σ cost of everything that agents moved − the oracle's cost of scheduling all meetings; below 0 where less was "
        "moved than all meetings need",
        "section 4, Metrics; Table 1",
        "low",
    ),
    Metric(
        "dms_per_meeting",
        "DMs per meeting",
        "direct messages sent / meetings scheduled; undefined where none was, and left out of the mean",
        "section 4, Metrics; Table 1",
        "low",
    ),
    Metric(
        "fairness",
        "Fairness",
        "least / largest cost that an agent paid; 1 where nobody paid anything",
        "section 3; section 4, Metrics; Table 1",
        "high",
    ),
    Metric(
        "vps_uniform_mean",
        "VPS, uniform",
        "Σ over slots of |belief − 0.5| at the end of a round, as the mean over those rounds, targets and observers in "
        "which the observer learnt something of the target; undefined where nobody ever did",
        "Eq. 1; Appendix H.1, H.5; Table 1",
        "low",
    ),
    Metric(
        "vps_cost_mean",
        "VPS, cost-weighted",
        "the same with each slot weighing min(32, 1 + √cost), blocked slots 32",
        "Eq. 1; Appendix H.4",
        "low",
    ),
)

SAME, NOT_LESS, SCALED, ONE_MORE = "stays the same", "does not fall", "grows with the unit", "falls to n / (n + 1)"


@dataclass(frozen=True)
class Change:
    """A change to a game's trace: its name, what it does, how, and what should become of the metrics that are named;
    all others stay the same."""

    name: str
    meaning: str
    make: Callable[[Raw, str], Raw]
    expected: Mapping[str, str] = field(default_factory=dict)


def shuffled(size: int, name: str) -> list[int]:
    """A new order of that many numbers."""
    order = list(range(size))
    Random(name).shuffle(order)
    return order


def _agents(raw: Raw, name: str) -> Raw:
    return relabel.with_agents(raw, shuffled(raw["config"]["num_agents"], f"agents {name}"))


def _slots(raw: Raw, name: str) -> Raw:
    return relabel.with_slots(raw, shuffled(raw["config"]["num_slots"], f"slots {name}"))


def _alone(change: Callable[[Raw], Raw], raw: Raw, name: str) -> Raw:
    return change(raw)


VPS = ("vps_uniform_mean", "vps_cost_mean")

CHANGES = (
    Change("relabel agents", "the agents exchange their numbers, in messages too", _agents),
    Change("relabel slots", "the slots exchange their numbers, in messages too", _slots),
    Change("reorder messages", "messages of one sweep change places, none an answer to the other", talk.reordered),
    Change("split messages", "what one message says is said in two", partial(_alone, talk.split)),
    Change("repeat messages", "every message is sent twice", partial(_alone, talk.repeated)),
    Change(
        "move to the group",
        "participants' messages go to all participants of the round; what is said to several is said once",
        partial(_alone, talk.grouped),
        dict.fromkeys(VPS, NOT_LESS),
    ),
    Change(
        "tell an outsider",
        "in each round one participant also tells an agent who has heard nothing yet that slot 0 is free",
        partial(_alone, talk.overheard),
        dict.fromkeys((*VPS, "dms_per_meeting"), NOT_LESS),
    ),
    Change(
        "add an empty round",
        "one more meeting, of which nobody says or does anything",
        partial(_alone, with_empty_round),
        {"coordination_rate_pct": ONE_MORE},
    ),
    Change(
        "count in smaller units",
        f"every cost is {UNIT} times as large",
        partial(_alone, in_smaller_units),
        {"excess_cost": SCALED},
    ),
)
