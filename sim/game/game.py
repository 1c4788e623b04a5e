"""The state of one game: calendars, inboxes, what was paid and said, and the events so far (paper, Appendix D.4)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import Struct

from sim.agents import Message, Reply, Request
from sim.calendar import Calendar, ScheduledMeeting
from sim.game.trace import Event
from sim.tasks.labels import Labels, meeting_label, own_labels, render_with_labels
from sim.tasks.scenario import Meeting
from sim.tasks.suite import prior_meetings

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
    """One game while it is played; its rules stand in rounds.py and talk.py."""

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
