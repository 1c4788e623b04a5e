"""Tables at a URL: derived on a local disk, then sent to an object store, where each file appears whole or not at all.

A store cannot change many files at once. So detail tables are sent first, `games` after them, and only then are old
partitions removed that this run has not replaced: whoever finds a new game finds its rows, and the run after a killed
one completes what that left.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from machine.files import place_to_write
from machine.stores import TRIAL, Unreachable, file_system, plain_errors, write_trial
from pipeline.derive.parallel import Derived, Progress, Recipe, derive_sources
from pipeline.tables.hive import is_partition
from pipeline.tables.shards import scratch_in
from pipeline.traces.sources import PACKS, SINGLES, Source

# Files sent at once, each with some 32 MB in memory.
AT_ONCE = 4
FILES = (*SINGLES, *PACKS, ".parquet", ".csv", ".txt", ".duckdb")
LAST = "games"


class Mixed(Unreachable):
    """A store that was lost while tables were sent: some there are of this run, others of the one before."""


def tables_place(out: str) -> Path | str:
    """Where tables go: a folder of this machine, or the URL of one. Raises ValueError for what can be neither."""
    place = place_to_write(out, "memory")
    if isinstance(place, str):
        if place.endswith(FILES):
            raise ValueError(f"{out} is called as a file is; name a folder")
        file_system(place)
    return place


def derive_to(
    url: str,
    sources: Sequence[Source],
    scratch: Path,
    recipe: Recipe,
    workers: int | str | None = None,
    progress: Progress | None = None,
) -> Derived:
    """Write the recipe's tables of the sources to the folder at the URL, by way of the folder `scratch`, which all
    workers see.

    Raises Mixed where the store is lost while tables are sent; `check_writable` knows before the work begins.
    """
    with scratch_in(scratch) as folder:
        derived = derive_sources(sources, folder / "tables", recipe, workers, progress)
        send(folder / "tables", url, list(derived.shapes) if recipe.partition else [])
        return derived


def check_writable(url: str) -> None:
    """Raise ValueError or Unreachable where no file can be written to the folder at the URL, or it is a file."""
    system, path = file_system(url)
    with plain_errors(url, "written to"):
        write_trial(system, f"{path}/{TRIAL}")
        if system.isfile(path):
            raise ValueError("it is a file; name a folder")


def send(folder: Path, url: str, partitioned: Sequence[str]) -> None:
    """Send every file in the folder to the one at the URL, then remove the partitions of the tables `partitioned` that
    were there before and are no more. Raises Mixed."""
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    last = {name for name in names if name.partition("/")[0].partition(".")[0] == LAST}
    system, path = file_system(url)
    try:
        with plain_errors(url, "written to"):
            for batch in (sorted(names - last), sorted(last)):
                _call_at_once(lambda name: system.put_file(str(folder / name), f"{path}/{name}"), batch)
            _call_at_once(lambda name: system.rm_file(f"{path}/{name}"), _stale(system, path, partitioned, names))
    except Unreachable as error:
        raise Mixed(f"{error}. Tables there are of this run or of the one before: run it again") from error


def _stale(system: Any, path: str, partitioned: Iterable[str], names: set[str]) -> list[str]:
    """The partitions at the path that this run has not written."""
    there = [name.removeprefix(f"{path}/") for table in partitioned for name in system.find(f"{path}/{table}")]
    return sorted(name for name in there if is_partition(name) and name not in names)


def _call_at_once(function: Callable[[str], Any], names: Sequence[str]) -> None:
    """Call the function for each name, some at once. The first exception is raised when all calls are over."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(function, names):
            pass
