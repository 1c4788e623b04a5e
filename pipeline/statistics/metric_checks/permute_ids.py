"""A game whose agents or slots exchange their numbers, wherever the trace names one, in messages too."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pipeline.traces.typed_messages import decode_message

Raw = dict[str, Any]
Rename = Callable[[int], int]

AGENT_LISTS = ("participants", "speaker_order", "to_agents", "nosy_agent_ids", "blocked_slot_violations")
AGENT_FIELDS = frozenset(
    ("agent_id", "from_agent", "to_agent", "from", "to", "initiator", "attendee", "target", *AGENT_LISTS)
)
COSTS = ("per_agent_cost", "oracle_per_agent_cost", "per_agent_excess_burden")
COUNTS = ("per_agent_messages_sent", "per_agent_messages_received")
ORDERED_BY_AGENT = frozenset((*COSTS, *COUNTS, "calendars", "agent_summaries", "agents", "prompts"))
SLOT_FIELDS = frozenset(("slot", "from_slot", "to_slot", "slots", "cleared_slots"))
# A plan of DSM without displacements is called by its slot; the others have numbers beyond all slots.
PLAN_FIELDS = frozenset(("id", "plan_id"))
KEYED_BY_SLOT = frozenset(("costs", "scores", "slot_conflicts"))
CALENDAR_TEXTS = frozenset(("calendar_render", "calendar_snapshot_render", "calendar_render_after"))

CALENDAR_LINE = re.compile(r"Slot +(\d+): (.*)")
MEMBERS = re.compile(r"participants=\[([\d, ]*)\]")
AGENT_NUMBERS = re.compile(
    r"(\bagent\s+)(\d{1,2})\b|(\bagents\s+)(\d{1,2}(?:(?:,|\s+and|\s+or)\s+\d{1,2})*)\b", re.IGNORECASE
)
RANGE = r"#?\d{1,2}(?:\s?(?:-|–|to|through)\s?#?\d{1,2})?\b"
LINK = r"(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)"
SLOT_LIST = re.compile(rf"(?<![\w#.'’]){RANGE}(?:{LINK}{RANGE})*(?![\w%])", re.IGNORECASE)
# What stands before a number that is no slot: "costs me 1", "errand #7".
NOT_SLOTS = re.compile(
    r"(?:\b(?:agents?|meetings?|errands?|costs?|costing|cost(?:s|ing)? (?:me|of|you)|of|is)|=)\s*$", re.IGNORECASE
)
SPAN = re.compile(r"#?(\d{1,2})(?:\s?(?:-|–|to|through)\s?#?(\d{1,2}))?", re.IGNORECASE)


def permute_agents(raw: Raw, order: Sequence[int]) -> Raw:
    """The trace with agent a renamed to order[a]."""
    recurse = partial(
        _with_agents, rename=lambda agent: order[agent] if 0 <= agent < len(order) else agent, order=order
    )
    return {name: recurse(value) for name, value in raw.items()}


def _with_agents(value: Any, rename: Rename, order: Sequence[int], name: str = "") -> Any:
    """A value of the trace, under this field name, with its agents renamed and lists by agent in the new order."""
    recurse = partial(_with_agents, rename=rename, order=order)
    if name in AGENT_FIELDS and type(value) is int:
        return rename(value)
    if name in CALENDAR_TEXTS and isinstance(value, str):
        return MEMBERS.sub(lambda match: f"participants={sorted(map(rename, _numbers(match[1])))}", value)
    if name == "content" and isinstance(value, str):
        in_english = partial(_rename_numbers, rename=rename)
        return _rewrite_message(value, recurse, lambda text: AGENT_NUMBERS.sub(in_english, text))
    if isinstance(value, list):
        if name in AGENT_FIELDS:
            return [rename(agent) if type(agent) is int else agent for agent in value]
        items = [recurse(item, name="") for item in value]
        return permuted(items, order) if name in ORDERED_BY_AGENT and len(items) == len(order) else items
    if isinstance(value, dict):
        if name == "per_agent_slot":
            return {str(rename(int(agent))): slot for agent, slot in value.items()}
        if name == "slot_conflicts":
            return {slot: [rename(agent) for agent in agents] for slot, agents in value.items()}
        return {key: recurse(item, name=key) for key, item in value.items()}
    return value


def _rename_numbers(match: re.Match[str], rename: Rename) -> str:
    """The text that matches, each number in it renamed."""
    return re.sub(r"\d+", lambda number: str(rename(int(number[0]))), match[0])


def permuted(items: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """The items with item i at place order[i]."""
    at_index = dict(zip(order, items, strict=True))
    return [at_index[i] for i in range(len(order))]


def permute_slots(raw: Raw, order: Sequence[int]) -> Raw:
    """The trace with slot s renamed to order[s]. A range of slots in a message becomes a list."""
    recurse = partial(_with_slots, rename=lambda slot: order[slot] if 0 <= slot < len(order) else slot, order=order)
    return {name: recurse(value) for name, value in raw.items()}


def _with_slots(
    value: Any, rename: Rename, order: Sequence[int], name: str = "", names: frozenset[str] = SLOT_FIELDS
) -> Any:
    """A value of the trace, under this field name, with its slots renamed and calendars in the new order."""
    recurse = partial(_with_slots, rename=rename, order=order, names=names)
    if name in names and type(value) is int:
        return rename(value)
    if name in CALENDAR_TEXTS and isinstance(value, str):
        return _rename_calendar(value, rename)
    if name == "content" and isinstance(value, str):
        in_message = partial(recurse, names=SLOT_FIELDS | PLAN_FIELDS)
        in_english = partial(_rename_slots, rename=rename, size=len(order))
        return _rewrite_message(value, in_message, lambda text: SLOT_LIST.sub(in_english, text))
    if isinstance(value, list):
        if name in SLOT_FIELDS:
            return [rename(slot) if type(slot) is int else recurse(slot) for slot in value]
        if name == "calendars":
            return [permuted(calendar, order) for calendar in value]
        return [recurse(item, name="") for item in value]
    if isinstance(value, dict):
        if name in ("per_agent_slot", "assignments"):
            return {key: rename(slot) if type(slot) is int else slot for key, slot in value.items()}
        if name in KEYED_BY_SLOT:
            return {str(rename(int(slot))): entry for slot, entry in value.items()}
        return {key: recurse(item, name=key) for key, item in value.items() if key != "calendars_sha256"}
    return value


def _rename_slots(match: re.Match[str], rename: Rename, size: int) -> str:
    """A list of slots and ranges as a list of the renamed slots; anything else as it is."""
    text = match[0]
    spans = [(int(a), int(b or a)) for a, b in SPAN.findall(text)]
    if NOT_SLOTS.search(match.string[: match.start()]) or not all(a <= b < size for a, b in spans):
        return text
    if text.lstrip("#").isdecimal():
        return f"{'#' * text.startswith('#')}{rename(spans[0][0])}"
    slots = [str(rename(slot)) for a, b in spans for slot in range(a, b + 1)]
    link = " or " if re.search(r"\bor\b", text) else " and "
    return ", ".join(slots[:-1]) + link + slots[-1] if len(slots) > 1 else slots[0]


def _rename_calendar(text: str, rename: Rename) -> str:
    """A rendered calendar, its lines in the order of the new numbers."""
    lines = {rename(int(match[1])): match[2] for line in text.split("\n") if (match := CALENDAR_LINE.fullmatch(line))}
    width = len(str(max(lines, default=0)))
    return "\n".join(f"Slot {slot:>{width}}: {lines[slot]}" for slot in sorted(lines))


def _rewrite_message(text: str, recurse: Callable[[Any], Any], rewrite: Callable[[str], str]) -> str:
    """A message rewritten: a protocol's JSON field by field, English as a text."""
    typed = decode_message(text)
    return rewrite(text) if typed is None else json.dumps(recurse(typed.body))


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.replace(",", " ").split()]


def with_game_id(raw: Mapping[str, Any], name: str) -> Raw:
    """The trace as that of another game, played by a team of the same name, so that a query by team gives each game."""
    return {**raw, "game_id": name, "config": {**raw["config"], "team": name}}
