"""Locks of folders, cores, the life of processes, and what work may take: CPU seconds, address space."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

# File descriptors of the folders that this process has locked.
_held_locks: set[int] = set()


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Hold the folder's lock during the block; on a disk without locks there is none.

    wait: until another process gives it up; otherwise raises OSError where the lock cannot be had.
    """
    handle = os.open(folder, os.O_RDONLY)
    _held_locks.add(handle)
    try:
        with suppress(OSError) if wait else nullcontext():
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if handle in _held_locks:
            _held_locks.remove(handle)
            os.close(handle)


def release_locks() -> None:
    """In a child process, close the locks inherited from the parent, so that they end with the parent."""
    while _held_locks:
        os.close(_held_locks.pop())


# A worker's name in the list of processes: at most 15 letters.
WORKER_NAME = "calbench-worker"

# The system's errors where it allows no more processes or open files, and what to do about them.
TOO_MANY_ERRNOS = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
TOO_MANY_ADVICE = "use fewer --workers, or allow more processes and open files (ulimit -u, ulimit -n)"


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_fork() -> bool:
    """Whether this process can be forked, which saves half a second of imports.

    Threads, such as those of Polars, do not survive a fork, nor do obstore's connections.
    """
    if "obstore" in sys.modules:
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def exit_with_parent(parent: int) -> None:
    """End this process within half a second of its parent, so that a killed run leaves no worker.

    parent: its process id, which it must pass itself: if it is dead already, getppid() returns another process.
    """
    release_locks()
    with suppress(OSError):
        Path("/proc/self/comm").write_text(WORKER_NAME)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def alive(process: int) -> bool:
    """Whether a process with that id runs on this machine; a zombie does not."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


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


# Bytes of addresses that the libraries take before there is any data: with less they abort.
LEAST_ADDRESSES = 2048 << 20


def require_addresses(code: int) -> None:
    """End the program with one line and this exit code where the addresses that it may have (`ulimit -v`) are fewer
    than its libraries take."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if 0 <= limit < LEAST_ADDRESSES:
        advice = f"allow {LEAST_ADDRESSES >> 20} MB or more (ulimit -v)"
        print(f"error: the libraries find no room in {limit >> 20} MB of address space; {advice}", file=sys.stderr)
        raise SystemExit(code)
