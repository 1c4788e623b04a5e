"""Timing a command as a whole process, beside a calibration of the machine."""

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROUNDS = 5


def calibration() -> float:
    """Seconds of CPU of one run of the kernel on one core: the median of several."""
    return median(_timed() for _ in range(ROUNDS))


def _timed() -> float:
    begun = time.process_time()
    _objects()
    _columns()
    return time.process_time() - begun


def _objects() -> None:
    """Records made, sorted, counted, and written and read as JSON."""
    records = [
        {"slot": i * 7919 % 16, "agent": i % 5, "cost": i * 31 % 1000, "text": f"slot {i % 97}"} for i in range(60_000)
    ]
    records.sort(key=lambda r: (r["cost"], r["slot"]))
    costs: dict[object, int] = {}
    for record in records:
        costs[record["agent"]] = costs.get(record["agent"], 0) + int(str(record["cost"]))
    json.loads(json.dumps(records))


def _columns() -> None:
    """A million numbers sorted and summed by key."""
    import numpy as np

    values = (np.arange(1_000_000, dtype=np.int64) * 7_919) % 1_000_003
    order = np.argsort(values, kind="stable")
    np.add.reduceat(values[order], np.arange(0, len(values), 16))
    np.unique(values % 5_003, return_inverse=True)


ROOT = Path(__file__).parents[1]
EVERY = 0.05  # seconds between two looks at the memory


class Usage(NamedTuple):
    """Seconds by the clock and of CPU, and the most memory that a process and its children had at once, in bytes."""

    seconds: float
    cpu: float
    memory: int


class BenchmarkFailed(Exception):
    """A command that ended as it should not."""


def run_process(command: Sequence[str | Path], folder: Path = ROOT) -> Usage:
    """What a command takes from its start to its end. Raises BenchmarkFailed, with what it said, where it fails."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    running = subprocess.Popen(
        [sys.executable if word == "python" else str(word) for word in command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    most: list[int] = [0]
    watch = threading.Thread(target=_watch, args=(running, most), daemon=True)
    watch.start()
    _, said = running.communicate()
    watch.join()
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode:
        raise BenchmarkFailed(f"{' '.join(map(str, command))}: {said.decode(errors='replace')[-2000:]}")
    return Usage(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, max(most))


def _watch(running: subprocess.Popen[bytes], most: list[int]) -> None:
    while running.poll() is None:
        most.append(sum(map(_memory, _family(running.pid))))
        time.sleep(EVERY)


def _family(parent: int) -> list[int]:
    """The process and all that it began."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:
        return [parent]
    return [parent, *(pid for child in children for pid in _family(int(child)))]


def _memory(pid: int) -> int:
    """The memory that is a process's own: pages of files on the disk, which the system takes back, are not counted."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))) * 1024


def cpu_seconds(work: Callable[[], object]) -> float:
    """Seconds of CPU that work takes in this process."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def median_usage(runs: Sequence[Usage]) -> Usage:
    """The medians of several runs; of memory the most."""
    return Usage(median(r.seconds for r in runs), median(r.cpu for r in runs), max(r.memory for r in runs))
