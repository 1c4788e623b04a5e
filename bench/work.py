"""The benchmarks: one function each, which returns figures by name."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from bench import inputs
from bench.measure import cpu_seconds, median_usage, run_process

Figures = dict[str, float]

RUNS = 3
CANDIDATES = 1_800  # of both settings
GROWTH = (360, 1_200, 3_600, 12_000, 36_000)
# Which tables are derived in which form: what it adds to a figure's name → options of the command.
CHOICES = {
    "": (),
    "_parquet": ("--format", "parquet"),
    "_four": ("--tables", "privacy", "--format", "csv"),
}

# What a day's work changes: a plot of one notebook, a statistic with a result, and the command that writes reports.
CHANGED = {
    "plot": ("pipeline/reports/plots/planes.py", "privacy_plane"),
    "statistic": ("pipeline/statistics/robustness/excess.py", "excess_table"),
    "report": ("pipeline/reports/batch/command.py", "report"),
}


def startup(folder: Path) -> Figures:
    """Seconds of `--help` of both commands; bound: of starting Python and ending it."""
    words = {"sim": ["-m", "sim", "--help"], "pipeline": ["-m", "pipeline", "--help"], "bound": ["-c", "pass"]}
    return {
        f"{name}_seconds": median_usage([run_process(["python", *arguments]) for _ in range(5)]).seconds
        for name, arguments in words.items()
    }


def play(folder: Path) -> Figures:
    """Playing 288 baseline games, as a whole process that writes each trace to a file; bound: packing those traces."""
    from sim.game.trace import packed, read

    tasks = inputs.tasks(folder)
    runs = [run_process(inputs.run_command(tasks, inputs.PROTOCOLS, folder / f"play{n}")) for n in range(RUNS)]
    usage = median_usage(runs)
    paths = list((folder / "play0").rglob("*.zst"))
    size, traces = sum(p.stat().st_size for p in paths), [read(p) for p in paths]
    bound = min(cpu_seconds(lambda: [packed(trace) for trace in traces]) for _ in range(RUNS))
    return {
        "seconds": usage.seconds,
        "cpu": usage.cpu,
        "bound_cpu": bound,
        "games": float(len(paths)),
        "bytes_a_game": size / len(paths),
    }


def select(folder: Path) -> Figures:
    """Making and solving 1,800 candidate tasks, and choosing from them, in both settings; bound: solving so many on one
    core, each at the mean of the paper's 72."""
    from sim.tasks.oracle import solve
    from sim.tasks.suite import read_tasks

    tasks = read_tasks(inputs.tasks(folder))
    solving = min(cpu_seconds(lambda: [solve(task.calendars, task.meetings) for task in tasks]) for _ in range(RUNS))
    commands = [
        ["python", "-m", "sim", "select", "--setting", setting, "--out", str(folder / f"chosen-{setting}.csv")]
        for setting in ("uniform", "varied")
    ]
    both = [[run_process(command) for command in commands] for _ in range(RUNS)]
    return {
        "seconds": median(sum(t.seconds for t in pair) for pair in both),
        "cpu": median(sum(t.cpu for t in pair) for pair in both),
        "candidates": float(CANDIDATES),
        "bound_cpu": solving * CANDIDATES / len(tasks),
    }


def count(folder: Path) -> Figures:
    """Counting feasible and optimal assignments of the 72 tasks, in milliseconds a task."""
    from sim.tasks.oracle import count as count_assignments
    from sim.tasks.suite import read_tasks

    tasks = read_tasks(inputs.tasks(folder))
    taken = [
        min(cpu_seconds(partial(count_assignments, task.calendars, task.meetings)) for _ in range(RUNS))
        for task in tasks
    ]
    return {"median_ms": 1_000 * median(taken), "most_ms": 1_000 * max(taken)}


def derive(folder: Path) -> Figures:
    """Deriving tables from 3,600 baseline traces in JSON: all, all as Parquet alone, and the four of the public script,
    in its form; bound: decoding the traces to records, on one core."""
    traces = inputs.as_json(inputs.baselines(folder), folder / "json")
    size = sum(p.stat().st_size for p in traces.iterdir())
    figures = {
        "traces": float(inputs.TRACES),
        "megabytes": size / 1e6,
        "bound_cpu": min(_cpu_in_child("records", traces) for _ in range(RUNS)),
    }
    for name, options in CHOICES.items():
        command = [*derive_command(traces, folder / f"tables{name}"), *options]
        usage = median_usage([run_process(command) for _ in range(RUNS)])
        figures |= {
            f"seconds{name}": usage.seconds,
            f"cpu{name}": usage.cpu,
            f"memory_mb{name}": usage.memory / 1e6,
            f"ms_a_trace{name}": 1_000 * usage.cpu / inputs.TRACES,
        }
    return figures | {"megabytes_a_second": size / 1e6 / figures["seconds"]}


def derive_command(traces: Path, out: Path) -> list[str | Path]:
    """The command that derives all tables."""
    return ["python", "-m", "pipeline", "derive", traces, "--out", out]


def typed(folder: Path) -> Figures:
    """Typed VPS of 360 traces, written to Parquet, beside merely decoding them, in seconds of CPU.

    Decoding is to objects with Python's json, to objects with msgspec, and to the records that tables are made from.
    """
    paths = inputs.baselines(folder)[::10]
    traces = inputs.as_json(paths, folder / "some")
    taken = {
        work: min(_cpu_in_child(work, traces) for _ in range(RUNS))
        for work in ("standard", "objects", "records", "scoring")
    }
    return {
        "standard_cpu": taken["standard"],
        "objects_cpu": taken["objects"],
        "records_cpu": taken["records"],
        "vps_cpu": taken["scoring"],
        "times_standard": taken["scoring"] / taken["standard"],
        "times_objects": taken["scoring"] / taken["objects"],
        "times_records": taken["scoring"] / taken["records"],
    }


def _cpu_in_child(work: str, traces: Path) -> float:
    """Seconds of CPU that the work takes in a process of its own on one core, without starting it."""
    code = f"from bench.profiles import print_cpu_seconds; print_cpu_seconds({work!r})"
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    child = subprocess.run([sys.executable, "-c", code, str(traces)], env=environment, check=True, capture_output=True)
    return float(child.stdout)


def english(folder: Path) -> Figures:
    """English messages a second of CPU: while all tables are derived (bound: while traces are decoded and no more), and
    read alone where no sentence repeats."""
    import polars as pl

    traces = inputs.negotiators(folder)
    usage = median_usage([run_process(derive_command(traces, folder / "english")) for _ in range(RUNS)])
    messages = pl.read_parquet(folder / "english" / "messages.parquet", glob=False).filter(pl.col("typed").is_null())
    return {
        "seconds": usage.seconds,
        "cpu": usage.cpu,
        "messages": float(messages.height),
        "messages_a_cpu_second": messages.height / usage.cpu,
        "bound_cpu": _cpu_in_child("records", traces),
        **_read_afresh(messages["content"].to_list()),
    }


def _read_afresh(contents: Sequence[str]) -> Figures:
    """Messages read a second of CPU, of those in which no sentence with a number stood before, whatever its number;
    bound: folding their letters and splitting them into sentences."""
    from pipeline.privacy.language.messages import language_runs
    from pipeline.privacy.language.scan import fold, scanner, sentences
    from pipeline.privacy.rules import RULES

    seen: set[str] = set()
    fresh = []
    for content in contents:
        numbered = {text.strip() for _, text, *_ in sentences(fold(content)) if "0" in text}
        if numbered and numbered.isdisjoint(seen):
            seen |= numbered
            fresh.append(content)
    scanner().compile_all()
    bound = min(cpu_seconds(lambda: [list(sentences(fold(content))) for content in fresh]) for _ in range(RUNS))
    taken = cpu_seconds(lambda: [language_runs(content, 0, RULES["paper"]) for content in fresh])
    return {
        "afresh_cpu": taken,
        "bound_afresh_cpu": bound,
        "read_afresh_a_cpu_second": len(fresh) / taken,
    }


def growth(folder: Path) -> Figures:
    """Seconds, CPU and memory of deriving all tables from zstd files as the number of traces grows."""
    paths, figures = inputs.baselines(folder), Figures()
    for number in GROWTH:
        traces = inputs.copies(paths, number, folder / f"grown{number}")
        usage = run_process(derive_command(traces, folder / "grown"))
        figures |= {
            f"seconds_{number}": usage.seconds,
            f"cpu_{number}": usage.cpu,
            f"memory_mb_{number}": usage.memory / 1e6,
        }
    tables = sum(p.stat().st_size for p in (folder / "grown").glob("*.parquet"))
    packed = sum(p.stat().st_size for p in (folder / f"grown{GROWTH[-1]}").rglob("*.zst"))
    return figures | {"parquet_bytes_a_game": tables / GROWTH[-1], "trace_bytes_a_game": packed / GROWTH[-1]}


def negotiator(folder: Path) -> Figures:
    """One game of simulated negotiators, in milliseconds of CPU."""
    from machine.cores import no_garbage_collection
    from sim.game.game import Limits
    from sim.runs.play import play_game
    from sim.runs.runner import jobs_for
    from sim.runs.teams import load_team
    from sim.tasks.suite import read_tasks

    jobs = jobs_for(read_tasks(inputs.tasks(folder)), [load_team(s) for s in inputs.STYLES], Limits(), 1, folder)
    with no_garbage_collection():
        taken = [cpu_seconds(partial(play_game, job.play)) for job in jobs]
    return {
        "mean_ms": 1_000 * sum(taken) / len(taken),
        "median_ms": 1_000 * median(taken),
        "most_ms": 1_000 * max(taken),
    }


def models(folder: Path) -> Figures:
    """64 games of language models at once against a stub that answers in 200 ms, beside LiteLLM alone."""
    from bench.models import models as measure_models

    return measure_models(inputs.tasks(folder))


def repro(folder: Path) -> Figures:
    """`dvc repro` of every stage in a clone of the last commit, a second time with nothing to do, and after changes of
    one function each.

    The first is forced: executed notebooks and figures are committed, so DVC would skip their stages.
    """
    clone = inputs.cloned(folder)
    figures = {
        "first_seconds": run_process(["dvc", "repro", "--force"], clone).seconds,
        "second_seconds": run_process(["dvc", "repro"], clone).seconds,
    }
    for what, (path, function) in CHANGED.items():
        inputs.change(clone / path, function)
        figures[f"{what}_seconds"] = run_process(["dvc", "repro"], clone).seconds
    return figures | {"stages": float((clone / "dvc.lock").read_text(encoding="utf-8").count("\n    cmd:"))}


def checks(folder: Path) -> Figures:
    """`make test` and `.ci/run` in a clone of the last commit, in this environment; bound: collecting the tests."""
    clone = inputs.cloned(folder)
    inputs.share_environment(clone)
    return {
        "test_seconds": run_process(["make", "test"], clone).seconds,
        "collect_seconds": run_process(["pytest", "--collect-only", "-m", "not slow"], clone).seconds,
        "ci_seconds": run_process([".ci/run"], clone).seconds,
    }


WORK: dict[str, Callable[[Path], Figures]] = {
    "startup": startup,
    "play": play,
    "select": select,
    "count": count,
    "derive": derive,
    "typed": typed,
    "english": english,
    "growth": growth,
    "negotiator": negotiator,
    "models": models,
    "repro": repro,
    "checks": checks,
}
# Left out of `make bench`: each takes as long as all others together.
LONG = ("repro", "checks")
