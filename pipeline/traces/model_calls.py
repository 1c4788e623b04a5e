"""What a model reasoned in private before it answered, and what its answer took, as far as a trace says so."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from pipeline.traces import limits
from pipeline.traces.records import DecideEnd, TurnEnd

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
