"""What is measured: one function each, which yields its figures. Inputs are made in a folder when first asked for."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median
from uuid import uuid4

import zstandard

from bench.measure import ROOT, RUNS, Figure, cpu_seconds, run_process

SIM, PIPELINE = (sys.executable, "-m", "sim"), (sys.executable, "-m", "pipeline")
HARNESS, SCRIPT = "the public harness", "the public VPS script"
SETTINGS = ("uniform", "varied")
TRACES, GROWTH = 3_600, (360, 3_600, 36_000)
# How tables are derived: options of the command, and their target.
CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "the four privacy tables of 3,600 baseline traces (JSON), as CSV": (
        ("--tables", "privacy", "--format", "csv"),
        f"≥ 8 × {SCRIPT}",
    ),
    "all tables of them, as Parquet and CSV": ((), f"≥ 5 × {SCRIPT}"),
}
# What a day's work changes, and the seconds in which the study may answer.
CHANGED = {
    "plot": ("pipeline/reports/plots/planes.py", 15.0),
    "statistic": ("pipeline/statistics/robustness/excess.py", 40.0),
    "report": ("pipeline/reports/batch/command.py", 10.0),
}


def startup(folder: Path) -> Iterator[Figure]:
    bound = run_process(sys.executable, "-c", "pass", runs=RUNS).seconds
    for name, program in (("sim", SIM), ("pipeline", PIPELINE)):
        seconds = run_process(*program, "--help", runs=RUNS).seconds
        yield Figure(
            f"start of `python -m {name} --help`", seconds, "s", 0.3, "starting Python", bound, seconds / bound
        )


def play(folder: Path) -> Iterator[Figure]:
    from sim.game.trace import packed, read

    usage = run_process(*SIM, "run", tasks(folder), *teams(*protocols()), "--out", folder / "played", runs=RUNS)
    traces = [read(path) for path in (folder / "played").rglob("*.zst")]
    bound = cpu_seconds(lambda: [packed(trace) for trace in traces])
    what, times = f"play the {len(traces)} baseline games", usage.cpu / bound
    yield Figure(what, usage.seconds, "s", f"≥ 8 × {HARNESS}", "packing the traces", bound, times)
    yield Figure("playing, one core", 1_000 * usage.cpu / len(traces), "ms a game")


def select(folder: Path) -> Iterator[Figure]:
    from sim.tasks.oracle import count, solve
    from sim.tasks.suite import read_tasks

    shapes = [(task.calendars, task.meetings) for task in read_tasks(tasks(folder))]
    bound = cpu_seconds(lambda: [solve(*shape) for shape in shapes]) * 1_800 / len(shapes)
    out = folder / "selected.csv"
    runs = [run_process(*SIM, "select", "--setting", setting, "--out", out, runs=RUNS) for setting in SETTINGS]
    seconds, times = sum(run.seconds for run in runs), sum(run.cpu for run in runs) / bound
    what = "make, solve and choose from 1,800 candidates"
    yield Figure(what, seconds, "s", f"≥ 4 × {HARNESS}", "solving them", bound, times)
    counting = [1_000 * cpu_seconds(lambda shape=shape: count(*shape)) for shape in shapes]  # type: ignore[misc]
    yield Figure("count a task's assignments: median", median(counting), "ms", 5.0)
    yield Figure("count a task's assignments: longest of 72", max(counting), "ms", 5.0)


def derive(folder: Path) -> Iterator[Figure]:
    traces = copies(baselines(folder), TRACES, folder / "json", packed=False)
    bound = decoding(traces)
    for what, (options, target) in CHOICES.items():
        usage = run_process(*PIPELINE, "derive", traces, "--out", folder / "tables", *options, runs=RUNS)
        yield Figure(what, usage.seconds, "s", target, "decoding", bound, usage.cpu / bound)
        yield Figure("the same: CPU a trace", 1_000 * usage.cpu / TRACES, "ms", 1.4)
        yield Figure("the same: memory", usage.memory, "MB", 2_000.0)


def english(folder: Path) -> Iterator[Figure]:
    import polars as pl

    traces, tables = folder / "negotiators", folder / "english"
    usage = run_process(*SIM, "run", tasks(folder), *teams("candid", "chatty"), "--repeats", "25", "--out", traces)
    yield Figure("one game of simulated negotiators: CPU", 1_000 * usage.cpu / (2 * 25 * 72), "ms", 30.0)
    usage, bound = run_process(*PIPELINE, "derive", traces, "--out", tables, runs=RUNS), decoding(traces)
    messages = pl.read_parquet(tables / "messages.parquet", glob=False)["typed"].null_count()
    what = "all tables of 3,600 games in English: CPU a message"
    yield Figure(what, 1e6 * usage.cpu / messages, "µs", 67.0, "decoding", bound, usage.cpu / bound)


def growth(folder: Path) -> Iterator[Figure]:
    for number in GROWTH:
        traces, tables = copies(baselines(folder), number, folder / f"grown{number}"), folder / f"tables{number}"
        usage = run_process(*PIPELINE, "derive", traces, "--out", tables)
        yield Figure(f"all tables of {number:,} packed traces", usage.seconds, "s")
        yield Figure("the same: memory", usage.memory, "MB", 2_000.0)
    yield Figure("deriving all tables, one core", 1_000 * usage.cpu / number, "ms a game")
    for what, paths in (("trace, packed", traces.glob("*.zst")), ("Parquet, all tables", tables.glob("*.parquet"))):
        yield Figure(what, sum(path.stat().st_size for path in paths) / number / 1e3, "KB a game")


def repro(folder: Path) -> Iterator[Figure]:
    """`dvc repro` in a clone of the last commit: of all stages, of none, and after changes of one file each."""
    clone = folder / "clone"
    run_process("git", "clone", "--quiet", ROOT, clone)
    yield Figure("`dvc repro` from nothing", run_process("dvc", "repro", "--force", folder=clone).seconds, "s", 150.0)
    idle = run_process("dvc", "repro", folder=clone).seconds
    yield Figure("`dvc repro` once more", idle, "s", 4.0)
    for what, (path, limit) in CHANGED.items():
        with (clone / path).open("a", encoding="utf-8") as file:
            file.write("pass\n")
        seconds = run_process("dvc", "repro", folder=clone).seconds
        name = f"the same, after a change of a {what}"
        yield Figure(name, seconds, "s", limit, "nothing to do", idle, seconds / idle)


WORK: dict[str, Callable[[Path], Iterator[Figure]]] = {
    work.__name__: work for work in (startup, play, select, derive, english, growth, repro)
}


def protocols() -> tuple[str, ...]:
    from sim.runs.teams import protocol_teams

    return tuple(protocol_teams())


def teams(*names: str) -> Iterable[str]:
    return (word for name in names for word in ("--team", name))


def tasks(folder: Path) -> Path:
    """The paper's 72 tasks."""
    path = folder / "tasks.jsonl"
    if not path.exists():
        run_process(*SIM, "suite", ROOT / "data/suites/paper72.csv", "--out", path)
    return path


def baselines(folder: Path) -> list[Path]:
    """Traces of the protocols' games on 918 tasks, of which none is twice."""
    out = folder / "baselines"
    for setting in SETTINGS if not out.exists() else ():
        options = ("--setting", setting, "--candidates", "51", "--per-third", "17")
        run_process(*SIM, "select", *options, "--out", listed := folder / f"{setting}.csv")
        run_process(*SIM, "suite", listed, "--out", suite := folder / f"{setting}.jsonl")
        run_process(*SIM, "run", suite, *teams(*protocols()), "--out", out / setting)
    return sorted(out.rglob("*.json.zst"))


def copies(paths: Sequence[Path], number: int, out: Path, packed: bool = True) -> Path:
    """A folder with so many traces: the given ones repeated, each copy with a game_id of its own."""
    out.mkdir()
    for i in range(number):
        with paths[i % len(paths)].open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            text = bytes(stream.read())
        game = text[text.index(b'"game_id":"') + 11 :][:36]
        text = text.replace(game, str(uuid4()).encode())
        compressed = zstandard.ZstdCompressor().compress(text) if packed else text
        (out / f"{i}.json{'.zst' * packed}").write_bytes(compressed)
    return out


def decoding(traces: Path) -> float:
    """Seconds of CPU of decoding the traces in a folder to records, on one core."""
    from pipeline.traces.sources import find_sources, read_texts
    from pipeline.traces.trace import decode_trace

    def decode() -> None:
        for source in find_sources([traces]):
            for _, text in read_texts(source):
                decode_trace(text if isinstance(text, bytes) else b"")

    return cpu_seconds(decode)
