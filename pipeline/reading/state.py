"""A game as it stands while its trace is followed: calendars, rounds, and what was sent and moved."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from pipeline.calendars import Calendar, Item
from pipeline.reading.records import (
    AgentRegistered,
    Batch,
    DecideEnd,
    GameEnd,
    GameStart,
    Intent,
    Meeting,
    Message,
    Reschedule,
    Resolution,
)
from pipeline.reading.thoughts import Thought
from pipeline.reading.traces import Event, TraceError
from pipeline.reading.usage import Call
from pipeline.speech.labels_seen import LabelsSeen


@dataclass(slots=True)
class Sent:
    """A message that was sent, and to whom."""

    event_index: int
    channel: str
    recipients: list[int]
    message: Message
    intent: Intent | None = None


@dataclass(slots=True)
class Moved:
    """An item that a batch moved; `item` is None where the batch named an empty slot."""

    event_index: int
    action_index: int
    batch: Batch
    action: Reschedule
    item: Item | None


@dataclass(slots=True)
class Round:
    """What happened in a round."""

    meeting: Meeting
    speaker_order: list[int]
    resolution: Resolution | None = None
    resolved_at: int | None = None
    cost: int = 0
    setbacks: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Walk:
    """A game as it stands after the events seen so far."""

    num_slots: int
    start: GameStart
    calendars: dict[int, Calendar] = field(default_factory=dict)
    initial: dict[int, Calendar] = field(default_factory=dict)
    agents: dict[int, AgentRegistered] = field(default_factory=dict)
    rounds: dict[int, Round] = field(default_factory=dict)
    first_renderings: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    decided: list[tuple[int, DecideEnd]] = field(default_factory=list)
    thoughts: list[Thought] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    labels: LabelsSeen = field(default_factory=LabelsSeen)
    meant: dict[int, list[Intent | None]] = field(default_factory=dict)
    end: GameEnd | None = None
    met: dict[int, int] = field(default_factory=dict)
    dms: Counter[int] = field(default_factory=Counter)
    group_messages: Counter[int] = field(default_factory=Counter)
    heard_chars: int = 0

    def round(self, event: Event, number: int) -> Round:
        """The round's record. Raises TraceError when it has not begun."""
        found = self.rounds.get(number)
        if found is None:
            refuse(event, "round", f"round {number} has not begun")
        return found

    def check(self, event: Event, agent: int, name: str) -> None:
        """Raise TraceError unless the agent that a field of the event names is one of the game's."""
        if agent not in self.agents:
            refuse(event, name, f"agent {agent} is not registered")

    def check_all(self, event: Event, agents: Sequence[int], name: str) -> None:
        """Raise TraceError unless the agents that a list of the event names are the game's."""
        for i, agent in enumerate(agents):
            self.check(event, agent, f"{name}[{i}]")


def refuse(event: Event, name: str, reason: str) -> NoReturn:
    """Reject the trace because of a field of the event."""
    raise TraceError(reason, f".events[{event.index}].data{name and '.'}{name}")
