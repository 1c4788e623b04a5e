"""The figures that docs/benchmarks.md and docs/scale.md quote, built from the results of `make bench`."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.reports.documents.markdown import table

MEASURED = Path("docs/benchmarks.json")

Work = Mapping[str, Mapping[str, Any]]


class Bound(NamedTuple):
    """What a figure cannot be below: a figure of the same work, of what it is the time, and the figure over it."""

    figure: str
    of: str
    over: str


class Row(NamedTuple):
    """A line of the table: what is measured, by which figure of which work, in which unit, its target and bound."""

    what: str
    work: str
    figure: str
    unit: str
    target: str
    met: Callable[[float], bool] | None = None
    bound: Bound | None = None


HEAD = ("work", "target", "measured", "× kernel", "bound", "× bound", "met")
HARNESS, SCRIPT = "the public harness", "the public VPS script"


def _decoding(choice: str = "") -> Bound:
    """The bound of deriving so chosen tables, in CPU seconds."""
    return Bound("bound_cpu", "decoding", f"cpu{choice}")


def _idle(change: str) -> Bound:
    """The bound of `dvc repro` after a change: that with nothing to do."""
    return Bound("second_seconds", "nothing to do", f"{change}_seconds")


# Those that compare like with like come first. Targets that are a multiple of another program's speed are not judged:
# the suite needs nothing outside the project.
ROWS = (
    Row(
        "play the 288 baseline games", "play", "seconds", "s", f"≥ 8 × {HARNESS}", None,
        Bound("bound_cpu", "packing the traces", "cpu"),
    ),
    Row(
        "make, solve and choose from 1,800 candidates", "select", "seconds", "s", f"≥ 4 × {HARNESS}", None,
        Bound("bound_cpu", "solving them", "cpu"),
    ),
    Row(
        "the four privacy tables of 3,600 baseline traces (JSON), as CSV", "derive", "seconds_four", "s",
        f"≥ 8 × {SCRIPT}", None, _decoding("_four"),
    ),
    Row("all 26 tables of them, as Parquet and CSV", "derive", "seconds", "s", f"≥ 5 × {SCRIPT}", None, _decoding()),
    Row(
        "the same: CPU a trace", "derive", "ms_a_trace", "ms", "≤ 1.4 ms", lambda v: v <= 1.4, _decoding()
    ),
    Row(
        "all tables as Parquet alone: CPU a trace", "derive", "ms_a_trace_parquet", "ms", "≤ 1.4 ms",
        lambda v: v <= 1.4, _decoding("_parquet"),
    ),
    Row("all tables: memory", "derive", "memory_mb", "MB", "under 2,000 MB", lambda v: v < 2_000),
    Row(
        "start of `python -m sim --help`", "startup", "sim_seconds", "s", "under 0.3 s", lambda v: v < 0.3,
        Bound("bound_seconds", "starting Python", "sim_seconds"),
    ),
    Row(
        "start of `python -m pipeline --help`", "startup", "pipeline_seconds", "s", "under 0.3 s", lambda v: v < 0.3,
        Bound("bound_seconds", "starting Python", "pipeline_seconds"),
    ),
    Row("count a task's assignments: median", "count", "median_ms", "ms", "≤ 5 ms", lambda v: v <= 5),
    Row("count a task's assignments: longest of 72", "count", "most_ms", "ms", "≤ 5 ms", lambda v: v <= 5),
    Row("typed VPS to Parquet, × decoding by Python's json", "typed", "times_standard", "×", "≤ 3 ×", lambda v: v <= 3),
    Row("typed VPS to Parquet, × decoding to objects", "typed", "times_objects", "×", "≤ 3 ×", lambda v: v <= 3),
    Row("typed VPS to Parquet, × decoding to records", "typed", "times_records", "×", "≤ 3 ×", lambda v: v <= 3),
    Row(
        "English messages a second of CPU, all tables", "english", "messages_a_cpu_second", "messages/s", "≥ 15,000",
        lambda v: v >= 15_000, _decoding(),
    ),
    Row(
        "the same, read alone, where no sentence repeats", "english", "read_afresh_a_cpu_second", "messages/s",
        "≥ 20,000", lambda v: v >= 20_000, Bound("bound_afresh_cpu", "splitting into sentences", "afresh_cpu"),
    ),
    Row("36,000 traces: memory", "growth", "memory_mb_36000", "MB", "under 2,000 MB", lambda v: v < 2_000),
    Row("one game of simulated negotiators: mean", "negotiator", "mean_ms", "ms", "≤ 30 ms", lambda v: v <= 30),
    Row("64 LLM games: CPU a call over bare LiteLLM", "models", "more_ms_a_call", "ms", "≤ 2 ms", lambda v: v <= 2),
    Row("`dvc repro` from nothing", "repro", "first_seconds", "s", "≤ 150 s", lambda v: v <= 150),
    Row("`dvc repro` once more", "repro", "second_seconds", "s", "≤ 4 s", lambda v: v <= 4),
    Row(
        "the same, after a change of one plot", "repro", "plot_seconds", "s", "≤ 15 s", lambda v: v <= 15, _idle("plot")
    ),
    Row(
        "the same, after a change of one statistic", "repro", "statistic_seconds", "s", "≤ 40 s", lambda v: v <= 40,
        _idle("statistic"),
    ),
    Row(
        "the same, after a change of the report", "repro", "report_seconds", "s", "≤ 10 s", lambda v: v <= 10,
        _idle("report"),
    ),
    Row("stages of the study", "repro", "stages", "", "≤ 40", lambda v: v <= 40),
    Row(
        "`make test` in a fresh clone", "checks", "test_seconds", "s", "≤ 60 s", lambda v: v <= 60,
        Bound("collect_seconds", "collecting the tests", "test_seconds"),
    ),
    Row("`.ci/run`, whole", "checks", "ci_seconds", "s", "≤ 360 s", lambda v: v <= 360),
)  # fmt: skip


def machines(measured: Path = MEASURED) -> str:
    """One line for each machine and day on which something was measured."""
    lines: dict[str, list[str]] = {}
    for name, run in _read_measured(measured)["work"].items():
        m = run["machine"]
        packages = ", ".join(f"{package} {number}" for package, number in m["packages"].items())
        kernel = f"calibration kernel {run['calibration_seconds']:.3f} s; load {m['load_at_start']} at the start"
        line = (
            f"{m['date']}: {m['cpu']}, {m['cores']} cores, {m['memory_gb']} GiB, {m['system']}, Python {m['python']}, "
            f"{packages}; {kernel}"
        )
        lines.setdefault(line, []).append(name)
    return "\n".join(f"- {line} ({', '.join(names)})" for line, names in lines.items())


def figures(measured: Path = MEASURED) -> str:
    """A line a figure: its target, its value, that as a multiple of the calibration kernel's, its bound, and how many
    times the bound it takes."""
    return figure_table(_read_measured(measured)["work"])


def growth(measured: Path = MEASURED) -> str:
    """A line a number of traces: seconds, CPU, memory, and CPU a thousand games."""
    return growth_table(_read_measured(measured)["work"].get("growth"))


def profiles(measured: Path = MEASURED) -> str:
    """For each path its hottest functions."""
    parts = []
    head = ("function", "calls", "own share")
    for path, lines in _read_measured(measured).get("profiles", {}).items():
        rows = [(f"`{line['function']}`", f"{line['calls']:,}", f"{line['share']:.1%}") for line in lines]
        parts.append(f"### {path}\n\n{table(head, rows, right=head[1:])}")
    return "\n\n".join(parts) or "Not measured."


def a_game(measured: Path = MEASURED) -> str:
    """What a thousand baseline games take, and ten million."""
    return game_table(_read_measured(measured)["work"])


def _read_measured(measured: Path) -> dict[str, Any]:
    """What `make bench` measured."""
    measured_work: dict[str, Any] = json.loads(measured.read_text(encoding="utf-8"))
    return measured_work


def figure_table(work: Work) -> str:
    """The table of `figures`, from the measured work."""
    return table(HEAD, [_figure_row(row, work.get(row.work)) for row in ROWS], right=(*HEAD[2:4], HEAD[5]))


def _figure_row(row: Row, run: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The cells of a figure's line."""
    if run is None or row.figure not in run["figures"]:
        return (row.what, row.target, "not measured", "", "", "", "")
    value, multiple = run["figures"][row.figure], run["multiples"].get(row.figure)
    met = "" if row.met is None else "yes" if row.met(value) else "**no**"
    measured = f"{format_number(value)} {row.unit}"
    return (row.what, row.target, measured, "" if multiple is None else f"{multiple:,.1f}", *_bound(row, run), met)


def _bound(row: Row, run: Mapping[str, Any]) -> tuple[str, str]:
    """The figure's bound, and how many times as much is taken; empty where there is none or it was not measured."""
    figures = run["figures"]
    if row.bound is None or row.bound.figure not in figures:
        return "", ""
    least = figures[row.bound.figure]
    return f"{row.bound.of}: {format_number(least)} s", f"{figures[row.bound.over] / least:,.1f}"


def format_number(value: float) -> str:
    """A number at three significant figures; from 100 on as a whole number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def trace_counts(run: Mapping[str, Any]) -> list[int]:
    """The numbers of traces for which growth was measured, ascending. run: the work `growth`."""
    return sorted(int(name.removeprefix("seconds_")) for name in run["figures"] if name.startswith("seconds_"))


def growth_table(run: Mapping[str, Any] | None) -> str:
    """The table of `growth`, from one run of it."""
    if not run:
        return "Not measured."
    measured = run["figures"]
    rows = []
    for n in trace_counts(run):
        cpu = measured[f"cpu_{n}"]
        cells = (measured[f"seconds_{n}"], cpu, 1_000 * cpu / n, measured[f"memory_mb_{n}"])
        rows.append((f"{n:,}", *map(format_number, cells)))
    head = ("traces", "seconds", "CPU s", "CPU s a thousand", "memory, MB")
    return table(head, rows, right=head)


def game_table(work: Work) -> str:
    """The table of `a_game`, from the measured work."""
    if "growth" not in work or "play" not in work:
        return "Not measured."
    grown, played = work["growth"]["figures"], work["play"]["figures"]
    most = max(trace_counts(work["growth"]))
    sizes = (
        ("trace, packed with zstd", grown["trace_bytes_a_game"] / 1e9, "GB"),
        ("Parquet, all tables", grown["parquet_bytes_a_game"] / 1e9, "GB"),
        ("playing, one core", played["cpu"] / played["games"] / 3_600, "core hours"),
        ("deriving all tables, one core", grown[f"cpu_{most}"] / most / 3_600, "core hours"),
    )
    rows = []
    for what, one, unit in sizes:
        small = f"{format_number(one * 1e6)} MB" if unit == "GB" else f"{format_number(one * 3_600_000)} core seconds"
        rows.append((what, small, f"{format_number(one * 1e7)} {unit}"))
    head = ("what", "a thousand games", "ten million games")
    return table(head, rows, right=head[1:])
