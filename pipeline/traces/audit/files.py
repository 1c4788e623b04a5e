"""Auditing files: on all cores, into one table, and summed up by team, condition and code."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from machine.processes import cores, no_garbage_collection
from machine.terminal import escaped
from pipeline.tables.schemas.base import AUDIT
from pipeline.tables.shards import table_executor
from pipeline.traces.audit.auditor import Audited, audited
from pipeline.traces.audit.codes import CODES, ERROR, Divergence, Findings
from pipeline.traces.sources import Source, find_sources, read_texts
from pipeline.traces.trace import TraceError

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES = 64
SUMMARY = ("team", "condition", "audited", "code", "severity", "traces", "divergences")
CLEAN = "none"


def audit_files(
    inputs: Sequence[Path], workers: int | None = None, progress: Progress = lambda done, total: None
) -> list[Audited]:
    """Every trace in the files and folders given, audited, sorted by its path.

    `progress` is called with (files read, files in all). Raises FileNotFoundError for an input that does not exist.
    """
    sources = find_sources(inputs)
    workers = min(workers or cores(), max(1, len(sources)))
    size = max(1, min(CHUNK_FILES, -(-len(sources) // (4 * workers))))
    calls = [(sources[i : i + size],) for i in range(0, len(sources), size)]
    found: list[Audited] = []
    done = 0
    progress(0, len(sources))
    with table_executor(workers) as run:
        for _, (files, part) in run(audit_chunk, calls):
            found += part
            done += files
            progress(done, len(sources))
    return sorted(found, key=lambda a: in_pack(a.trace_path))


def audit_chunk(sources: Sequence[Source]) -> tuple[int, list[Audited]]:
    """How many files these are, and their traces, audited."""
    with no_garbage_collection():
        return len(sources), [audit_text(path, text) for source in sources for path, text in read_texts(source)]


def audit_text(path: str, text: bytes | TraceError) -> Audited:
    """One trace, audited; a file that could not be unpacked is `unreadable`."""
    if not isinstance(text, TraceError):
        return audited(text, path)
    findings = Findings(path)
    findings.add("unreadable", "", text.reason, text.place)
    return Audited(path, "unknown", "unknown", tuple(findings.found))


def in_pack(path: str) -> tuple[str, int]:
    """A trace's file and line, so that line 10 follows line 9."""
    file, _, line = path.rpartition("#")
    return (file, int(line)) if file and line.isdecimal() else (path, 0)


def errors(found: Sequence[Audited]) -> list[Divergence]:
    """The divergences that no trace may have."""
    return [d for a in found for d in a.divergences if d.severity == ERROR]


def table(found: Sequence[Audited]) -> "pl.DataFrame":
    """One row a divergence."""
    from pipeline.tables import io

    return io.to_frame(AUDIT, [(*astuple(d), number) for a in found for number, d in enumerate(a.divergences)])


def summary(found: Sequence[Audited]) -> "pl.DataFrame":
    """One row a team, condition and code; a team and condition without any divergence has one row, with code none."""
    import polars as pl

    groups: dict[tuple[str, str], list[Audited]] = defaultdict(list)
    for one in found:
        groups[one.team, one.condition].append(one)
    rows = [(*who, len(games), *counts) for who, games in sorted(groups.items()) for counts in by_code(games)]
    counted = {"audited": pl.Int64, "traces": pl.Int64, "divergences": pl.Int64}
    return pl.DataFrame(rows, {name: counted.get(name, pl.String) for name in SUMMARY}, orient="row")


def by_code(found: Sequence[Audited]) -> list[tuple[str, str, int, int]]:
    """(code, severity, traces that have it, divergences), in the order of the codes."""
    divergences = Counter((d.code, d.severity) for a in found for d in a.divergences)
    traces = Counter(key for a in found for key in {(d.code, d.severity) for d in a.divergences})
    order = sorted(divergences, key=lambda key: (list(CODES).index(key[0]), key[1]))
    return [(*key, traces[key], divergences[key]) for key in order] or [(CLEAN, "", 0, 0)]


def line(found: Divergence) -> str:
    """A divergence as one line."""
    places = (("round", found.round), ("event", found.event_index), ("agent", found.agent))
    where = "".join(f" {name} {value}" for name, value in places if value is not None)
    said = f"expected {found.expected}, found {found.found}" if found.expected or found.found else ""
    more = "; ".join(part for part in (found.detail, said) if part)
    return escaped(f"{found.severity} {found.code} {found.trace_path}{where}: {more}")


def report(found: Sequence[Audited]) -> list[str]:
    """The lines that sum an audit up: one a code, then the traces in all."""
    clean = sum(not a.divergences for a in found)
    lines = [
        f"{code} ({severity}): {times} in {traces} of {len(found)} traces. {CODES[code].meaning}"
        for code, severity, traces, times in by_code(found)
        if code != CLEAN
    ]
    return [*lines, f"{len(found)} traces audited, {clean} without a divergence, {len(errors(found))} errors"]


def publish(found: Sequence[Audited], out: Path | None) -> bool:
    """Print every divergence and the sums, and write the table where a folder is named. Whether there is no error."""
    for one in found:
        for divergence in one.divergences:
            print(line(divergence))
    print("\n".join(report(found)), file=sys.stderr)
    if out:
        from pipeline.tables.io import write_table

        out.mkdir(parents=True, exist_ok=True)
        write_table(table(found), AUDIT, out)
    return not errors(found)
