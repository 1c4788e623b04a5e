"""Many calls of one function: in this process, on several, or on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from machine.process_pool import Initializer, Run, process_pool

Item = TypeVar("Item")
Result = TypeVar("Result")

# A number of processes on this machine, or the address of a cluster's scheduler.
Workers = int | str


@contextmanager
def executor(workers: Workers, initializer: Initializer | None = None) -> Iterator[Run]:
    """A function that has calls done by so many workers, who end with the block; one worker is this process itself.

    initializer: what each process of this machine calls first, where there are several. Raises ClusterError where the
    cluster at an address does not work.
    """
    if isinstance(workers, str):
        from machine.cluster import cluster

        with cluster(workers) as run:
            yield run
    elif workers <= 1:
        yield run_inline
    else:
        with process_pool(workers, initializer) as pool:
            yield pool.run


def run_inline(function: Callable[..., Result], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Result]]:
    """(index, result) of each call, made in this process one after the other."""
    return ((i, function(*arguments)) for i, arguments in enumerate(calls))


def map_unordered(
    function: Callable[[Item], Result], items: Sequence[Item], workers: Workers
) -> Iterator[tuple[int, Result]]:
    """(index, result) of the function for each item, as results come in. The first exception is raised and ends it;
    raises WorkerDied and, for a cluster, ClusterError, too."""
    most = workers if isinstance(workers, str) else min(workers, len(items))
    with executor(most) as run:
        yield from run(function, [(item,) for item in items])


def map_ordered(function: Callable[[Item], Result], items: Sequence[Item], workers: Workers) -> Iterator[Result]:
    """The results of `map_unordered` in the order of the items, each as soon as all before it are there."""
    waiting: dict[int, Result] = {}
    following = 0
    for index, result in map_unordered(function, items, workers):
        waiting[index] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
