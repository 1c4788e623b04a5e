"""The way to one provider, which all games share: its limits, its pauses, and whether it is down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiolimiter import AsyncLimiter

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
