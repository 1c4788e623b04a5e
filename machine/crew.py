"""Workers: processes of this machine, of which any may be killed at any moment.

Each has a pipe of its own. Where workers share a lock or a pipe, as in the pools of the standard library, one that is
killed takes the lock along or leaves half an answer, and all the others wait for ever.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from machine.processes import end_with, may_fork

Prepare = Callable[[], object]

# Does work for each call's arguments and yields (index of the call, result) as they come; the first exception ends it.
Run = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterator[tuple[int, Any]]]


class WorkerDied(Exception):
    """A worker that ended before its work, as one does that is killed for lack of memory."""

    def __init__(self) -> None:
        super().__init__("a worker ended before its work, perhaps for lack of memory")


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
        context: ForkContext | SpawnContext = get_context("fork") if may_fork() else get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, os.getpid(), prepare), daemon=True)
        with uninterrupted(context), no_words():
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
        try:
            while self.busy:
                for pipe in wait(list(self.busy)):
                    worker, _ = self.busy.pop(pipe)
                    with suppress(EOFError, OSError):
                        worker.pipe.recv_bytes()
        finally:
            # Who presses Ctrl-C again does not want to wait.
            self.busy.clear()

    def dismiss(self) -> None:
        """End all workers, who have nothing left to do."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()


@contextmanager
def uninterrupted(context: ForkContext | SpawnContext) -> Iterator[None]:
    """Let Ctrl-C wait until the block's end: what Python calls around a fork would swallow it, and a worker that is
    just starting would tell of it. The worker is born so, too."""
    if context.get_start_method() == "spawn":
        resource_tracker.ensure_running()  # which would let Ctrl-C in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def no_words() -> Iterator[None]:
    """Leave out the command's words, which a spawned worker is sent: of more than a pipe holds, who sends waits for
    ever where the worker was killed before it read."""
    words, sys.argv = sys.argv, sys.argv[:1]
    try:
        yield
    finally:
        sys.argv = words


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
    # A RuntimeError is a thread that cannot be started, for lack of processes.
    with suppress(EOFError, OSError, RuntimeError, KeyboardInterrupt):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
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
