"""The state of a game while it is replayed, and the events that the replay expects."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import Calendar, render, render_with_labels, slot_of
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import EventIndex, Setup, Trace, Unreadable

# What replaying one trace may take, far beyond any game that is played: slots looked at, messages in inboxes,
# characters of the calendars that agents come to have, and events of the replay that are not in the record.
MOST_STEPS = 50_000_000
MOST_DELIVERIES = 1_000_000
MOST_RENDERED = 64_000_000
MOST_MISSING = 10_000


class BrokenOff(Exception):
    """The record ends in the middle of a game: it has no answer for a turn."""


EventRef = tuple[int, int, str, int | None]  # round, turn, phase, agent
AgentEventRef = tuple[int, int, str, int]


class AgentView(NamedTuple):
    """What an agent was shown at one moment: its calendar (`unlabelled` and as it was rendered), inbox and penalty.

    `kind` is opening (in public traces announcement), turn, voluntary, decision or retry.
    """

    kind: str
    unlabelled: str
    rendering: str
    calendar: Calendar
    inbox: list[dict[str, Any]]
    paid: int
    meeting: Meeting
    conflict: str | None = None


class ExpectedEvent(NamedTuple):
    """An event of the replay: its type, when and whose it is, the fields it must have, and what its agent was shown."""

    type: str
    round: int
    turn: int
    phase: str
    agent: int | None
    fields: dict[str, Any]
    shown: AgentView | None = None


@dataclass
class Game:
    """The state of the replayed game, and the events that it expects of the trace."""

    setup: Setup
    index: EventIndex
    findings: Findings
    public: bool
    open_ended: bool
    calendars: list[Calendar]
    expected: list[ExpectedEvent] = field(default_factory=list)
    inboxes: list[list[dict[str, Any]]] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    paid_before: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    messages: list[tuple[str, int]] = field(default_factory=list)
    informed: set[int] = field(default_factory=set)
    addressed: set[int] = field(default_factory=set)
    coordinated: list[Meeting] = field(default_factory=list)
    failed: list[Meeting] = field(default_factory=list)
    violations: int = 0
    disagreements: int = 0
    broken_off: bool = False
    texts: dict[Calendar, str] = field(default_factory=dict)
    steps: int = 0
    deliveries: int = 0
    rendered: int = 0

    def spend(self, steps: int = 0, deliveries: int = 0, rendered: int = 0) -> None:
        """Count what the replay takes. Raises Unreadable where that is too much."""
        self.steps += steps
        self.deliveries += deliveries
        self.rendered += rendered
        spent = (
            (self.steps, MOST_STEPS, "slots to look at"),
            (self.deliveries, MOST_DELIVERIES, "messages in inboxes"),
            (self.rendered, MOST_RENDERED, "characters of calendars"),
            (len(self.expected), 2 * len(self.index.events) + MOST_MISSING, "events that it should have"),
        )
        for number, most, what in spent:
            if number > most:
                raise Unreadable(f"too large to replay: more than {most} {what}", ".events")

    def expect(self, kind: str, ref: EventRef, shown: AgentView | None = None, **fields: Any) -> None:
        """Add an event that the trace should have here."""
        self.spend(steps=len(shown.calendar) if shown else 0)
        self.expected.append(ExpectedEvent(kind, *ref, fields, shown))

    def holds_once(self, meeting: Meeting) -> bool:
        """Whether all participants hold the meeting in one and the same slot."""
        self.spend(steps=len(meeting.participants) * len(self.calendars[0]))
        slots = {slot_of(self.calendars[a], meeting.id) for a in meeting.participants}
        return len(slots) == 1 and slots != {None}

    def view_of(self, agent: int, kind: str, meeting: Meeting, **details: Any) -> AgentView:
        """What the agent is shown now."""
        calendar = self.calendars[agent]
        inbox = details.pop("inbox", [])
        rendering = self.rendering_for(calendar)
        return AgentView(
            kind, render(calendar), rendering, calendar, inbox, self.paid_before[agent], meeting, **details
        )

    def rendering_for(self, calendar: Calendar) -> str:
        """The calendar as its agent is shown it: with labels, where the game has them."""
        if not self.setup.hydrated:
            return render(calendar)
        rendering = self.texts.get(calendar)
        if rendering is None:
            rendering = self.texts[calendar] = render_with_labels(calendar, self.setup.labels)
        return rendering


def start(trace: Trace, setup: Setup, findings: Findings) -> Game:
    """The game before its first event."""
    agents = len(setup.calendars)
    return Game(
        setup,
        EventIndex(trace.events),
        findings,
        trace.public,
        open_ended=not any(e.type == "game_end" for e in trace.events),
        calendars=list(setup.calendars),
        inboxes=[[] for _ in range(agents)],
        paid=[0] * agents,
        paid_before=[0] * agents,
        sent=[0] * agents,
        received=[0] * agents,
    )
