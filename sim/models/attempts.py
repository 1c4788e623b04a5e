"""Asking again: which failures are worth it, how long to wait, and pauses that all calls to a provider share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random

from aiolimiter import AsyncLimiter

from sim.agents import KEY
from sim.models.agent import Charge
from sim.models.failures import CallError
from sim.models.spec import LlmParameters, listed_addresses

# What a server without keys is sent: the client insists on one.
NO_KEY = "none"

LONGEST_BACKOFF = 60.0
# Answers that were charged for and can't be used, for one question, before it is given up.
MOST_BILLED = 3


class KeyMissing(ValueError):
    """What a model needs before it can be asked: which variable or package, and what to do."""


def variable(p: LlmParameters, name: str, use: str) -> str:
    """What the environment variable holds. Raises KeyMissing where it is not set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise KeyMissing(f"{p.model}: the environment variable {name} is not set; export it with {use}")
    return value


def key_of(p: LlmParameters) -> str | None:
    """The key of the model's provider. Raises KeyMissing where its variable is not set."""
    if p.api_key_env is None:
        return NO_KEY if addresses(p) else None
    return variable(p, p.api_key_env, "the key")


def headers_of(p: LlmParameters) -> dict[str, str]:
    """The headers that every call carries. Raises KeyMissing where a variable is not set."""
    return {header: variable(p, name, f"the value of the header {header}") for header, name in p.headers_env.items()}


def addresses(p: LlmParameters) -> tuple[str, ...]:
    """Where the model is served, if not at its provider's own address. Raises KeyMissing where the variable that lists
    the addresses is not set."""
    if p.api_base_env is None:
        return listed_addresses(p)
    listed = variable(p, p.api_base_env, "the server's address, or several with commas")
    return tuple(part.strip() for part in listed.split(",") if part.strip())


def wait_before(p: LlmParameters, error: CallError, failed: int, name: str) -> float:
    """Seconds before the next attempt: what the server asked for, else back-off doubled each time and spread by a
    quarter, so that many games don't come back at once. `failed` attempts were made; `name` is the question's digest.
    """
    if error.retry_after is not None:
        return error.retry_after
    spread = Random(f"backoff:{name}:{failed}").uniform(0.75, 1.25)
    return float(min(LONGEST_BACKOFF, p.backoff * 2 ** min(failed - 1, 30)) * spread)


class Tries:
    """The failed attempts at one question, in order, what was charged for them, and when the first of them failed, by
    the given clock."""

    def __init__(self, p: LlmParameters, clock: Callable[[], float]) -> None:
        self.p = p
        self.clock = clock
        self.began: float | None = None
        self.failed: list[str] = []
        self.charges: list[Charge] = []
        self.billed = 0
        self.time_is_up = False

    def add(self, error: CallError) -> None:
        """Count a failure."""
        self.began = self.clock() if self.began is None else self.began
        self.failed.append(str(error))
        self.charges += [error.charge] if error.charge else []
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


class Credential:
    """A key as its provider takes it. Until it was accepted once, one call at a time tries it; once it is refused, all
    others are, without being sent."""

    def __init__(self) -> None:
        self.accepted = False
        self.refusal: CallError | None = None
        self.lock = asyncio.Lock()

    @asynccontextmanager
    async def tried(self) -> AsyncIterator[None]:
        """Hold the key for one call. Raises CallError where it was refused already."""
        await self.lock.acquire()
        alone = not self.accepted
        if not alone:
            self.lock.release()
        try:
            if self.refusal:
                raise CallError(str(self.refusal), self.refusal.status, final=True)
            yield
        finally:
            if alone:
                self.lock.release()

    def answered(self) -> None:
        """The provider answered a call with this key."""
        self.accepted = True

    def failed(self, problem: CallError) -> None:
        """A call failed: where the key is why, the next one finds out whether it is so for all."""
        if problem.category == KEY and not self.accepted:
            self.refusal = problem
        elif problem.status == 401:
            self.accepted = False
