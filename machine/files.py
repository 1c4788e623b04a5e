"""Files that are read: where the project's own are, and that nobody changes them meanwhile."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unicodedata import normalize

from machine.stores import file_system, is_url, plain_errors

# The project's files that are no code: data/, notebooks/, params.yaml and others. A wheel carries them in `machine`.
CARRIED = Path(__file__).parent / "project"
PROJECT = CARRIED if CARRIED.is_dir() else Path(__file__).parents[1]


def folded(name: str) -> str:
    """What is equal of names that some disks take for one: letters in another case, or composed otherwise."""
    return normalize("NFC", name).casefold()


def of_project(path: Path) -> Path:
    """A file or folder of the project: the current folder's where it has one, else the project's own."""
    return PROJECT / path if (PROJECT / path).exists() and not path.exists() else path


def file_digest(path: Path) -> str:
    """The file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_version(name: str, descriptor: int | None = None) -> str | None:
    """What tells the file at a path or URL from any other that takes its place, and from itself when it is written to:
    identity, size and time, or a store's tag; None where it is gone.

    descriptor: of the file at a path, where it is open.
    """
    try:
        if is_url(name):
            system, path = file_system(name)
            with plain_errors(name, "read"):
                return str(sorted((str(field), str(value)) for field, value in system.info(path).items()))
        status = Path(name).stat() if descriptor is None else os.fstat(descriptor)
    except FileNotFoundError:
        return None
    return f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns}"


@contextmanager
def held(paths: Iterable[Path]) -> Iterator[None]:
    """Raises OSError at the end of the block where one of the files was replaced or written to meanwhile."""
    versions = file_versions(paths)
    yield
    check_versions(versions)


def file_versions(paths: Iterable[Path]) -> dict[Path, str | None]:
    """The `file_version` of each."""
    return {path: file_version(str(path)) for path in paths}


def check_versions(versions: Mapping[Path, str | None]) -> None:
    """Raise OSError where one of the files is another one by now, or gone."""
    for path, version in versions.items():
        if file_version(str(path)) != version:
            raise OSError(f"{path} was replaced or written to while it was read; run it again")
