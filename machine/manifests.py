"""Manifests: what a command wrote, each file with its digest, and what it was made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from machine.files import file_digest, held, replacing

MANIFEST_SUFFIX = ".manifest.json"
MOST_SHOWN = 5


@dataclass(frozen=True)
class Manifest:
    """What a command wrote. files: path within the manifest's folder → SHA-256. made_from: what, such as tables → the
    `combined_digest` of its files; rules → their names."""

    path: Path
    files: Mapping[str, str]
    made_from: Mapping[str, str]

    @property
    def command(self) -> str:
        """The command that wrote it."""
        return self.path.name.removesuffix(MANIFEST_SUFFIX)


@contextmanager
def held_origins(made_from: Mapping[str, Sequence[Path]]) -> Iterator[dict[str, str]]:
    """What → the `combined_digest` of its files, which the block reads; none where there are no files.

    Raises OSError as `held` does.
    """
    with held(path for paths in made_from.values() for path in paths):
        yield {what: combined_digest(map(file_digest, paths)) for what, paths in sorted(made_from.items()) if paths}


def combined_digest(digests: Iterable[str]) -> str:
    """One digest of several files by theirs, whatever they are called and wherever they are."""
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def visible_files(folder: Path) -> Iterator[Path]:
    """Every file in the folder at any depth that is not hidden, in order, manifests left out."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and not path.name.endswith(MANIFEST_SUFFIX):
            yield path


def manifest_path(folder: Path, command: str) -> Path:
    """Where a command lists what it wrote into the folder."""
    return folder / f"{command}{MANIFEST_SUFFIX}"


def any_manifest(path: Path) -> Manifest:
    """The manifest at the path; where there is none, one that lists nothing."""
    try:
        return read_manifest(path)
    except (OSError, ValueError):
        return Manifest(path, {}, {})


def files_at(places: Iterable[Path]) -> Iterator[Path]:
    """The places themselves, and of those that are folders the files in them."""
    for place in places:
        yield from visible_files(place) if place.is_dir() else (place,)


def write_manifest(
    folder: Path,
    command: str,
    files: Iterable[Path],
    made_from: Mapping[str, str],
    kept: Mapping[str, str] = {},
) -> None:
    """Write `folder/{command}.manifest.json` of files in the folder. made_from: what → the digest of its files, as
    `held_origins` has them. kept: path → SHA-256 of other files of the folder, as an earlier run wrote them."""
    with replacing(manifest_path(folder, command)) as draft:
        draft.write_text(listing(folder, files, made_from, kept), encoding="utf-8")


def listing(
    folder: Path, files: Iterable[Path], made_from: Mapping[str, str] = {}, kept: Mapping[str, str] = {}
) -> str:
    """The text of a manifest, as `write_manifest` writes it."""
    written = {path.relative_to(folder).as_posix(): file_digest(path) for path in files}
    listed = dict(sorted({**kept, **written}.items()))
    return json.dumps({"files": listed, "made_from": dict(made_from)}, indent=1) + "\n"


def earlier_files(
    folder: Path, command: str, written: Iterable[Path], made_from: Mapping[str, str], endings: tuple[str, ...]
) -> dict[str, str]:
    """Path → SHA-256 of the files with such endings that the command's earlier manifest lists and that are not written
    anew, where they were made from the same; where they were not, or nobody knows, they are removed, if they are still
    as listed."""
    earlier = any_manifest(manifest_path(folder, command))
    left = earlier.files.keys() - {path.relative_to(folder).as_posix() for path in written}
    names = sorted(name for name in left if name.endswith(endings))
    if made_from and earlier.made_from == dict(made_from):
        return {name: earlier.files[name] for name in names if (folder / name).is_file()}
    for name in names:
        if (folder / name).is_file() and file_digest(folder / name) == earlier.files[name]:
            (folder / name).unlink()
    return {}


def listed_names(manifest: bytes) -> set[str]:
    """The names of files and folders beside a manifest of that text which it lists; none where it is no manifest."""
    return {name.partition("/")[0] for name in listed_files(manifest)} - {"", ".", ".."}


def listed_files(manifest: bytes) -> set[str]:
    """The paths that a manifest of that text lists; none where it is no manifest."""
    try:
        return {str(name) for name in json.loads(manifest)["files"]}
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return set()


def read_manifests(folder: Path) -> list[Manifest]:
    """The manifests in the folder at any depth, but in hidden ones. Raises ValueError for one that is none."""
    return [read_manifest(path) for path in not_in_hidden(folder, f"*{MANIFEST_SUFFIX}")]


def not_in_hidden(folder: Path, pattern: str) -> Iterator[Path]:
    """The files of such names in the folder, and in those in it that are not hidden, in order."""
    for path in sorted(folder.rglob(pattern)):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts[:-1]):
            yield path


def read_manifest(path: Path) -> Manifest:
    """The manifest at the path. Raises ValueError where it is none."""
    try:
        parsed = json.loads(path.read_text(encoding="utf-8"))
        files, made_from = (dict[str, str](parsed[name]) for name in ("files", "made_from"))
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
    line_ends = [name for name in changed if _with_plain_line_ends(folder / name) == manifest.files[name]]
    others = [name for name in changed if name not in line_ends]
    of_git = "changed in their line ends alone, as by a clone with core.autocrlf"
    for names, what in ((missing, "missing"), (others, "changed since"), (line_ends, of_git)):
        if names:
            shown = ", ".join(names[:MOST_SHOWN]) + (", …" if len(names) > MOST_SHOWN else "")
            yield f"{folder}: {len(names)} of the files of {manifest.command} {what}: {shown}"


def _with_plain_line_ends(path: Path) -> str:
    """The SHA-256 that the file has where its lines end as they do on Unix; empty for one without other ends."""
    text = path.read_bytes()
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest() if b"\r\n" in text else ""


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
            where = "those of any folder here, or from a part of one"
            yield f"{manifest.path.parent}: {manifest.command} was made from other {what} than {where}"
