"""Calls made in this process, in a pool of processes, or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from machine.process_pool import Initializer, Run, process_pool

# Seconds to wait for the scheduler, and for its first worker.
CONNECT_SECONDS = 60

Item = TypeVar("Item")
Result = TypeVar("Result")

# A number of processes on this machine, or the address of a cluster's scheduler.
Workers = int | str


class ClusterError(Exception):
    """A cluster that cannot be used; the message says why and what to do."""


@contextmanager
def cluster(address: str) -> Iterator[Run]:
    """A function that has calls made by the workers of the Dask scheduler at `address`.

    The call of a worker that dies is made again by another. Workers must see the same disk under the same paths. Raises
    ClusterError where there is no such cluster, or its workers die again and again.
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
        client: Any = Client(address, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
        with client, parallel_config("dask", client=client):
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
            yield run
    except (OSError, ValueError, TimeoutError, KilledWorker) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ClusterError(f"the cluster at {address} does not work: {error}") from error


def call_in_folder(
    folder: Path, index: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[int, Any]:
    """(index, result) of a call that is made with `folder` as the current folder."""
    os.chdir(folder)
    return index, function(*arguments)


@contextmanager
def executor(workers: Workers, initializer: Initializer | None = None) -> Iterator[Run]:
    """A function that has calls made by so many workers, who end with the block; a single one is this process itself.

    initializer: called first in each process of a pool. Raises ClusterError where the cluster does not work.
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
    """(index, result) of the function for each item, in the order in which results come in.

    Raises the first exception of a call, WorkerDied and, for a cluster, ClusterError.
    """
    most = workers if isinstance(workers, str) else min(workers, len(items))
    with executor(most) as run:
        yield from run(function, [(item,) for item in items])


def map_ordered(function: Callable[[Item], Result], items: Sequence[Item], workers: Workers) -> Iterator[Result]:
    """The results of `map_unordered` in the order of the items, each as soon as all before it are there."""
    waiting: dict[int, Result] = {}
    next_index = 0
    for index, result in map_unordered(function, items, workers):
        waiting[index] = result
        while next_index in waiting:
            yield waiting.pop(next_index)
            next_index += 1
