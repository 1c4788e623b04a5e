"""Locks on folders, which end with the process that holds them, even if it is killed."""

from __future__ import annotations

import fcntl
import os
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


def let_go() -> None:
    """In a child process, close its parent's locks, so that they end with the parent."""
    while _held:
        os.close(_held.pop())
