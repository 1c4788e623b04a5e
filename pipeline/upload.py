"""Tables at a URL: derived on a local disk, then sent to an object store, where each file appears whole or not at all.

A store has no way to change many files at once. So details go first, `games` goes after them, and old partitions that
this run has not replaced go last: who finds a new game finds its rows, and the next run makes good what a killed one
left.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from machine.stores import TRIAL, Unreachable, place_to_write
from pipeline.parallel import Derived, Progress, Recipe, derive_sources
from pipeline.partitions import is_partition
from pipeline.parts import scratch_in
from pipeline.reading.remote import reaching, system_of
from pipeline.reading.sources import PACKS, SINGLES, Source

# Files sent at once, each with some 32 MB in memory.
AT_ONCE = 4
FILES = (*SINGLES, *PACKS, ".parquet", ".csv", ".txt", ".duckdb")
LAST = "games"


class Mixed(Unreachable):
    """A store that was lost while tables were sent: some are of this run there, others of the one before."""


def folder_of(out: str) -> Path | str:
    """Where tables go: a folder of this machine, or the URL of one. Raises ValueError for what can be neither."""
    place = place_to_write(out, "memory")
    if isinstance(place, str):
        if place.endswith(FILES):
            raise ValueError(f"{out} is called as a file is; name a folder")
        system_of(place)
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
    with scratch_in(scratch) as made:
        derived = derive_sources(sources, made / "tables", recipe, workers, progress)
        send(made / "tables", url, list(derived.shapes) if recipe.partition else [])
        return derived


def check_writable(url: str) -> None:
    """Raise ValueError or Unreachable where no file can be written to the folder at the URL, or it is a file."""
    system, path = system_of(url)
    with reaching(url, "written to"):
        system.pipe_file(f"{path}/{TRIAL}", b"")
        system.rm_file(f"{path}/{TRIAL}")
        if system.isfile(path):
            raise ValueError("it is a file; name a folder")


def send(folder: Path, url: str, parted: Sequence[str]) -> None:
    """Send every file in the folder to the one at the URL, and then remove the partitions of the tables `parted` that
    were there before and are no more. Raises Mixed."""
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    last = {name for name in made if name.partition("/")[0].partition(".")[0] == LAST}
    system, path = system_of(url)
    try:
        with reaching(url, "written to"):
            for names in (sorted(made - last), sorted(last)):
                _at_once(lambda name: system.put_file(str(folder / name), f"{path}/{name}"), names)
            _at_once(lambda name: system.rm_file(f"{path}/{name}"), _left_over(system, path, parted, made))
    except Unreachable as error:
        raise Mixed(f"{error}. Tables there are of this run or of the one before: run it again") from error


def _left_over(system: Any, path: str, parted: Iterable[str], made: set[str]) -> list[str]:
    """The partitions at the path that this run has not made."""
    found: list[str] = []
    for table in parted:
        there = system.find(f"{path}/{table}") if system.exists(f"{path}/{table}") else []
        found += [name.removeprefix(f"{path}/") for name in there]
    return sorted(name for name in found if is_partition(name) and name not in made)


def _at_once(work: Callable[[str], Any], names: Sequence[str]) -> None:
    """Do the work for each name, some at once; the first exception ends it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(work, names):
            pass
