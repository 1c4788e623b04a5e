"""The state of a game while its trace is replayed, and what its model calls used."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple, NoReturn

from pipeline.traces import limits
from pipeline.traces.calendars import Calendar, Item, LabelsSeen
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
    TurnEnd,
)
from pipeline.traces.trace import Event, TraceError

# Ours first, then what OpenAI's interface calls them: a public trace may keep a provider's own words.
INPUT = ("input_tokens", "prompt_tokens")
OUTPUT = ("output_tokens", "completion_tokens")
CACHED = ("cached_input_tokens", "cached_tokens")


class Thought(NamedTuple):
    """One reasoning of an agent, before it spoke or answered."""

    event_index: int
    round: int
    phase: str | None
    agent: int
    content: str


class Call(NamedTuple):
    """One answer of a model. Tokens are None where the provider did not say, dollars where no price was known."""

    event_index: int
    round: int
    phase: str | None
    agent: int
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None
    cost_usd: float | None
    priced_by: str | None
    failed_attempts: int


def read_thoughts(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Thought]:
    """The reasoning behind a turn or an answer, none where `thinking` is no text or blank."""
    if data.agent_id is None or not isinstance(data.thinking, str) or not data.thinking.strip():
        return []
    return [Thought(event_index, number, phase, data.agent_id, data.thinking[: limits.MESSAGE_CHARS])]


def read_calls(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Call]:
    """The call behind a turn or an answer, if a model was called: public traces may hold anything there."""
    usage = data.usage
    if data.agent_id is None or not isinstance(usage, Mapping) or not usage:
        return []
    failed = usage.get("failed_attempts")
    return [
        Call(
            event_index=event_index,
            round=number,
            phase=phase,
            agent=data.agent_id,
            model=_name(usage.get("model")),
            input_tokens=_tokens(usage, INPUT),
            output_tokens=_tokens(usage, OUTPUT),
            cached_input_tokens=_tokens(usage, CACHED),
            cost_usd=_dollars(usage.get("cost_usd")),
            priced_by=_name(usage.get("priced_by")),
            failed_attempts=len(failed) if isinstance(failed, list) else 0,
        )
    ]


def _tokens(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """The first of the counts that is one."""
    counts = (usage.get(name) for name in names)
    return next((c for c in counts if isinstance(c, int) and not isinstance(c, bool) and 0 <= c <= limits.MOST), None)


def _dollars(value: object) -> float | None:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= limits.MOST
        or not isfinite(value)
    ):
        return None
    return float(value)


def _name(value: object) -> str | None:
    return value[: limits.NAME_CHARS] if isinstance(value, str) and value else None


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
