"""One game while it is played: calendars, inboxes, what was paid and said, the events so far; and CHEAP_TALK, sweeps of
turns in which agents read their inboxes and send messages (paper, Appendix D.4)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import Struct

from sim.agents import CHEAP_TALK, Action, Message, Reply, Request
from sim.calendar import Calendar, ScheduledMeeting
from sim.game.trace import Event, inbox_snapshot, reply_record
from sim.tasks.labels import Labels, meeting_label, own_labels, render_with_labels
from sim.tasks.scenario import Meeting
from sim.tasks.suite import prior_meetings

CHANNELS = ("dm", "participant_groupchat", "all_groupchat")
Turns = Generator[tuple[int, Request], Reply, None]


class Limits(Struct, frozen=True, kw_only=True):
    """What a game allows: sweeps of cheap talk a round, retries of a DECISION batch, messages a game (None: any)."""

    max_turns_per_round: int = 15
    decision_retries: int = 3
    dm_cap: int | None = None
    channels: tuple[str, ...] = ("dm",)


class EventRef(Struct, frozen=True):
    """Where an event happens; `agent` is None where it concerns all."""

    round: int
    turn: int
    phase: str
    agent: int | None = None


class Game:
    """One game while it is played; its rounds stand in rounds.py."""

    def __init__(
        self,
        calendars: tuple[Calendar, ...],
        meetings: tuple[Meeting, ...],
        limits: Limits,
        labels: Labels | None = None,
    ) -> None:
        agents = range(len(calendars))
        self.labels = labels
        self.initial = calendars
        self.calendars = list(calendars)
        self.prior = prior_meetings(calendars)
        self.meetings = meetings
        self.limits = limits
        self.events: list[Event] = []
        self.inboxes: list[list[Message]] = [[] for _ in agents]
        self.undelivered: list[list[str]] = [[] for _ in agents]
        self.paid = [0 for _ in agents]
        self.sent = [0 for _ in agents]
        self.received = [0 for _ in agents]
        self.messages = 0
        self.coordinated: list[Meeting] = []
        self.failed: list[Meeting] = []
        self.violations: list[int] = []

    def record(self, kind: str, at: EventRef, timestamp: str | None = None, **data: Any) -> None:
        """Add an event."""
        where = {"round": at.round, "turn": at.turn, "phase": at.phase, "agent_id": at.agent}
        self.events.append(Event(kind, where | data, timestamp))

    def drain(self, agent: int) -> tuple[Message, ...]:
        """The agent's inbox, which is empty afterwards."""
        inbox, self.inboxes[agent] = tuple(self.inboxes[agent]), []
        return inbox

    def consistent(self, meeting: Meeting) -> bool:
        """Whether one slot of all the participants' calendars holds the meeting."""
        slots = {self.calendars[a].slot_of_meeting(meeting.id) for a in meeting.participants}
        return len(slots) == 1 and None not in slots


def request_for(game: Game, at: EventRef, meeting: Meeting, paid_before: tuple[int, ...], **more: Any) -> Request:
    """What the agent at this place is told."""
    assert at.agent is not None
    calendar = game.calendars[at.agent]
    labels = own_labels(calendar, game.labels) if game.labels else {}
    return Request(
        phase=at.phase,
        round=at.round,
        turn=at.turn,
        max_turns=game.limits.max_turns_per_round,
        meeting=meeting,
        calendar=calendar,
        penalty=paid_before[at.agent],
        render=render_with_labels(calendar, labels),
        labels=labels,
        meeting_label=meeting_label(meeting, at.agent, game.labels) if game.labels else None,
        **more,
    )


def booking(meeting: Meeting) -> ScheduledMeeting:
    """The item that the meeting becomes on a calendar."""
    return ScheduledMeeting(meeting.id, meeting.cost, meeting.participants)


def cheap_talk(
    game: Game, number: int, meeting: Meeting, paid_before: tuple[int, ...]
) -> Generator[tuple[int, Request], Reply, tuple[int, list[int]]]:
    """Sweeps until one in which nobody sent anything, or the turn budget is used up.

    Returns the number of sweeps and the non-participants who joined, ascending.
    """
    active, turn = list(meeting.speaker_order), 0
    while turn < game.limits.max_turns_per_round:
        before = game.messages
        waiting = list(active)
        while waiting:
            for agent in waiting:
                yield from take_turn(game, EventRef(number, turn, CHEAP_TALK, agent), meeting, paid_before)
            active += [a for a in waiting if a not in active]
            addressed = {m.recipient for inbox in game.inboxes for m in inbox if m.meeting_id == meeting.id}
            waiting = sorted(addressed - set(active))
        turn += 1
        if game.messages == before:
            break
    return turn, sorted(set(active) - set(meeting.participants))


def take_turn(
    game: Game, at: EventRef, meeting: Meeting, paid_before: tuple[int, ...]
) -> Generator[tuple[int, Request], Reply, None]:
    """One agent's turn: it reads, it answers, and its messages are delivered."""
    assert at.agent is not None
    inbox = game.drain(at.agent)
    problems, game.undelivered[at.agent] = tuple(dict.fromkeys(game.undelivered[at.agent])), []
    request = request_for(game, at, meeting, paid_before, inbox=inbox, undelivered=problems)
    reply = yield at.agent, request
    game.record(
        "turn_start",
        at,
        reply.started_at,
        inbox_drained=inbox_snapshot(inbox),
        calendar_render=request.render,
        prompt_sent=reply.prompt,
    )
    game.record("turn_end", at, reply.ended_at, **reply_record(reply))
    calls = reply.actions if isinstance(reply.actions, list | tuple) else [reply.actions]
    for call in calls:
        problem = undeliverable(game, at.agent, call)
        if problem:
            game.record("invalid_tool_call", at, tool_call=call, reason=problem)
            game.undelivered[at.agent].append(problem)
        else:
            deliver(game, at, meeting, call)


def undeliverable(game: Game, sender: int, call: Any) -> str | None:
    """Why the tool call is no message that can be delivered, or None."""
    if not isinstance(call, dict) or call.get("type") not in CHANNELS:
        return "only messages can be sent in CHEAP_TALK"
    if call["type"] not in game.limits.channels:
        return f"the channel {call['type']} is not open in this game"
    if not isinstance(call.get("content"), str):
        return "the content must be text"
    if call["type"] == "dm":
        to = call.get("to")
        if type(to) is not int or not 0 <= to < len(game.calendars):
            return f"the recipient must be an agent from 0 to {len(game.calendars) - 1}"
        if to == sender:
            return "an agent can't send a message to itself"
    if game.limits.dm_cap is not None and game.messages >= game.limits.dm_cap:
        return f"the game's cap of {game.limits.dm_cap} messages is used up"
    return None


def deliver(game: Game, at: EventRef, meeting: Meeting, call: Action) -> None:
    """Put the message into its recipients' inboxes; a group message counts as one."""
    assert at.agent is not None
    channel, content = call["type"], call["content"]
    recipients = audience(game, at.agent, meeting, call)
    game.messages += 1
    game.sent[at.agent] += 1
    for agent in recipients:
        game.received[agent] += 1
        game.inboxes[agent].append(Message(at.agent, agent, channel, meeting.id, content))
    whom = {"to_agent": call["to"]} if channel == "dm" else {"to_agents": recipients}
    game.record(
        f"{channel}_sent",
        at,
        from_agent=at.agent,
        **whom,
        meeting_id=meeting.id,
        content=content,
        content_chars=len(content),
        channel=channel,
    )


def audience(game: Game, sender: int, meeting: Meeting, call: Action) -> list[int]:
    """Who receives the message, ascending."""
    if call["type"] == "dm":
        return [call["to"]]
    members = meeting.participants if call["type"] == "participant_groupchat" else range(len(game.calendars))
    return sorted({*members} - {sender})
