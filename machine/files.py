"""Destinations of output, files that appear whole or not at all, and folders for one process alone."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unicodedata import normalize

from machine.processes import alive, locked
from machine.stores import PROTOCOLS, file_system, is_url, plain_errors, write_file

# The project's files that are no code: data/, notebooks/, params.yaml and others. A wheel carries them in `machine`.
CARRIED = Path(__file__).parent / "project"
PROJECT = CARRIED if CARRIED.is_dir() else Path(__file__).parents[1]

# fsspec's protocols for this machine's disk.
LOCAL = ("file", "local")

# An unfinished file is called `.{name}.{process id}.tmp`; DuckDB may add a suffix of its own.
DRAFT = re.compile(r"\..+\.(\d+)\.tmp(\..+)?", re.DOTALL)
# Written, and removed, to see whether a folder takes what is to come.
TRIAL_FILE, TRIAL_BYTES = ".trial", 1 << 20


class InUse(Exception):
    """A folder that another run is writing to."""


def folded(name: str) -> str:
    """What is equal of names that some disks take for one: letters in another case, or composed otherwise."""
    return normalize("NFC", name).casefold()


def of_project(path: Path) -> Path:
    """A file or folder of the project: the current folder's where it has one, else the project's own."""
    return PROJECT / path if (PROJECT / path).exists() and not path.exists() else path


def output_destination(out: str, *also: str) -> Path | str:
    """The local path or the URL that `out` names; a URL is of an object store or of one of the protocols `also`.

    Raises ValueError, in plain words, for a URL that nothing can be written to.
    """
    protocol, is_remote, path = out.partition("://")
    if not is_remote:
        return Path(out)
    if protocol in LOCAL:
        return Path(path)
    if protocol not in (*PROTOCOLS, *also):
        raise ValueError(f"{out}: {protocol}:// cannot be written to; name a folder, or s3://, gs:// or az://")
    names = (path.strip("/") if protocol in also else path.rstrip("/")).split("/")
    if not names[0]:
        raise ValueError(f"{out} names no bucket; write {protocol}://BUCKET/FOLDER")
    if any(name in ("", ".", "..") for name in names):
        raise ValueError(f"{out}: a folder in it is called . or .. or nothing; write names with one / between them")
    return out.rstrip("/")


@contextmanager
def exclusive_access(folder: Path) -> Iterator[None]:
    """Lock the folder, made if need be, for this process; the lock ends with the block or the process.

    Raises InUse where another process holds it. On a disk without locks there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as lock:
        try:
            lock.enter_context(locked(folder, wait=False))
        except BlockingIOError as error:
            raise InUse(f"{folder}: another run is writing there; wait for its end, or name another folder") from error
        except OSError:
            pass  # a disk without locks
        yield


@contextmanager
def replacing(path: Path, tidy: bool = True) -> Iterator[Path]:
    """A draft beside `path` to write to. It replaces `path` when the block ends well, and is removed otherwise.

    tidy: also remove drafts of this file that killed processes left; that lists the folder, slow with many files.
    """
    if tidy:
        remove_drafts(path.parent, deep=False, name=glob.escape(path.name))
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_atomically(path: Path | str, parts: Iterable[bytes]) -> None:
    """Write the file at a path or URL, whole or not at all; the path's folder is made if need be.

    Raises OSError, naming the file, where it can't be written.
    """
    if isinstance(path, str):
        write_file(path, parts)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, tidy=False) as draft, draft.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def try_room(folder: Path) -> None:
    """Write a megabyte into the folder, made if need be, and remove it. Raises OSError where that can't be: a full
    disk still takes an empty file."""
    trial = folder / TRIAL_FILE
    try:
        write_atomically(trial, [os.urandom(TRIAL_BYTES)])
    finally:
        trial.unlink(missing_ok=True)


def remove_drafts(folder: Path, deep: bool = True, name: str = "*") -> None:
    """Remove the drafts that dead processes left in the folder.

    deep: in all folders below it as well. name: a pattern of the finished files' names.
    """
    for path in folder.glob(f"{'**/' if deep else ''}.{name}.*.tmp*"):
        if (draft := DRAFT.fullmatch(path.name)) and not alive(int(draft[1])):
            path.unlink(missing_ok=True)


def is_being_written(path: Path) -> bool:
    """Whether the file is the draft of a process that is alive."""
    draft = DRAFT.fullmatch(path.name)
    return draft is not None and alive(int(draft[1]))


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


def file_digest(path: Path) -> str:
    """The file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def no_empty_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Where the block does not end well, remove what it made of these folders, and of those that they lie in, if
    nothing is in them."""
    all_of_them = {place for folder in folders for place in (folder, *folder.parents)}
    made = [folder for folder in all_of_them if not folder.exists()]
    try:
        yield
    except BaseException:
        for folder in sorted(made, key=lambda f: len(f.parts), reverse=True):
            with suppress(OSError):
                folder.rmdir()
        raise
