"""Work on a Dask cluster, through joblib: an optional extra (`uv pip install calbench-lab[cluster]`, docs/scale.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

# Seconds to find the scheduler, and its first worker.
WAIT = 30


class ClusterError(Exception):
    """A cluster that cannot be used: in plain words, with what to do."""


def each_on(address: str, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[tuple[int, Result]]:
    """(index, result) of the work on each piece, as they come, from the workers of the scheduler at `address`.

    Work of a worker that dies is done again by another. Paths mean what they mean here: workers see the same disk under
    the same names. Raises ClusterError where there is no such cluster, or its workers die again and again.
    """
    try:
        from distributed import Client, KilledWorker
        from joblib import Parallel, delayed, parallel_config
    except ImportError as error:
        raise ClusterError(f"{error.name} is not installed; install calbench-lab[cluster]") from error
    tasks = (delayed(numbered)(i, work, piece, Path.cwd()) for i, piece in enumerate(pieces))
    try:
        client: Any = Client(address, timeout=WAIT)  # type: ignore[no-untyped-call]
        with client, parallel_config("dask", client=client):
            client.wait_for_workers(1, timeout=WAIT)
            yield from Parallel(batch_size=1, return_as="generator_unordered")(tasks)
    except (OSError, ValueError, TimeoutError, KilledWorker) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ClusterError(f"the cluster at {address} does not work: {error}") from error


def numbered(index: int, work: Callable[[Any], Result], piece: Any, folder: Path) -> tuple[int, Result]:
    """The piece's index and the work's result, done in that folder."""
    os.chdir(folder)
    return index, work(piece)
