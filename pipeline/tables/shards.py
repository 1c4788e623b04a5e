"""Tables made in shards: workers write sorted rows to a scratch folder, and merging reads a range of games at a time.

Memory does not grow with the number of games, and the bytes written do not depend on the number of shards or workers.
"""

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from machine.executor import Workers, executor
from machine.manifests import MANIFEST_SUFFIX
from machine.process_pool import Run
from machine.processes import cores, locked
from pipeline.tables.schemas.base import TABLES, Table

if TYPE_CHECKING:
    import polars as pl

GAMES_PER_RANGE = 2048
LARGEST = ("belief_evidence", "messages", "pair_round_vps")
SCRATCH = ".parts-"

# Workers of a cluster come and go: chunks are small enough for so many.
CLUSTER_CAPACITY = 64


@contextmanager
def table_executor(workers: Workers) -> Iterator[Run]:
    """The executor of so many processes, who share the cores, or of the cluster at an address."""
    initializer = partial(limit_polars_threads, workers) if isinstance(workers, int) else None
    with executor(workers, initializer) as run:
        yield run


def limit_polars_threads(workers: int) -> None:
    """Limit Polars to this worker's share of the cores. Call it before Polars is imported."""
    os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, cores() // workers)))


@contextmanager
def scratch_folder(out: Path) -> Iterator[Path]:
    """A new folder within `out` for unfinished files, removed when the block ends.

    What killed processes left is removed first: a folder whose lock nobody holds.
    """
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        with locked(out):
            for leftover in out.glob(f"{SCRATCH}*"):
                with suppress(OSError), locked(leftover, wait=False):
                    shutil.rmtree(leftover, ignore_errors=True)
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=out))
            stack.callback(shutil.rmtree, scratch, ignore_errors=True)
            stack.enter_context(locked(scratch))
        yield scratch


def publish(finished: Path, out: Path, earlier: Iterable[str] = ()) -> None:
    """Move all finished files to `out`, in place of those there, a manifest last. The lock keeps files of two runs from
    mixing. The same tables in another form, as partitions or CSV, go, and all that is called as in `earlier`, the names
    in `out` that an earlier run listed."""
    with locked(out):
        for name in stale_names({path.name for path in finished.iterdir()}, earlier):
            if (stale := out / name).is_file():
                stale.unlink()
            elif stale.is_dir() and all("=" in inner.name for inner in stale.iterdir()):
                shutil.rmtree(stale)
        for path in sorted(finished.iterdir(), key=lambda path: (path.name.endswith(MANIFEST_SUFFIX), path.name)):
            if (out / path.name).is_dir():
                shutil.rmtree(out / path.name)
            path.replace(out / path.name)


def stale_names(finished: Collection[str], earlier: Iterable[str] = ()) -> list[str]:
    """What may stand beside finished files and folders of an earlier run: their tables in another form, and tables that
    it listed."""
    tables = {name.partition(".")[0] for name in finished if not name.endswith(MANIFEST_SUFFIX)}
    return sorted((table_files(tables) | set(earlier) & table_files(TABLES)) - set(finished))


def table_files(tables: Iterable[str]) -> set[str]:
    """What the tables' files and folders of partitions are called."""
    return {f"{table}{ending}" for table in tables for ending in (".parquet", ".csv", "")}


def shard_path(scratch: Path, table: str, number: int) -> Path:
    """The file of shard number `number` of a table."""
    return scratch / f"{table}.{number:05d}.arrow"


def write_shards(frames: Mapping[str, "pl.DataFrame"], scratch: Path, number: int) -> None:
    """Write shard number `number` of each table. `frames`: table → its rows as `io.conform` returns them."""
    for name, rows in frames.items():
        rows.write_ipc(shard_path(scratch, name, number))


def game_ranges(games: Sequence[str]) -> list[tuple[str, str]]:
    """(first, last) game_id of each range of games that is written at once; `games` is sorted."""
    firsts = range(0, len(games), GAMES_PER_RANGE)
    return [(games[i], games[i : i + GAMES_PER_RANGE][-1]) for i in firsts]


class Shards(NamedTuple):
    """The shards of every table in a scratch folder.

    numbers: of the shards. repeated: number → games to leave out, as another shard has them. ranges: (first, last)
    game_id of the games to write at once.
    """

    scratch: Path
    numbers: Sequence[int]
    repeated: Mapping[int, tuple[str, ...]]
    ranges: Sequence[tuple[str, str]]


def largest_first(table: str) -> tuple[bool, str]:
    """Sorts tables' names, the largest first, so that no core is left with one at the end."""
    return table not in LARGEST, table


def merge_table(table: Table, shards: Shards, out: Path, csv: bool = True, parquet: bool = True) -> dict[str, Any]:
    """Write one table from its shards to `out/{table}.parquet` and `.csv`, each if wanted; return its shape."""
    from pipeline.tables import io

    return io.write_frames(_frames_by_range(table.name, shards), table, out, csv, parquet)


def merge_partitioned_table(table: Table, shards: Shards, out: Path) -> dict[str, Any]:
    """Write one table from its shards to partitions in `out/{table}` (pipeline.tables.hive); return its shape."""
    from pipeline.tables.hive import write_partitions

    frames, games = (_frames_by_range(name, shards) for name in (table.name, "games"))
    return write_partitions(zip(frames, games, strict=True), table, out)


def _frames_by_range(name: str, shards: Shards) -> Iterator["pl.DataFrame"]:
    """The rows of a table's shards, sorted by its key, one frame for each range of games."""
    import polars as pl

    from pipeline.tables import io

    frames = []
    for number in shards.numbers:
        frame, repeated = io.map_shard(shard_path(shards.scratch, name, number)), shards.repeated[number]
        frames.append(frame.filter(~pl.col("game_id").is_in(repeated)) if repeated else frame)
    for first, last in shards.ranges:
        slices = []
        for frame in frames:
            games = frame["game_id"]
            slices.append(frame[games.search_sorted(first, "left") : games.search_sorted(last, "right")])
        # A game is in one shard, where its rows are sorted: sorting by game alone is much faster than by the key.
        yield pl.concat(slices).sort("game_id", maintain_order=True)
