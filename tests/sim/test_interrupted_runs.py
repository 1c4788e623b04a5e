"""Ctrl-C and SIGTERM end whole runs alike: what was finished is kept, and a word says how to go on."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sim.game.trace import read
from sim.tasks.suite import write_tasks
from tests.imports import ROOT
from tests.kills import workers_of
from tests.sim.stub import KEY, LIMIT, stub
from tests.sim.worlds import tiny_task

pytestmark = pytest.mark.slow

SHOWN, HIDDEN = "\x1b[?25h", "\x1b[?25l"
SIGNALS = [signal.SIGINT, signal.SIGTERM]
TASKS, REPEATS = 50, 200
# Games that take a minute: none of these runs is over before it is interrupted.
GAMES = TASKS * REPEATS
MANY = ("tasks.jsonl", "--team", "exact", "--repeats", str(REPEATS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tasks([tiny_task(seed) for seed in range(TASKS)], tmp_path / "tasks.jsonl")
    return tmp_path


def start(folder: Path, *words: str, command: str = "run", stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """A command in a process group of its own, as in a terminal."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "STUB_KEY": KEY}
    pipes = {"stdout": subprocess.PIPE, "stderr": stderr, "env": env, "cwd": folder}
    return subprocess.Popen([sys.executable, "-m", "sim", command, *words], text=True, start_new_session=True, **pipes)


def wait_for(run: subprocess.Popen[str], happened: Callable[[], object]) -> None:
    until = time.monotonic() + LIMIT
    while not happened() and run.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert run.poll() is None, "the run was over before it was interrupted"


def finished(folder: Path) -> list[Path]:
    return sorted((folder / "traces").rglob("*.zst"))


@pytest.mark.parametrize("whom", [os.kill, os.killpg], ids=["run", "group"])
@pytest.mark.parametrize("number", SIGNALS)
def test_games_that_were_played_are_kept_and_counted(
    folder: Path, number: int, whom: Callable[[int, int], None]
) -> None:
    run = start(folder, *MANY, "--out", "traces", "--workers", "2")
    wait_for(run, lambda: finished(folder))
    whom(run.pid, number)
    stdout, stderr = run.communicate(timeout=LIMIT)
    kept = finished(folder)
    assert run.returncode == 130, stderr
    assert stdout == f"{len(kept)} games played; traces in traces\n"
    assert stderr.splitlines() == [
        f"0 games stopped, {GAMES - len(kept)} not begun or lost:",
        "games  cause",
        f"{GAMES - len(kept):>5}  interrupted",
        "run the same command with --resume to play them",
    ]
    assert not any(read(path).stopped for path in kept)
    # Each worker may have been at writing a draft.
    assert len([p for p in folder.rglob(".*") if p.is_file()]) <= 2


@pytest.mark.parametrize("number", SIGNALS)
def test_games_with_a_provider_are_kept_and_the_others_are_told_of(folder: Path, number: int) -> None:
    with stub(latency=20) as server:
        asked = {"model": "openai/stub", "api_base": server.address, "api_key_env": "STUB_KEY"}
        spec = {"type": "llm", "parameters": asked}
        (folder / "team.yaml").write_text(yaml.safe_dump({"team": "stub", "agents": [spec]}))
        run = start(folder, "tasks.jsonl", "--team", "team.yaml", "--out", "traces", "--workers", "2")
        wait_for(run, lambda: finished(folder))
        run.send_signal(number)
        stdout, stderr = run.communicate(timeout=LIMIT)
    kept = finished(folder)
    assert (run.returncode, len(kept) > 0) == (130, True), stderr
    assert stdout.startswith(f"{len(kept)} games played; traces in traces\n")
    assert f"{TASKS - len(kept):>5}  interrupted\nrun the same command with --resume to play them\n" in stderr
    assert "Traceback" not in stderr


def test_a_run_that_wrote_nothing_leaves_no_folder(folder: Path) -> None:
    with stub(latency=60_000) as server:
        asked = {"model": "openai/stub", "api_base": server.address, "api_key_env": "STUB_KEY"}
        spec = {"type": "llm", "parameters": asked}
        (folder / "team.yaml").write_text(yaml.safe_dump({"team": "stub", "agents": [spec]}))
        run = start(folder, "tasks.jsonl", "--team", "team.yaml", "--out", "deep/traces")
        wait_for(run, lambda: server.requests)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=LIMIT)
    assert run.returncode == 130
    assert sorted(p.name for p in folder.iterdir()) == ["tasks.jsonl", "team.yaml"]


@pytest.mark.parametrize("number", SIGNALS)
def test_the_cursor_is_there_afterwards(folder: Path, number: int) -> None:
    ours, theirs = pty.openpty()
    run = start(folder, *MANY, "--out", "traces", "--workers", "2", stderr=theirs)
    os.close(theirs)
    shown = ""
    try:
        while chunk := os.read(ours, 4096).decode(errors="replace"):
            shown += chunk
            if HIDDEN in shown and finished(folder) and number:
                os.killpg(run.pid, number)
                number = 0
    except OSError:  # the end of a terminal
        pass
    run.communicate(timeout=LIMIT)
    os.close(ours)
    assert run.returncode == 130
    assert HIDDEN in shown and shown.rindex(SHOWN) > shown.rindex(HIDDEN)
    assert "Traceback" not in shown and shown.rstrip().endswith("--resume to play them")


def test_a_background_job_that_ignores_ctrl_c_still_ends_by_sigterm(folder: Path) -> None:
    pack = (*MANY, "--out", "new/games.jsonl.zst", "--workers", "1")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = start(folder, *pack)
    finally:
        signal.signal(signal.SIGINT, before)
    wait_for(run, lambda: (folder / "new").exists())
    run.send_signal(signal.SIGTERM)
    stderr = run.communicate(timeout=LIMIT)[1]
    assert (run.returncode, stderr.splitlines()[-1]) == (130, "run the same command again to play them")
    assert not (folder / "new").exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_file_that_is_made_whole_is_made_again(folder: Path, number: int) -> None:
    words = ["--setting", "uniform", "--shape", "5x5", "--candidates", "3000", "--workers", "2"]
    run = start(folder, *words, "--out", "new/list.csv", command="select")
    wait_for(run, lambda: workers_of(run.pid))
    run.send_signal(number)
    stderr = run.communicate(timeout=LIMIT)[1]
    said = "error: interrupted; what stood there still stands: run the same command again\n"
    assert (run.returncode, stderr) == (130, said)
    assert not (folder / "new").exists()
