"""Whether what a folder holds is whole, and belongs together: by manifests, and by the digests that traces carry."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import duckdb

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
from pipeline.tables.stamp import read_stamp, stale_problem
from pipeline.traces.audit.identity import record_digest
from pipeline.traces.audit.trace import Unreadable, decode
from pipeline.traces.sources import Source, find_sources, read_texts
from pipeline.traces.trace import TraceError

# The command whose manifests list traces; those of others list what was made from them.
RUN = "run"
# What every trace has.
TRACE_FIELDS = (b'"game_id"', b'"events"')
# What others are made from beside traces, and how its files end.
ENDINGS = {"tables": ".parquet", "results": ".csv"}
# The commands whose own tables nothing is made from.
LAST = ("audit", "judge", "site", "export")
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
    sources = {Path(source.name): source for source in find_sources([folder])}
    found = list(sources)
    traces = [path for path in found if listed.get(path, RUN) == RUN and is_trace(sources[path])]
    files = list(visible_files(folder)) if manifests else []
    present = {"traces": set[str]()}
    # What a command read of a folder is all that is found in it, rejected or not; others came since. If no trace is
    # there, other JSON says nothing of those that are elsewhere.
    for paths in {tuple(traces), tuple(found)} if manifests and traces else ():
        present["traces"] |= folder_digests(folder, filter(Path.is_file, paths))
    for kind, ending in ENDINGS.items():
        present[kind] = folder_digests(folder, (p for p in files if p.suffix == ending and listed.get(p) not in LAST))
    problems = [line for path in listed if path.suffix == ".duckdb" for line in database_problems(path)]
    problems += [line for m in manifests for line in (*wholeness_problems(m), *origin_problems(m, present))]
    for command, what, pattern in WHOLE_FOLDERS:
        folders = {m.path.parent for m in manifests if m.command == command}
        beside = {path for place in folders for path in place.glob(pattern)}.intersection(files).difference(listed)
        problems += stray_lines(command, what, beside)
    trace_lines = list(trace_problems(traces))
    problems += filter(None, trace_lines)
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


def database_problems(database: Path) -> Iterator[str]:
    """A line if the database's log holds what is not in it yet, and one if it holds other tables than lie here."""
    log = log_of(database)
    if log.is_file() and log.stat().st_size:
        yield f"{log} holds what was written to {database.name} since it was made"
    with suppress(duckdb.Error, OSError), duckdb.connect(str(database), read_only=True) as connection:
        if problem := stale_problem(read_stamp(connection), database):
            yield problem


def is_trace(source: Source) -> bool:
    """Whether a file may be a trace or a pack of them: the fields of a trace stand in its first text."""
    for _, text in read_texts(source):
        if isinstance(text, TraceError):
            return not (path := Path(source.name)).is_file() or path.suffix not in (".json", ".jsonl")
        return all(field in text for field in TRACE_FIELDS)
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
