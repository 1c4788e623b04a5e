"""Tables sent to a URL: what stands there already, and what of an earlier run goes."""

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.manifests import listed_files
from machine.stores import TRIAL_FILE, Unreachable, file_system, plain_errors, write_trial
from pipeline.tables.fetched import DERIVE, MANIFEST, MARK
from pipeline.tables.hive import is_partition
from pipeline.tables.schemas.base import TABLES
from pipeline.tables.shards import scratch_folder, table_files

if TYPE_CHECKING:
    from pipeline.derive.parallel import Derived, Progress, Recipe
    from pipeline.traces.sources import Source

# Files uploaded at once, each with some 32 MB in memory.
CONCURRENT_TRANSFERS = 4
SENT_LAST = ("games", DERIVE)


class PartialUpload(Unreachable):
    """A store was lost during the upload: some tables there are of this run, others of the one before."""


def derive_to_url(
    url: str,
    sources: "Sequence[Source]",
    scratch: Path,
    recipe: "Recipe",
    workers: int | str | None = None,
    progress: "Progress | None" = None,
) -> "Derived":
    """Derive the recipe's tables in the folder `scratch`, which all workers see, then upload them to the URL.

    Raises what `derive_sources` does, and PartialUpload where the store is lost during the upload; call
    `check_writable` before the work begins.
    """
    from pipeline.derive.parallel import derive_sources

    with scratch_folder(scratch) as folder:
        derived = derive_sources(sources, folder / "tables", recipe, workers, progress, DERIVE)
        upload_tables(folder / "tables", url)
        return derived


def check_writable(url: str) -> None:
    """Raise Unreachable where nothing can be written to the folder at the URL, and ValueError where it is a file."""
    system, path = file_system(url)
    with plain_errors(url, "written to"):
        write_trial(system, f"{path}/{TRIAL_FILE}")
        if system.isfile(path):
            raise ValueError("it is a file; name a folder")


def check_own_there(url: str, names: Iterable[str]) -> None:
    """Raise FileExistsError where a file of one of the names in the folder at the URL, or a partition in a folder of
    that name, is none that an earlier run listed there, and Unreachable where the store can't be asked."""
    system, path = file_system(url)
    with plain_errors(url, "read"):
        listed = _listed(system, path)
        present = _present(system, path, sorted(names))
    for name in present:
        if name not in listed and ("/" not in name or is_partition(name)):
            raise FileExistsError(
                f"{url}/{name} is of no earlier {DERIVE}, which would replace it; name another folder"
            )


def upload_tables(folder: Path, url: str) -> None:
    """Upload every file of the folder to the URL, then remove what stands there of an earlier run. A mark there lists
    both until all is done, for the next run to know them.

    Raises PartialUpload where the store is lost.
    """
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    last = {name for name in names if name.partition("/")[0].partition(".")[0] in SENT_LAST}
    system, path = file_system(url)
    try:
        with plain_errors(url, "written to"):
            listed = _listed(system, path)
            # The mark is a manifest of what is sent, and of what an earlier run listed.
            system.pipe_file(f"{path}/{MARK}", json.dumps({"files": dict.fromkeys(sorted(listed | names))}).encode())
            for batch in (sorted(names - last), sorted(last)):
                _call_each(lambda name: system.put_file(str(folder / name), f"{path}/{name}"), batch)
            _call_each(lambda name: system.rm_file(f"{path}/{name}"), _stale_files(system, path, listed - names))
            system.rm_file(f"{path}/{MARK}")
    except Unreachable as error:
        raise PartialUpload(f"{error}. Tables there are of this run or of the one before: run it again") from error


def _listed(system: Any, path: str) -> set[str]:
    """The files that earlier runs listed at the path: in the manifest, and in the mark of one that was cut off."""
    notes = [f"{path}/{name}" for name in (MANIFEST, MARK)]
    return {name for note in notes if system.isfile(note) for name in listed_files(system.cat_file(note))}


def _stale_files(system: Any, path: str, listed: Iterable[str]) -> list[str]:
    """Those of the listed files that are at the path and of tables."""
    tables = table_files(TABLES)
    stale = {name for name in listed if name.partition("/")[0] in tables}
    return [
        name for name in _present(system, path, sorted({name.partition("/")[0] for name in stale})) if name in stale
    ]


def _present(system: Any, path: str, names: Sequence[str]) -> list[str]:
    """The files of these names at the path, and those in folders of these names, in order."""
    found = _call_each(lambda name: list(system.find(f"{path}/{name}")), names)
    return sorted(file.removeprefix(f"{path}/") for files in found for file in files)


def _call_each(function: Callable[[str], Any], names: Sequence[str]) -> list[Any]:
    """What the function returns for each name, some called at once. Raises the first exception when all calls have
    ended."""
    with ThreadPoolExecutor(CONCURRENT_TRANSFERS) as pool:
        return list(pool.map(function, names))
