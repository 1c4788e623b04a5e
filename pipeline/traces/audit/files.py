"""Auditing files: on all cores, into one table, and summed up by team, condition and code."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from machine.cores import cores, map_unordered, no_garbage_collection
from machine.terminal import escaped
from pipeline.tables.paths import PAPER_SUITE, ROOT
from pipeline.tables.schemas.base import AUDIT
from pipeline.traces.answers import answer_lines, answers
from pipeline.traces.audit.auditor import TraceAudit, audit_trace
from pipeline.traces.audit.divergences import CODES, ERROR, Divergence, Findings
from pipeline.traces.audit.suites import Suites, read_suites
from pipeline.traces.sources import Source, find_sources, read_texts
from pipeline.traces.trace import TraceError

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int], None]

CHUNK_FILES = 64
SUMMARY = ("team", "condition", "audited", "code", "severity", "traces", "divergences")
CLEAN = "none"
MOST_DOUBTS = 20
# What `audit` writes into its folder, beside its manifest.
AUDIT_FILES = tuple(f"{AUDIT.name}{suffix}" for suffix in (".csv", ".parquet"))


def audit_files(
    inputs: Sequence[Path],
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
    suites: Sequence[Path] = (),
) -> list[TraceAudit]:
    """Every trace in the files and folders given, audited, sorted by its path, and held against the paper's tasks and
    those of the lists `suites`.

    `progress` is called with (files read, files in all). Raises FileNotFoundError for an input that does not exist, and
    SuiteError for a list that cannot be read.
    """
    tasks = read_suites((ROOT / PAPER_SUITE, *suites))
    sources = find_sources(inputs)
    workers = min(workers or cores(), max(1, len(sources)))
    size = max(1, min(CHUNK_FILES, -(-len(sources) // (4 * workers))))
    chunks = [sources[i : i + size] for i in range(0, len(sources), size)]
    audits: list[TraceAudit] = []
    done = 0
    progress(0, len(sources))
    for _, (files, part) in map_unordered(partial(audit_chunk, suites=tasks), chunks, workers):
        audits += part
        done += files
        progress(done, len(sources))
    return sorted(audits, key=lambda a: path_and_line(a.trace_path))


def audit_chunk(sources: Sequence[Source], suites: Suites) -> tuple[int, list[TraceAudit]]:
    """How many files these are, and their traces, audited."""
    with no_garbage_collection():
        return len(sources), [audit_text(p, text, suites) for source in sources for p, text in read_texts(source)]


def audit_text(path: str, text: bytes | TraceError, suites: Suites) -> TraceAudit:
    """One trace, audited; a file that could not be unpacked is `unreadable`."""
    if not isinstance(text, TraceError):
        return replace(audit_trace(text, path, suites), answers=answers(text))
    findings = Findings(path)
    findings.add("unreadable", "", text.reason, text.place)
    return TraceAudit(path, "unknown", "unknown", tuple(findings.divergences))


def path_and_line(path: str) -> tuple[str, int]:
    """A trace's file and line, so that line 10 follows line 9."""
    file, _, line = path.rpartition("#")
    return (file, int(line)) if file and line.isdecimal() else (path, 0)


def errors(audits: Sequence[TraceAudit]) -> list[Divergence]:
    """The divergences that no trace may have."""
    return [d for a in audits for d in a.divergences if d.severity == ERROR]


def table(audits: Sequence[TraceAudit]) -> "pl.DataFrame":
    """One row a divergence."""
    from pipeline.tables import io

    return io.to_frame(AUDIT, [(*astuple(d), number) for a in audits for number, d in enumerate(a.divergences)])


def summary(audits: Sequence[TraceAudit]) -> "pl.DataFrame":
    """One row a team, condition and code; a team and condition without any divergence has one row, with code none."""
    import polars as pl

    groups: dict[tuple[str, str], list[TraceAudit]] = defaultdict(list)
    for audit in audits:
        groups[audit.team, audit.condition].append(audit)
    rows = [(*who, len(games), *counts) for who, games in sorted(groups.items()) for counts in counts_by_code(games)]
    counted = {"audited": pl.Int64, "traces": pl.Int64, "divergences": pl.Int64}
    return pl.DataFrame(rows, {name: counted.get(name, pl.String) for name in SUMMARY}, orient="row")


def counts_by_code(audits: Sequence[TraceAudit]) -> list[tuple[str, str, int, int]]:
    """(code, severity, traces that have it, divergences), in the order of the codes."""
    divergences = Counter((d.code, d.severity) for a in audits for d in a.divergences)
    traces = Counter(key for a in audits for key in {(d.code, d.severity) for d in a.divergences})
    order = sorted(divergences, key=lambda key: (list(CODES).index(key[0]), key[1]))
    return [(*key, traces[key], divergences[key]) for key in order] or [(CLEAN, "", 0, 0)]


def divergence_line(divergence: Divergence) -> str:
    """A divergence as one line: severity, code, trace, where, what was expected and what is there."""
    d = divergence
    places = (("round", d.round), ("event", d.event_index), ("agent", d.agent))
    where = "".join(f" {name} {value}" for name, value in places if value is not None)
    difference = f"expected {d.expected}, found {d.found}" if d.expected or d.found else ""
    details = "; ".join(part for part in (d.detail, difference) if part)
    return escaped(f"{d.severity} {d.code} {d.trace_path}{where}: {details}")


def doubts(audits: Sequence[TraceAudit]) -> list[str]:
    """A line for each team and kind of error, and how many of its traces have it. No more than MOST_DOUBTS."""
    counts = Counter((a.team, code) for a in audits for code in {d.code for d in errors([a])})
    lines = [f"{n} traces of {team}: {code}. {CODES[code].meaning}" for (team, code), n in sorted(counts.items())]
    told = [escaped(f"the auditor finds errors in {line}") for line in lines[:MOST_DOUBTS]]
    more = f"the auditor finds more kinds of errors: {len(lines) - MOST_DOUBTS}."
    return [*told, more] if len(lines) > MOST_DOUBTS else told


def print_doubts(traces: Sequence[Path], workers: int) -> list[str]:
    """What the auditor finds wrong in the traces, as `doubts` has it, and how answers were read; printed too."""
    audits = audit_files(traces, workers or None)
    lines, shares = doubts(audits), list(answer_lines((a.team, a.answers) for a in audits))
    for line in [*(f"warning: {line} See `python -m pipeline audit`." for line in lines), *shares]:
        print(line, file=sys.stderr)
    return [*lines, *shares]


def report_lines(audits: Sequence[TraceAudit]) -> list[str]:
    """The lines that sum an audit up: one a code, then the traces in all."""
    clean = sum(not a.divergences for a in audits)
    lines = [
        f"{code} ({severity}): {times} in {traces} of {len(audits)} traces. {CODES[code].meaning}"
        for code, severity, traces, times in counts_by_code(audits)
        if code != CLEAN
    ]
    lines += answer_lines((a.team, a.answers) for a in audits)
    return [*lines, f"{len(audits)} traces audited, {clean} without a divergence, {len(errors(audits))} errors"]


def publish(audits: Sequence[TraceAudit], out: Path | None, made_from: Mapping[str, str]) -> None:
    """Write the table and its manifest where a folder is named, and then print every divergence and the sums.
    made_from: the traces' digest, as `held_origins` has it."""
    if out:
        from machine.output import staged
        from pipeline.tables.io import write_table

        with staged(out, "audit", AUDIT_FILES) as work:
            work.made_from = dict(made_from)
            write_table(table(audits), AUDIT, work.folder)
    for audit in audits:
        for divergence in audit.divergences:
            print(divergence_line(divergence))
    print("\n".join(report_lines(audits)), file=sys.stderr)
