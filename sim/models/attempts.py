"""Asking again: which failures are worth it, how long to wait, and pauses that all calls to a provider share."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from random import Random
from typing import Any
from urllib.parse import quote, quote_plus

from aiolimiter import AsyncLimiter

from sim.models.spec import LlmParameters

REDACTED = "[redacted]"
SHORTEST = 6
SECRET_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
# What a server without keys is sent: the client insists on one.
NO_KEY = "none"

LONGEST_BACKOFF = 60.0
# A request that is wrong stays wrong; what is not listed here, or below 400, is the server's trouble and may pass.
FINAL = frozenset({400, 401, 402, 403, 404, 405, 410, 413, 415, 422})
# Too many requests, or a server that is down: it is so for all who ask.
FOR_ALL = frozenset({429, 503, 529})
# Answers that were charged for and can't be used, for one question, before it is given up.
MOST_BILLED = 3


class KeyMissing(ValueError):
    """What a model needs before it can be asked: which variable or package, and what to do."""


def key_of(p: LlmParameters) -> str | None:
    """The key of the model's provider. Raises KeyMissing where its variable is not set."""
    if p.api_key_env is None:
        return NO_KEY if p.api_base else None
    key = os.environ.get(p.api_key_env, "").strip()
    if not key:
        raise KeyMissing(f"{p.model}: the environment variable {p.api_key_env} is not set; export it with the key")
    return key


def check_access(p: LlmParameters) -> None:
    """Raises KeyMissing where a variable or a package that the model needs is missing."""
    key_of(p)
    for name in p.needs_env:
        if not os.environ.get(name):
            raise KeyMissing(f"{p.model}: the environment variable {name} is not set; see docs/models.md")
    if p.model.startswith("vertex_ai/") and (find_spec("google") is None or find_spec("google.auth") is None):
        raise KeyMissing(f"{p.model}: Vertex AI needs a package; install it with `uv pip install google-auth`")


def secrets(named: Iterable[str | None]) -> tuple[str, ...]:
    """The values of the variables named as keys, and of those that look like keys by their names; longest first."""
    names = {n for n in named if n} | {n for n in os.environ if n.upper().endswith(SECRET_ENDINGS)}
    values = {os.environ.get(n, "").strip() for n in names}
    forms = {form for value in values if len(value) >= SHORTEST for form in written(value)}
    return tuple(sorted(forms, key=lambda v: (-len(v), v)))


def written(key: str) -> set[str]:
    """The ways in which an echo of a request may write a key: plain, in a JSON string, in an address."""
    return {key, json.dumps(key)[1:-1], quote(key, safe=""), quote_plus(key)}


def redact(text: str, hidden: Iterable[str]) -> str:
    """The text without the secrets."""
    for value in hidden:
        text = text.replace(value, REDACTED)
    return text


class CallError(Exception):
    """One failed attempt: its HTTP status (None: none came), the wait that the server asked for in seconds, if any,
    and whether it may be charged for."""

    def __init__(
        self, message: str, status: int | None, final: bool, retry_after: float | None = None, billed: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.final = final
        self.retry_after = retry_after
        self.billed = billed


def call_error(error: Exception, p: LlmParameters, hide: Callable[[str], str]) -> CallError:
    """The failure as one line without secrets, and whether another attempt makes sense.

    Secrets are taken out before the line is cut: half a key would be found no longer.
    """
    if isinstance(error, TimeoutError):
        return CallError(f"no answer within {p.timeout:g} s", None, False)
    status = getattr(error, "status_code", None)
    if not isinstance(status, int):
        return CallError(one_line(hide(f"unusable response ({type(error).__name__}: {error})")), None, False)
    wait = retry_after(error)
    text = one_line(hide(f"{status} {error}"))
    if wait is not None and wait > p.max_retry_after:
        return CallError(f"{text}; asks to wait {wait:.0f} s, more than {p.max_retry_after:.0f} s", status, True)
    return CallError(text, status, status in FINAL, wait)


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


def wait_before(p: LlmParameters, error: CallError, failed: int, name: str) -> float:
    """Seconds before the next attempt: what the server asked for, else back-off doubled each time and spread by a
    quarter, so that many games don't come back at once. `failed` attempts were made; `name` is the question's digest.
    """
    if error.retry_after is not None:
        return error.retry_after
    spread = Random(f"backoff:{name}:{failed}").uniform(0.75, 1.25)
    return float(min(LONGEST_BACKOFF, p.backoff * 2 ** min(failed - 1, 30)) * spread)


class Tries:
    """The failed attempts at one question, in order, and when the first of them failed, by the given clock."""

    def __init__(self, p: LlmParameters, clock: Callable[[], float]) -> None:
        self.p = p
        self.clock = clock
        self.began: float | None = None
        self.failed: list[str] = []
        self.billed = 0
        self.time_is_up = False

    def add(self, error: CallError) -> None:
        """Count a failure."""
        self.began = self.clock() if self.began is None else self.began
        self.failed.append(str(error))
        self.billed += error.billed

    def are_over(self, wait: float) -> bool:
        """Whether no other attempt follows after so many seconds."""
        waited = self.clock() - (self.clock() if self.began is None else self.began)
        self.time_is_up = waited + wait > self.p.retry_for
        tried = self.p.retries is not None and len(self.failed) > self.p.retries
        return self.time_is_up or tried or self.billed >= MOST_BILLED


# So many questions in a row that used up their time, without an answer to any: nothing more is tried.
GIVEN_UP = 2


class Lane:
    """The way to one provider: so many calls at once, so many a minute, none while it asks for a pause.

    `down` is what the last call failed with, None after one that was answered; `in_hand` counts questions that are
    asked and not yet answered or given up, `given_up` those in a row whose time was used up.
    """

    def __init__(self, concurrency: int, requests_per_minute: float | None) -> None:
        self.gate = asyncio.Semaphore(concurrency)
        # One at a time, evenly: a limiter that starts full lets twice its rate through in the first minute.
        self.limiter = AsyncLimiter(1, 60 / requests_per_minute) if requests_per_minute else None
        self.open_at = 0.0
        self.closed_at = 0.0
        self.refusals = 0
        self.down: str | None = None
        self.in_hand = 0
        self.given_up = 0
        self.settled = asyncio.Event()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for a turn, and hold it; when it began."""
        loop = asyncio.get_running_loop()
        async with self.gate:
            while (wait := self.open_at - loop.time()) > 0:
                await asyncio.sleep(wait)
            if self.limiter:
                await self.limiter.acquire()
            yield loop.time()

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long."""
        self.open_at = max(self.open_at, asyncio.get_running_loop().time() + seconds)

    def refused(self, began: float, wait: Callable[[int], float]) -> None:
        """Pause after a call that began then and was refused as one too many: `wait` says how long after so many
        refusals in a row. Those of calls that were under way together count once."""
        if began >= self.closed_at:
            self.refusals += 1
            self.closed_at = asyncio.get_running_loop().time()
        self.pause(wait(self.refusals))

    def failed(self, problem: str) -> None:
        """A call got no answer."""
        self.down = problem

    def answered(self) -> None:
        """A call got an answer."""
        self.down, self.refusals, self.given_up = None, 0, 0
        self.settled.set()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold a question in hand."""
        self.in_hand += 1
        try:
            yield
        finally:
            self.in_hand -= 1
            if not self.in_hand:
                self.settled.set()

    async def ready(self) -> str | None:
        """Wait while the provider is down and questions in hand try to reach it; what is wrong where they gave up."""
        while self.down and self.in_hand:
            self.settled.clear()
            await self.settled.wait()
        return self.down if self.given_up >= GIVEN_UP else None
