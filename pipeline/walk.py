"""Following one game through its trace: calendars, moves, messages and rounds, event by event."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipeline.calendars import Calendar, Item, apply_batch, read_rendering
from pipeline.traces import (
    AgentRegistered,
    Batch,
    Event,
    GameEnd,
    GameStart,
    Meeting,
    Message,
    Rendering,
    Resolution,
    RoundStart,
    Trace,
    TraceError,
)

CHANNELS = {
    "dm_sent": "dm",
    "participant_groupchat_sent": "participant_groupchat",
    "all_groupchat_sent": "all_groupchat",
}


@dataclass(slots=True)
class Sent:
    """A message that was sent, and to whom."""

    event_index: int
    channel: str
    recipients: list[int]
    message: Message


@dataclass(slots=True)
class Moved:
    """An item that a batch moved; `item` is None where the batch named an empty slot."""

    event_index: int
    action_index: int
    batch: Batch
    item: Item | None


@dataclass(slots=True)
class Round:
    """What happened in a round."""

    meeting: Meeting | None = None
    resolution: Resolution | None = None
    dms: int = 0
    group_messages: int = 0
    cost: int = 0
    setbacks: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Walk:
    """A game as it stands after the events seen so far."""

    num_slots: int
    start: GameStart
    calendars: dict[int, Calendar] = field(default_factory=dict)
    agents: dict[int, AgentRegistered] = field(default_factory=dict)
    rounds: dict[int, Round] = field(default_factory=dict)
    first_renderings: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    end: GameEnd | None = None

    def round(self, number: int) -> Round:
        """The round's record, made when it is first asked for."""
        found = self.rounds.get(number)
        if found is None:
            found = self.rounds[number] = Round()
        return found


def follow(trace: Trace) -> Walk:
    """The whole game, walked from its first event to its last. Raises TraceError when it has no calendars."""
    start = next((event.data for event in trace.events if event.type == "game_start"), GameStart())
    walk = Walk(_num_slots(trace, start), start)
    for event in trace.events:
        step = STEPS.get(event.type)
        if step:
            step(walk, event, event.data)
    if not walk.agents:
        raise TraceError("no agent is registered: the calendars are unknown", ".events")
    return walk


def _num_slots(trace: Trace, start: GameStart) -> int:
    slots = start.num_slots or trace.config.num_slots or 0
    if not 1 <= slots <= 10_000:
        raise TraceError(f"num_slots is {slots}, not a number from 1 to 10000", ".events[0].data.num_slots")
    return slots


def _registered(walk: Walk, event: Event, data: AgentRegistered) -> None:
    walk.agents[data.agent_id] = data
    walk.calendars[data.agent_id] = read_rendering(data.calendar_render, walk.num_slots)


def _round_started(walk: Walk, event: Event, data: RoundStart) -> None:
    walk.round(data.round).meeting = data.meeting


def _rendered(walk: Walk, event: Event, data: Rendering) -> None:
    text = data.calendar_render or data.calendar_snapshot_render
    if text:
        walk.first_renderings.setdefault((data.round, data.agent_id), (event.index, text))


def _said(walk: Walk, event: Event, data: Message) -> None:
    recipients = data.to_agents if data.to_agents is not None else [data.to_agent] if data.to_agent is not None else []
    channel = CHANNELS[event.type]
    walk.sent.append(Sent(event.index, channel, recipients, data))
    number = walk.round(data.round)
    if channel == "dm":
        number.dms += 1
    else:
        number.group_messages += 1


def _batch_applied(walk: Walk, event: Event, data: Batch) -> None:
    if not data.actions:
        return
    calendar = walk.calendars.get(data.agent_id)
    if calendar is None:
        where = f".events[{event.index}].data.agent_id"
        raise TraceError(f"agent {data.agent_id} acts but was never registered", where)
    number = walk.round(data.round)
    items = apply_batch(calendar, data.actions, number.meeting.cost if number.meeting else 1)
    for i, (action, item) in enumerate(zip(data.actions, items, strict=True)):
        if action.type == "reschedule":
            walk.moved.append(Moved(event.index, i, data, item))
            number.cost += item.cost if item else 0


def _resolved(walk: Walk, event: Event, data: Resolution) -> None:
    walk.round(data.round).resolution = data


def _set_back(walk: Walk, event: Event, data: Any) -> None:
    setbacks = walk.round(data.round).setbacks
    setbacks[event.type] = setbacks.get(event.type, 0) + 1


def _ended(walk: Walk, event: Event, data: GameEnd) -> None:
    walk.end = data


STEPS: dict[str, Callable[[Walk, Event, Any], None]] = {
    "agent_registered": _registered,
    "round_start": _round_started,
    "turn_start": _rendered,
    "decide_start": _rendered,
    "dm_sent": _said,
    "participant_groupchat_sent": _said,
    "all_groupchat_sent": _said,
    "batch_applied": _batch_applied,
    "batch_rejected": _set_back,
    "batch_rolled_back": _set_back,
    "decision_failed": _set_back,
    "resolution": _resolved,
    "game_end": _ended,
}
