"""What commands show: progress, and text of others that must not steer the terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pipeline.reading.limits import LINE_CHARS


@contextmanager
def progress_bar(what: str = "reading traces") -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, in all): it draws a bar on stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def printable(text: str) -> str:
    """The text as part of one line: cut where it is long, and with escapes for what a terminal would not just show."""
    return escaped(text if len(text) <= LINE_CHARS else f"{text[:LINE_CHARS]}…")


def escaped(text: str) -> str:
    """The text with escapes for what a terminal would not just show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def rejected(path: str, reason: str, place: str) -> str:
    """A rejected trace in one line: which, why, where, and what to do about it."""
    told = printable(f"{reason}{place and ' at '}{place}")
    return f"rejected {printable(path)}: {told}. {_advice(reason)}"


def _advice(reason: str) -> str:
    if "compression" in reason or "opened" in reason:
        return "Copy or fetch the file again."
    if "read already" in reason:
        return "Name each trace once."
    if "cannot be derived" in reason:
        return "That is a fault of the pipeline: please report it."
    return "Run the game again, or leave the file out."
