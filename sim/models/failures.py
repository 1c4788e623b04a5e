"""Calls that fail: what went wrong as one line without secrets, whether it may pass, and whether it is charged for."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from sim.agents import CONTEXT, DEADLINE, KEY, PROVIDER, QUOTA
from sim.models.library import Redirected
from sim.models.spec import LlmParameters, is_like_a_key, is_secret

if TYPE_CHECKING:
    from sim.models.agent import Charge

REDACTED = "[redacted]"
SHORTEST = 6
SCHEME = re.compile(r"(?:bearer|basic|token|api-?key|key) +(?=\S)", re.I)  # before a header's key

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
UNANSWERED = STATUS | UNREACHED | {"ClientConnectionError", "ConnectionError", "ImportError", "Redirected"}
# How servers say that a filter refuses a question, and that a conversation is too long.
FILTERS = re.compile(
    r"content[ _-]?(?:filter|policy[ _]violation)|content management policy|flagged_input|input was flagged|moderation"
    r"|prohibited[ _-]content|\bblocked\b.{0,40}\bsafety\b",
    re.I,
)
TOO_LONG = re.compile(
    r"context[ _-](?:length|size|window)|context the overflows|(?:prompt|input|request)(?: is)? too (?:long|large)"
    r"|exceed_context|reduce the length|token(?:s| count)\b.{0,60}\bexceeds?\b",
    re.I,
)


def secrets(named: Iterable[str | None]) -> re.Pattern[str]:
    """A pattern of the values of the variables named as keys, of others that look like keys by name and value, and of
    proxies' passwords, in every way in which an echo may write them."""
    values = {os.environ.get(name, "").strip() for name in named if name}
    for name, value in os.environ.items():
        values |= {value.strip()} if is_secret(name) and is_like_a_key(value) else set()
        values |= {urlsplit(value).password or ""} if name.lower().endswith("_proxy") and "@" in value else set()
    keys = {SCHEME.sub("", value, count=1) if SCHEME.match(value) else value for value in values}
    longest_first = sorted((key for key in keys if len(key) >= SHORTEST), key=lambda key: (-len(key), key))
    return re.compile("|".join("".join(map(spelled, key)) for key in longest_first) or "(?!)", re.I)


def spelled(letter: str) -> str:
    """A pattern of the letter as it is, or escaped as in JSON (also more than once), in an address or in HTML."""
    code = ord(letter)
    escaped = rf"\\{{0,8}}(?:{re.escape(letter)}|u{code:04x})"
    forms = [escaped, f"%{code:02x}", f"&#x?0*(?:{code}|{code:x});", re.escape(html.escape(letter))]
    return f"(?:{'|'.join(forms)}{'|[+]' if letter == ' ' else ''})"


def redact(text: str, hidden: re.Pattern[str]) -> str:
    """The text without the secrets."""
    return hidden.sub(REDACTED, text)


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


class ToldError(Exception):
    """An error that a response of a good status tells of, as `error.body` has it, and what the response took if it is
    charged for."""

    def __init__(self, body: Any, charge: Charge | None) -> None:
        told = body if isinstance(body, dict) else {"message": body or "the answer ended with an error"}
        super().__init__(told.get("message") or json.dumps(told, default=str))
        self.body, self.status_code, self.charge = told, told.get("code"), charge


def call_error(error: Exception, p: LlmParameters, hidden: re.Pattern[str], address: str = "") -> CallError:
    """The failure of a call to the address as one line without secrets, and whether another attempt makes sense.

    Secrets are taken out before the line is cut: half a key would be found no longer.
    """
    if isinstance(error, TimeoutError):
        return CallError(f"no answer within {p.timeout:g} s", None, False, category=DEADLINE)
    status = status_of(error)
    if status is None:
        return CallError(one_line(redact(f"unusable response ({type(error).__name__}: {error})", hidden)), None, False)
    wait = retry_after(error)
    text = one_line(redact(f"{status} {error}", hidden))
    if advice := advice_of(error, address):
        text = f"{text} {redact(advice, hidden)}"
    if wait is not None and wait > p.max_retry_after:
        return CallError(f"{text}; asks to wait {wait:.0f} s, more than {p.max_retry_after:.0f} s", status, True)
    if is_too_long(error, status):
        return CallError(text, status, True, category=CONTEXT)
    return CallError(text, status, status in FINAL or "Redirected" in all_names(error), wait)


def status_of(error: Exception) -> int | None:
    """The HTTP status of the failure. LiteLLM gives 500 to some that say 429, 503 or 529, in the server's own error or
    in its status: then that one."""
    status = number(getattr(error, "status_code", None))
    told = (number(value) for e in causes(error) for value in statuses(e)) if status == 500 else ()
    return next((value for value in told if value in FOR_ALL), status)


def statuses(error: BaseException) -> Iterator[Any]:
    """Whatever may be the status that the error tells, of any type."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    yield from (getattr(error, "status_code", None), getattr(error, "code", None))
    yield getattr(getattr(error, "response", None), "status_code", None)
    yield inner.get("code") if isinstance(inner, dict) else None
    yield 529 if "overloaded_error" in words(error) else None


def number(value: Any) -> int | None:
    """The whole number that the value is, or is the text of; None where it is none."""
    if isinstance(value, str) and value.isdecimal() and len(value) == 3:
        return int(value)
    return value if type(value) is int else None


def advice_of(error: Exception, address: str) -> str:
    """Why nobody was reached, and what to do; no text where somebody was."""
    if moved := next((e for e in causes(error) if isinstance(e, Redirected)), None):
        return f"Because {moved}."
    if any("certificate verify failed" in str(e).lower() for e in causes(error)):
        return "The certificate is self-signed or of an unknown authority; name the authority's file in SSL_CERT_FILE."
    if not address or not all_names(error) & UNCONNECTED:
        return ""
    parts = urlsplit(address)
    proxy = urlsplit(getproxies().get(parts.scheme, "")) if not proxy_bypass(parts.hostname or "") else None
    if proxy and proxy.hostname:
        return f"Nothing answers at the proxy {proxy.hostname}:{proxy.port} of {parts.scheme.upper()}_PROXY; check it."
    return f"Nothing answers at {address}; check the address, and whether a server runs there."


def is_too_long(error: Exception, status: int) -> bool:
    """Whether the provider refuses the conversation for its length."""
    if status == 413 or type(error).__name__ == "ContextWindowExceededError":
        return True
    return status in (400, 422, 500) and any(TOO_LONG.search(words(e)) for e in causes(error))


def is_filtered(error: Exception) -> bool:
    """Whether a content filter refused the question: some providers say so by a status, others in their answer."""
    if status_of(error) not in (400, 403, 422):
        return False
    named = type(error).__name__ == "ContentPolicyViolationError"
    return named or any(FILTERS.search(words(e)) for e in causes(error))


def words(error: BaseException) -> str:
    """What the error says, with its code and body, of whatever type they are."""
    return f"{error} {getattr(error, 'code', '')} {getattr(error, 'body', '')}"


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
    return status in (None, 200, 500) and not all_names(error) & UNANSWERED


def is_late(error: Exception) -> bool:
    """Whether the call was given up at its deadline, ours or LiteLLM's: the server had it, and said nothing yet."""
    if isinstance(error, TimeoutError):
        return True
    return getattr(error, "status_code", None) == 408 and not all_names(error) & (STATUS | UNREACHED)


def all_names(error: BaseException) -> set[str]:
    """The names of the error's classes and of its causes', LiteLLM's own left out: they stand for any failure."""
    own = [e for e in causes(error) if not type(e).__module__.startswith("litellm.")]
    return {kind.__name__ for e in own for kind in type(e).__mro__}
