"""Calls that fail: what went wrong as one line without secrets, whether it may pass, and whether it is charged for."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from sim.agents import CONTEXT, DEADLINE, KEY, PROVIDER, QUOTA
from sim.models.spec import LlmParameters, is_like_a_key, is_secret

if TYPE_CHECKING:
    from sim.models.agent import Charge

REDACTED = "[redacted]"
SHORTEST = 6
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "JWT")
SCHEME = re.compile(r"(?:bearer|basic|token|api-?key|key) +(\S+)", re.I)  # before a header's key

# A request that is wrong stays wrong; what is not listed here, or below 400, is the server's trouble and may pass.
FINAL = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 415, 422})
# Too many requests, or a server that is down: it is so for all who ask.
FOR_ALL = frozenset({429, 503, 529})
# What a game stops of that fails by such a status; by any other, of its provider.
CATEGORIES = {429: QUOTA, 402: QUOTA, 401: KEY, 403: KEY, 408: DEADLINE, 413: CONTEXT, 504: DEADLINE}
# Errors by their names: a status that says what is wrong, and no connection to hear an answer on.
STATUS = frozenset({"HTTPStatusError", "APIStatusError", "ClientResponseError"})
UNREACHED = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
UNCONNECTED = UNREACHED | {"ClientConnectorError"}
UNANSWERED = STATUS | UNREACHED | {"ClientConnectionError", "ConnectionError", "ImportError"}
FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})


def secrets(named: Iterable[str | None]) -> tuple[str, ...]:
    """The values of the variables named as keys, and of those that look like keys by their names; longest first."""
    names = {n for n in named if n} | {n for n in os.environ if n.upper().endswith(SECRET_ENDINGS)}
    names |= {n for n, value in os.environ.items() if is_secret(n) and is_like_a_key(value)}
    values = {os.environ.get(n, "").strip() for n in names}
    forms = {form for value in values if len(value) >= SHORTEST for form in written(value)}
    return tuple(sorted(forms, key=lambda v: (-len(v), v)))


def written(key: str) -> set[str]:
    """The ways in which an echo of a request may write a key: plain, in a JSON string, in an address; and without the
    scheme before it."""
    scheme = SCHEME.fullmatch(key)
    plain = {key, scheme[1]} if scheme and len(scheme[1]) >= SHORTEST else {key}
    return {form for k in plain for form in (k, json.dumps(k)[1:-1], quote(k, safe=""), quote_plus(k))}


def redact(text: str, hidden: Iterable[str]) -> str:
    """The text without the secrets."""
    for value in hidden:
        text = text.replace(value, REDACTED)
    return text


class CallError(Exception):
    """One failed attempt: its HTTP status (None: none came), the wait that the server asked for in seconds, if any,
    and whether an answer to it was charged for, or may have been. `charge` is what it took where it may be charged for,
    and `category` what a game stops of that fails by it."""

    def __init__(
        self,
        message: str,
        status: int | None,
        final: bool,
        retry_after: float | None = None,
        billed: bool = False,
        category: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.final = final
        self.retry_after = retry_after
        self.billed = billed
        self.charge: Charge | None = None
        self.category = category or CATEGORIES.get(status or 0, PROVIDER)


def call_error(error: Exception, p: LlmParameters, hide: Callable[[str], str], address: str = "") -> CallError:
    """The failure of a call to the address as one line without secrets, and whether another attempt makes sense.

    Secrets are taken out before the line is cut: half a key would be found no longer.
    """
    if isinstance(error, TimeoutError):
        return CallError(f"no answer within {p.timeout:g} s", None, False, category=DEADLINE)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return CallError(one_line(hide(f"unusable response ({type(error).__name__}: {error})")), None, False)
    wait = retry_after(error)
    text = one_line(hide(f"{status} {error}"))
    if address and any(names(e) & UNCONNECTED for e in causes(error)):
        text = f"{text} Nothing answers at {hide(address)}; check the address, and whether a server runs there."
    if wait is not None and wait > p.max_retry_after:
        return CallError(f"{text}; asks to wait {wait:.0f} s, more than {p.max_retry_after:.0f} s", status, True)
    return CallError(text, status, status in FINAL, wait, category=CONTEXT if is_too_long(error) else None)


def is_too_long(error: Exception) -> bool:
    """Whether the provider refuses the conversation for its length."""
    codes = {getattr(e, "code", None) for e in causes(error)}
    return type(error).__name__ == "ContextWindowExceededError" or "context_length_exceeded" in codes


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those that it came from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def one_line(text: str) -> str:
    """The text on one line, without a Python traceback, cut at 300 characters."""
    line = " ".join(text.partition("Traceback (most recent call last)")[0].split())
    return line if len(line) <= 300 else line[:297] + "..."


def retry_after(error: Any) -> float | None:
    """The seconds that the server asks to wait: given as a number, or as a date; None where it asks nothing."""
    sources = (getattr(error, "litellm_response_headers", None), getattr(error, "headers", None))
    response = getattr(getattr(error, "response", None), "headers", None)
    for headers in (*sources, response):
        text = headers.get("retry-after") if headers else None
        if text is not None:
            return seconds(str(text))
    return None


def seconds(text: str, now: datetime | None = None) -> float | None:
    """A Retry-After header in seconds from now, never below 0; None where it is neither a number nor a date."""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())


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
