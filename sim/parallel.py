"""Work spread over processes."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from sim.files import let_go

Piece = TypeVar("Piece")
Result = TypeVar("Result")

# What a worker is called in the system's list of processes, where it can be set: 15 letters at most.
WORKER = "calbench-worker"

# How many processes of this machine, or the address of a cluster's scheduler.
Workers = int | str


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[Piece], Result], pieces: Sequence[Piece], workers: Workers) -> Iterator[tuple[int, Result]]:
    """(index, result) of the work on each piece, as they come; the first exception ends it."""
    if isinstance(workers, str):
        from sim.cluster import each_on

        yield from each_on(workers, work, pieces)
        return
    if workers <= 1 or len(pieces) <= 1:
        yield from ((i, work(piece)) for i, piece in enumerate(pieces))
        return
    most, start = min(workers, len(pieces)), (os.getpid(),)
    # What reaches stores does not survive a fork.
    context = multiprocessing.get_context("spawn") if "obstore" in sys.modules else None
    with ProcessPoolExecutor(most, context, initializer=end_with, initargs=start) as pool:
        running = {pool.submit(work, piece): i for i, piece in enumerate(pieces)}
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def end_with(parent: int) -> None:
    """Let this process end soon after its parent, however that ended: a killed run leaves nobody working.

    The parent says who it is: asked later, the system may name whoever took over the orphans of one that is dead.
    """
    let_go()
    with suppress(OSError):
        Path("/proc/self/comm").write_text(WORKER)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def in_order(work: Callable[[Piece], Result], pieces: Sequence[Piece], workers: Workers) -> Iterator[Result]:
    """The results in the order of the pieces, each as soon as all before it have come."""
    waiting: dict[int, Result] = {}
    following = 0
    for index, result in each(work, pieces, workers):
        waiting[index] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
