"""Calls on a Dask cluster, through joblib, which takes the extra `cluster` (docs/scale.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine.process_pool import Run

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
        tasks = (delayed(call_in)(Path.cwd(), i, function, arguments) for i, arguments in enumerate(calls))
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


def call_in(folder: Path, index: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[int, Any]:
    """The call's index, and its result when it is made in that folder."""
    os.chdir(folder)
    return index, function(*arguments)
