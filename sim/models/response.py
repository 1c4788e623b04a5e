"""What a provider's response says: the answer, how it ended, and what it took."""

from __future__ import annotations

import json
import re
from typing import Any

from sim.game.trace import to_jsonable
from sim.models.agent import FILTERED, Answer, Usage
from sim.models.failures import ToldError, redact
from sim.models.parse import LONGEST
from sim.models.prices import cost_of
from sim.models.spec import LlmParameters, Prices

# No answer takes more tokens: what is told beyond it is no count.
MOST_TOKENS = 1_000_000_000
# What is in a provider's word for the end of an answer that it broke off with an error.
ERROR = re.compile("error|failed", re.I)


def answer_of(response: Any, usage: Usage, hidden: re.Pattern[str]) -> Answer:
    """The response's answer without secrets; of a text beyond all measure the beginning, one character longer than what
    is read. Raises ValueError where it holds none that can be used, and ToldError where it tells of an error."""
    choice = first_choice(response)
    if choice is None:
        raise ValueError("a response without choices")
    fields = getattr(choice, "provider_specific_fields", None) or {}
    if fields.get("error") or ERROR.search(f"{fields.get('native_finish_reason')} {choice.finish_reason}"):
        raise ToldError(fields.get("error"), usage.charge if usage.output_tokens else None)
    content = choice.message.content
    if not isinstance(content, str | None):
        raise ValueError(f"content of type {type(content).__name__}, not text")
    return Answer(
        clean(content or "", hidden),
        usage,
        tuple(clean(as_text(call.arguments), hidden) for call in calls_of(choice.message)),
        choice.finish_reason and clean(choice.finish_reason, hidden),
    )


def first_choice(response: Any) -> Any:
    """The response's first choice, or None."""
    choices = getattr(response, "choices", None)
    return choices[0] if choices else None


def calls_of(message: Any) -> list[Any]:
    """The functions that the message calls, as tools or, as servers of old say it, as its function."""
    legacy = getattr(message, "function_call", None)
    return [call.function for call in getattr(message, "tool_calls", None) or ()] or ([legacy] if legacy else [])


def as_text(arguments: Any) -> str:
    """A tool call's arguments as JSON text, which some servers give as an object."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments or "")


def clean(text: str, hidden: re.Pattern[str]) -> str:
    """The text as a trace can hold it, without secrets and cut at one character more than what is read."""
    return str(to_jsonable(redact(text, hidden)))[: LONGEST + 1]


def usage_of(
    response: Any, p: LlmParameters, prices: tuple[Prices, str] | None, hidden: re.Pattern[str], litellm: Any
) -> Usage:
    """What the response took. A prompt takes tokens, and so does a text: 0 means that the provider gave no count.
    Where a count is absurd (see `count`), contradicts another, or the price is unknown, the cost is unknown."""
    counts = getattr(response, "usage", None)
    details = getattr(counts, "prompt_tokens_details", None)
    reported = getattr(details, "cached_tokens", None)
    asked, cached = agreeing(tokens(counts, "prompt_tokens") or None, count(reported))
    thought = tokens(getattr(counts, "completion_tokens_details", None), "reasoning_tokens")
    given, thought = agreeing(answered(counts, response), thought)
    sound = asked is not None and given is not None and (reported is None or cached is not None)
    usd = cost_of(response, p, asked or 0, given or 0, cached or 0, litellm) if sound and prices else None
    return Usage(
        model=p.model,
        input_tokens=asked,
        output_tokens=given if asked else given or None,
        cached_input_tokens=cached,
        cost_usd=usd,
        priced_by=prices[1] if prices and usd is not None else None,
        reasoning_tokens=thought,
        **provenance(response, hidden),
    )


def provenance(response: Any, hidden: re.Pattern[str]) -> dict[str, Any]:
    """What the provider says of its answer besides the text, as far as it is text: who gave it, how it ended in its own
    words, and the reasoning."""
    choice = first_choice(response)
    message = getattr(choice, "message", None)
    native = (getattr(choice, "provider_specific_fields", None) or {}).get("native_finish_reason")
    values = {
        "finish_reason": native or getattr(choice, "finish_reason", None),
        "response_id": getattr(response, "id", None),
        "served_model": getattr(response, "model", None),
        "system_fingerprint": getattr(response, "system_fingerprint", None),
        "reasoning": getattr(message, "reasoning_content", None),
        "refusal": (getattr(message, "provider_specific_fields", None) or {}).get("refusal"),
    }
    return {
        name: clean(value, hidden)[:LONGEST] if isinstance(value, str) and value else None
        for name, value in values.items()
    }


def answered(counts: Any, response: Any) -> int | None:
    """The count of the answer's tokens; None for 0 beside a text or a tool's call."""
    message = getattr(first_choice(response), "message", None)
    given = tokens(counts, "completion_tokens")
    said = ("content", "tool_calls", "function_call")
    return None if given == 0 and any(getattr(message, name, None) for name in said) else given


def tokens(counts: Any, name: str) -> int | None:
    """A count of tokens; None where there is none or it is absurd."""
    return count(getattr(counts, name, None))


def count(value: Any) -> int | None:
    """A count of tokens; None for what is absurd: below 0, beyond MOST_TOKENS, or no number."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def agreeing(whole: int | None, part: int | None) -> tuple[int | None, int | None]:
    """A count of tokens, and that of a part of them; neither where the part is more than the whole, as then one of the
    two is wrong, and nobody says which."""
    return (None, None) if (part or 0) > (whole or 0) else (whole, part)


def filtered(p: LlmParameters) -> Answer:
    """The answer to a question that a filter refused by a status: nothing, and nothing that anybody tells."""
    return Answer("", Usage(model=p.model, finish_reason=FILTERED))
