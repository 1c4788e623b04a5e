"""The stamp of a database: the files that it was made from, held against those files as they are."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from os.path import relpath
from pathlib import Path

import duckdb

from machine.files import file_digest
from machine.output import write_atomically

# What a database is made from → how its files are called.
PATTERNS = {"tables": "*.parquet", "results": "*.csv", "tasks": "*.jsonl", "beyond": "*.parquet"}
TABLE = "made_from.files"


@dataclass(frozen=True)
class Origin:
    """A file that a database was made from. kind: one of PATTERNS; file: its path from the database's folder; bytes and
    modified (nanoseconds): those of the file, which need no look at its content."""

    kind: str
    file: str
    sha256: str
    bytes: int
    modified: int


def stamp_of(folders: Mapping[str, Path], home: Path) -> list[Origin]:
    """The files that a database is made from. folders: kind → folder; home: where the database lies."""
    found = [(kind, path) for kind, folder in folders.items() for path in sorted(folder.glob(PATTERNS[kind]))]
    return [
        Origin(kind, relpath(path, home), file_digest(path), (stat := path.stat()).st_size, stat.st_mtime_ns)
        for kind, path in found
    ]


def write_stamp(connection: duckdb.DuckDBPyConnection, stamp: Sequence[Origin]) -> None:
    """Put the stamp into a database, as the table `made_from.files`."""
    connection.execute("CREATE SCHEMA made_from")
    columns = "kind VARCHAR, file VARCHAR, sha256 VARCHAR, bytes BIGINT, modified BIGINT"
    connection.execute(f"CREATE TABLE {TABLE} ({columns})")
    connection.executemany(f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?)", [list(astuple(origin)) for origin in stamp])


def read_stamp(connection: duckdb.DuckDBPyConnection, catalog: str = "") -> list[Origin]:
    """The stamp in a database, attached as `catalog`; empty for one that another program made."""
    try:
        rows = connection.execute(f"FROM {catalog}{'.' if catalog else ''}{TABLE}").fetchall()
        return [Origin(*row) for row in rows]
    except (duckdb.CatalogException, TypeError):
        return []


def stale_problem(stamp: Sequence[Origin], database: Path) -> str:
    """That a database does not hold a file as it is now, and what to run; else empty, also if no file of its is there.

    A database without a stamp is another program's, unless digests of ours lie beside it.
    """
    home = database.parent
    places = {home / origin.file: origin for origin in stamp}
    if not stamp and digests_path(database).exists():
        return f"{database} is not the one that was made here: run `make repro`"
    if not any(path.exists() for path in places):
        return ""
    folders = {origin.kind: path.parent for path, origin in places.items()}
    found = {path for kind, folder in folders.items() for path in folder.glob(PATTERNS[kind])}
    for path in sorted(found | places.keys()):
        if path not in places or not _is_as(path, places[path]):
            remedy = f"python -m pipeline database --tables {folders['tables']} --out {database}"
            return f"{database} does not hold {path} as it is now: run `{remedy}`"
    return ""


def _is_as(path: Path, origin: Origin) -> bool:
    """Whether a file is as it was, by size and time, or where these differ by its content."""
    if not path.is_file():
        return False
    status = path.stat()
    return (status.st_size, status.st_mtime_ns) == (origin.bytes, origin.modified) or (
        status.st_size == origin.bytes and file_digest(path) == origin.sha256
    )


def digests_path(database: Path) -> Path:
    """Where a stage of a study leaves the digests of a database's stamp."""
    return database.with_name(f"{database.name}.json")


def write_digests(stamp: Iterable[Origin], path: Path) -> None:
    """Write the digests of a stamp to a file that is equal for equal tables and results."""
    write_atomically(path, [json.dumps({o.file: o.sha256 for o in stamp}, indent=1).encode(), b"\n"])


def drop_digests(database: Path, path: Path) -> None:
    """Remove the digests at the path, so that their stage runs again, unless the database is there and holds them."""
    try:
        with duckdb.connect(str(database), read_only=True) as connection:
            digests = {origin.file: origin.sha256 for origin in read_stamp(connection)}
        if json.loads(path.read_bytes()).items() <= digests.items():
            return
    except (duckdb.Error, OSError, ValueError):
        pass
    path.unlink(missing_ok=True)
