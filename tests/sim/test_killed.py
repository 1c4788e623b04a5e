"""A run that is killed, again and again, ends as one that was not."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.files import remove_drafts
from sim.suite import write_tasks
from tests.sim.worlds import tiny_task

pytestmark = pytest.mark.slow

KILLS = 10


def command(folder: Path, out: Path) -> list[str]:
    words = [
        "run",
        folder / "tasks.jsonl",
        "--team",
        "exact",
        "--team",
        "imap",
        "--out",
        out,
        "--resume",
        "--workers",
        2,
    ]
    return [sys.executable, "-m", "sim", *map(str, words)]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def children(process: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split()]


def running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().split()[2]


def test_a_run_that_is_killed_ten_times_and_resumed_leaves_the_same_traces(tmp_path: Path) -> None:
    """The tasks are tiny and many, so that a kill falls between games, into them and into writing."""
    write_tasks([tiny_task(seed) for seed in range(60)], tmp_path / "tasks.jsonl")
    clean = tmp_path / "clean"
    subprocess.run(command(tmp_path, clean), check=True, capture_output=True)
    draws, killed = random.Random("kills"), tmp_path / "killed"
    for _ in range(KILLS):
        run = subprocess.Popen(command(tmp_path, killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draws.uniform(0.15, 0.45))
        run.send_signal(signal.SIGKILL)
        run.wait()
    subprocess.run(command(tmp_path, killed), check=True, capture_output=True)
    assert contents(killed) == contents(clean)


def test_the_workers_of_a_killed_run_end_too(tmp_path: Path) -> None:
    write_tasks([tiny_task(seed) for seed in range(400)], tmp_path / "tasks.jsonl")
    run = subprocess.Popen(command(tmp_path, tmp_path / "out"), stdout=subprocess.DEVNULL)
    workers: list[int] = []
    while len(workers) < 2 and run.poll() is None:
        workers = children(run.pid)
        time.sleep(0.02)
    assert len(workers) == 2, "the run was over before its workers were seen"
    run.send_signal(signal.SIGKILL)
    run.wait()
    until = time.monotonic() + 10
    while any(running(w) for w in workers) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(running(w) for w in workers)


def test_drafts_of_processes_that_are_no_more_are_removed(tmp_path: Path) -> None:
    over = subprocess.Popen([sys.executable, "-c", ""])
    over.wait()
    (tmp_path / "team").mkdir()
    for owner in (over.pid, os.getpid()):
        (tmp_path / "team" / f".t.json.zst.{owner}.part").write_bytes(b"half")
    remove_drafts(tmp_path)
    assert [p.name for p in (tmp_path / "team").iterdir()] == [f".t.json.zst.{os.getpid()}.part"]
