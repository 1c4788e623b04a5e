"""Tables made in parts: workers leave each part sorted in a scratch folder, and parts are merged by ranges of games.

So memory does not grow with the study, and what is written depends on the rows alone, not on parts or workers.
"""

import fcntl
import gc
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.schemas.base import TABLES, Table

if TYPE_CHECKING:
    import polars as pl

GAMES_AT_ONCE = 2048
SCRATCH = ".parts-"

# What a worker is called in the system's list of processes, where it can be set: 15 letters at most.
WORKER = "calbench-worker"

# What work is done on: processes of this machine, a cluster, or this process alone.
Pool = Executor | Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterator[Any]] | None

# Workers of a cluster may come and go: chunks are cut small enough for so many.
CLUSTER_CAPACITY = 64

# The folders whose locks this process holds; a child lets go of them, so that they end with its parent.
_held: set[int] = set()


@contextmanager
def executor(workers: int | str) -> Iterator[Pool]:
    """A pool of processes, or None where one process does the work; of an address, the workers of its cluster."""
    if isinstance(workers, str):
        from pipeline.cluster import cluster

        with cluster(workers) as run:
            yield run
        return
    if workers == 1:
        yield None
        return
    # Threads, as Polars starts, don't survive a fork; where none runs yet, it saves half a second a process.
    context = multiprocessing.get_context("fork" if _is_single() else "spawn")
    start = (workers, os.getpid())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare, initargs=start) as pool:
        try:
            yield pool
        except BaseException:
            # Wait for those at work: what they leave behind is removed after them.
            pool.shutdown(cancel_futures=True)
            raise


def _is_single() -> bool:
    """Whether no thread but this one runs in this process, as far as the system tells."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _prepare(workers: int, parent: int) -> None:
    """Share the cores out between the workers, before polars starts its threads; and end with the parent."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    end_with(parent)


def end_with(parent: int) -> None:
    """Let this process end soon after its parent, however that ended: a killed run leaves nobody working."""
    while _held:
        os.close(_held.pop())
    with suppress(OSError):
        Path("/proc/self/comm").write_text(WORKER)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def each(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]], pool: Pool) -> Iterator[Any]:
    """What `work` returns for each call's arguments, as they finish."""
    if pool is None:
        yield from (work(*arguments) for arguments in calls)
    elif not isinstance(pool, Executor):
        yield from pool(work, calls)
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


@contextmanager
def scratch_in(out: Path) -> Iterator[Path]:
    """A folder within `out` for what is not finished; it goes with the process, or when the next one starts."""
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        with locked(out):
            for left in out.glob(f"{SCRATCH}*"):
                with suppress(OSError), locked(left, wait=False):
                    shutil.rmtree(left, ignore_errors=True)
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=out))
            held.callback(shutil.rmtree, scratch, ignore_errors=True)
            held.enter_context(locked(scratch))
        yield scratch


def publish(finished: Path, out: Path) -> None:
    """Move all finished files to `out` at once: of two runs that end together, one's files stand there, all of them."""
    with locked(out):
        for path in sorted(finished.iterdir()):
            if (out / path.name).is_dir():
                shutil.rmtree(out / path.name)
            path.replace(out / path.name)


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Hold the folder's lock, which ends with the process; on a disk without locks, go on without.

    When not waiting, raises OSError where the lock cannot be had.
    """
    handle = os.open(folder, os.O_RDONLY)
    _held.add(handle)
    try:
        with suppress(OSError) if wait else nullcontext():
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if handle in _held:
            _held.remove(handle)
            os.close(handle)


def part_path(scratch: Path, table: str, number: int) -> Path:
    return scratch / f"{table}.{number:05d}.arrow"


def leave_parts(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Leave each table's rows, sorted by its key, in the scratch folder."""
    from pipeline import io

    leave_shaped({name: io.shaped(frame, TABLES[name]) for name, frame in frames.items()}, scratch, number)


def leave_shaped(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Leave each table's rows, in its shape already, in the scratch folder."""
    from pipeline import io

    for name, ready in frames.items():
        io.write_part(ready, part_path(scratch, name, number))


def remove_parts(scratch: Path, table: str, numbers: Sequence[int]) -> None:
    """Give back the disk that a table's parts take, once it is written."""
    for number in numbers:
        part_path(scratch, table, number).unlink(missing_ok=True)


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

    return io.write_parts(_ranges(table.name, numbers, unwanted, ranges, scratch), table, out, csv)


def partition_table(
    table: Table,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
) -> dict[str, Any]:
    """The same in folders by team and condition."""
    from pipeline.partitions import write_partitions

    frames, games = (_ranges(name, numbers, unwanted, ranges, scratch) for name in (table.name, "games"))
    return write_partitions(zip(frames, games, strict=True), table, out)


def _ranges(
    name: str,
    numbers: Sequence[int],
    unwanted: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
) -> Iterator["pl.DataFrame"]:
    """The rows of a table's parts, a range of games at a time."""
    from pipeline import io

    frames = [_wanted(io.map_part(part_path(scratch, name, n)), unwanted[n]) for n in numbers]
    return (_range(frames, span) for span in ranges)


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
    # A game is in one part, and sorted there: sorting by one column is a fraction of sorting by a key.
    return pl.concat(cuts).sort("game_id", maintain_order=True)
