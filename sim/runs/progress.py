"""While a run lasts: how far it is, and the signals that end it early."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from machine.terminal import progress_bar
from sim.runs.options import say

if TYPE_CHECKING:
    from sim.models.money import Ledger, Tally
    from sim.models.provider import Failure
    from sim.runs.runner import Outcomes


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, with KeyboardInterrupt; workers that are forked in it inherit that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(number: int, frame: Any) -> None:
    """Do what Ctrl-C does: its own handler knows when to wait, as while a worker starts or an event loop runs. A shell
    has its background jobs ignore Ctrl-C; SIGTERM ends those, too."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.raise_signal(signal.SIGINT)
    else:
        raise KeyboardInterrupt


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


def so_far(outcomes: Outcomes, ledger: Ledger, done: int, total: int) -> str:
    """What became of the games with a provider so far, of which so many are done, and what they took, in one line."""
    games = f"playing: {done} of {total} games"
    if outcomes.stopped:
        causes = [cause for cause, _ in outcomes.causes.most_common() if not cause.startswith("not begun")]
        games += f", {outcomes.stopped} stopped (most often: {causes[0]})"
    parts = [games]
    if outcomes.measured:
        coordination, excess = outcomes.coordination / outcomes.measured, outcomes.excess / outcomes.measured
        parts.append(f"coordination {coordination:.3f}, excess cost {excess:.1f} a game")
    return "; ".join(parts + [f"{model}: {taken(t)}" for model, t in sorted(ledger.tallies.items())])


def taken(tally: Tally) -> str:
    """What a model's calls took so far. A request that has no answer yet may still get one."""
    known = tally.answers > tally.unpriced or not tally.answers
    return (
        f"{tally.answers} answers, {tally.attempts - tally.answers} requests failed or under way, "
        f"{tally.from_cache} from the cache, {tally.input_tokens} tokens in, {tally.output_tokens} out, "
        + (f"{tally.cost_usd:.4f} USD" if known else "cost unknown")
        + (f" and {tally.unpriced} answers of unknown cost" if known and tally.unpriced else "")
    )
