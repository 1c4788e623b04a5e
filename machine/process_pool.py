"""A pool of worker processes in which any worker may be killed at any moment without blocking the parent.

In the pools of the standard library and of loky, all workers send results through one pipe: a worker killed while it
sends a large result leaves half of it there, and the parent blocks for ever (measured in docs/reliability.md). They
also end the other workers at once, in the middle of their files. Here each worker has a pipe of its own.
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

from machine.processes import exit_with_parent, may_fork

Initializer = Callable[[], object]

# Calls a function with each tuple of arguments, and yields (index of the call, result) as results come in. The first
# exception is raised and ends it.
Run = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterator[tuple[int, Any]]]


class WorkerDied(Exception):
    """A worker process ended during its work, for example killed for lack of memory."""

    def __init__(self) -> None:
        super().__init__("a worker ended before its work, perhaps for lack of memory")


@contextmanager
def process_pool(number: int, initializer: Initializer | None = None) -> Iterator[ProcessPool]:
    """A pool of so many workers, each of which calls `initializer` first. They end with the block."""
    pool = ProcessPool()
    with ExitStack() as stack:
        stack.callback(pool.terminate)
        for _ in range(number):
            pool.start(initializer)
        stack.callback(pool.drain)
        yield pool


@dataclass(frozen=True, eq=False)
class Worker:
    """A process, and the parent's end of the pipe to it."""

    process: BaseProcess
    pipe: Connection[Any, Any]


@dataclass
class ProcessPool:
    """Workers; `busy`: pipe → the worker and the index of its call."""

    workers: list[Worker] = field(default_factory=list)
    busy: dict[Any, tuple[Worker, int]] = field(default_factory=dict)

    def start(self, initializer: Initializer | None) -> None:
        """Start one more worker."""
        context: ForkContext | SpawnContext = get_context("fork") if may_fork() else get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, os.getpid(), initializer), daemon=True)
        with interrupts_held(context), arguments_hidden():
            process.start()
            # Only the worker keeps its end open, so when it dies, reading ours gives an end of file.
            theirs.close()
            self.workers.append(Worker(process, ours))

    def run(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """(index, result) of the function with each call's arguments, as results come in.

        Raises the first exception of a call, and WorkerDied, when all calls that have begun have ended.
        """
        waiting = deque(enumerate(calls))
        try:
            for worker in self.workers:
                self._send_next(worker, function, waiting)
            while self.busy:
                for pipe in wait(list(self.busy)):
                    worker, index = self.busy.pop(pipe)
                    result = _receive(worker)
                    self._send_next(worker, function, waiting)
                    yield index, result
        finally:
            self.drain()

    def _send_next(
        self, worker: Worker, function: Callable[..., Any], waiting: deque[tuple[int, tuple[Any, ...]]]
    ) -> None:
        """Send the next call to the worker, if one is left."""
        if waiting:
            index, arguments = waiting.popleft()
            request = pickle.dumps((function, arguments))
            try:
                worker.pipe.send_bytes(request)
            except OSError as error:
                raise WorkerDied from error
            self.busy[worker.pipe] = worker, index

    def drain(self) -> None:
        """Wait for calls that have begun, so that none writes files after the parent cleans up."""
        try:
            while self.busy:
                for pipe in wait(list(self.busy)):
                    worker, _ = self.busy.pop(pipe)
                    with suppress(EOFError, OSError):
                        worker.pipe.recv_bytes()
        finally:
            # Also on a second Ctrl-C, which ends the waiting.
            self.busy.clear()

    def terminate(self) -> None:
        """Kill all workers, which are idle after `drain`."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
            worker.pipe.close()


@contextmanager
def interrupts_held(context: ForkContext | SpawnContext) -> Iterator[None]:
    """Hold Ctrl-C back until the block ends: hooks around a fork would swallow it, and a worker that is still starting
    would print a traceback. The worker inherits the signal mask and lets Ctrl-C in again in `serve`."""
    if context.get_start_method() == "spawn":
        resource_tracker.ensure_running()  # or it would start within the block, and unblock Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def arguments_hidden() -> Iterator[None]:
    """Hide the command line's arguments from a spawned worker: if they exceed the pipe's buffer and the worker is
    killed before it reads them, the parent blocks for ever."""
    arguments, sys.argv = sys.argv, sys.argv[:1]
    try:
        yield
    finally:
        sys.argv = arguments


def _receive(worker: Worker) -> Any:
    """The result of the worker's call. Raises what the call raised, or WorkerDied."""
    try:
        reply = worker.pipe.recv_bytes()
    except (EOFError, OSError) as error:
        raise WorkerDied from error
    succeeded, value = pickle.loads(reply)
    if not succeeded:
        raise value
    return value


def serve(pipe: Connection[Any, Any], parent: int, initializer: Initializer | None) -> None:
    """In a worker: answer calls from the pipe until it closes or the user presses Ctrl-C."""
    # RuntimeError: a thread cannot be started, for lack of processes.
    with suppress(EOFError, OSError, RuntimeError, KeyboardInterrupt):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        exit_with_parent(parent)
        if initializer:
            initializer()
        while True:
            pipe.send_bytes(_call(pipe.recv_bytes()))


def _call(request: bytes) -> bytes:
    """(True, the call's result) or (False, the exception), pickled."""
    try:
        function, arguments = pickle.loads(request)
        return pickle.dumps((True, function(*arguments)))
    except BaseException as error:
        return pickle.dumps((False, _picklable(error)))


def _picklable(error: BaseException) -> BaseException:
    """The error with the worker's traceback as a note; where it can't be pickled, a RuntimeError with the traceback."""
    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(trace)
    error.add_note(f"In a worker:\n{trace}")
    return error
