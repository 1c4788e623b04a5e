"""The replayed game as it stands, the events that it has given so far, and what its agents were shown."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.traces.audit.batch import Meeting
from pipeline.traces.audit.calendar import Calendar, labelled, render, slot_of
from pipeline.traces.audit.codes import Findings
from pipeline.traces.audit.record import Index, Raw, Setup


class BrokenOff(Exception):
    """The record has no answer for a turn, and no end."""


Place = tuple[int, int, str, int | None]  # round, turn, phase, agent
AgentPlace = tuple[int, int, str, int]


class Shown(NamedTuple):
    """What an agent was told at one moment.

    `kind` is opening (in public traces announcement), turn, voluntary, decision or retry.
    """

    kind: str
    bare: str
    text: str
    calendar: Calendar
    inbox: list[dict[str, Any]]
    paid: int
    meeting: Meeting
    conflict: str | None = None


class Expected(NamedTuple):
    """An event that the replay gives: its kind and place, the fields it must have, and what its agent was shown."""

    type: str
    round: int
    turn: int
    phase: str
    agent: int | None
    want: dict[str, Any]
    shown: Shown | None = None


@dataclass
class Game:
    """The game as it stands, and what it has given so far."""

    setup: Setup
    index: Index
    findings: Findings
    public: bool
    open_ended: bool
    calendars: list[Calendar]
    expected: list[Expected] = field(default_factory=list)
    inboxes: list[list[dict[str, Any]]] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    paid_before: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    messages: list[tuple[str, int]] = field(default_factory=list)
    told: set[int] = field(default_factory=set)
    addressed: set[int] = field(default_factory=set)
    coordinated: list[Meeting] = field(default_factory=list)
    failed: list[Meeting] = field(default_factory=list)
    violations: int = 0
    disagreements: int = 0
    broken_off: bool = False
    texts: dict[Calendar, str] = field(default_factory=dict)

    def expect(self, kind: str, place: Place, shown: Shown | None = None, **want: Any) -> None:
        """Add an event that the trace should have here."""
        self.expected.append(Expected(kind, *place, want, shown))

    def holds_once(self, meeting: Meeting) -> bool:
        """Whether all participants hold the meeting in one and the same slot."""
        places = {slot_of(self.calendars[a], meeting.id) for a in meeting.participants}
        return len(places) == 1 and places != {None}

    def shown_to(self, agent: int, kind: str, meeting: Meeting, **more: Any) -> Shown:
        """What the agent is told now."""
        calendar = self.calendars[agent]
        inbox = more.pop("inbox", [])
        text = self.text_for(calendar)
        return Shown(kind, render(calendar), text, calendar, inbox, self.paid_before[agent], meeting, **more)

    def text_for(self, calendar: Calendar) -> str:
        """The calendar as its agent is shown it: with labels, where the game has them."""
        if not self.setup.hydrated:
            return render(calendar)
        text = self.texts.get(calendar)
        if text is None:
            text = self.texts[calendar] = labelled(calendar, self.setup.labels)
        return text


def start(raw: Raw, setup: Setup, findings: Findings) -> Game:
    """The game before its first event."""
    agents = len(setup.calendars)
    return Game(
        setup,
        Index(raw.events),
        findings,
        raw.public,
        open_ended=not any(e.type == "game_end" for e in raw.events),
        calendars=list(setup.calendars),
        inboxes=[[] for _ in range(agents)],
        paid=[0] * agents,
        paid_before=[0] * agents,
        sent=[0] * agents,
        received=[0] * agents,
    )
