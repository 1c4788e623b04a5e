"""The state of a game while its trace is replayed, and its model calls."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeVar

from msgspec import Struct

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

Number = TypeVar("Number", int, float)

# Names of token counts in our traces, then in OpenAI's interface, which public traces may keep.
INPUT_KEYS = ("input_tokens", "prompt_tokens")
OUTPUT_KEYS = ("output_tokens", "completion_tokens")
CACHED_KEYS = ("cached_input_tokens", "cached_tokens")


class Thought(NamedTuple):
    """An agent's private reasoning before a turn or an answer."""

    event_index: int
    round: int
    phase: str | None
    agent: int
    content: str


class Call(NamedTuple):
    """One call of a model, with attempts before it that were charged for. Tokens are None where the provider did not
    report them, dollars where no price was known."""

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
    uncounted_attempts: int
    served_model: str | None
    reasoning_tokens: int | None
    finish_reason: str | None
    from_cache: bool | None


def read_thoughts(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Thought]:
    """The reasoning behind a turn or an answer; none where `thinking` is blank or no text."""
    if data.agent_id is None or not isinstance(data.thinking, str) or not data.thinking.strip():
        return []
    return [Thought(event_index, number, phase, data.agent_id, data.thinking[: limits.MESSAGE_CHARS])]


def read_calls(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Call]:
    """The call behind a turn or an answer; none where no model was called. `usage` may be anything in public traces."""
    usage = data.usage
    if data.agent_id is None or not isinstance(usage, Mapping) or not usage:
        return []
    failed = usage.get("failed_attempts")
    count = len(failed) if isinstance(failed, list) else 0
    charges = _charges(usage)
    asked, given, cached_input = (
        _total(_tokens(usage, keys), (_tokens(part, keys) for part in charges or ()))
        for keys in (INPUT_KEYS, OUTPUT_KEYS, CACHED_KEYS)
    )
    return [
        Call(
            event_index=event_index,
            round=number,
            phase=phase,
            agent=data.agent_id,
            model=_name(usage.get("model")),
            input_tokens=asked,
            output_tokens=given,
            cached_input_tokens=cached_input,
            cost_usd=_total(
                _dollars(usage.get("cost_usd")), (_dollars(part.get("cost_usd")) for part in charges or ())
            ),
            priced_by=_name(usage.get("priced_by")),
            failed_attempts=count,
            uncounted_attempts=_uncounted(usage, charges, count),
            served_model=_name(usage.get("served_model")),
            reasoning_tokens=_tokens(usage, ("reasoning_tokens",)),
            finish_reason=_name(usage.get("finish_reason")),
            from_cache=cached if isinstance(cached := usage.get("from_cache"), bool) else None,
        )
    ]


def _tokens(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """The first valid count under one of the names."""
    counts = (usage.get(name) for name in names)
    return next(
        (c for c in counts if isinstance(c, int) and not isinstance(c, bool) and 0 <= c <= limits.MAX_NUMBER), None
    )


def _charges(usage: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """What failed attempts took that were charged for, or may have been; None where the trace does not say."""
    listed = usage.get("charged_attempts")
    return [part for part in listed if isinstance(part, Mapping)] if isinstance(listed, list) else None


def _total(own: Number | None, others: Iterable[Number | None]) -> Number | None:
    """An answer's own value and those of attempts before it that are known; None where its own is not."""
    total = None if own is None else sum((other for other in others if other is not None), own)
    return total if total is not None and total <= limits.MAX_NUMBER else None


def _uncounted(usage: Mapping[str, Any], charges: Sequence[Mapping[str, Any]] | None, failed: int) -> int:
    """Of so many failed attempts, those that may have been charged for, and which no sum of the call counts whole."""
    if charges is None:
        return failed
    priced = _dollars(usage.get("cost_usd")) is not None
    counts = [(_tokens(part, INPUT_KEYS), _tokens(part, OUTPUT_KEYS)) for part in charges]
    costs = [_dollars(part.get("cost_usd")) for part in charges]
    return sum(None in count or (priced and usd is None) for count, usd in zip(counts, costs, strict=True))


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= limits.MAX_NUMBER:
        return None
    return float(value)


def _name(value: object) -> str | None:
    return value[: limits.NAME_CHARS] if isinstance(value, str) and value else None


class SentMessage(Struct, gc=False):
    """A message, its recipients, and what a simulated speaker meant by it."""

    event_index: int
    channel: str
    recipients: list[int]
    message: Message
    intent: Intent | None = None


class Move(Struct, gc=False):
    """A reschedule of a batch; `item` is what it moved, None where the slot was empty."""

    event_index: int
    action_index: int
    batch: Batch
    action: Reschedule
    item: Item | None


@dataclass(slots=True)
class Round:
    """What happened in a round. cost: of its moves. failures: event type → how many batches or decisions failed."""

    meeting: Meeting
    speaker_order: list[int]
    resolution: Resolution | None = None
    resolution_event: int | None = None
    cost: int = 0
    failures: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class GameState:
    """A game as it stands after the events replayed so far.

    first_renderings: (round, agent) → event index and text of the first calendar that the agent was shown.
    pending_intents: agent → intents of the tool calls of its turn that are still to come, the next one last.
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
