"""While a run lasts: how far it is, on a terminal or in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from machine.terminal import progress_bar, say

if TYPE_CHECKING:
    from sim.models.provider import Failure

Piece = TypeVar("Piece")

FAILURES = "failures.jsonl"
# Seconds between two lines of a log.
EVERY = 30.0


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; call what it gives with how many more are done. Silent where there is no terminal."""
    done = 0
    with progress_bar(what, total) as show:

        def count(more: int) -> None:
            nonlocal done
            done += more
            show(done, total)

        yield count


def progress(results: Iterable[Piece], what: str, total: int) -> Iterator[Piece]:
    """The results, with a bar on the terminal that counts them (whole numbers count as many), or lines for a log."""
    done, last_shown = 0, time.monotonic()
    with counting(what, total) as count:
        for result in results:
            yield result
            more = result if isinstance(result, int) else 1
            count(more)
            done += more
            if is_log() and done < total and time.monotonic() - last_shown >= EVERY:
                last_shown = time.monotonic()
                say(f"{what}: {done} of {total}", sys.stderr)


def is_log() -> bool:
    """Whether what is said goes to no terminal."""
    return not sys.stderr.isatty()


@asynccontextmanager
async def telling(text: Callable[[], str]) -> AsyncIterator[None]:
    """While the block works, a line for a log every so often."""
    import asyncio

    async def tell() -> None:
        while True:
            await asyncio.sleep(EVERY)
            say(text(), sys.stderr)

    teller = asyncio.create_task(tell()) if is_log() else None
    try:
        yield
    finally:
        if teller:
            teller.cancel()


def failure_log(place: Path | str) -> Callable[[Failure], None]:
    """Adds a line of JSON for each call that failed to failures.jsonl in the folder of traces: when, which model, of
    which category, with which status, and what went wrong. Nothing where the traces go to a store, or the disk is full.
    """
    import msgspec

    def add(failure: Failure) -> None:
        line = {"time": datetime.now(UTC).isoformat(timespec="seconds"), **msgspec.structs.asdict(failure)}
        if isinstance(place, Path):
            with suppress(OSError):
                place.mkdir(parents=True, exist_ok=True)
                with open(place / FAILURES, "ab") as file:
                    file.write(msgspec.json.encode(line) + b"\n")

    return add
