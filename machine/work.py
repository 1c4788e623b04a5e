"""Work on many pieces: in this process, spread over several, or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from machine.crew import Prepare, Run, crew

Piece = TypeVar("Piece")
Result = TypeVar("Result")

# How many processes of this machine, or the address of a cluster's scheduler.
Workers = int | str


@contextmanager
def at_work(workers: Workers, prepare: Prepare | None = None) -> Iterator[Run]:
    """A function that has work done by so many workers, who end with the block; one is this process itself.

    prepare: what each process calls first, where there are several.
    """
    if isinstance(workers, str):
        from machine.cluster import cluster

        with cluster(workers) as run:
            yield run
    elif workers <= 1:
        yield here
    else:
        with crew(workers, prepare) as hired:
            yield hired.run


def here(work: Callable[..., Result], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Result]]:
    """The work's results in this process, one call after the other."""
    return ((i, work(*arguments)) for i, arguments in enumerate(calls))


def each(work: Callable[[Piece], Result], pieces: Sequence[Piece], workers: Workers) -> Iterator[tuple[int, Result]]:
    """(index, result) of the work on each piece, as they come; the first exception ends it."""
    most = workers if isinstance(workers, str) else min(workers, len(pieces))
    with at_work(most) as run:
        yield from run(work, [(piece,) for piece in pieces])


def in_order(work: Callable[[Piece], Result], pieces: Sequence[Piece], workers: Workers) -> Iterator[Result]:
    """The results in the order of the pieces, each as soon as all before it have come."""
    waiting: dict[int, Result] = {}
    following = 0
    for index, result in each(work, pieces, workers):
        waiting[index] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
