"""What the command line says: progress, and one line for what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO, TypeVar

import typer

Piece = TypeVar("Piece")


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; call what it gives with how many more are done. Silent where there is no terminal."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns: tuple[Any, ...] = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)


def progress(results: Iterable[Piece], what: str, total: int) -> Iterator[Piece]:
    """The results, with a bar on the terminal that counts them (whole numbers count as many)."""
    with counting(what, total) as count:
        for result in results:
            yield result
            count(result if isinstance(result, int) else 1)


def worker_count(workers: int | None) -> int:
    """The number of processes asked for, or one a core."""
    from machine.processes import cores

    return workers or cores()


def fail(problem: object, code: int = 2) -> NoReturn:
    """End with one line that says what is wrong."""
    say(f"error: {problem}", sys.stderr)
    raise typer.Exit(code)


def say(line: str, where: TextIO | None = None) -> None:
    """Print a line, on standard output if nowhere else. Names and messages in it can't steer the terminal: what is not
    printable is escaped."""
    print(printable(line), file=where)


def printable(text: str) -> str:
    """The text as one line, with escapes for what a terminal would not just show."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
