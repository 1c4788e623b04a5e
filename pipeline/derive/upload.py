"""Tables at a URL: derived on a local disk, then uploaded to an object store, each file whole or not at all.

A store cannot replace many files at once. So `games` is uploaded after all other tables, and partitions of an earlier
run that this one did not replace are removed last: a game that is listed has its rows, and running again after a killed
run completes it.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from machine.files import output_destination
from machine.stores import TRIAL_FILE, Unreachable, file_system, plain_errors, write_trial
from pipeline.derive.parallel import Derived, Progress, Recipe, derive_sources
from pipeline.tables.hive import is_partition
from pipeline.tables.shards import scratch_folder
from pipeline.traces.sources import PACK_SUFFIXES, TRACE_SUFFIXES, Source

# Files uploaded at once, each with some 32 MB in memory.
CONCURRENT_TRANSFERS = 4
FILE_SUFFIXES = (*TRACE_SUFFIXES, *PACK_SUFFIXES, ".parquet", ".csv", ".txt", ".duckdb")
SENT_LAST = "games"


class PartialUpload(Unreachable):
    """A store was lost during the upload: some tables there are of this run, others of the one before."""


def tables_destination(out: str) -> Path | str:
    """The local folder or the URL of a folder that `out` names. Raises ValueError for anything else."""
    destination = output_destination(out, "memory")
    if isinstance(destination, str):
        if destination.endswith(FILE_SUFFIXES):
            raise ValueError(f"{out} is called as a file is; name a folder")
        file_system(destination)
    return destination


def derive_to_url(
    url: str,
    sources: Sequence[Source],
    scratch: Path,
    recipe: Recipe,
    workers: int | str | None = None,
    progress: Progress | None = None,
) -> Derived:
    """Derive the recipe's tables in the folder `scratch`, which all workers see, then upload them to the URL.

    Raises what `derive_sources` does, and PartialUpload where the store is lost during the upload; call
    `check_writable` before the work begins.
    """
    with scratch_folder(scratch) as folder:
        derived = derive_sources(sources, folder / "tables", recipe, workers, progress)
        upload_tables(folder / "tables", url, list(derived.shapes) if recipe.partition else [])
        return derived


def check_writable(url: str) -> None:
    """Raise Unreachable where nothing can be written to the folder at the URL, and ValueError where it is a file."""
    system, path = file_system(url)
    with plain_errors(url, "written to"):
        write_trial(system, f"{path}/{TRIAL_FILE}")
        if system.isfile(path):
            raise ValueError("it is a file; name a folder")


def upload_tables(folder: Path, url: str, partitioned: Sequence[str]) -> None:
    """Upload every file of the folder to the URL, then remove stale partitions of the tables `partitioned`.

    Raises PartialUpload where the store is lost.
    """
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    last = {name for name in names if name.partition("/")[0].partition(".")[0] == SENT_LAST}
    system, path = file_system(url)
    try:
        with plain_errors(url, "written to"):
            for batch in (sorted(names - last), sorted(last)):
                _call_each(lambda name: system.put_file(str(folder / name), f"{path}/{name}"), batch)
            _call_each(
                lambda name: system.rm_file(f"{path}/{name}"), _stale_partitions(system, path, partitioned, names)
            )
    except Unreachable as error:
        raise PartialUpload(f"{error}. Tables there are of this run or of the one before: run it again") from error


def _stale_partitions(system: Any, path: str, partitioned: Iterable[str], names: set[str]) -> list[str]:
    """The partitions at the path that are not among the uploaded `names`."""
    present = [name.removeprefix(f"{path}/") for table in partitioned for name in system.find(f"{path}/{table}")]
    return sorted(name for name in present if is_partition(name) and name not in names)


def _call_each(function: Callable[[str], Any], names: Sequence[str]) -> None:
    """Call the function for each name, some at once. Raises the first exception when all calls have ended."""
    with ThreadPoolExecutor(CONCURRENT_TRANSFERS) as pool:
        for _ in pool.map(function, names):
            pass
