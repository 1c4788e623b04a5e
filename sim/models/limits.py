"""Asking again: how long to wait and when to stop; and limits and pauses that all calls to a provider share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random

from aiolimiter import AsyncLimiter

from sim.agents import KEY
from sim.models.agent import Charge
from sim.models.failures import FOR_ALL, CallError
from sim.models.spec import LlmParameters

LONGEST_BACKOFF = 60.0
# Answers that were charged for and can't be used, for one question, before it is given up.
MOST_BILLED = 3
# So many questions in a row that used up their time, without an answer to any: nothing more is tried.
GIVEN_UP = 2


def wait_before(p: LlmParameters, error: CallError, failed: int, name: str) -> float:
    """Seconds before the next attempt: back-off doubled each time and spread by a quarter, so that many games don't
    come back at once; longer where the server asks for it. `failed` attempts were made at the question of that digest.
    """
    spread = Random(f"backoff:{name}:{failed}").uniform(0.75, 1.25)
    backoff = float(min(LONGEST_BACKOFF, p.backoff * 2 ** min(failed - 1, 30)) * spread)
    return max(backoff, error.retry_after or 0.0)


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
        waited = 0.0 if self.began is None else self.clock() - self.began
        self.time_is_up = waited + wait > self.p.retry_for
        tried = self.p.retries is not None and len(self.failed) > self.p.retries
        return self.time_is_up or tried or self.billed >= MOST_BILLED


class RateLimiter:
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

    def failed(self, problem: CallError, began: float, wait: Callable[[int], float]) -> None:
        """Note of a call that began then and failed whether the provider is down, and for how long nobody gets through.
        `wait` says how long after so many refusals in a row; those of calls that were under way together count once."""
        if problem.billed:
            self.answered()
        elif not problem.final or problem.status in FOR_ALL:
            self.down = str(problem)
        if problem.status in FOR_ALL and not problem.final:
            now = asyncio.get_running_loop().time()
            if began >= self.closed_at:
                self.refusals, self.closed_at = self.refusals + 1, now
            self.open_at = max(self.open_at, now + wait(self.refusals))

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

    def failed(self, problem: CallError) -> None:
        """A call failed: where the key is why, the next one finds out whether it is so for all."""
        if problem.category == KEY and not self.accepted:
            self.refusal = problem
        elif problem.status == 401:
            self.accepted = False
