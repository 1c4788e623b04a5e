"""Whether what a folder holds is whole, and belongs together: by manifests, and by the digests that traces carry."""

import hashlib
import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from mmap import ACCESS_READ, mmap
from pathlib import Path

import msgspec

from machine.files import file_digest
from machine.manifests import (
    MOST_SHOWN,
    Manifest,
    combined_digest,
    read_manifests,
    visible_files,
    wholeness_problems,
)
from pipeline.tables.database import log_of
from pipeline.tables.paths import read_yaml
from pipeline.traces.audit.identity import record_digest
from pipeline.traces.audit.trace import Unreadable, decode
from pipeline.traces.sources import find_sources, read_texts
from pipeline.traces.trace import UNDECODABLE, TraceError

# The command whose manifests list traces; those of others list what was made from them.
RUN = "run"
# What a study's outputs were when they were made.
LOCK = "dvc.lock"
# What every trace has; other JSON of a kind that nobody knows is not looked at here.
TRACE_FIELDS = (b'"game_id"', b'"events"')
ANY_JSON = msgspec.json.Decoder(msgspec.Raw)
# What others are made from beside traces, and how its files end.
TABLE = ".parquet"
ENDINGS = {"tables": TABLE, "results": ".csv"}
# The commands whose own tables nothing is made from.
SITE = "site"
LAST = ("audit", "judge", SITE, "export")
# What a command lists all of, as (command, what, pattern in its folder): other such files would be taken for its own.
WHOLE_FOLDERS = (
    ("derive", "tables", "**/*.parquet"),
    ("report", "pages", "**/*.html"),
    ("report", "tables", "tables/*.parquet"),
    ("report", "results", "results/*.csv"),
    ("figures", "figures", "**/*.pdf"),
)


def verified(folder: Path) -> tuple[list[str], str]:
    """A line for each problem, and what was looked at; empty where there is nothing. Raises ValueError for a manifest
    that is none."""
    manifests = read_manifests(folder)
    listed = {m.path.parent / name: m.command for m in manifests for name in m.files}
    found = [Path(source.name) for source in find_sources([folder])]
    traces = [path for path in trace_files(found) if listed.get(path, RUN) == RUN]
    files = list(visible_files(folder)) if manifests else []
    origins = [path for path in files if listed.get(path) not in LAST]
    present = {"traces": set[str]()}
    # What a command read of a folder is all that is found in it, rejected or not; others came since. Where no trace is,
    # other JSON says nothing of those that are elsewhere.
    for paths in {tuple(traces), tuple(found)} if manifests and traces else ():
        present["traces"] |= folder_digests(folder, filter(Path.is_file, paths))
    for kind, ending in ENDINGS.items():
        present[kind] = folder_digests(folder, (path for path in origins if path.suffix == ending))
        if present[kind]:  # a database holds what lies beside the tables, too
            shown = (path for path in files if path.suffix == ending and listed.get(path) != SITE)
            present[kind] |= folder_digests(folder, shown)
    problems = list(log_problems(listed))
    problems += [line for m in manifests for line in (*wholeness_problems(m), *origin_problems(m, present))]
    for command, what, pattern in WHOLE_FOLDERS:
        folders = {m.path.parent for m in manifests if m.command == command}
        beside = {path for place in folders for path in place.glob(pattern)}.intersection(files).difference(listed)
        problems += stray_lines(command, what, beside)
    trace_lines = list(trace_problems(traces))
    problems += [*filter(None, trace_lines), *lock_problems(folder)]
    bare = f" ({trace_lines.count(None)} without a digest)" if None in trace_lines else ""
    counted = f"{len(manifests)} manifests of {len(listed)} files, {len(trace_lines)} traces{bare}"
    return problems, counted if manifests or trace_lines else ""


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


def log_problems(files: Iterable[Path]) -> Iterator[str]:
    """A line for each database among the files with a log that holds what is not in it yet, and readers see."""
    for database in (path for path in files if path.suffix == ".duckdb"):
        log = log_of(database)
        if log.is_file() and log.stat().st_size:
            yield f"{log} holds what was written to {database.name} since it was made"


def lock_problems(folder: Path) -> Iterator[str]:
    """A line for each output of a study in the folder that is there and not what its DVC lock says."""
    for lock in (path for path in visible_files(folder) if path.name == LOCK):
        for stage in read_yaml(lock)["stages"].values():
            for out in stage.get("outs", ()):
                path = lock.parent / out["path"]
                if path.exists() and dvc_digest(path) != out["md5"]:
                    yield f"{path}: not what {lock} says: pull it again, from where only those whom you trust can write"


def dvc_digest(path: Path) -> str:
    """What DVC's lock says of a file or folder: an MD5, of a folder that of the list of its files."""
    if path.is_file():
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "md5").hexdigest()
    names = sorted(inner.relative_to(path).as_posix() for inner in visible_files(path))
    listed = [{"md5": dvc_digest(path / name), "relpath": name} for name in names]
    return f"{hashlib.md5(json.dumps(listed).encode()).hexdigest()}.dir"


def trace_files(found: Iterable[Path]) -> Iterator[Path]:
    """Of the files found those of traces, whole or damaged, without other JSON, such as task files."""
    for path in found:
        if path.suffix not in (".json", ".jsonl") or not path.is_file() or not is_other_json(path):
            yield path


def is_other_json(path: Path) -> bool:
    """Whether a file of JSON is whole and lacks fields of a trace, wherever these would stand in it."""
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap(file.fileno(), 0, access=ACCESS_READ) as text, suppress(*UNDECODABLE):
            decode = ANY_JSON.decode_lines if path.suffix == ".jsonl" else ANY_JSON.decode
            own = all(text.find(field) >= 0 for field in TRACE_FIELDS)
            return not own and bool(decode(text[len(BOM_UTF8) :] if text[: len(BOM_UTF8)] == BOM_UTF8 else text))
    return False


def stray_lines(command: str, what: str, strays: Iterable[Path]) -> Iterator[str]:
    """A line for each folder in which files stand beside those that the command wrote, and may be taken for them."""
    for folder, paths in groupby(sorted(strays), lambda path: path.parent):
        names = [path.name for path in paths]
        yield f"{folder}: {len(names)} {what} that {command} did not write: {', '.join(names[:MOST_SHOWN])}"


def trace_problems(paths: Iterable[Path]) -> Iterator[str | None]:
    """What is wrong with each trace of the files; empty for one that is as it was written, None without a digest."""
    for source in find_sources(paths):
        for path, text in read_texts(source):
            yield trace_problem(path, text)


def trace_problem(path: str, text: bytes | TraceError) -> str | None:
    """What is wrong with the trace; empty for nothing, None where it has no digest."""
    if isinstance(text, TraceError):
        return f"{path}: {text.reason}"
    try:
        trace = decode(text)
    except Unreadable as error:
        return f"{path}: {error.reason}"
    if trace.record_sha256 is None:
        return None
    return "" if trace.record_sha256 == record_digest(trace) else f"{path}: the trace was changed since it was written"
