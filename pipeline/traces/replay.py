"""Replaying one game from its trace: calendars, moves, messages and rounds, event by event."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from pipeline.traces import limits
from pipeline.traces.calendars import apply_batch, read_rendering
from pipeline.traces.game_state import GameState, Move, Round, SentMessage, read_calls, read_thoughts, refuse
from pipeline.traces.records import (
    Action,
    AgentRegistered,
    Batch,
    BatchFailure,
    CalendarShown,
    DecideEnd,
    GameEnd,
    GameStart,
    Intent,
    InvalidToolCall,
    Message,
    Reschedule,
    Resolution,
    RoundStart,
    Schedule,
    TurnEnd,
)
from pipeline.traces.trace import Event, Trace, TraceError

CHEAP_TALK = "CHEAP_TALK"
CHANNELS = {
    "dm_sent": "dm",
    "participant_groupchat_sent": "participant_groupchat",
    "all_groupchat_sent": "all_groupchat",
}


def replay(trace: Trace) -> GameState:
    """The game's state after its last event.

    Raises TraceError for a trace without calendars, or whose events do not fit one game.
    """
    starts = [event for event in trace.events if event.type == "game_start"]
    if len(starts) > 1:
        raise TraceError("the game starts twice", f".events[{starts[1].index}]")
    start = starts[0].data if starts else GameStart()
    where = f".events[{starts[0].index}].data" if starts else ".config"
    game = GameState(_num_slots(start.num_slots or trace.config.num_slots or 0, where), start)
    for event in trace.events:
        handle = HANDLERS.get(event.type)
        if handle:
            handle(game, event, event.data)
    _check_agents(game, trace, where)
    for sent in game.messages:
        if sent.message.round not in game.rounds:
            raise TraceError(f"round {sent.message.round} never begins", f".events[{sent.event_index}].data.round")
    return game


def _num_slots(slots: int, where: str) -> int:
    if not 1 <= slots <= limits.SLOTS:
        raise TraceError(f"num_slots is {slots}, not a number from 1 to {limits.SLOTS}", f"{where}.num_slots")
    return slots


def _check_agents(game: GameState, trace: Trace, where: str) -> None:
    """Raise TraceError unless the agents are numbered from 0, and as many as the game has."""
    agents, wanted = len(game.agents), game.start.num_agents
    if not agents:
        raise TraceError("no agent is registered: the calendars are unknown", ".events")
    if wanted is not None and agents != wanted:
        raise TraceError(f"num_agents is {wanted}, but {agents} agents are registered", f"{where}.num_agents")
    if max(game.agents) != agents - 1:
        raise TraceError(f"{agents} agents are registered, but not as 0 to {agents - 1}", ".events")
    for ids, place in ((game.start.nosy_agent_ids, where), (trace.config.nosy_agent_ids, ".config")):
        for i, agent in enumerate(ids or ()):
            if agent not in game.agents:
                raise TraceError(f"agent {agent} is not registered", f"{place}.nosy_agent_ids[{i}]")


def _agent_registered(game: GameState, event: Event, data: AgentRegistered) -> None:
    agent = data.agent_id
    if agent in game.agents:
        refuse(event, "agent_id", f"agent {agent} is registered twice")
    if agent >= limits.AGENTS or (len(game.agents) + 1) * game.num_slots > limits.CELLS:
        refuse(event, "agent_id", f"more than {limits.AGENTS} agents, or {limits.CELLS} slots of calendars")
    try:
        calendar = read_rendering(data.calendar_render, game.num_slots)
    except ValueError as error:
        refuse(event, "calendar_render", str(error))
    game.agents[agent], game.calendars[agent], game.initial[agent] = data, calendar, list(calendar)
    game.labels_seen.register(agent, event.index, calendar)
    game.labels_seen.show(agent, event.index, data.calendar_render, None)


def _round_started(game: GameState, event: Event, data: RoundStart) -> None:
    meeting = data.meeting
    if game.rounds and data.round <= (last := next(reversed(game.rounds))):
        refuse(event, "round", f"round {data.round} begins after round {last}")
    if (before := game.round_of_meeting.setdefault(meeting.id, data.round)) != data.round:
        refuse(event, "meeting.id", f"meeting {meeting.id} is that of round {before}")
    for name, agents in (("meeting.participants", meeting.participants), ("speaker_order", data.speaker_order)):
        game.check_all(event, agents, name)
    # Whoever is named twice takes part once, and speaks once.
    meeting = replace(meeting, participants=list(dict.fromkeys(meeting.participants)))
    game.rounds[data.round] = Round(meeting, list(dict.fromkeys(data.speaker_order)))
    game.labels_seen.announce(data.meeting, event.index)


def _calendar_shown(game: GameState, event: Event, data: CalendarShown) -> None:
    agent = data.agent_id
    game.check(event, agent, "agent_id")
    meeting = game.round(event, data.round).meeting.id
    text = data.calendar_render or data.calendar_snapshot_render
    if text:
        key = (data.round, agent)
        if key not in game.first_renderings:
            if (len(game.first_renderings) + 1) * game.num_slots > limits.CELLS:
                refuse(event, "", f"more than {limits.CELLS} slots of calendars")
            game.first_renderings[key] = (event.index, text)
        game.labels_seen.show(agent, event.index, text, meeting)
    if data.prompt_sent:
        game.labels_seen.show(agent, event.index, data.prompt_sent, meeting)


def _turn_ended(game: GameState, event: Event, data: TurnEnd) -> None:
    if data.agent_id is not None:
        game.check(event, data.agent_id, "agent_id")
        game.pending_intents[data.agent_id] = data.intent[::-1] if data.intent else []
    # Most turns are of no model.
    if (data.thinking or data.usage) and game.rounds:
        _model_called(game, event, data, next(reversed(game.rounds)), CHEAP_TALK)


def _model_called(game: GameState, event: Event, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> None:
    """Keep what a model reasoned and took."""
    if data.thinking:
        game.thoughts += read_thoughts(event.index, data, number, phase)
    if data.usage:
        game.calls += read_calls(event.index, data, number, phase)


def _next_intent(game: GameState, agent: int | None) -> Intent | None:
    """What the agent meant by the next tool call of its turn: each is delivered or refused, in order."""
    waiting = game.pending_intents.get(agent) if agent is not None else None
    return waiting.pop() if waiting else None


def _tool_call_refused(game: GameState, event: Event, data: InvalidToolCall) -> None:
    _next_intent(game, data.agent_id)


def _decision_ended(game: GameState, event: Event, data: DecideEnd) -> None:
    game.round(event, data.round)
    if data.agent_id is not None:
        game.check(event, data.agent_id, "agent_id")
    game.decisions.append((event.index, data))
    _model_called(game, event, data, data.round, data.phase)


def _message_sent(game: GameState, event: Event, data: Message) -> None:
    game.check(event, data.from_agent, "from_agent")
    recipients = _recipients(game, event, data)
    game.delivered_chars += len(data.content) * len(recipients)
    if game.delivered_chars > limits.DELIVERED_CHARS:
        refuse(event, "content", f"more than {limits.DELIVERED_CHARS} characters of messages, times their recipients")
    channel = CHANNELS[event.type]
    game.messages.append(SentMessage(event.index, channel, recipients, data, _next_intent(game, data.from_agent)))
    (game.dms if channel == "dm" else game.group_messages)[data.round] += 1


def _recipients(game: GameState, event: Event, data: Message) -> list[int]:
    if data.to_agents is not None:
        game.check_all(event, data.to_agents, "to_agents")
        return list(dict.fromkeys(data.to_agents))
    if data.to_agent is not None:
        game.check(event, data.to_agent, "to_agent")
    return [] if data.to_agent is None else [data.to_agent]


def _batch_applied(game: GameState, event: Event, data: Batch) -> None:
    game.check(event, data.agent_id, "agent_id")
    current = game.round(event, data.round)
    for i, action in enumerate(data.actions):
        if None in _required(action):
            kind = type(action).__name__.lower()
            refuse(event, f"actions[{i}]", f"a {kind} action does not say of what, or where")
    items = apply_batch(game.calendars[data.agent_id], data.actions, current.meeting.cost)
    for i, (action, item) in enumerate(zip(data.actions, items, strict=True)):
        if isinstance(action, Reschedule):
            game.moves.append(Move(event.index, i, data, action, item))
            current.cost += item.cost if item else 0


def _required(action: Action) -> tuple[int | None, int | None]:
    if isinstance(action, Schedule):
        return action.meeting_id, action.slot
    return action.from_slot, action.to_slot


def _resolved(game: GameState, event: Event, data: Resolution) -> None:
    current = game.round(event, data.round)
    if current.resolution:
        refuse(event, "round", f"round {data.round} is resolved twice")
    names = set(map(str, game.agents))
    for name in data.per_agent_slot:
        if name not in names:
            refuse(event, "per_agent_slot", f"agent {name:.20} is not registered")
    current.resolution, current.resolution_event = data, event.index


def _batch_failed(game: GameState, event: Event, data: BatchFailure) -> None:
    game.round(event, data.round).failures[event.type] += 1


def _game_ended(game: GameState, event: Event, data: GameEnd) -> None:
    game.end = data


HANDLERS: dict[str, Callable[[GameState, Event, Any], None]] = {
    "agent_registered": _agent_registered,
    "round_start": _round_started,
    "turn_start": _calendar_shown,
    "turn_end": _turn_ended,
    "invalid_tool_call": _tool_call_refused,
    "decide_start": _calendar_shown,
    "decide_end": _decision_ended,
    "dm_sent": _message_sent,
    "participant_groupchat_sent": _message_sent,
    "all_groupchat_sent": _message_sent,
    "batch_applied": _batch_applied,
    "batch_rejected": _batch_failed,
    "batch_rolled_back": _batch_failed,
    "decision_failed": _batch_failed,
    "resolution": _resolved,
    "game_end": _game_ended,
}
