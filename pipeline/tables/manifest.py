"""Manifests: what a command wrote, each file with its digest, and what it was made from; written last."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.tables.io import write_json
from pipeline.tables.shards import MANIFEST_SUFFIX as SUFFIX

LONGEST_SHOWN = 5


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
        return self.path.name.removesuffix(SUFFIX)


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
        if path.is_file() and not hidden and not path.name.endswith(SUFFIX):
            yield path


def write_manifest(folder: Path, command: str, files: Iterable[Path], made_from: Mapping[str, Sequence[Path]]) -> None:
    """Write `folder/{command}.manifest.json` of files in the folder. made_from: what → its files, none where there are
    none to be held against."""
    listed = {path.relative_to(folder).as_posix(): file_digest(path) for path in sorted(files)}
    origins = {what: combined_digest(map(file_digest, paths)) for what, paths in sorted(made_from.items()) if paths}
    write_json({"files": listed, "made_from": origins}, folder / f"{command}{SUFFIX}")


def read_manifests(folder: Path) -> list[Manifest]:
    """The manifests in the folder at any depth. Raises ValueError for one that is none."""
    manifests = []
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            files, made_from = (dict[str, str](told[name]) for name in ("files", "made_from"))
        except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}: not a manifest; make the folder anew") from error
        manifests.append(Manifest(path, files, made_from))
    return manifests


def wholeness_problems(manifest: Manifest) -> Iterator[str]:
    """What became of the files since the manifest was written: a line for those missing, and one for those changed."""
    folder = manifest.path.parent
    missing = [name for name in manifest.files if not (folder / name).is_file()]
    changed = [n for n, digest in manifest.files.items() if n not in missing and file_digest(folder / n) != digest]
    for names, what in ((missing, "missing"), (changed, "changed since")):
        if names:
            shown = ", ".join(names[:LONGEST_SHOWN]) + (", …" if len(names) > LONGEST_SHOWN else "")
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
