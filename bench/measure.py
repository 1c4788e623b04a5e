"""Time and memory of a command, and the calibration kernel that tells how fast the machine is."""

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

ROOT = Path(__file__).parents[1]

CALIBRATION_RUNS = 5
SAMPLE_SECONDS = 0.05  # between two samples of the memory


class Usage(NamedTuple):
    """Seconds by the clock and of CPU, and the most memory of a process and its children at once, in bytes."""

    seconds: float
    cpu: float
    memory: int


class BenchmarkFailed(Exception):
    """A command ended with an error."""


def calibration() -> float:
    """Seconds of CPU of the calibration kernel on one core, the median of several runs."""
    return median(_run_kernel() for _ in range(CALIBRATION_RUNS))


def _run_kernel() -> float:
    begun = time.process_time()
    _python_objects()
    _numpy_columns()
    return time.process_time() - begun


def _python_objects() -> None:
    """Make, sort and count records, and write and read them as JSON."""
    records = [
        {"slot": i * 7919 % 16, "agent": i % 5, "cost": i * 31 % 1000, "text": f"slot {i % 97}"} for i in range(60_000)
    ]
    records.sort(key=lambda r: (r["cost"], r["slot"]))
    costs: dict[object, int] = {}
    for record in records:
        costs[record["agent"]] = costs.get(record["agent"], 0) + int(str(record["cost"]))
    json.loads(json.dumps(records))


def _numpy_columns() -> None:
    """Sort a million numbers and sum them by key."""
    import numpy as np

    values = (np.arange(1_000_000, dtype=np.int64) * 7_919) % 1_000_003
    order = np.argsort(values, kind="stable")
    np.add.reduceat(values[order], np.arange(0, len(values), 16))
    np.unique(values % 5_003, return_inverse=True)


def run_process(command: Sequence[str | Path], folder: Path = ROOT) -> Usage:
    """The usage of a command from start to end. Raises BenchmarkFailed, with its stderr, where it fails."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    running = subprocess.Popen(
        [sys.executable if word == "python" else str(word) for word in command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    samples: list[int] = [0]
    sampler = threading.Thread(target=_sample_memory, args=(running, samples), daemon=True)
    sampler.start()
    _, stderr = running.communicate()
    sampler.join()
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if running.returncode:
        raise BenchmarkFailed(f"{' '.join(map(str, command))}: {stderr.decode(errors='replace')[-2000:]}")
    return Usage(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, max(samples))


def _sample_memory(running: subprocess.Popen[bytes], samples: list[int]) -> None:
    while running.poll() is None:
        samples.append(sum(map(_memory, _process_tree(running.pid))))
        time.sleep(SAMPLE_SECONDS)


def _process_tree(parent: int) -> list[int]:
    """The ids of the process and all its descendants."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:
        return [parent]
    return [parent, *(pid for child in children for pid in _process_tree(int(child)))]


def _memory(pid: int) -> int:
    """Bytes of a process's own memory; mapped pages of files, which the system can take back, are not counted."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))) * 1024


def cpu_seconds(work: Callable[[], object]) -> float:
    """Seconds of CPU of a call in this process."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def median_usage(runs: Sequence[Usage]) -> Usage:
    """The median time of several runs, and the most memory."""
    return Usage(median(r.seconds for r in runs), median(r.cpu for r in runs), max(r.memory for r in runs))
