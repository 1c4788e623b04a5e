"""Tables behind a URL, fetched into a folder of this machine."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from machine.files import file_digest
from machine.manifests import Manifest, any_manifest, manifest_path
from machine.stores import list_files, open_file
from pipeline.tables.hive import BY, is_partition
from pipeline.tables.schemas.base import TABLES

DERIVE = "derive"
MANIFEST = manifest_path(Path(), DERIVE).name
KINDS = (".parquet", ".duckdb")
PERCENT_ENCODED = ("http://", "https://")
READ_AT_ONCE = 1 << 24  # bytes


def fetch_tables(url: str, folder: Path) -> Path:
    """Copy the files of tables behind a URL into a folder, those in folders that are no partitions left out.

    Returns the folder, or where there is just a database file, that. Raises FileNotFoundError where there is none,
    ValueError for a URL that names no folder, UserError for one that cannot be read, and OSError for files that are not
    those of the manifest beside them, as while `derive` replaces them.
    """
    if not url.partition("://")[2]:
        raise ValueError(f"{url} names no folder")
    named = {_local_name(address, url): (address, size) for address, size in _listed(url)}
    if MANIFEST in named:
        _copy(*named[MANIFEST], folder / MANIFEST)
    manifest = any_manifest(folder / MANIFEST)
    if manifest.unfinished:
        raise OSError(f"{url}: {manifest.unfinished}")
    fetched = [folder / name for name in named if name.endswith(KINDS)]
    for path in fetched:
        _copy(*named[path.relative_to(folder).as_posix()], path)
    if not fetched:
        raise FileNotFoundError(f"no tables in {url}")
    _check_whole(url, manifest, fetched)
    return fetched[0] if len(fetched) == 1 and fetched[0].suffix == ".duckdb" else folder


def _copy(address: str, size: int, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(open_file(address, size)) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target, READ_AT_ONCE)


def _check_whole(url: str, manifest: Manifest, fetched: Iterable[Path]) -> None:
    """Raise OSError where a file is another than the manifest lists."""
    for path in fetched:
        listed = manifest.files.get(path.relative_to(manifest.path.parent).as_posix())
        if listed and file_digest(path) != listed:
            raise OSError(f"{url}: {path.name} is not what derive wrote last; where it runs, wait for its end")


def _listed(url: str) -> Iterator[tuple[str, int]]:
    """(URL, bytes) of each file behind a URL. Raises FileNotFoundError, in words, where there is none."""
    try:
        yield from list_files(url)
    except FileNotFoundError:
        raise FileNotFoundError(f"nothing at {url} that can be listed") from None


def _local_name(address: str, url: str) -> str:
    """A file's name below the folder: with the folders of its partition (hive.py), alone where it lies in the folder
    itself, nothing where it lies in another one."""
    pieces = (unquote(address) if address.startswith(PERCENT_ENCODED) else address).split("/")
    partition = "/".join(pieces[-2 - len(BY) :])
    if is_partition(partition) and pieces[-2 - len(BY)] in TABLES:
        return partition
    return pieces[-1] if len(PurePosixPath(address).parts) <= len(PurePosixPath(url).parts) + 1 else ""
