"""A game in which the same is said in another way: in another order, in parts, twice, in a group, to one more."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any

from pipeline.traces.typed_messages import decode_message

Raw = dict[str, Any]
Event = dict[str, Any]

SENT = frozenset(("dm_sent", "participant_groupchat_sent", "all_groupchat_sent"))
SENTENCE = re.compile(r"(?<=[.!?])\s+")
# What a protocol's message lists, an entry a slot.
LISTED = ("costs", "scores", "plans", "slots")
SWAPS = 20


def reordered(raw: Raw, name: str) -> Raw:
    """The trace with messages of one sweep exchanged that nobody had read when the other was written: neighbours from
    different senders, neither of whom wrote to the other."""
    events, draws = list(raw["events"]), Random(f"reorder {name}")
    for sweep in sweeps(events):
        for _ in range(SWAPS if len(sweep) > 1 else 0):
            first = draws.randrange(len(sweep) - 1)
            one, other = sweep[first], sweep[first + 1]
            if independent(events[one]["data"], events[other]["data"]):
                events[one], events[other] = events[other], events[one]
    return raw | {"events": events}


def sweeps(events: list[Event]) -> list[list[int]]:
    """The places of the messages of each sweep."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        if event["type"] in SENT:
            found[event["data"]["round"], event["data"]["turn"]].append(place)
    return list(found.values())


def independent(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether neither message can have been an answer to the other, nor a word of the same speaker."""
    senders = {one["from_agent"], other["from_agent"]}
    return len(senders) == 2 and not senders & {*readers(one), *readers(other)}


def readers(data: dict[str, Any]) -> list[int]:
    """Who gets a message."""
    return data["to_agents"] if data.get("to_agents") is not None else [data["to_agent"]]


def split(raw: Raw) -> Raw:
    """The trace with every message told in two that can be: a protocol's list in halves, English between sentences."""
    return each_message(raw, lambda event: [worded(event, part) for part in halves(event["data"]["content"])])


def halves(content: str) -> list[str]:
    """The message in two parts; in one, where it can't be parted."""
    typed = decode_message(content)
    if typed is None:
        sentences = SENTENCE.split(content)
        middle = len(sentences) // 2
        return [" ".join(part) for part in (sentences[:middle], sentences[middle:]) if part]
    long = [name for name in LISTED if isinstance(typed.body.get(name), list | dict) and len(typed.body[name]) > 1]
    if not long:
        return [content]
    return [json.dumps(typed.body | {name: half(typed.body[name], number) for name in long}) for number in (0, 1)]


def half(listed: Any, number: int) -> Any:
    """The first half of a list or of an object, or the second."""
    middle = len(listed) // 2
    cut = slice(None, middle) if number == 0 else slice(middle, None)
    return listed[cut] if isinstance(listed, list) else dict(list(listed.items())[cut])


def repeated(raw: Raw) -> Raw:
    """The trace with every message sent twice."""
    return each_message(raw, lambda event: [event, event])


def each_message(raw: Raw, change: Any) -> Raw:
    """The trace with what the change makes of each message."""
    changed = (change(event) if event["type"] in SENT else [event] for event in raw["events"])
    return raw | {"events": [event for events in changed for event in events]}


def worded(event: Event, content: str) -> Event:
    """The message with another text."""
    return event | {"data": event["data"] | {"content": content, "content_chars": len(content)}}


def grouped(raw: Raw) -> Raw:
    """The trace with every message told to all participants of the round; what one says to several, once."""
    events: list[Event] = []
    told: list[Any] = []
    members: list[int] = []
    for event in raw["events"]:
        if event["type"] == "round_start":
            members = event["data"]["meeting"]["participants"]
        if event["type"] == "turn_start":
            told = []
        if event["type"] in SENT and event["data"]["from_agent"] in members:
            if event["data"]["content"] in told:
                continue
            told.append(event["data"]["content"])
            event = to_group(event, members)
        events.append(event)
    return raw | {"events": events}


def to_group(event: Event, members: list[int]) -> Event:
    """The message as one to the group of these members."""
    data = {name: value for name, value in event["data"].items() if name != "to_agent"}
    others = sorted(a for a in members if a != data["from_agent"])
    channel = "participant_groupchat"
    return {"type": f"{channel}_sent", "data": data | {"to_agents": others, "channel": channel}}


def overheard(raw: Raw) -> Raw:
    """The trace with one more message a round in which something was said: its first speaker tells an outsider that one
    slot is free."""
    agents = range(raw["config"]["num_agents"])
    events: list[Event] = []
    for _, group in groupby(raw["events"], key=lambda event: event["data"].get("round")):
        inside = list(group)
        events += [*inside[:-1], *told_outsider(inside, agents), *inside[-1:]]
    return raw | {"events": events}


def told_outsider(events: list[Event], agents: range) -> Iterator[Event]:
    """The message to an outsider in the round of these events, if there is one to be told."""
    first = next((e["data"] for e in events if e["type"] in SENT), None)
    start = next((e["data"] for e in events if e["type"] == "round_start"), None)
    told = {agent for e in events if e["type"] in SENT for agent in readers(e["data"])}
    outsiders = [a for a in agents if start and a not in start["meeting"]["participants"] and a not in told]
    if first and outsiders:
        typed = decode_message(first["content"])
        content = json.dumps({"imap": "decision", "slot": 0}) if typed else "Slot 0 works for me."
        data = first | {"to_agent": outsiders[0], "content": content, "content_chars": len(content), "channel": "dm"}
        yield {"type": "dm_sent", "data": {n: v for n, v in data.items() if n != "to_agents"}}
