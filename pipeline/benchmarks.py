"""The figures that docs/benchmarks.md and docs/scale.md quote, built from the results of `make bench`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Work = Mapping[str, Mapping[str, Any]]


class Row(NamedTuple):
    """A line of the table: what is done, which figure tells it, in which unit, and what was aimed at."""

    what: str
    work: str
    figure: str
    unit: str
    target: str
    met: Callable[[float], bool] | None = None


# Targets that are a multiple of another program's speed are not judged: the suite needs nothing outside the project.
ROWS = (
    Row("start of `python -m sim --help`", "startup", "sim_seconds", "s", "under 0.3 s", lambda v: v < 0.3),
    Row("start of `python -m pipeline --help`", "startup", "pipeline_seconds", "s", "under 0.3 s", lambda v: v < 0.3),
    Row("play the 288 baseline games", "play", "seconds", "s", "≥ 8 × the public harness"),
    Row("make, solve and choose from 1,800 candidates", "select", "seconds", "s", "≥ 4 × the public harness"),
    Row("count a task's assignments: median", "count", "median_ms", "ms", "≤ 5 ms", lambda v: v <= 5),
    Row("count a task's assignments: longest of 72", "count", "most_ms", "ms", "≤ 5 ms", lambda v: v <= 5),
    Row(
        "all tables, both modes, of 3,600 baseline traces (JSON)", "derive", "seconds", "s",
        "≥ 10 × the public VPS script, ≤ 3.7 s", lambda v: v <= 3.7,
    ),
    Row("the same: memory", "derive", "memory_mb", "MB", "under 2,000 MB", lambda v: v < 2_000),
    Row("typed VPS to Parquet, × decoding by Python's json", "typed", "times_standard", "×", "≤ 3 ×", lambda v: v <= 3),
    Row("typed VPS to Parquet, × decoding to objects", "typed", "times_objects", "×", "≤ 3 ×", lambda v: v <= 3),
    Row("typed VPS to Parquet, × decoding to records", "typed", "times_records", "×", "≤ 3 ×", lambda v: v <= 3),
    Row(
        "English messages a second of CPU, all tables", "english", "messages_a_cpu_second", "messages/s", "≥ 20,000",
        lambda v: v >= 20_000,
    ),
    Row("36,000 traces: memory", "growth", "memory_mb_36000", "MB", "under 2,000 MB", lambda v: v < 2_000),
    Row("one game of simulated negotiators: mean", "negotiator", "mean_ms", "ms", "≤ 30 ms", lambda v: v <= 30),
    Row("64 LLM games: CPU a call over bare LiteLLM", "models", "more_ms_a_call", "ms", "≤ 2 ms", lambda v: v <= 2),
    Row("`dvc repro` from nothing", "repro", "first_seconds", "s", "≤ 360 s", lambda v: v <= 360),
    Row("`dvc repro` once more", "repro", "second_seconds", "s", "≤ 4 s", lambda v: v <= 4),
    Row("stages of the study", "repro", "stages", "", "≤ 40", lambda v: v <= 40),
)  # fmt: skip


def pieces(results: Path) -> dict[str, str]:
    """What stands between the marks of the two documents, from the results' JSON."""
    found = json.loads(results.read_text(encoding="utf-8"))
    work: Work = found["work"]
    return {
        "machine": machines(work),
        "figures": table(work),
        "growth": growth(work.get("growth")),
        "profiles": profiles(found.get("profiles", {})),
        "a_game": a_game(work),
    }


def machines(work: Work) -> str:
    """One line for each machine and day on which something was measured."""
    lines: dict[str, list[str]] = {}
    for name, found in work.items():
        m = found["machine"]
        packages = ", ".join(f"{package} {number}" for package, number in m["packages"].items())
        kernel = f"calibration kernel {found['calibration_seconds']:.3f} s; load {m['load_at_start']} at the start"
        line = (
            f"{m['date']}: {m['cpu']}, {m['cores']} cores, {m['memory_gb']} GiB, {m['system']}, Python {m['python']}, "
            f"{packages}; {kernel}"
        )
        lines.setdefault(line, []).append(name)
    return "\n".join(f"- {line} ({', '.join(names)})" for line, names in lines.items())


def table(work: Work) -> str:
    """A line a figure: what was aimed at, what was measured, and the same as a multiple of the calibration kernel."""
    lines = ["| work | target | measured | × kernel | met |", "| --- | --- | ---: | ---: | --- |"]
    for row in ROWS:
        found = work.get(row.work)
        if found is None or row.figure not in found["figures"]:
            lines.append(f"| {row.what} | {row.target} | not measured | | |")
            continue
        value = found["figures"][row.figure]
        multiple = found["multiples"].get(row.figure)
        met = "" if row.met is None else "yes" if row.met(value) else "**no**"
        times = "" if multiple is None else f"{multiple:,.1f}"
        lines.append(f"| {row.what} | {row.target} | {shown(value)} {row.unit} | {times} | {met} |")
    return "\n".join(lines)


def shown(value: float) -> str:
    """Three figures, or all of a large number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def numbers(found: Mapping[str, Any]) -> list[int]:
    """The numbers of traces that growth was measured at."""
    return sorted(int(name.removeprefix("seconds_")) for name in found["figures"] if name.startswith("seconds_"))


def growth(found: Mapping[str, Any] | None) -> str:
    """A line a number of traces: seconds, CPU, memory, and CPU a thousand games."""
    if not found:
        return "Not measured."
    figures = found["figures"]
    lines = ["| traces | seconds | CPU s | CPU s a thousand | memory, MB |", "| ---: | ---: | ---: | ---: | ---: |"]
    for n in numbers(found):
        cpu = figures[f"cpu_{n}"]
        cells = (figures[f"seconds_{n}"], cpu, 1_000 * cpu / n, figures[f"memory_mb_{n}"])
        lines.append(f"| {n:,} | {' | '.join(map(shown, cells))} |")
    return "\n".join(lines)


def profiles(found: Mapping[str, list[Mapping[str, Any]]]) -> str:
    """For each path its hottest functions."""
    parts = []
    for path, lines in found.items():
        rows = [f"| `{line['function']}` | {line['calls']:,} | {line['share']:.1%} |" for line in lines]
        parts.append("\n".join([f"### {path}\n", "| function | calls | own share |", "| --- | ---: | ---: |", *rows]))
    return "\n\n".join(parts) or "Not measured."


def a_game(work: Work) -> str:
    """What a baseline game takes, and ten million of them."""
    if "growth" not in work or "play" not in work:
        return "Not measured."
    figures, played = work["growth"]["figures"], work["play"]["figures"]
    most = max(numbers(work["growth"]))
    rows = (
        ("trace, packed with zstd", figures["trace_bytes_a_game"] / 1e9, "GB"),
        ("Parquet, all tables", figures["parquet_bytes_a_game"] / 1e9, "GB"),
        ("playing, one core", played["cpu"] / played["games"] / 3_600, "core hours"),
        ("deriving all tables, one core", figures[f"cpu_{most}"] / most / 3_600, "core hours"),
    )
    lines = ["| | a thousand games | ten million games |", "| --- | ---: | ---: |"]
    for what, one, unit in rows:
        small = f"{shown(one * 1e6)} MB" if unit == "GB" else f"{shown(one * 3_600_000)} core seconds"
        lines.append(f"| {what} | {small} | {shown(one * 1e7)} {unit} |")
    return "\n".join(lines)
