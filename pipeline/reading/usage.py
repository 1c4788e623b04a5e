"""What an answer of a model took: the `usage` of turns and answers, as far as it says so."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from pipeline.reading.limits import MOST, NAME_CHARS
from pipeline.reading.records import DecideEnd, TurnEnd

# Ours first, then what OpenAI's interface calls them: a public trace may keep a provider's own words.
INPUT = ("input_tokens", "prompt_tokens")
OUTPUT = ("output_tokens", "completion_tokens")
CACHED = ("cached_input_tokens", "cached_tokens")


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


def call(event_index: int, data: TurnEnd | DecideEnd, number: int, phase: str | None) -> list[Call]:
    """The call behind a turn or an answer, if a model was called: public traces may have anything in its place."""
    usage = data.usage
    if data.agent_id is None or not isinstance(usage, Mapping) or not usage:
        return []
    failed = usage.get("failed_attempts")
    return [
        Call(
            event_index,
            number,
            phase,
            data.agent_id,
            _name(usage.get("model")),
            _tokens(usage, INPUT),
            _tokens(usage, OUTPUT),
            _tokens(usage, CACHED),
            _dollars(usage.get("cost_usd")),
            _name(usage.get("priced_by")),
            len(failed) if isinstance(failed, list) else 0,
        )
    ]


def _tokens(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """The first of the counts that is one."""
    counts = (usage.get(name) for name in names)
    return next((c for c in counts if isinstance(c, int) and not isinstance(c, bool) and 0 <= c <= MOST), None)


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST or not isfinite(value):
        return None
    return float(value)


def _name(value: object) -> str | None:
    return value[:NAME_CHARS] if isinstance(value, str) and value else None
