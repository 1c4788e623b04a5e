"""A measured figure, and the time and memory of a command with all processes that it starts."""

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
RUNS = 3
SAMPLE_SECONDS = 0.05  # between two samples of the memory


class Figure(NamedTuple):
    """A line of docs/benchmarks.md.

    limit: the most that the value may be, or words where that is not judged here. bound: the seconds without which no
    such work is done, `of` what they are; times: how many times as much is taken.
    """

    what: str
    value: float
    unit: str
    limit: float | str | None = None
    of: str = ""
    bound: float | None = None
    times: float | None = None


class Usage(NamedTuple):
    """Seconds by the clock and of CPU, and the most memory of a process and its descendants at once, in MB."""

    seconds: float
    cpu: float
    memory: float


def run_process(*command: str | Path, folder: Path = ROOT, runs: int = 1) -> Usage:
    """The usage of a command from start to end: of several runs the quickest, with the most memory of any.

    Raises CalledProcessError where it fails.
    """
    usages = [_run(tuple(map(str, command)), folder) for _ in range(runs)]
    return min(usages)._replace(memory=max(usage.memory for usage in usages))


def _run(command: tuple[str, ...], folder: Path) -> Usage:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    running = subprocess.Popen(command, cwd=folder, env=os.environ | {"PATH": path}, stdout=subprocess.DEVNULL)
    samples = [0]
    sampler = threading.Thread(target=_sample_memory, args=(running, samples), daemon=True)
    sampler.start()
    if code := running.wait():
        raise subprocess.CalledProcessError(code, command)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    sampler.join()
    return Usage(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, max(samples) / 1e6)


def _sample_memory(running: subprocess.Popen[bytes], samples: list[int]) -> None:
    while running.poll() is None:
        samples.append(_memory(running.pid))
        time.sleep(SAMPLE_SECONDS)


def _memory(pid: int) -> int:
    """Bytes of the process and its descendants; mapped pages of files, which the system can take back, do not count."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))) * 1024
    return own + sum(_memory(int(child)) for child in children)


def cpu_seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of CPU of a call in this process, the least of several."""
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)
