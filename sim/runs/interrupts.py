"""Ctrl-C and SIGTERM end a run alike, and one that has written nothing leaves no folder."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

INTERRUPTED = "interrupted"


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


@contextmanager
def no_empty_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Where the block does not end well, remove what it made of these folders, and of those that they lie in, if
    nothing is in them."""
    all_of_them = {place for folder in folders for place in (folder, *folder.parents)}
    made = [folder for folder in all_of_them if not folder.exists()]
    try:
        yield
    except BaseException:
        for folder in sorted(made, key=lambda f: len(f.parts), reverse=True):
            with suppress(OSError):
                folder.rmdir()
        raise
