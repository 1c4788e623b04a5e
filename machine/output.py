"""All that is written to a disk or a bucket: atomic files, and staged folders.

A command never deletes or replaces a file that it did not make: its own are those that its manifest in the folder
lists, as they were written.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
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


def make_folder(folder: Path) -> None:
    """Make the folder, if need be. Raises UserError if it is a file, or would lie below one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{folder} is a file, or lies below one; name another folder", 2) from None


@contextmanager
def exclusive_access(folder: Path) -> Iterator[None]:
    """Lock the folder, made if need be, for this process; the lock ends with the block or the process.

    Raises UserError where another process holds it. On a disk without locks there is none.
    """
    make_folder(folder)
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


def write_manifest(folder: Path, command: str, files: Iterable[Path], kept: Mapping[str, str]) -> None:
    """Write the manifest of files that a command wrote one by one. kept: path → SHA-256 of others, as an earlier run
    wrote them."""
    written = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    _write(Manifest(manifest_path(folder, command), {**kept, **written}))


def _write(manifest: Manifest, place: Path | str | None = None) -> None:
    """Write the manifest at its path, or at the place of a URL."""
    write_atomically(place or manifest.path, [manifest.text.encode()])


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
    home = target if isinstance(target, Path) else Path(scratch or tempfile.gettempdir())
    with ExitStack() as stack:
        stack.enter_context(no_empty_folders([home]))
        if isinstance(target, Path):
            str(target.absolute()).encode()  # a name that is no UTF-8 ends here: what writes tables takes no other
            stack.enter_context(exclusive_access(target))
        earlier = _manifest_in(target, listed_as or command)
        _check_free(target, command, names, earlier)
        if isinstance(target, str):
            check_writable(target)
        staging = home / f".{earlier.command}-{uuid4().hex}"
        stack.enter_context(_staging(staging, earlier if isinstance(target, Path) else None))
        work = Staged(staging / "files", staging / "scratch", earlier)
        yield work
        _publish(work, target, command)


@contextmanager
def staged_files(target: Path) -> Iterator[Staged]:
    """Folders to work in. When the block ends well, the files replace those of their names in the target, and no
    manifest lists them: for outputs whose owner is known, as DVC's are."""
    staging = target / f".staged-{uuid4().hex}"
    with _staging(staging, None):
        work = Staged(staging / "files", staging / "scratch", Manifest(target))
        yield work
        with exclusive_access(target):
            for name, path in _files_in(work.folder).items():
                _put(target, path, name)


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to work in, hidden beside the target, which it becomes when the block ends well. Raises UserError where
    something is in the target. A killed process leaves the hidden folder, and nothing reads it."""
    if (target.exists() or target.is_symlink()) and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} is there and not empty; name another folder", 2)
    work = target.with_name(f".{target.name}-{uuid4().hex}")
    with no_empty_folders([target.parent]):
        make_folder(target.parent)
        work.mkdir()
        try:
            yield work
            try:
                work.replace(target)
            except OSError as error:
                raise UserError(f"{target} was made meanwhile by another run; name another folder", 2) from error
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _staging(staging: Path, earlier: Manifest | None) -> Iterator[None]:
    """Make the folders, and remove them at the end. The manifest of before names them meanwhile, so that the next run
    removes what a killed one left."""
    if earlier:
        if earlier.staging:
            shutil.rmtree(earlier.path.parent / earlier.staging, ignore_errors=True)
        known = earlier.path.exists()
        at_work = replace(earlier, staging=staging.name, finished=earlier.finished and known)
        _write(at_work)
    try:
        for folder in (staging / "files", staging / "scratch"):
            folder.mkdir(parents=True)
        yield
    except BaseException:
        if earlier and any_manifest(earlier.path) == at_work:
            with suppress(OSError):
                _write(replace(earlier, staging="")) if known else earlier.path.unlink()
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _files_in(folder: Path) -> dict[str, Path]:
    """The files in the folder at any depth, by their paths within it."""
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _publish(work: Staged, target: Path | str, command: str) -> None:
    """Move the files into place. Until the last manifest, one lists them beside those of before, as not finished."""
    earlier, paths = work.earlier, _files_in(work.folder)
    _check_free(target, command, paths, earlier)
    new = {name: file_digest(path) for name, path in paths.items()}
    known = _as_they_are(target, earlier)
    kept = {name: known[name] for name in work.keep & known.keys() - new.keys()}
    changed = sorted(name for name, digest in new.items() if _digest(target, name) != digest)
    stale = sorted(known.keys() - new.keys() - kept.keys())
    staging = work.folder.parent
    place = _at(target, earlier.path.name)
    _write(Manifest(earlier.path, known | new, {}, False, known, staging.name), place)
    with ThreadPoolExecutor(TRANSFERS if isinstance(target, str) else 1) as pool:
        list(pool.map(lambda name: _put(target, paths[name], name), changed))
        list(pool.map(lambda name: _remove(target, name, earlier.digests(name)), stale))
    shutil.rmtree(staging, ignore_errors=True)
    _write(Manifest(earlier.path, kept | new, work.made_from), place)


def _as_they_are(target: Path | str, earlier: Manifest) -> dict[str, str]:
    """The files of before. Of a run that has not finished, each with that of its digests that it has now."""
    known = {**earlier.before, **earlier.files}
    if earlier.finished:
        return known
    now = {name: _digest(target, name) for name in known}
    return known | {name: digest for name, digest in now.items() if digest and digest in earlier.digests(name)}


def check_free(target: Path | str, command: str, names: Iterable[str]) -> None:
    """Raise UserError where a file of one of the names in the folder is none that the command wrote, or was changed."""
    _check_free(target, command, names, _manifest_in(target, command))


def _check_free(target: Path | str, command: str, names: Iterable[str], earlier: Manifest) -> None:
    for name in _present(target, names):
        digests = earlier.digests(name)
        if not digests:
            problem = f"is not an output of `{command}`"
        elif _digest(target, name) not in (*digests, None):
            problem = f"was changed since `{command}` wrote it"
        else:
            continue
        raise UserError(f"{_at(target, name)} {problem}; move it away or name another folder", 2)


def _at(target: Path | str, name: str) -> Path | str:
    """The place of a file in the folder at a path or URL."""
    return target / name if isinstance(target, Path) else f"{target}/{name}"


def _manifest_in(target: Path | str, command: str) -> Manifest:
    """The command's manifest in the folder. At a URL, one that is none counts as missing."""
    path = manifest_path(target if isinstance(target, Path) else Path(), command)
    try:
        return read_manifest(path) if isinstance(target, Path) else parsed_manifest(path, read_file(f"{target}/{path}"))
    except FileNotFoundError:
        return Manifest(path)
    except NotADirectoryError:
        raise UserError(f"{target} is no folder, or lies below a file; name another folder", 2) from None
    except ValueError as error:
        if isinstance(target, str):
            return Manifest(path)
        raise UserError(f"{path} is no manifest of `{command}`; move it away or name another folder", 2) from error


def _present(target: Path | str, names: Iterable[str]) -> list[str]:
    """Those of the names under which something is, and what is a file where a folder has to be."""
    named = set(names)
    if isinstance(target, Path):
        above = {str(parent) for name in named for parent in PurePosixPath(name).parents[:-1]}
        there = (name for name in sorted(named | above) if os.path.lexists(target / name))
        return [name for name in there if name in named or not (target / name).is_dir()]
    try:
        found = {url.removeprefix(f"{target}/") for url, _ in list_files(target)}
    except FileNotFoundError:
        return []
    if target in found:
        raise UserError(f"{target}: it is a file; name a folder", 2)
    return sorted(found & named)


def _digest(target: Path | str, name: str) -> str | None:
    """The file's SHA-256; None where there is no file. At a URL, what is not fetched tells none."""
    return file_digest(target / name) if isinstance(target, Path) and (target / name).is_file() else None


def _put(target: Path | str, file: Path, name: str) -> None:
    """Move the file there."""
    if isinstance(target, Path):
        with _naming(target / name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            file.replace(target / name)
        return
    system, path = file_system(f"{target}/{name}")
    with plain_errors(target, "written to"):
        system.put_file(str(file), path)


def _remove(target: Path | str, name: str, digests: set[str]) -> None:
    """Remove the file, unless its digest is another, and the folders that it leaves empty."""
    if isinstance(target, Path):
        if _digest(target, name) in digests:
            (target / name).unlink()
            remove_empty(target / parent for parent in PurePosixPath(name).parents[:-1])
        return
    system, path = file_system(f"{target}/{name}")
    with suppress(FileNotFoundError), plain_errors(target, "written to"):
        system.rm_file(path)
