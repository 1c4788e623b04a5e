"""Tables made in shards: workers write sorted rows to a scratch folder, to be merged a range of games at a time.

So memory does not grow with the study, and what is written depends on the rows alone, not on shards or workers.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.executor import Workers, executor
from machine.process_pool import Run
from machine.processes import cores, locked
from pipeline.tables.schemas.base import TABLES, Table

if TYPE_CHECKING:
    import polars as pl

GAMES_AT_ONCE = 2048
SCRATCH = ".parts-"

# Workers of a cluster come and go: chunks are cut small enough for so many.
CLUSTER_CAPACITY = 64


@contextmanager
def table_executor(workers: Workers) -> Iterator[Run]:
    """A function that has calls done by so many workers, who share the cores, or by those of a cluster."""
    initializer = partial(limit_polars_threads, workers) if isinstance(workers, int) else None
    with executor(workers, initializer) as run:
        yield run


def limit_polars_threads(workers: int) -> None:
    """Divide the cores between the workers; it must come before Polars is imported."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, cores() // workers)))


@contextmanager
def scratch_in(out: Path) -> Iterator[Path]:
    """A folder within `out` for unfinished files. It goes with the block; that of a killed process, with the next."""
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
    """Move all finished files to `out` under its lock, so that of two runs that end together one's files are there."""
    with locked(out):
        for path in sorted(finished.iterdir()):
            if (out / path.name).is_dir():
                shutil.rmtree(out / path.name)
            path.replace(out / path.name)


def shard_path(scratch: Path, table: str, number: int) -> Path:
    return scratch / f"{table}.{number:05d}.arrow"


def write_shards(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Write each table's rows, sorted by its key, to the scratch folder. Raises ValueError if two rows share a key."""
    from pipeline.tables import io

    write_shaped_shards({name: io.shaped(frame, TABLES[name]) for name, frame in frames.items()}, scratch, number)


def write_shaped_shards(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Write each table's rows, which are in its shape already, to the scratch folder."""
    from pipeline.tables import io

    for name, ready in frames.items():
        io.write_shard(ready, shard_path(scratch, name, number))


def remove_shards(scratch: Path, table: str, numbers: Sequence[int]) -> None:
    """Free the disk space of a table's shards, once it is written."""
    for number in numbers:
        shard_path(scratch, table, number).unlink(missing_ok=True)


def game_ranges(games: Sequence[str]) -> list[tuple[str, str]]:
    """First and last game_id of each range of sorted games that is written at once."""
    ranges = [games[i : i + GAMES_AT_ONCE] for i in range(0, len(games), GAMES_AT_ONCE)]
    return [(games[0], games[-1]) for games in ranges]


def merge_table(
    table: Table,
    numbers: Sequence[int],
    repeated: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
    csv: bool = True,
) -> dict[str, Any]:
    """Write one table from its shards, without each shard's repeated games, and return its shape."""
    from pipeline.tables import io

    return io.write_in_ranges(_ranges(table.name, numbers, repeated, ranges, scratch), table, out, csv)


def merge_partitioned_table(
    table: Table,
    numbers: Sequence[int],
    repeated: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
    out: Path,
) -> dict[str, Any]:
    """The same, in folders by team and condition."""
    from pipeline.tables.hive import write_partitions

    frames, games = (_ranges(name, numbers, repeated, ranges, scratch) for name in (table.name, "games"))
    return write_partitions(zip(frames, games, strict=True), table, out)


def _ranges(
    name: str,
    numbers: Sequence[int],
    repeated: dict[int, tuple[str, ...]],
    ranges: Sequence[tuple[str, str]],
    scratch: Path,
) -> Iterator["pl.DataFrame"]:
    """The rows of a table's shards, a range of games at a time."""
    from pipeline.tables import io

    frames = [_without(io.map_shard(shard_path(scratch, name, n)), repeated[n]) for n in numbers]
    return (_range(frames, ends) for ends in ranges)


def _without(frame: "pl.DataFrame", games: tuple[str, ...]) -> "pl.DataFrame":
    import polars as pl

    return frame.filter(~pl.col("game_id").is_in(games)) if games else frame


def _range(frames: Sequence["pl.DataFrame"], ends: tuple[str, str]) -> "pl.DataFrame":
    """The rows of sorted shards for the games from the first to the last of a range."""
    import polars as pl

    cuts = []
    for frame in frames:
        games = frame["game_id"]
        cuts.append(frame[games.search_sorted(ends[0], "left") : games.search_sorted(ends[1], "right")])
    # A game is in one shard, and sorted there: sorting by one column is a fraction of sorting by a key.
    return pl.concat(cuts).sort("game_id", maintain_order=True)
