"""A game with other messages: reordered, split, repeated, sent to a group, one to an outsider, or a round of none."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import groupby
from random import Random
from typing import Any

from pipeline.statistics.metric_checks.permute_ids import CALENDAR_TEXTS
from pipeline.traces.typed_messages import decode_message

Raw = dict[str, Any]
Event = dict[str, Any]

SENT = frozenset(("dm_sent", "participant_groupchat_sent", "all_groupchat_sent"))
SENTENCE = re.compile(r"(?<=[.!?])\s+")
# The fields of typed messages with an entry a slot.
LIST_FIELDS = ("costs", "scores", "plans", "slots")
SWAPS = 20


def reorder_messages(raw: Raw, name: str) -> Raw:
    """The trace with some neighbouring messages of a sweep exchanged: those that are independent.

    name: of the random stream.
    """
    events, draws = list(raw["events"]), Random(f"reorder {name}")
    for sweep in messages_by_sweep(events):
        for _ in range(SWAPS if len(sweep) > 1 else 0):
            first = draws.randrange(len(sweep) - 1)
            one, other = sweep[first], sweep[first + 1]
            if independent(events[one]["data"], events[other]["data"]):
                events[one], events[other] = events[other], events[one]
    return raw | {"events": events}


def messages_by_sweep(events: list[Event]) -> list[list[int]]:
    """The indices of the messages of each sweep over the speakers, which a trace numbers as `turn`."""
    by_sweep: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, event in enumerate(events):
        if event["type"] in SENT:
            by_sweep[event["data"]["round"], event["data"]["turn"]].append(index)
    return list(by_sweep.values())


def independent(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two messages have different senders and neither can be an answer to the other."""
    senders = {one["from_agent"], other["from_agent"]}
    return len(senders) == 2 and not senders & {*recipients(one), *recipients(other)}


def recipients(data: dict[str, Any]) -> list[int]:
    """The agents who get a message."""
    return data["to_agents"] if data.get("to_agents") is not None else [data["to_agent"]]


def split_messages(raw: Raw) -> Raw:
    """The trace with every message that can be split sent in two: a typed list in halves, English between sentences."""
    return replace_messages(
        raw, lambda event: [with_content(event, part) for part in content_halves(event["data"]["content"])]
    )


def content_halves(content: str) -> list[str]:
    """The text in two parts, or in one where it can't be split."""
    typed = decode_message(content)
    if typed is None:
        sentences = SENTENCE.split(content)
        middle = len(sentences) // 2
        return [" ".join(part) for part in (sentences[:middle], sentences[middle:]) if part]
    long = [name for name in LIST_FIELDS if isinstance(typed.body.get(name), list | dict) and len(typed.body[name]) > 1]
    if not long:
        return [content]
    return [json.dumps(typed.body | {name: half(typed.body[name], number) for name in long}) for number in (0, 1)]


def half(listed: Any, number: int) -> Any:
    """The first half of a list or of an object, or the second."""
    middle = len(listed) // 2
    cut = slice(None, middle) if number == 0 else slice(middle, None)
    return listed[cut] if isinstance(listed, list) else dict(list(listed.items())[cut])


def repeat_messages(raw: Raw) -> Raw:
    """The trace with every message sent twice."""
    return replace_messages(raw, lambda event: [event, event])


def replace_messages(raw: Raw, change: Callable[[Event], list[Event]]) -> Raw:
    """The trace with each message replaced by those that the change makes of it."""
    changed = (change(event) if event["type"] in SENT else [event] for event in raw["events"])
    return raw | {"events": [event for events in changed for event in events]}


def with_content(event: Event, content: str) -> Event:
    """The message's event with another text."""
    return event | {"data": event["data"] | {"content": content, "content_chars": len(content)}}


def send_to_group(raw: Raw) -> Raw:
    """The trace with participants' messages sent to all participants of the round, the same text once a turn."""
    events: list[Event] = []
    sent_texts: list[str] = []
    members: list[int] = []
    for event in raw["events"]:
        if event["type"] == "round_start":
            members = event["data"]["meeting"]["participants"]
        if event["type"] == "turn_start":
            sent_texts = []
        if event["type"] in SENT and event["data"]["from_agent"] in members:
            if event["data"]["content"] in sent_texts:
                continue
            sent_texts.append(event["data"]["content"])
            event = to_group(event, members)
        events.append(event)
    return raw | {"events": events}


def to_group(event: Event, members: list[int]) -> Event:
    """The message's event as one to the group of these members."""
    data = {name: value for name, value in event["data"].items() if name != "to_agent"}
    others = sorted(a for a in members if a != data["from_agent"])
    channel = "participant_groupchat"
    return {"type": f"{channel}_sent", "data": data | {"to_agents": others, "channel": channel}}


def tell_outsider(raw: Raw) -> Raw:
    """The trace with one more message a round that has any: its first sender tells an outsider that slot 0 is free."""
    agents = range(raw["config"]["num_agents"])
    events: list[Event] = []
    for _, group in groupby(raw["events"], key=lambda event: event["data"].get("round")):
        part = list(group)
        events += [*part[:-1], *message_to_outsider(part, agents), *part[-1:]]
    return raw | {"events": events}


def message_to_outsider(events: list[Event], agents: range) -> Iterator[Event]:
    """The message that a round with these events gets; none where every agent takes part or got one already."""
    first = next((e["data"] for e in events if e["type"] in SENT), None)
    start = next((e["data"] for e in events if e["type"] == "round_start"), None)
    reached = {agent for e in events if e["type"] in SENT for agent in recipients(e["data"])}
    outsiders = [a for a in agents if start and a not in start["meeting"]["participants"] and a not in reached]
    if first and outsiders:
        typed = decode_message(first["content"])
        content = json.dumps({"imap": "decision", "slot": 0}) if typed else "Slot 0 works for me."
        data = first | {"to_agent": outsiders[0], "content": content, "content_chars": len(content), "channel": "dm"}
        yield {"type": "dm_sent", "data": {name: value for name, value in data.items() if name != "to_agents"}}


def add_empty_round(raw: Raw) -> Raw:
    """The trace with one more round at the end, in which nobody says or schedules anything."""
    events = raw["events"]
    last = next(e["data"] for e in reversed(events) if e["type"] == "round_start")
    end = next(i for i, e in enumerate(events) if e["type"] == "game_end")
    meeting = last["meeting"] | {"id": last["meeting"]["id"] + 1}
    at_round = {"round": last["round"] + 1, "turn": 0}
    members = sorted(meeting["participants"])
    start = {"type": "round_start", "data": last | at_round | {"meeting": meeting}}
    turns = [silent_turn(raw, agent, at_round) for agent in members]
    resolution = {
        "type": "resolution",
        "data": at_round
        | {"phase": "RESOLUTION", "agent_id": None, "meeting_id": meeting["id"], "coordinated": False}
        | {"per_agent_slot": {str(a): None for a in members}, "slot_conflicts": {}}
        | {"consistency_violated_meeting_ids": [], "blocked_slot_violations": []},
    }
    config = raw["config"] | {"num_meetings": raw["config"]["num_meetings"] + 1}
    return raw | {"config": config, "events": [*events[:end], start, *turns, resolution, *events[end:]]}


def silent_turn(raw: Raw, agent: int, at_round: dict[str, int]) -> dict[str, Any]:
    """A turn of an agent that is shown its calendar as it last was, and says nothing."""
    shown = [
        e["data"] for e in raw["events"] if e["data"].get("agent_id") == agent and CALENDAR_TEXTS & e["data"].keys()
    ]
    text = next(text for data in reversed(shown) for name in CALENDAR_TEXTS if (text := data.get(name)))
    data = at_round | {"phase": "CHEAP_TALK", "agent_id": agent, "inbox_drained": [], "calendar_render": text}
    return {"type": "turn_start", "data": data | {"prompt_sent": ""}}
