"""Marks: what a command that is at work may replace, and whose the files are that stand there already."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import filterfalse
from pathlib import Path, PurePosixPath

from machine.files import DRAFT, file_digest, replacing
from machine.manifests import MANIFEST_SUFFIX, any_manifest, listing, manifest_path, not_in_hidden, read_manifest

BEGUN = re.compile(r"\..+-begun")


def begun_mark(folder: Path, command: str) -> Path:
    """The hidden file that stands in the folder from when the command replaces files there until its manifest does."""
    return folder / f".{command}-begun"


@contextmanager
def begun(folder: Path, command: str, names: Iterable[str]) -> Iterator[None]:
    """While the block runs, and after it was killed, the mark stands there. It lists these names, and the files that
    are there under one of them, or in a folder of that name, and are not the command's. Where the block raises and has
    changed something, it lists those that then are the command's, as a manifest does. A folder that is made for the
    mark, and in which nothing else is written, goes with it.

    names: of what the block may replace, as patterns.
    """
    made, mark, patterns = not folder.exists(), begun_mark(folder, command), list(names)
    known = _known(folder, command)
    others = {name for name in _files_matching(folder, patterns) if not known.is_own(name)}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(mark) as draft:
            draft.write_text(json.dumps({"names": patterns, "others": sorted(others)}), encoding="utf-8")
        yield
    except BaseException:
        with suppress(OSError):
            own = [folder / name for name in _files_matching(folder, patterns) if name not in others]
            with replacing(mark) as draft:
                draft.write_text(listing(folder, own), encoding="utf-8")
            if read_manifest(mark).files.items() <= any_manifest(manifest_path(folder, command)).files.items():
                mark.unlink()
        raise
    else:
        mark.unlink(missing_ok=True)
    finally:
        if made and not any(folder.iterdir()):
            folder.rmdir()


def _files_matching(folder: Path, patterns: Iterable[str]) -> set[str]:
    """The paths within the folder of the files under such names, or in folders of such names."""
    paths = (path for pattern in patterns for path in _replaced_at(folder.glob(pattern)))
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


@dataclass(frozen=True)
class Known:
    """What is known of a command's files in a folder. listed: path → SHA-256, by its manifest and what a run that
    failed has left. names, others: after a run that was killed, what it might replace, as patterns, and what of that
    was none of its before; None where none was killed."""

    listed: Mapping[str, str]
    names: Sequence[str] = ()
    others: frozenset[str] | None = None

    def is_own(self, name: str) -> bool:
        """Whether a run of the command wrote the file: one that listed it, or may have before it was killed."""
        if name in self.listed or self.others is None:
            return name in self.listed
        places = [PurePosixPath("/", name), *PurePosixPath("/", name).parents]
        return name not in self.others and any(place.match(f"/{own}") for place in places for own in self.names)


def _known(folder: Path, command: str) -> Known:
    """What is known of a command's files in a folder."""
    mark = begun_mark(folder, command)
    listed = {**any_manifest(manifest_path(folder, command)).files, **any_manifest(mark).files}
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        parsed = json.loads(mark.read_text(encoding="utf-8"))
        return Known(listed, [str(name) for name in parsed["names"]], frozenset(parsed["others"]))
    return Known(listed)


def check_own(
    folder: Path, names: Iterable[str], command: str, unchanged: bool = False, called: str | None = None
) -> None:
    """Raise FileExistsError where a file of one of the names in the folder, or in a folder of that name, is none that
    an earlier run of the command wrote, whether it listed it in its manifest or did not come so far.

    unchanged: also where it was written to since, as far as anybody knows. called: the command, where its manifest and
    mark have another name.
    """
    known = _known(folder, command)
    for path in _replaced_at(folder / name for name in names):
        name = path.relative_to(folder).as_posix()
        if os.path.lexists(path) and not known.is_own(name):
            earlier = called or command
            raise FileExistsError(f"{path} is of no earlier {earlier}, which would replace it; name another folder")
        if unchanged and known.others is None and path.is_file() and known.listed[name] != file_digest(path):
            raise FileExistsError(f"{path} was written to since it was made; move it away, or name another")


def _replaced_at(places: Iterable[Path]) -> Iterator[Path]:
    """The places themselves, and of those that are folders every file in them but what nobody would miss: drafts,
    marks and manifests of commands, and what a desktop keeps of a folder."""
    for place in places:
        yield from filterfalse(partial(_is_by_the_way, place), place.rglob("*")) if place.is_dir() else (place,)


def _is_by_the_way(folder: Path, path: Path) -> bool:
    """Whether it is a folder, or a file that nobody would miss."""
    if path.is_dir() and not path.is_symlink():
        return True
    if path.name in (".DS_Store", "Thumbs.db") or BEGUN.fullmatch(path.name):
        return True
    if path.name.endswith(MANIFEST_SUFFIX) and any_manifest(path).files:
        return True
    return any(map(DRAFT.fullmatch, path.relative_to(folder).parts))


def unfinished_problems(folder: Path) -> Iterator[str]:
    """A line for each mark in the folder at any depth, but in hidden ones: what is there may be of two runs, or lack
    parts."""
    for mark in not_in_hidden(folder, ".*-begun"):
        command = mark.name.removeprefix(".").removesuffix("-begun")
        yield f"{mark.parent}: a run of {command} did not end; run it again"
