"""What the command line says: progress, and one line for what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TextIO, TypeVar

import typer

from machine.terminal import escaped, progress_bar

Piece = TypeVar("Piece")


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; call what it gives with how many more are done. Silent where there is no terminal."""
    done = 0
    with progress_bar(what, total) as show:

        def count(more: int) -> None:
            nonlocal done
            done += more
            show(done, total)

        yield count


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
    print(escaped(line), file=where)
