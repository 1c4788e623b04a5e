"""Ways to change a trace, for tests: each makes a function that changes a trace's JSON where it stands."""

import json
from collections.abc import Callable
from typing import Any

from audit_bases import Raw

Change = Callable[[Raw], object]

CALENDARS = ("calendar_render", "calendar_snapshot_render", "calendar_render_after")


def nth_event(raw: Raw, kind: str, n: int = 0, **where: Any) -> Raw:
    """The n-th event of this kind that has these values."""
    found = [e for e in raw["events"] if e["type"] == kind and where.items() <= e["data"].items()]
    return found[n]


def nth(raw: Raw, kind: str, n: int = 0, **where: Any) -> Raw:
    """Its data."""
    return nth_event(raw, kind, n, **where)["data"]


def put(kind: str, field: str, value: Any, n: int = 0, **where: Any) -> Change:
    """Set a field of an event; a function is given the old value."""

    def change(raw: Raw) -> None:
        data = nth(raw, kind, n, **where)
        data[field] = value(data[field]) if callable(value) else value

    return change


def word(kind: str, field: str, old: str, new: str, n: int = 0, **where: Any) -> Change:
    """Replace a part of an event's text, which must be there."""

    def change(raw: Raw) -> None:
        data = nth(raw, kind, n, **where)
        assert old in data[field]
        data[field] = data[field].replace(old, new)

    return change


def show(kind: str, old: str, new: str, n: int = 0, **where: Any) -> Change:
    """Replace a part of the calendar that an event shows."""

    def change(raw: Raw) -> None:
        field = next(f for f in CALENDARS if f in nth(raw, kind, n, **where))
        word(kind, field, old, new, n, **where)(raw)

    return change


def retype(kind: str, other: str, n: int = 0, **where: Any) -> Change:
    """Make an event one of another kind."""
    return lambda raw: nth_event(raw, kind, n, **where).update(type=other)


def drop(kind: str, n: int = 0, **where: Any) -> Change:
    """Lose an event."""
    return lambda raw: raw["events"].remove(nth_event(raw, kind, n, **where))


def cut(first: int) -> Change:
    """Lose the events from here on."""
    return lambda raw: raw["events"].__delitem__(slice(first, None))


def repeat(kind: str, n: int = 0) -> Change:
    """Record an event twice."""

    def change(raw: Raw) -> None:
        event = nth_event(raw, kind, n)
        raw["events"].insert(raw["events"].index(event), json.loads(json.dumps(event)))

    return change


def swap(kind: str, n: int = 0) -> Change:
    """Exchange an event and the next."""

    def change(raw: Raw) -> None:
        events = raw["events"]
        i = events.index(nth_event(raw, kind, n))
        events[i], events[i + 1] = events[i + 1], events[i]

    return change


def holder(raw: Raw, path: str) -> tuple[Any, str]:
    """What holds the value at a dotted path, and its last key."""
    *parts, last = path.split(".")
    found: Any = raw
    for part in parts:
        found = found[int(part) if isinstance(found, list) else part]
    return found, last


def at(path: str, value: Any) -> Change:
    """Set what stands at a dotted path of the trace."""

    def change(raw: Raw) -> None:
        place, last = holder(raw, path)
        place[last] = value

    return change


def forget(path: str) -> Change:
    """Leave out what stands at a dotted path of the trace."""

    def change(raw: Raw) -> None:
        place, last = holder(raw, path)
        del place[last]

    return change


def batch(agent: int, number: int, *actions: Raw, attempt: int = 0) -> Change:
    """Let an agent submit other actions in DECISION, and the trace apply them."""

    def change(raw: Raw) -> None:
        where = {"agent_id": agent, "round": number, "phase": "DECISION"}
        nth(raw, "decide_end", attempt, **where)["tool_calls"] = list(actions)
        nth(raw, "batch_applied", 0, **where)["actions"] = list(actions)

    return change


def move(item: int, source: int, target: int) -> Raw:
    return {"type": "reschedule", "item_id": item, "from_slot": source, "to_slot": target}


def book(meeting: int, slot: int) -> Raw:
    return {"type": "schedule", "meeting_id": meeting, "slot": slot}


def inbox(messages: int, change: Callable[[list[Raw]], object]) -> Change:
    """Change the first inbox of at least so many messages."""

    def changed(raw: Raw) -> None:
        found = (e["data"].get("inbox_drained", ()) for e in raw["events"])
        change(next(drained for drained in found if len(drained) >= messages))

    return changed


def unsay(raw: Raw) -> None:
    """Leave the end of a drained message out of the prompt that shows it."""
    data = next(e["data"] for e in raw["events"] if e["data"].get("inbox_drained"))
    data["prompt_sent"] = data["prompt_sent"].replace(data["inbox_drained"][0]["content"].split()[-1], "…")


def tell_label(raw: Raw) -> None:
    """Show agent 0 the label of another agent's errand."""
    labels = raw["config"]["scenario"]["labels"]["errands"]
    number = next(i for i in labels if int(i) > raw["config"]["num_slots"])
    nth(raw, "decide_start", agent_id=0)["prompt_sent"] += f"\nBy the way: {labels[number]['label']}"


def probe(agent: int) -> Change:
    """Call an agent one that probes the others, wherever a trace says it."""

    def change(raw: Raw) -> None:
        raw["config"]["condition"] = "adversarial"
        raw["config"]["agents"][agent]["nosy"] = True
        nth(raw, "game_start")["nosy_agent_ids"] = [agent]
        nth(raw, "agent_registered", agent_id=agent)["is_nosy_agent"] = True

    return change


def stop_at(kind: str, cause: str, **where: Any) -> Change:
    """Let the game stop at the first event of this kind that has these values."""

    def change(raw: Raw) -> None:
        events, first = raw["events"], raw["events"].index(nth_event(raw, kind, **where))
        done = sum(event["type"] == "resolution" for event in events[:first])
        place = {"round": done, "turn": 0, "phase": "GAME_END", "agent_id": None}
        events[first:] = [{"type": "game_stopped", "data": place | {"cause": cause}}]
        raw.update(stopped=True, stop_cause=cause, stop_category="provider")

    return change


def silence(raw: Raw) -> None:
    """Leave nothing of the first answer."""
    nth(raw, "turn_end").update(text=None, usage=None, tool_calls=[])


def unlabelled(text: str) -> str:
    """The rendering without labels."""
    return "\n".join(line.partition(" private_label=")[0] for line in text.split("\n"))
