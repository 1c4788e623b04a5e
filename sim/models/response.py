"""A provider's response read: its text, and what it took. Counts of tokens are believed where they can be true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.game.trace import to_jsonable
from sim.models.agent import FILTERED, Usage
from sim.models.attempts import causes, redact
from sim.models.money import cost
from sim.models.spec import LlmParameters, Prices

# Errors by their names: a status that says what is wrong, and no connection to hear an answer on.
STATUS = frozenset({"HTTPStatusError", "APIStatusError", "ClientResponseError"})
UNREACHED = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
UNANSWERED = STATUS | UNREACHED | {"ClientConnectionError", "ConnectionError"}
FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})


def usage_of(
    response: Any, p: LlmParameters, prices: tuple[Prices, str] | None, keys: Sequence[str], litellm: Any
) -> Usage:
    """What the response took. A prompt takes tokens: a count of 0 means that the provider gave none. Where a count is
    absurd, below 0 or no number, or the price is unknown, the cost is unknown."""
    counts = getattr(response, "usage", None)
    asked, given = tokens(counts, "prompt_tokens") or None, tokens(counts, "completion_tokens")
    details = getattr(counts, "prompt_tokens_details", None)
    cached = tokens(details, "cached_tokens")
    told = getattr(details, "cached_tokens", None)
    sound = asked is not None and given is not None and (told is None or (cached is not None and cached <= asked))
    usd = cost_of(response, p, asked or 0, given or 0, cached or 0, litellm) if sound and prices else None
    choices = getattr(response, "choices", None)
    reason = getattr(choices[0], "finish_reason", None) if choices else None
    return Usage(
        model=p.model,
        input_tokens=asked,
        output_tokens=given if asked else given or None,
        cached_input_tokens=cached,
        cost_usd=usd,
        priced_by=prices[1] if prices and usd is not None else None,
        finish_reason=redact(str(reason), keys) if reason else None,
        response_id=redact(str(getattr(response, "id", None)), keys),
    )


def tokens(counts: Any, name: str) -> int | None:
    """A count of tokens; None where there is none or it is absurd."""
    value = getattr(counts, name, None)
    return value if type(value) is int and value >= 0 else None


def cost_of(response: Any, p: LlmParameters, asked: int, given: int, cached: int, litellm: Any) -> float | None:
    """What the response costs, in US dollars: by the team's prices, else by LiteLLM's table with all its rules."""
    if p.prices is not None:
        return cost(p.prices, asked, given, cached)
    try:
        usd = float(litellm.completion_cost(completion_response=response, model=p.model))
    except Exception:  # whatever LiteLLM raises over a response, what it costs is unknown then
        return None
    return usd if 0 <= usd < float("inf") else None


def text_of(response: Any, keys: Sequence[str]) -> str:
    """The response's text, without keys. Raises ValueError where it holds none that can be used."""
    if not response.choices:
        raise ValueError("a response without choices")
    content = response.choices[0].message.content
    if not isinstance(content, str | None):
        raise ValueError(f"content of type {type(content).__name__}, not text")
    return str(to_jsonable(redact(content or "", keys)))


def is_billed(error: Exception) -> bool:
    """Whether the call that failed so may have been charged for: an answer had begun, and could not be used."""
    status = getattr(error, "status_code", None)
    # LiteLLM gives a status of its own, 500, to what it can't read; a server's has its cause among the errors.
    return status in (None, 200, 500) and not any(names(e) & UNANSWERED for e in causes(error))


def is_late(error: Exception) -> bool:
    """Whether the call was given up at its deadline, ours or LiteLLM's: the server had it, and said nothing yet."""
    if isinstance(error, TimeoutError):
        return True
    return getattr(error, "status_code", None) == 408 and not any(
        names(e) & (STATUS | UNREACHED) for e in causes(error)
    )


def names(error: BaseException) -> set[str]:
    """The names of the error's classes, LiteLLM's own left out: they stand for any failure."""
    own = type(error).__module__.startswith("litellm.")
    return set() if own else {kind.__name__ for kind in type(error).__mro__}


def is_filtered(error: Exception) -> bool:
    """Whether a content filter refused the question: some providers say so by a status, others in their answer."""
    if getattr(error, "status_code", None) != 400:
        return False
    codes = {code for e in causes(error) if isinstance(code := getattr(e, "code", None), str)}
    return type(error).__name__ == "ContentPolicyViolationError" or bool(codes & FILTER_CODES)


def filtered(p: LlmParameters) -> Usage:
    """What a question took that a filter refused by a status: nothing that anybody tells."""
    return Usage(model=p.model, finish_reason=FILTERED)
