"""All that is written to a disk or a bucket: atomic files, and staged folders.

A command never deletes or replaces a file that it did not make: its own are those that its manifest in the folder
lists, as they were written.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Protocol
from uuid import uuid4

from machine.errors import UserError
from machine.files import file_digest
from machine.manifests import Manifest, any_manifest, manifest_path, parsed_manifest, read_manifest
from machine.stores import LOCAL, PROTOCOLS, check_writable, file_system, list_files, plain_errors, read_file

ROOM_BYTES = 1 << 20
# Files sent to a store at once.
TRANSFERS = 4


def output_destination(out: str) -> Path | str:
    """The local path or the URL that `out` names. Raises UserError for a URL that nothing can be written to."""
    protocol, is_remote, path = out.partition("://")
    if not is_remote:
        return Path(out)
    if protocol in LOCAL:
        return Path(path)
    if protocol not in PROTOCOLS:
        raise UserError(f"{out}: {protocol}:// cannot be written to; name a folder, or s3://, gs:// or az://", 2)
    names = path.strip("/").split("/") if protocol == "memory" else path.rstrip("/").split("/")
    if not names[0]:
        raise UserError(f"{out} names no bucket; write {protocol}://BUCKET/FOLDER", 2)
    if any(name in ("", ".", "..") for name in names):
        raise UserError(f"{out}: a folder in it is called . or .. or nothing; write names with one / between them", 2)
    file_system(out)
    return out.rstrip("/")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A draft beside `path`, hidden and of a random name. It replaces `path` when the block ends well, and is removed
    otherwise; a killed process leaves it, and nothing reads it."""
    draft = path.with_name(f".{uuid4().hex}.tmp")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_atomically(path: Path | str, parts: Iterable[bytes]) -> None:
    """Write the file at a path or URL, whole or not at all; the path's folder is made if need be. Parts that are no
    list are first collected in a local file.

    Raises OSError, naming the file, and UserError where a store refuses.
    """
    if isinstance(path, Path):
        with _naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as draft, draft.open("wb") as file:
                file.writelines(parts)
        return
    system, place = file_system(path)
    with tempfile.NamedTemporaryFile(prefix="calbench-") as whole:
        if not isinstance(parts, list):
            whole.writelines(parts)
            whole.flush()
        with plain_errors(path, "written to"):
            if isinstance(parts, list):
                system.pipe_file(place, b"".join(parts))
            else:
                system.put_file(whole.name, place)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let errors of the system in the block name the path."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_room(folder: Path) -> None:
    """Write a megabyte into the folder, made if need be, under no name. Raises OSError where that can't be."""
    with _naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(os.urandom(ROOM_BYTES))
            trial.flush()


@contextmanager
def no_empty_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Where the block does not end well, remove what it made of these folders, and of those that they lie in, if
    nothing is in them."""
    all_of_them = {place for folder in folders for place in (folder, *folder.parents)}
    made = [folder for folder in all_of_them if not folder.exists()]
    try:
        yield
    except BaseException:
        remove_empty(made)
        raise


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders in which nothing is."""
    for folder in sorted(folders, key=lambda f: len(f.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def exclusive_access(folder: Path) -> Iterator[None]:
    """Lock the folder, made if need be, for this process; the lock ends with the block or the process.

    Raises UserError where another process holds it. On a disk without locks there is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                problem = f"{folder}: another run is writing there; wait for its end, or name another folder"
                raise UserError(problem, 2) from error
        yield
    finally:
        os.close(handle)


def write_manifest(
    folder: Path,
    command: str,
    files: Iterable[Path],
    made_from: Mapping[str, str],
    kept: Mapping[str, str] = {},
    finished: bool = True,
) -> None:
    """Write the manifest of files that a command wrote one by one. kept: path → SHA-256 of others, as an earlier run
    wrote them."""
    written = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    manifest = Manifest(manifest_path(folder, command), {**kept, **written}, made_from, finished)
    write_atomically(manifest.path, [manifest.text.encode()])


@dataclass
class Staged:
    """Where a command makes its files. folder: what lies in it is moved into place. scratch: what lies in it is not.

    The command sets what they were made from, and which files of the run before are to stay; all others of it go.
    """

    folder: Path
    scratch: Path
    earlier: Manifest
    made_from: dict[str, str] = field(default_factory=dict)
    keep: set[str] = field(default_factory=set)


@contextmanager
def staged(
    target: Path | str, command: str, names: Iterable[str] = (), scratch: Path | None = None, listed_as: str = ""
) -> Iterator[Staged]:
    """Folders to work in. When the block ends well, the files are moved into `target`, the manifest last; otherwise the
    target stays as it was.

    names: of files that are to come, as far as they are known. scratch: where the folders are made for a URL.
    listed_as: the manifest's name, where it is not the command's. Raises UserError where another run is writing there,
    and before anything is written where a file that the command did not make is in the way.
    """
    place: Place = _Folder(target) if isinstance(target, Path) else _Bucket(target)
    with ExitStack() as stack:
        home = Path(scratch or tempfile.gettempdir()) if isinstance(target, str) else target
        stack.enter_context(no_empty_folders([home]))
        if isinstance(target, Path):
            str(target.absolute()).encode()  # a name that is no UTF-8 ends here: what writes tables takes no other
            if target.exists() and not target.is_dir():
                raise UserError(f"{target} is a file; name a folder", 2)
            stack.enter_context(exclusive_access(target))
        earlier = place.manifest(listed_as or command)
        _check_free(place, command, names, earlier)
        place.begin()
        staging = home / f".{earlier.command}-{uuid4().hex}"
        stack.enter_context(_staging(staging, earlier if isinstance(target, Path) else None))
        work = Staged(staging / "files", staging / "scratch", earlier)
        yield work
        _publish(work, place, command)


@contextmanager
def staged_files(target: Path) -> Iterator[Staged]:
    """Folders to work in. When the block ends well, the files replace those of their names in the target, and no
    manifest lists them: for outputs whose owner is known, as DVC's are."""
    staging = target / f".staged-{uuid4().hex}"
    with _staging(staging, None):
        work = Staged(staging / "files", staging / "scratch", Manifest(target))
        yield work
        with exclusive_access(target):
            for path in _files_in(work.folder):
                _Folder(target).put(path, path.relative_to(work.folder).as_posix())


@contextmanager
def _staging(staging: Path, earlier: Manifest | None) -> Iterator[None]:
    """Make the folders, and remove them at the end. The manifest of before names them meanwhile, so that the next run
    removes what a killed one left."""
    if earlier:
        if earlier.staging:
            shutil.rmtree(earlier.path.parent / earlier.staging, ignore_errors=True)
        known = earlier.path.exists()
        begun = replace(earlier, staging=staging.name, finished=earlier.finished and known)
        write_atomically(earlier.path, [begun.text.encode()])
    try:
        for folder in (staging / "files", staging / "scratch"):
            folder.mkdir(parents=True)
        yield
    except BaseException:
        if earlier and any_manifest(earlier.path) == begun:
            with suppress(OSError):
                if known:
                    write_atomically(earlier.path, [replace(earlier, staging="").text.encode()])
                else:
                    earlier.path.unlink()
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _publish(work: Staged, place: Place, command: str) -> None:
    """Move the files into place. Until the last manifest, one lists them beside those of before, as not finished."""
    earlier, paths = work.earlier, {p.relative_to(work.folder).as_posix(): p for p in _files_in(work.folder)}
    _check_free(place, command, paths, earlier)
    new = {name: file_digest(path) for name, path in paths.items()}
    known = _as_they_are(place, earlier)
    kept = {name: known[name] for name in work.keep & known.keys() - new.keys()}
    same = {name for name, digest in new.items() if place.digest(name) == digest}
    staging = work.folder.parent
    begun = Manifest(earlier.path, known | new, {}, False, known, staging.name)
    place.write_manifest(begun)
    place.for_each(lambda name: place.put(paths[name], name), sorted(new.keys() - same))
    stale = sorted(known.keys() - new.keys() - kept.keys())
    place.for_each(lambda name: place.remove(name, earlier.digests(name)), stale)
    shutil.rmtree(staging, ignore_errors=True)
    place.write_manifest(Manifest(earlier.path, kept | new, work.made_from))


def _as_they_are(place: Place, earlier: Manifest) -> dict[str, str]:
    """The files of before. Of a run that has not finished, each with that of its digests that it has now."""
    known = {**earlier.before, **earlier.files}
    if earlier.finished:
        return known
    now = {name: place.digest(name) for name in known}
    return known | {name: digest for name, digest in now.items() if digest and digest in earlier.digests(name)}


def _check_free(place: Place, command: str, names: Iterable[str], earlier: Manifest) -> None:
    """Raise UserError where one of the names is of a file that the command did not make, or that was changed since."""
    for name in place.present(names):
        digests = earlier.digests(name)
        if not digests:
            problem = f"is not an output of `{command}`"
        elif place.digest(name) not in (*digests, None):
            problem = f"was changed since `{command}` wrote it"
        else:
            continue
        raise UserError(f"{place.path_of(name)} {problem}; move it away or name another folder", 2)


def check_free(folder: Path, command: str, names: Iterable[str]) -> None:
    """Raise UserError where a file of one of the names in the folder is none that the command wrote, or was changed."""
    _check_free(_Folder(folder), command, names, _Folder(folder).manifest(command))


class Place(Protocol):
    """Where files are moved to; names are paths within it."""

    def manifest(self, command: str) -> Manifest:
        """The command's manifest."""

    def begin(self) -> None:
        """Raise UserError where nothing can be written."""

    def path_of(self, name: str) -> str:
        """The file's path or URL."""

    def present(self, names: Iterable[str]) -> list[str]:
        """Those of the names under which something is, and what is a file where a folder has to be."""

    def digest(self, name: str) -> str | None:
        """The file's SHA-256; None where there is no file, or the place does not tell."""

    def put(self, file: Path, name: str) -> None:
        """Move the file there."""

    def remove(self, name: str, digests: set[str]) -> None:
        """Remove the file, unless its digest is another, and the folders that it leaves empty."""

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest."""

    def for_each(self, act: Callable[[str], None], names: list[str]) -> None:
        """Act on each name."""


@dataclass(frozen=True)
class _Folder:
    """A folder of this machine."""

    folder: Path

    def manifest(self, command: str) -> Manifest:
        path = manifest_path(self.folder, command)
        try:
            return read_manifest(path)
        except FileNotFoundError:
            return Manifest(path)
        except NotADirectoryError:
            raise UserError(f"{self.folder} is no folder, or lies below a file; name another folder", 2) from None
        except ValueError as error:
            raise UserError(f"{path} is no manifest of `{command}`; move it away or name another folder", 2) from error

    def begin(self) -> None: ...

    def path_of(self, name: str) -> str:
        return str(self.folder / name)

    def present(self, names: Iterable[str]) -> list[str]:
        named = set(names)
        above = {str(parent) for name in named for parent in PurePosixPath(name).parents[:-1]}
        there = (name for name in sorted(named | above) if os.path.lexists(self.folder / name))
        return [name for name in there if name in named or not (self.folder / name).is_dir()]

    def digest(self, name: str) -> str | None:
        path = self.folder / name
        return file_digest(path) if path.is_file() else None

    def put(self, file: Path, name: str) -> None:
        with _naming(path := self.folder / name):
            path.parent.mkdir(parents=True, exist_ok=True)
            file.replace(path)

    def remove(self, name: str, digests: set[str]) -> None:
        if self.digest(name) in digests:
            (self.folder / name).unlink()
            remove_empty(self.folder / parent for parent in PurePosixPath(name).parents[:-1])

    def write_manifest(self, manifest: Manifest) -> None:
        write_atomically(manifest.path, [manifest.text.encode()])

    def for_each(self, act: Callable[[str], None], names: list[str]) -> None:
        for name in names:
            act(name)


@dataclass(frozen=True)
class _Bucket:
    """A folder at a URL. It tells no digest of a file that is not fetched: what the manifest lists is the command's."""

    url: str

    def manifest(self, command: str) -> Manifest:
        path = manifest_path(Path(), command)
        try:
            return parsed_manifest(path, read_file(self.path_of(path.name)))
        except (FileNotFoundError, ValueError):
            return Manifest(path)

    def begin(self) -> None:
        check_writable(self.url)

    def path_of(self, name: str) -> str:
        return f"{self.url}/{name}"

    def present(self, names: Iterable[str]) -> list[str]:
        try:
            there = {url.removeprefix(f"{self.url}/") for url, _ in list_files(self.url)}
        except FileNotFoundError:
            return []
        if self.url in there:
            raise UserError(f"{self.url}: it is a file; name a folder", 2)
        return sorted(there.intersection(names))

    def digest(self, name: str) -> str | None:
        return None

    def put(self, file: Path, name: str) -> None:
        system, path = file_system(self.path_of(name))
        with plain_errors(self.url, "written to"):
            system.put_file(str(file), path)

    def remove(self, name: str, digests: set[str]) -> None:
        system, path = file_system(self.path_of(name))
        with suppress(FileNotFoundError), plain_errors(self.url, "written to"):
            system.rm_file(path)

    def write_manifest(self, manifest: Manifest) -> None:
        write_atomically(self.path_of(manifest.path.name), [manifest.text.encode()])

    def for_each(self, act: Callable[[str], None], names: list[str]) -> None:
        """Some at once. Raises the first exception when all calls have ended."""
        with ThreadPoolExecutor(TRANSFERS) as pool:
            list(pool.map(act, names))
