"""What a process took: seconds, seconds of CPU, and memory, its children's included."""

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
EVERY = 0.05  # seconds between two looks at the memory


class Taken(NamedTuple):
    """Seconds by the clock and of CPU, and the most memory that a process and its children had at once, in bytes."""

    seconds: float
    cpu: float
    memory: int


class BenchmarkFailed(Exception):
    """A command that ended as it should not."""


def process(command: Sequence[str | Path], folder: Path = ROOT) -> Taken:
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
    return Taken(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, max(most))


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


def cpu_of(work: Callable[[], object]) -> float:
    """Seconds of CPU that work takes in this process."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def middle(runs: Sequence[Taken]) -> Taken:
    """The medians of several runs; of memory the most."""
    return Taken(median(r.seconds for r in runs), median(r.cpu for r in runs), max(r.memory for r in runs))
