"""A game as it stands while its trace is replayed: calendars, rounds, and what was sent and moved."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from pipeline.traces.calendars import Calendar, Item
from pipeline.traces.labels_seen import LabelsSeen
from pipeline.traces.model_calls import Call, Thought
from pipeline.traces.records import (
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
from pipeline.traces.traces import Event, TraceError


@dataclass(slots=True)
class SentMessage:
    """A message that was sent, and to whom."""

    event_index: int
    channel: str
    recipients: list[int]
    message: Message
    intent: Intent | None = None


@dataclass(slots=True)
class Move:
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
    resolution_event: int | None = None
    cost: int = 0
    failures: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class GameState:
    """A game as it stands after the events replayed so far.

    `first_renderings` holds, by (round, agent), the event and text of the first calendar that the agent was shown;
    `pending_intents` holds, by agent, the intents of its turn's tool calls that are still to come, the next one last.
    """

    num_slots: int
    start: GameStart
    calendars: dict[int, Calendar] = field(default_factory=dict)
    initial: dict[int, Calendar] = field(default_factory=dict)
    agents: dict[int, AgentRegistered] = field(default_factory=dict)
    rounds: dict[int, Round] = field(default_factory=dict)
    first_renderings: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    messages: list[SentMessage] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    decisions: list[tuple[int, DecideEnd]] = field(default_factory=list)
    thoughts: list[Thought] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    labels_seen: LabelsSeen = field(default_factory=LabelsSeen)
    pending_intents: dict[int, list[Intent | None]] = field(default_factory=dict)
    end: GameEnd | None = None
    round_of_meeting: dict[int, int] = field(default_factory=dict)
    dms: Counter[int] = field(default_factory=Counter)
    group_messages: Counter[int] = field(default_factory=Counter)
    delivered_chars: int = 0

    def round(self, event: Event, number: int) -> Round:
        """The round's record. Raises TraceError when it has not begun."""
        if number not in self.rounds:
            refuse(event, "round", f"round {number} has not begun")
        return self.rounds[number]

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
