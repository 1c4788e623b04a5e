"""Workers: processes of this machine, of which any may be killed at any moment.

Each has a pipe of its own. Where workers share a lock or a pipe, as in the pools of the standard library, one that is
killed takes the lock along or leaves half an answer, and all the others wait for ever.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from machine.locks import let_go

# What a worker is called in the system's list of processes, where it can be set: 15 letters at most.
WORKER = "calbench-worker"

Prepare = Callable[[], object]


class WorkerDied(Exception):
    """A worker that ended before its work, as one does that is killed for lack of memory."""

    def __init__(self) -> None:
        super().__init__("a worker ended before its work, perhaps for lack of memory")


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def crew(number: int, prepare: Prepare | None = None) -> Iterator[Crew]:
    """So many workers, each of which has called `prepare` first. They end with the block."""
    hired = Crew()
    with ExitStack() as end:
        end.callback(hired.dismiss)
        for _ in range(number):
            hired.hire(prepare)
        end.callback(hired.rest)
        yield hired


@dataclass(frozen=True, eq=False)
class Worker:
    """A process, and our end of the pipe to it."""

    process: BaseProcess
    pipe: Connection[Any, Any]


@dataclass
class Crew:
    """Workers, and what those at work are at: by the pipe, the worker and the index of its call."""

    workers: list[Worker] = field(default_factory=list)
    busy: dict[Any, tuple[Worker, int]] = field(default_factory=dict)

    def hire(self, prepare: Prepare | None) -> None:
        """Start one more worker."""
        context: ForkContext | SpawnContext = get_context("fork") if _may_fork() else get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, os.getpid(), prepare), daemon=True)
        process.start()
        # Its own end is now the worker's alone: when that dies, ours tells.
        theirs.close()
        self.workers.append(Worker(process, ours))

    def run(self, work: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """(index, result) of the work on each call's arguments, as they come; the first exception ends it.

        Raises WorkerDied, when those still at work have ended theirs.
        """
        waiting = deque(enumerate(calls))
        try:
            for worker in self.workers:
                self._give(worker, work, waiting)
            while self.busy:
                for pipe in wait(list(self.busy)):
                    worker, index = self.busy.pop(pipe)
                    result = _answer(worker)
                    self._give(worker, work, waiting)
                    yield index, result
        finally:
            self.rest()

    def _give(self, worker: Worker, work: Callable[..., Any], waiting: deque[tuple[int, tuple[Any, ...]]]) -> None:
        """Let the worker begin the next call, if one is left."""
        if waiting:
            index, arguments = waiting.popleft()
            asked = pickle.dumps((work, arguments))
            try:
                worker.pipe.send_bytes(asked)
            except OSError as error:
                raise WorkerDied from error
            self.busy[worker.pipe] = worker, index

    def rest(self) -> None:
        """Wait for those at work: what they leave behind is removed after them."""
        while self.busy:
            for pipe in wait(list(self.busy)):
                worker, _ = self.busy.pop(pipe)
                with suppress(EOFError, OSError):
                    worker.pipe.recv_bytes()

    def dismiss(self) -> None:
        """End all workers, who have nothing left to do."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()


def _answer(worker: Worker) -> Any:
    """What the worker's call returned. Raises what it raised, and WorkerDied."""
    try:
        told = worker.pipe.recv_bytes()
    except (EOFError, OSError) as error:
        raise WorkerDied from error
    went_well, value = pickle.loads(told)
    if not went_well:
        raise value
    return value


def serve(pipe: Connection[Any, Any], parent: int, prepare: Prepare | None) -> None:
    """Do what is asked for through the pipe, until it ends or somebody presses Ctrl-C."""
    with suppress(EOFError, OSError, KeyboardInterrupt):
        end_with(parent)
        if prepare:
            prepare()
        while True:
            pipe.send_bytes(_attempt(pipe.recv_bytes()))


def _attempt(asked: bytes) -> bytes:
    """Whether the call went well and its result, or what it raised."""
    try:
        work, arguments = pickle.loads(asked)
        return pickle.dumps((True, work(*arguments)))
    except BaseException as error:
        return pickle.dumps((False, _portable(error)))


def _portable(error: BaseException) -> BaseException:
    """The error, with where in the worker it was raised; or its words alone, where it cannot be sent."""
    told = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(told)
    error.add_note(f"In a worker:\n{told}")
    return error


def _may_fork() -> bool:
    """Whether a copy of this process would work, which saves half a second of imports: threads, as Polars starts,
    don't survive, nor does what reaches stores."""
    if "obstore" in sys.modules:
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


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
