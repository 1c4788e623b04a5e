"""Following one game through its trace: calendars, moves, messages and rounds, event by event."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from pipeline.calendars import apply_batch, read_rendering
from pipeline.reading import limits
from pipeline.reading.records import (
    Action,
    AgentRegistered,
    Batch,
    DecideEnd,
    GameEnd,
    GameStart,
    Intent,
    Message,
    Refused,
    Rendering,
    Reschedule,
    Resolution,
    RoundStart,
    Schedule,
    TurnEnd,
)
from pipeline.reading.state import Moved, Round, Sent, Walk, refuse
from pipeline.reading.thoughts import CHEAP_TALK, thought
from pipeline.reading.traces import Event, Trace, TraceError
from pipeline.reading.usage import call

CHANNELS = {
    "dm_sent": "dm",
    "participant_groupchat_sent": "participant_groupchat",
    "all_groupchat_sent": "all_groupchat",
}


def follow(trace: Trace) -> Walk:
    """The whole game, walked from its first event to its last.

    Raises TraceError for a trace without calendars, or whose events do not fit one game.
    """
    starts = [event for event in trace.events if event.type == "game_start"]
    if len(starts) > 1:
        raise TraceError("the game starts twice", f".events[{starts[1].index}]")
    start = starts[0].data if starts else GameStart()
    where = f".events[{starts[0].index}].data" if starts else ".config"
    walk = Walk(_num_slots(start.num_slots or trace.config.num_slots or 0, where), start)
    for event in trace.events:
        step = STEPS.get(event.type)
        if step:
            step(walk, event, event.data)
    _check_agents(walk, trace, where)
    for sent in walk.sent:
        if sent.message.round not in walk.rounds:
            raise TraceError(f"round {sent.message.round} never begins", f".events[{sent.event_index}].data.round")
    return walk


def _num_slots(slots: int, where: str) -> int:
    if not 1 <= slots <= limits.SLOTS:
        raise TraceError(f"num_slots is {slots}, not a number from 1 to {limits.SLOTS}", f"{where}.num_slots")
    return slots


def _check_agents(walk: Walk, trace: Trace, where: str) -> None:
    """Raise TraceError unless the agents are numbered from 0, and as many as the game has."""
    agents, wanted = len(walk.agents), walk.start.num_agents
    if not agents:
        raise TraceError("no agent is registered: the calendars are unknown", ".events")
    if wanted is not None and agents != wanted:
        raise TraceError(f"num_agents is {wanted}, but {agents} agents are registered", f"{where}.num_agents")
    if max(walk.agents) != agents - 1:
        raise TraceError(f"{agents} agents are registered, but not as 0 to {agents - 1}", ".events")
    for ids, place in ((walk.start.nosy_agent_ids, where), (trace.config.nosy_agent_ids, ".config")):
        for i, agent in enumerate(ids or ()):
            if agent not in walk.agents:
                raise TraceError(f"agent {agent} is not registered", f"{place}.nosy_agent_ids[{i}]")


def _registered(walk: Walk, event: Event, data: AgentRegistered) -> None:
    agent = data.agent_id
    if agent in walk.agents:
        refuse(event, "agent_id", f"agent {agent} is registered twice")
    if agent >= limits.AGENTS or (len(walk.agents) + 1) * walk.num_slots > limits.CELLS:
        refuse(event, "agent_id", f"more than {limits.AGENTS} agents, or {limits.CELLS} slots of calendars")
    try:
        calendar = read_rendering(data.calendar_render, walk.num_slots)
    except ValueError as error:
        refuse(event, "calendar_render", str(error))
    walk.agents[agent], walk.calendars[agent], walk.initial[agent] = data, calendar, list(calendar)
    walk.labels.registered(agent, event.index, calendar)
    walk.labels.shown(agent, event.index, data.calendar_render, None)


def _round_started(walk: Walk, event: Event, data: RoundStart) -> None:
    meeting = data.meeting
    if walk.rounds and data.round <= (last := next(reversed(walk.rounds))):
        refuse(event, "round", f"round {data.round} begins after round {last}")
    if (before := walk.met.setdefault(meeting.id, data.round)) != data.round:
        refuse(event, "meeting.id", f"meeting {meeting.id} is that of round {before}")
    for name, agents in (("meeting.participants", meeting.participants), ("speaker_order", data.speaker_order)):
        walk.check_all(event, agents, name)
    # Whoever is named twice takes part once, and speaks once.
    meeting = replace(meeting, participants=list(dict.fromkeys(meeting.participants)))
    walk.rounds[data.round] = Round(meeting, list(dict.fromkeys(data.speaker_order)))
    walk.labels.announced(data.meeting, event.index)


def _rendered(walk: Walk, event: Event, data: Rendering) -> None:
    agent = data.agent_id
    walk.check(event, agent, "agent_id")
    meeting = walk.round(event, data.round).meeting.id
    text = data.calendar_render or data.calendar_snapshot_render
    if text:
        key = (data.round, agent)
        if key not in walk.first_renderings:
            if (len(walk.first_renderings) + 1) * walk.num_slots > limits.CELLS:
                refuse(event, "", f"more than {limits.CELLS} slots of calendars")
            walk.first_renderings[key] = (event.index, text)
        walk.labels.shown(agent, event.index, text, meeting)
    if data.prompt_sent:
        walk.labels.shown(agent, event.index, data.prompt_sent, meeting)


def _turn_ended(walk: Walk, event: Event, data: TurnEnd) -> None:
    if data.agent_id is not None:
        walk.check(event, data.agent_id, "agent_id")
        walk.meant[data.agent_id] = data.intent[::-1] if data.intent else []
    # Most turns are of no model.
    if (data.thinking or data.usage) and walk.rounds:
        _called(walk, event, data, next(reversed(walk.rounds)), CHEAP_TALK)


def _called(walk: Walk, event: Event, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> None:
    """Keep what a model reasoned and took."""
    if data.thinking:
        walk.thoughts += thought(event.index, data, number, phase)
    if data.usage:
        walk.calls += call(event.index, data, number, phase)


def _next_meant(walk: Walk, agent: int | None) -> Intent | None:
    """What the agent meant by the next tool call of its turn: each is delivered or refused, in order."""
    waiting = walk.meant.get(agent) if agent is not None else None
    return waiting.pop() if waiting else None


def _refused(walk: Walk, event: Event, data: Refused) -> None:
    _next_meant(walk, data.agent_id)


def _decided(walk: Walk, event: Event, data: DecideEnd) -> None:
    walk.round(event, data.round)
    if data.agent_id is not None:
        walk.check(event, data.agent_id, "agent_id")
    walk.decided.append((event.index, data))
    _called(walk, event, data, data.round, data.phase)


def _said(walk: Walk, event: Event, data: Message) -> None:
    walk.check(event, data.from_agent, "from_agent")
    recipients = _recipients(walk, event, data)
    walk.heard_chars += len(data.content) * len(recipients)
    if walk.heard_chars > limits.HEARD_CHARS:
        refuse(event, "content", f"more than {limits.HEARD_CHARS} characters of messages, times their recipients")
    channel = CHANNELS[event.type]
    walk.sent.append(Sent(event.index, channel, recipients, data, _next_meant(walk, data.from_agent)))
    (walk.dms if channel == "dm" else walk.group_messages)[data.round] += 1


def _recipients(walk: Walk, event: Event, data: Message) -> list[int]:
    if data.to_agents is not None:
        walk.check_all(event, data.to_agents, "to_agents")
        return list(dict.fromkeys(data.to_agents))
    if data.to_agent is not None:
        walk.check(event, data.to_agent, "to_agent")
    return [] if data.to_agent is None else [data.to_agent]


def _batch_applied(walk: Walk, event: Event, data: Batch) -> None:
    walk.check(event, data.agent_id, "agent_id")
    number = walk.round(event, data.round)
    for i, action in enumerate(data.actions):
        if None in _needed(action):
            kind = type(action).__name__.lower()
            refuse(event, f"actions[{i}]", f"a {kind} action does not say of what, or where")
    items = apply_batch(walk.calendars[data.agent_id], data.actions, number.meeting.cost)
    for i, (action, item) in enumerate(zip(data.actions, items, strict=True)):
        if isinstance(action, Reschedule):
            walk.moved.append(Moved(event.index, i, data, action, item))
            number.cost += item.cost if item else 0


def _needed(action: Action) -> tuple[int | None, int | None]:
    if isinstance(action, Schedule):
        return action.meeting_id, action.slot
    return action.from_slot, action.to_slot


def _resolved(walk: Walk, event: Event, data: Resolution) -> None:
    number = walk.round(event, data.round)
    if number.resolution:
        refuse(event, "round", f"round {data.round} is resolved twice")
    names = set(map(str, walk.agents))
    for name in data.per_agent_slot:
        if name not in names:
            refuse(event, "per_agent_slot", f"agent {name:.20} is not registered")
    number.resolution, number.resolved_at = data, event.index


def _set_back(walk: Walk, event: Event, data: Any) -> None:
    setbacks = walk.round(event, data.round).setbacks
    setbacks[event.type] = setbacks.get(event.type, 0) + 1


def _ended(walk: Walk, event: Event, data: GameEnd) -> None:
    walk.end = data


STEPS: dict[str, Callable[[Walk, Event, Any], None]] = {
    "agent_registered": _registered,
    "round_start": _round_started,
    "turn_start": _rendered,
    "turn_end": _turn_ended,
    "invalid_tool_call": _refused,
    "decide_start": _rendered,
    "decide_end": _decided,
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
