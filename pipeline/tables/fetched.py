"""Tables behind a URL, fetched into a folder of this machine."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from machine.stores import list_files, open_file
from pipeline.tables.hive import BY, is_partition
from pipeline.tables.schemas.base import TABLES

KINDS = (".parquet", ".duckdb")
PERCENT_ENCODED = ("http://", "https://")
READ_AT_ONCE = 1 << 24  # bytes


def fetch_tables(url: str, folder: Path) -> Path:
    """Copy the files of tables behind a URL into a folder, those in folders that are no partitions left out.

    Returns the folder, or where there is just a database file, that. Raises FileNotFoundError where there is none,
    ValueError for a URL that names no folder or cannot be read, and `Unreachable` for a store that refuses.
    """
    if not url.partition("://")[2]:
        raise ValueError(f"{url} names no folder")
    fetched = []
    for address, size in _listed(url):
        name = _local_name(address, url)
        if name.endswith(KINDS):
            fetched.append(folder / name)
            fetched[-1].parent.mkdir(parents=True, exist_ok=True)
            with closing(open_file(address, size)) as source, fetched[-1].open("wb") as target:
                shutil.copyfileobj(source, target, READ_AT_ONCE)
    if not fetched:
        raise FileNotFoundError(f"no tables in {url}")
    return fetched[0] if len(fetched) == 1 and fetched[0].suffix == ".duckdb" else folder


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
