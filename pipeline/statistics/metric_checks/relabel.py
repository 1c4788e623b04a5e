"""A game told with other numbers: its agents or its slots renamed, wherever the trace names one."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pipeline.traces.typed_messages import decode_message

Raw = dict[str, Any]
Rename = Callable[[int], int]

LISTS_OF_AGENTS = ("participants", "speaker_order", "to_agents", "nosy_agent_ids", "blocked_slot_violations")
AGENT = frozenset(
    ("agent_id", "from_agent", "to_agent", "from", "to", "initiator", "attendee", "target", *LISTS_OF_AGENTS)
)
COSTS = ("per_agent_cost", "oracle_per_agent_cost", "per_agent_excess_burden")
COUNTS = ("per_agent_messages_sent", "per_agent_messages_received")
BY_AGENT = frozenset((*COSTS, *COUNTS, "calendars", "agent_summaries", "agents", "prompts"))
SLOT = frozenset(("slot", "from_slot", "to_slot", "slots", "cleared_slots"))
# A plan of DSM without displacements is called by its slot; the others have numbers beyond all slots.
PLAN = frozenset(("id", "plan_id"))
BY_SLOT = frozenset(("costs", "scores", "slot_conflicts"))
SHOWN = frozenset(("calendar_render", "calendar_snapshot_render", "calendar_render_after"))

LINE = re.compile(r"Slot +(\d+): (.*)")
MEMBERS = re.compile(r"participants=\[([\d, ]*)\]")
AGENTS = re.compile(r"(\bagent\s+)(\d{1,2})\b|(\bagents\s+)(\d{1,2}(?:(?:,|\s+and|\s+or)\s+\d{1,2})*)\b", re.IGNORECASE)
RANGE = r"#?\d{1,2}(?:\s?(?:-|–|to|through)\s?#?\d{1,2})?\b"
LINK = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)"
SLOTS = re.compile(rf"(?<![\w#.'’]){RANGE}(?:{LINK}{RANGE})*(?![\w%])", re.IGNORECASE)
# What stands before a number that is no slot: "costs me 1", "errand #7".
NO_SLOTS = re.compile(
    r"(?:\b(?:agents?|meetings?|errands?|costs?|costing|cost(?:s|ing)? (?:me|of|you)|of|is)|=)\s*$", re.IGNORECASE
)
SPAN = re.compile(r"#?(\d{1,2})(?:\s?(?:-|–|to|through)\s?#?(\d{1,2}))?", re.IGNORECASE)


def with_agents(raw: Raw, order: Sequence[int]) -> Raw:
    """The trace with agent a called order[a]."""
    walk = partial(_agents, rename=lambda agent: order[agent] if 0 <= agent < len(order) else agent, order=order)
    return {name: walk(value) for name, value in raw.items()}


def _agents(value: Any, rename: Rename, order: Sequence[int], name: str = "") -> Any:
    walk = partial(_agents, rename=rename, order=order)
    if name in AGENT and type(value) is int:
        return rename(value)
    if name in SHOWN and isinstance(value, str):
        return MEMBERS.sub(lambda found: f"participants={sorted(map(rename, _numbers(found[1])))}", value)
    if name == "content" and isinstance(value, str):
        return _content(value, walk, lambda text: AGENTS.sub(lambda found: _renamed(found, rename), text))
    if isinstance(value, list):
        if name in AGENT:
            return [rename(agent) if type(agent) is int else agent for agent in value]
        items = [walk(item, name="") for item in value]
        return permuted(items, order) if name in BY_AGENT and len(items) == len(order) else items
    if isinstance(value, dict):
        if name == "per_agent_slot":
            return {str(rename(int(agent))): slot for agent, slot in value.items()}
        if name == "slot_conflicts":
            return {slot: [rename(agent) for agent in agents] for slot, agents in value.items()}
        return {key: walk(item, name=key) for key, item in value.items()}
    return value


def _renamed(found: re.Match[str], rename: Rename) -> str:
    return re.sub(r"\d+", lambda number: str(rename(int(number[0]))), found[0])


def permuted(items: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """The items with item i at place order[i]."""
    placed = dict(zip(order, items, strict=True))
    return [placed[i] for i in range(len(order))]


def with_slots(raw: Raw, order: Sequence[int]) -> Raw:
    """The trace with slot s called order[s]. A range in a message becomes a list of its slots."""
    walk = partial(_slots, rename=lambda slot: order[slot] if 0 <= slot < len(order) else slot, order=order)
    return {name: walk(value) for name, value in raw.items()}


def _slots(value: Any, rename: Rename, order: Sequence[int], name: str = "", names: frozenset[str] = SLOT) -> Any:
    walk = partial(_slots, rename=rename, order=order, names=names)
    if name in names and type(value) is int:
        return rename(value)
    if name in SHOWN and isinstance(value, str):
        return _shown(value, rename)
    if name == "content" and isinstance(value, str):
        inside = partial(walk, names=SLOT | PLAN)
        return _content(value, inside, lambda text: SLOTS.sub(partial(_listed, rename=rename, size=len(order)), text))
    if isinstance(value, list):
        if name in SLOT:
            return [rename(slot) if type(slot) is int else walk(slot) for slot in value]
        if name == "calendars":
            return [permuted(calendar, order) for calendar in value]
        return [walk(item, name="") for item in value]
    if isinstance(value, dict):
        if name == "per_agent_slot" or name == "assignments":
            return {key: rename(slot) if type(slot) is int else slot for key, slot in value.items()}
        if name in BY_SLOT:
            return {str(rename(int(slot))): told for slot, told in value.items()}
        return {key: walk(item, name=key) for key, item in value.items() if key != "calendars_sha256"}
    return value


def _listed(found: re.Match[str], rename: Rename, size: int) -> str:
    """A list of slots and ranges as a list of the renamed slots; anything else as it is."""
    text = found[0]
    spans = [(int(a), int(b or a)) for a, b in SPAN.findall(text)]
    if NO_SLOTS.search(found.string[: found.start()]) or not all(a <= b < size for a, b in spans):
        return text
    if text.lstrip("#").isdecimal():
        return f"{'#' * text.startswith('#')}{rename(spans[0][0])}"
    slots = [str(rename(slot)) for a, b in spans for slot in range(a, b + 1)]
    link = " or " if re.search(r"\bor\b", text) else " and "
    return ", ".join(slots[:-1]) + link + slots[-1] if len(slots) > 1 else slots[0]


def _shown(text: str, rename: Rename) -> str:
    """A rendered calendar, its lines in the order of the new numbers."""
    lines = {rename(int(found[1])): found[2] for line in text.split("\n") if (found := LINE.fullmatch(line))}
    width = len(str(max(lines, default=0)))
    return "\n".join(f"Slot {slot:>{width}}: {lines[slot]}" for slot in sorted(lines))


def _content(text: str, walk: Callable[[Any], Any], rewrite: Callable[[str], str]) -> str:
    """A message: a protocol's JSON by its fields, English by its words."""
    typed = decode_message(text)
    return rewrite(text) if typed is None else json.dumps(walk(typed.body))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.replace(",", " ").split()]


def renamed(raw: Mapping[str, Any], name: str) -> Raw:
    """The trace as one of another game, which is played by a team of the same name."""
    return {**raw, "game_id": name, "config": {**raw["config"], "team": name}}
