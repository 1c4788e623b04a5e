"""Destinations of output, files that appear whole or not at all, folders for one process alone, and manifests: what a
command wrote, each file with its digest, and what it was made from."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from machine.processes import alive, locked
from machine.stores import PROTOCOLS, file_system, is_url, plain_errors, write_file

# The project's files that are no code: data/, notebooks/, params.yaml and others. A wheel carries them in `machine`.
CARRIED = Path(__file__).parent / "project"
PROJECT = CARRIED if CARRIED.is_dir() else Path(__file__).parents[1]

# fsspec's protocols for this machine's disk.
LOCAL = ("file", "local")

# An unfinished file is called `.{name}.{process id}.tmp`; DuckDB may add a suffix of its own.
DRAFT = re.compile(r"\..+\.(\d+)\.tmp(\..+)?", re.DOTALL)


class InUse(Exception):
    """A folder that another run is writing to."""


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
        found = Path(name).stat() if descriptor is None else os.fstat(descriptor)
    except FileNotFoundError:
        return None
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns}"


@contextmanager
def held(paths: Iterable[Path]) -> Iterator[None]:
    """Raises OSError at the end of the block where one of the files was replaced or written to meanwhile."""
    versions = {path: file_version(str(path)) for path in paths}
    yield
    for path, version in versions.items():
        if file_version(str(path)) != version:
            raise OSError(f"{path} was replaced or written to while it was read; run it again")


@contextmanager
def held_origins(made_from: Mapping[str, Sequence[Path]]) -> Iterator[dict[str, str]]:
    """What → the `combined_digest` of its files, which the block reads; none where there are no files.

    Raises OSError as `held` does.
    """
    with held(path for paths in made_from.values() for path in paths):
        yield {what: combined_digest(map(file_digest, paths)) for what, paths in sorted(made_from.items()) if paths}


MANIFEST_SUFFIX = ".manifest.json"
MOST_SHOWN = 5


@dataclass(frozen=True)
class Manifest:
    """What a command wrote. files: path within the manifest's folder → SHA-256. made_from: what, such as tables → the
    `combined_digest` of its files."""

    path: Path
    files: Mapping[str, str]
    made_from: Mapping[str, str]

    @property
    def command(self) -> str:
        """The command that wrote it."""
        return self.path.name.removesuffix(MANIFEST_SUFFIX)


def file_digest(path: Path) -> str:
    """The file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def combined_digest(digests: Iterable[str]) -> str:
    """One digest of several files by theirs, whatever they are called and wherever they are."""
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def visible_files(folder: Path) -> Iterator[Path]:
    """Every file in the folder at any depth that is not hidden, in order, manifests left out."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.name.endswith(MANIFEST_SUFFIX):
            yield path


def write_manifest(
    folder: Path,
    command: str,
    files: Iterable[Path],
    made_from: Mapping[str, str],
    kept: Mapping[str, str] = {},
) -> None:
    """Write `folder/{command}.manifest.json` of files in the folder. made_from: what → the digest of its files, as
    `held_origins` has them. kept: path → SHA-256 of other files of the folder, as an earlier run wrote them."""
    written = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    listed = dict(sorted({**kept, **written}.items()))
    text = json.dumps({"files": listed, "made_from": dict(made_from)}, indent=1)
    with replacing(folder / f"{command}{MANIFEST_SUFFIX}") as draft:
        draft.write_text(f"{text}\n", encoding="utf-8")


def earlier_files(
    folder: Path, command: str, written: Iterable[Path], made_from: Mapping[str, str], endings: tuple[str, ...]
) -> dict[str, str]:
    """Path → SHA-256 of the files with such endings that the command's earlier manifest lists and that are not written
    anew, where they were made from the same; where they were not, or nobody knows, they are removed."""
    try:
        earlier = read_manifest(folder / f"{command}{MANIFEST_SUFFIX}")
    except (OSError, ValueError):
        return {}
    left = earlier.files.keys() - {path.relative_to(folder).as_posix() for path in written}
    names = sorted(name for name in left if name.endswith(endings))
    if made_from and earlier.made_from == dict(made_from):
        return {name: earlier.files[name] for name in names if (folder / name).is_file()}
    for name in names:
        (folder / name).unlink(missing_ok=True)
    return {}


def listed_names(manifest: bytes) -> set[str]:
    """The names of files and folders beside a manifest of that text which it lists; none where it is no manifest."""
    try:
        return {name.partition("/")[0] for name in json.loads(manifest)["files"]} - {"", ".", ".."}
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return set()


def read_manifests(folder: Path) -> list[Manifest]:
    """The manifests in the folder at any depth. Raises ValueError for one that is none."""
    return [read_manifest(path) for path in sorted(folder.rglob(f"*{MANIFEST_SUFFIX}"))]


def read_manifest(path: Path) -> Manifest:
    """The manifest at the path. Raises ValueError where it is none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        files, made_from = (dict[str, str](told[name]) for name in ("files", "made_from"))
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a manifest; make the folder anew") from error
    if any(PurePath(name).is_absolute() or ".." in PurePath(name).parts for name in files):
        raise ValueError(f"{path}: names files outside its folder; make the folder anew")
    return Manifest(path, files, made_from)


def wholeness_problems(manifest: Manifest) -> Iterator[str]:
    """What became of the files since the manifest was written: a line for those missing, and one for those changed."""
    folder = manifest.path.parent
    missing = [name for name in manifest.files if not (folder / name).is_file()]
    changed = [n for n, digest in manifest.files.items() if n not in missing and file_digest(folder / n) != digest]
    for names, what in ((missing, "missing"), (changed, "changed since")):
        if names:
            shown = ", ".join(names[:MOST_SHOWN]) + (", …" if len(names) > MOST_SHOWN else "")
            yield f"{folder}: {len(names)} of the files of {manifest.command} {what}: {shown}"


def folder_digests(folder: Path, paths: Iterable[Path]) -> set[str]:
    """The combined digests of those of the files that are in the folder, or in one below it, or anywhere below one."""
    groups: dict[tuple[Path, bool], list[str]] = {}
    for path in paths:
        digest = file_digest(path)
        groups.setdefault((path.parent, False), []).append(digest)
        for parent in path.parents:
            groups.setdefault((parent, True), []).append(digest)
            if parent == folder:
                break
    return set(map(combined_digest, groups.values()))


def origin_problems(manifest: Manifest, present: Mapping[str, set[str]]) -> Iterator[str]:
    """What it was made from and is there in another form. present: what → the combined digests of its files by folder;
    of what is not there at all nothing is said."""
    for what, digest in manifest.made_from.items():
        if present.get(what) and digest not in present[what]:
            yield f"{manifest.path.parent}: {manifest.command} was made from other {what} than there are"


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
