"""Tables made in parts: workers leave each part sorted in a scratch folder, and parts are merged by ranges of games.

So memory does not grow with the study, and what is written depends on the rows alone, not on parts or workers.
"""

import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.schemas import TABLES, Table

if TYPE_CHECKING:
    import polars as pl

GAMES_AT_ONCE = 2048


@contextmanager
def executor(workers: int) -> Iterator[Executor | None]:
    """A pool of fresh processes, or None where one process does the work."""
    if workers == 1:
        yield None
        return
    # Polars' threads don't survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare, initargs=(workers,)) as pool:
        yield pool


def _prepare(workers: int) -> None:
    """Share the cores out between the workers, before polars starts its threads."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


def each(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], pool: Executor | None) -> Iterator[Any]:
    """What `work` returns for each call's arguments, as they finish."""
    if pool is None:
        yield from (work(*arguments) for arguments in calls)
    else:
        for future in as_completed([pool.submit(work, *arguments) for arguments in calls]):
            yield future.result()


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Rows are millions of tuples without cycles: looking through them for garbage costs a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def part_path(scratch: Path, table: str, number: int) -> Path:
    return scratch / f"{table}.{number:05d}.arrow"


def leave_parts(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Leave each table's rows, sorted by its key, in the scratch folder."""
    from pipeline import io

    for name, frame in frames.items():
        io.write_part(frame, TABLES[name], part_path(scratch, name, number))


def ranges_of(games: Sequence[str]) -> list[tuple[str, str]]:
    """First and last game_id of each run of games that is written at once."""
    runs = [games[i : i + GAMES_AT_ONCE] for i in range(0, len(games), GAMES_AT_ONCE)]
    return [(run[0], run[-1]) for run in runs]


def assemble_table(
    table: Table,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
    csv: bool = True,
) -> dict[str, Any]:
    """Write one table from its parts, a range of games at a time, and return its shape."""
    from pipeline import io

    frames = [_wanted(io.map_part(part_path(scratch, table.name, n)), unwanted[n]) for n in numbers]
    return io.write_parts((_range(frames, span) for span in ranges), table, out, csv)


def _wanted(frame: "pl.DataFrame", unwanted: tuple[str, ...]) -> "pl.DataFrame":
    """A part without the games that an earlier part has told of."""
    import polars as pl

    return frame.filter(~pl.col("game_id").is_in(unwanted)) if unwanted else frame


def _range(frames: Sequence["pl.DataFrame"], span: tuple[str, str]) -> "pl.DataFrame":
    """The rows of sorted parts for the games from the first to the last of a span."""
    import polars as pl

    cuts = []
    for frame in frames:
        games = frame["game_id"]
        cuts.append(frame[games.search_sorted(span[0], "left") : games.search_sorted(span[1], "right")])
    return pl.concat(cuts)
