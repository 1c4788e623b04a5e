"""Work on all cores, or on a Dask cluster, by joblib; and the CPU seconds that work may take.

Results come through pipes that all workers share. A worker writes what is large to a file and returns a small value, so
that its death breaks no result of another.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from machine.errors import UserError

Item = TypeVar("Item")
Result = TypeVar("Result")

# A number of processes on this machine, or the address of a cluster's scheduler.
Workers = int | str

# Seconds to wait for a scheduler, and for its first worker.
CONNECT_SECONDS = 60

# The system's errors where it allows no more processes or open files, and what to do about them.
TOO_MANY_ERRNOS = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
TOO_MANY_ADVICE = "use fewer --workers, or allow more processes and open files (ulimit -u, ulimit -n)"
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
DIED = "a process died, perhaps for lack of memory; try --workers 1 where there is such an option"


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_unordered(
    function: Callable[[Item], Result], items: Sequence[Item], workers: Workers
) -> Iterator[tuple[int, Result]]:
    """(index, result) of the function for each item, as results come in. A single worker is this process itself.

    Raises what a call raises, and UserError where a worker dies or the cluster does not work. On an error, and when the
    iterator is closed, workers on this machine are killed.
    """
    calls = [partial(_indexed, function, index, item) for index, item in enumerate(items)]
    yield from _results(calls, workers, "generator_unordered")


def map_ordered(function: Callable[[Item], Result], items: Sequence[Item], workers: Workers) -> Iterator[Result]:
    """The results of `map_unordered` in the order of the items, each as soon as all before it are there."""
    yield from _results([partial(function, item) for item in items], workers, "generator")


def _indexed(function: Callable[[Item], Result], index: int, item: Item) -> tuple[int, Result]:
    return index, function(item)


def _results(calls: Sequence[Callable[[], Any]], workers: Workers, order: str) -> Iterator[Any]:
    """What the calls return."""
    if isinstance(workers, str):
        yield from _on_cluster(calls, workers, order)
    elif min(workers, len(calls)) <= 1:
        yield from (call() for call in calls)
    else:
        yield from _on_cores(calls, workers, order)


def _on_cores(calls: Sequence[Callable[[], Any]], workers: int, order: str) -> Iterator[Any]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    # Of an iterator that is closed early: what it breaks off is known.
    warnings.filterwarnings("ignore", ".*tasks which (were still being processed|have been cancelled)", UserWarning)
    prepare = {"initializer": _prepare_worker, "initargs": (os.getpid(), max(1, cores() // workers))}
    parallel = Parallel(workers, "loky", return_as=order, batch_size=1, max_nbytes=None, **prepare)
    try:
        with _interrupts_held():
            results = parallel(delayed(call)() for call in calls)
        yield from results
    except BrokenProcessPool as error:
        raise UserError(DIED) from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until the block ends. Workers that start in it never hear them: this process ends
    them."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    for tracker in (resource_tracker, loky_tracker):
        tracker.ensure_running()  # or it would start within the block, and let Ctrl-C in
    held: list[int] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    # The mask is this thread's alone, and what a library's thread hears is raised in this one.
    is_main = threading.current_thread() is threading.main_thread()
    handlers = {n: signal.signal(n, lambda number, _: held.append(number)) for n in INTERRUPTS if is_main}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for heard in held[:1]:
            signal.raise_signal(heard)


def _prepare_worker(parent: int, threads: int) -> None:
    """Give this worker its share of the cores, and end it within half a second of its parent."""
    from joblib.externals.loky import process_executor

    # A worker whose memory grew is replaced, which costs its imports again; ours grow once, and stay so.
    process_executor._MAX_MEMORY_LEAK_SIZE = sys.maxsize
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_cluster(calls: Sequence[Callable[[], Any]], address: str, order: str) -> Iterator[Any]:
    """What the workers of the Dask scheduler at `address` return, who see the same disk under the same paths. A call of
    a worker that dies is made again by another."""
    try:
        from distributed import Client, KilledWorker
        from joblib import Parallel, delayed, parallel_config
    except ImportError as error:
        raise UserError(f"{error.name} is not installed; install calbench-lab[cluster]") from error
    try:
        client: Any = Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
        with client, parallel_config("dask", client=client):
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            tasks = (delayed(_call_in)(Path.cwd(), call) for call in calls)
            yield from Parallel(batch_size=1, return_as=order)(tasks)
    except (OSError, ValueError, TimeoutError, KilledWorker) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UserError(f"the cluster at {address} does not work: {error}") from error


def _call_in(folder: Path, call: Callable[[], Any]) -> Any:
    """The call's result, made with `folder` as the current folder."""
    os.chdir(folder)
    return call()


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Pause garbage collection, which takes up to half the time where millions of records and few cycles are made."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class OverBudget(Exception):
    """Work took more CPU seconds than it may."""


@contextmanager
def cpu_budget(seconds: float) -> Iterator[None]:
    """End the block with OverBudget when this process has used so many CPU seconds in it.

    Signals reach the main thread alone: in another one, as on a cluster's workers, there is no bound.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise OverBudget(f"more than {seconds:g} CPU seconds")

    before = signal.signal(signal.SIGPROF, end)
    # Again every second, should somebody on the way catch every exception.
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
