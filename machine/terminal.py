"""What commands show: progress, and text of others that must not steer the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seconds between two drawings of a bar.
PAUSE = 0.1


@contextmanager
def progress_bar(what: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, in all): it draws a bar on stderr when that is a terminal.

    The bar is drawn by who calls, by no thread of its own: processes with threads cannot be forked.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task, drawn = bar.add_task(what, total=total), 0.0

        def show(done: int, total: int) -> None:
            nonlocal drawn
            bar.update(task, completed=done, total=total)
            if done >= total or time.monotonic() - drawn >= PAUSE:
                bar.refresh()
                drawn = time.monotonic()

        bar.refresh()
        yield show


def escaped(text: str) -> str:
    """The text as one line, with escapes for what a terminal would not just show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
