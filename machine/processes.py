"""Cores, memory, locks and the ends of processes."""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

# The folders whose locks this process holds.
_held: set[int] = set()


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Hold the folder's lock; on a disk without locks, go on without.

    When not waiting, raises OSError where the lock cannot be had.
    """
    handle = os.open(folder, os.O_RDONLY)
    _held.add(handle)
    try:
        with suppress(OSError) if wait else nullcontext():
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if handle in _held:
            _held.remove(handle)
            os.close(handle)


def release_locks() -> None:
    """In a child process, close its parent's locks, so that they end with the parent."""
    while _held:
        os.close(_held.pop())


# A worker's name in the list of processes, where it can be set: 15 letters at most.
WORKER = "calbench-worker"

# What the system says where it allows no more processes or open files, and what to do.
TOO_MANY_ERRNOS = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)
TOO_MANY_ADVICE = "use fewer --workers, or allow more processes and open files (ulimit -u, ulimit -n)"


def cores() -> int:
    """How many processes may run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_fork() -> bool:
    """Whether a forked copy of this process would work, which saves half a second of imports: threads, as Polars starts
    them, don't survive a fork, nor do obstore's connections."""
    if "obstore" in sys.modules:
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def exit_with_parent(parent: int) -> None:
    """End this process soon after its parent, however that ended, so that a killed run leaves no worker.

    The parent passes its own process id: if it is dead already, getppid() names whoever adopted this process.
    """
    release_locks()
    with suppress(OSError):
        Path("/proc/self/comm").write_text(WORKER)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def alive(process: int) -> bool:
    """Whether a process of that id runs on this machine; a zombie does not."""
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
    """Pause garbage collection: it takes up to half the time of work that makes millions of records and few cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
