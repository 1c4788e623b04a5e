"""Manifests: what a command wrote into a folder, each file with its digest, and what it was made from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from machine.files import file_digest, held

MANIFEST_SUFFIX = ".manifest.json"
MOST_SHOWN = 5


@dataclass(frozen=True)
class Manifest:
    """What a command wrote. files: path within the manifest's folder → SHA-256. made_from: what, such as tables → the
    `combined_digest` of its files; rules → their names.

    finished: whether all files are of one run. before: of a run that has not finished, the files of the run before.
    staging: the hidden folder in which a run at work, or a killed one, makes its files.
    """

    path: Path
    files: Mapping[str, str] = field(default_factory=dict)
    made_from: Mapping[str, str] = field(default_factory=dict)
    finished: bool = True
    before: Mapping[str, str] = field(default_factory=dict)
    staging: str = ""

    @property
    def command(self) -> str:
        """The command that wrote it."""
        return self.path.name.removesuffix(MANIFEST_SUFFIX)

    @property
    def unfinished(self) -> str:
        """That the files may be of two runs, or lack parts, and what to do; else empty."""
        return "" if self.finished else f"a run of {self.command} did not finish; run it again"

    @property
    def text(self) -> str:
        """The manifest as its file holds it."""
        told = {"files": dict(sorted(self.files.items())), "made_from": dict(self.made_from)}
        state = {"finished": self.finished, "before": dict(self.before)} if not self.finished else {}
        return json.dumps(told | state | ({"staging": self.staging} if self.staging else {}), indent=1) + "\n"

    def digests(self, name: str) -> set[str]:
        """What the file of that name holds where the command wrote it: one digest; two where a run has not finished;
        none for a file that is not the command's."""
        return {files[name] for files in (self.files, self.before) if name in files}


def manifest_path(folder: Path, command: str) -> Path:
    """Where a command lists what it wrote into the folder."""
    return folder / f"{command}{MANIFEST_SUFFIX}"


def any_manifest(path: Path) -> Manifest:
    """The manifest at the path; where there is none, one that lists nothing."""
    try:
        return read_manifest(path)
    except (OSError, ValueError):
        return Manifest(path)


def read_manifest(path: Path) -> Manifest:
    """The manifest at the path. Raises ValueError where it is none."""
    return parsed_manifest(path, path.read_bytes())


def parsed_manifest(path: Path, text: bytes) -> Manifest:
    """The manifest of that text. Raises ValueError where it is none."""
    try:
        parsed = json.loads(text)
        files, made_from, before = (dict[str, str](parsed.get(n) or {}) for n in ("files", "made_from", "before"))
        state = bool(parsed.get("finished", True)), before, str(parsed.get("staging", ""))
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a manifest; make the folder anew") from error
    if any(PurePath(name).is_absolute() or ".." in PurePath(name).parts for name in {*files, *before}):
        raise ValueError(f"{path}: names files outside its folder; make the folder anew")
    command = re.escape(path.name.removesuffix(MANIFEST_SUFFIX))
    if state[2] and not re.fullmatch(rf"\.{command}-[0-9a-f]{{32}}", state[2]):
        raise ValueError(f"{path}: names a folder that no run makes; make the folder anew")
    return Manifest(path, files, made_from, *state)


def read_manifests(folder: Path) -> list[Manifest]:
    """The manifests in the folder at any depth, but in hidden ones. Raises ValueError for one that is none."""
    paths = sorted(folder.rglob(f"*{MANIFEST_SUFFIX}"))
    shown = (p for p in paths if not any(part.startswith(".") for part in p.relative_to(folder).parts[:-1]))
    return [read_manifest(path) for path in shown if path.is_file()]


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


def wholeness_problems(manifest: Manifest) -> Iterator[str]:
    """What became of the files since the manifest was written: a line for those missing, and one for those changed."""
    folder = manifest.path.parent
    if manifest.unfinished:
        yield f"{folder}: {manifest.unfinished}"
        return
    missing = [name for name in manifest.files if not (folder / name).is_file()]
    changed = [n for n, digest in manifest.files.items() if n not in missing and file_digest(folder / n) != digest]
    for names, what in ((missing, "missing"), (changed, "changed since")):
        if names:
            shown = ", ".join(names[:MOST_SHOWN]) + (", …" if len(names) > MOST_SHOWN else "")
            yield f"{folder}: {len(names)} of the files of {manifest.command} {what}: {shown}"
