"""Where work is done: in this process, in a pool of processes, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from machine.process_pool import Initializer, Run, process_pool

# Seconds to find the scheduler, and its first worker.
WAIT = 60


class ClusterError(Exception):
    """A cluster that cannot be used: in plain words, with what to do."""


@contextmanager
def cluster(address: str) -> Iterator[Run]:
    """A function that has calls done by the workers of the scheduler at `address`.

    The call of a worker that dies is done again by another. Paths mean what they mean here: workers see the same disk
    under the same names. Raises ClusterError where there is no such cluster, or its workers die again and again.
    """
    try:
        from distributed import Client, KilledWorker
        from joblib import Parallel, delayed, parallel_config
    except ImportError as error:
        raise ClusterError(f"{error.name} is not installed; install calbench-lab[cluster]") from error

    def run(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        tasks = (delayed(call_in_folder)(Path.cwd(), i, function, arguments) for i, arguments in enumerate(calls))
        return iter(Parallel(batch_size=1, return_as="generator_unordered")(tasks))

    try:
        client: Any = Client(address, timeout=WAIT)  # type: ignore[no-untyped-call]
        with client, parallel_config("dask", client=client):
            client.wait_for_workers(1, timeout=WAIT)
            yield run
    except (OSError, ValueError, TimeoutError, KilledWorker) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ClusterError(f"the cluster at {address} does not work: {error}") from error


def call_in_folder(
    folder: Path, index: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[int, Any]:
    """The call's index, and its result when it is made in that folder."""
    os.chdir(folder)
    return index, function(*arguments)


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
