"""Ctrl-C, and deaths, while workers start and work: whole processes, in a group of their own as in a terminal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from machine.output import no_empty_folders
from machine.terminal import Commands
from tests.imports import ROOT
from tests.machine.test_process_pool import LIMIT

INTERRUPTED = """
import sys, time
from machine.process_pool import process_pool

if __name__ == "__main__":
    with process_pool(3) as pool:
        list(pool.run(abs, [(1,), (2,), (3,)]))
        try:
            print("ready", flush=True)
            list(pool.run(time.sleep, [(60,), (60,)]))
        except KeyboardInterrupt:
            time.sleep(0.5)  # what the idle one would say, it says now
            print("interrupted", flush=True)
"""


def started(tmp_path: Path, script: str) -> subprocess.Popen[str]:
    """A script at work in a process group of its own."""
    path = tmp_path / "script.py"
    path.write_text(script)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    return subprocess.Popen([sys.executable, str(path)], text=True, start_new_session=True, **pipes)


def ended(run: subprocess.Popen[str]) -> tuple[str, str]:
    """What a script has said when it has ended; one that hangs is killed."""
    try:
        return run.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise


def test_ctrl_c_ends_workers_at_work_and_idle_ones_without_a_word_of_theirs(tmp_path: Path) -> None:
    run = started(tmp_path, INTERRUPTED)
    assert run.stdout
    run.stdout.readline()
    # Time to begin the work: where it is too short, all three are idle.
    time.sleep(0.5)
    os.killpg(run.pid, signal.SIGINT)
    assert ended(run) == ("interrupted\n", "")
    assert run.returncode == 0


# Ctrl-C comes where Python would swallow it, in what it calls before a fork or after it in parent or worker; or while
# the first of spawned workers imports.
STARTING = """
import os, signal, sys, threading
from machine.process_pool import process_pool

def press(whom=os.kill, process=os.getpid()):
    whom(process, signal.SIGINT)

def press_once():
    try:
        os.mkdir(__file__ + ".pressed")
    except FileExistsError:
        return
    press(os.killpg, 0)

if __name__ == "__mp_main__":
    press_once()
if __name__ == "__main__":
    {when}
    try:
        with process_pool(2) as pool:
            list(pool.run(abs, [(1,), (2,)]))
            print("it went on", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
MOMENTS = {
    "before a fork": "os.register_at_fork(before=press)",
    "after it": "os.register_at_fork(after_in_parent=press)",
    "in the worker": "os.register_at_fork(after_in_child=press_once)",
    "while it imports": "threading.Thread(target=threading.Event().wait, daemon=True).start()",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_while_workers_start_is_heard_once_and_nowhere_else(tmp_path: Path, moment: str) -> None:
    run = started(tmp_path, STARTING.format(when=MOMENTS[moment]))
    assert ended(run) == ("interrupted\n", "")
    assert run.returncode == 0


# A worker that is dead before it has read anything, of a command with more words than a pipe holds.
STILLBORN = """
import multiprocessing, sys, threading
from multiprocessing import resource_tracker
from machine.process_pool import WorkerDied, process_pool

if __name__ == "__main__":
    sys.argv += ["a word of the command"] * 50_000
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    resource_tracker.ensure_running()
    multiprocessing.set_executable("/bin/false")
    try:
        with process_pool(2) as pool:
            list(pool.run(abs, [(1,), (2,)]))
    except WorkerDied as died:
        print(died, len(sys.argv))
"""


def test_a_worker_that_dies_at_its_birth_keeps_nobody_waiting(tmp_path: Path) -> None:
    output = ended(started(tmp_path, STILLBORN))
    assert output == ("a worker ended before its work, perhaps for lack of memory 50001\n", "")


def test_a_command_that_ctrl_c_ends_says_how_to_go_on_and_leaves_no_folder(tmp_path: Path) -> None:
    app = typer.Typer(cls=Commands)

    @app.callback()
    def main() -> None: ...

    @app.command()
    def derive() -> None:
        with no_empty_folders([tmp_path / "out" / "tables"]):
            (tmp_path / "out" / "tables").mkdir(parents=True)
            raise KeyboardInterrupt

    result = CliRunner().invoke(app, ["derive"])
    assert (result.exit_code, result.stderr.count("\n")) == (130, 1)
    assert "run the same command again" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("program", ("sim", "pipeline", "pipeline.paper.stages.truth"))
def test_a_python_without_the_projects_libraries_says_in_one_line_what_to_do(program: str) -> None:
    bare = subprocess.run([sys.executable, "-S", "-m", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (bare.returncode, bare.stderr.count("\n"), bare.stdout) == (1, 1, "")
    assert "make setup" in bare.stderr


SOLVED = """
import os, signal
from sim.tasks.oracle import exact_solver
from ortools.sat.python.cp_model import CpModel

exact_solver().solve(CpModel())
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_is_heard_after_a_schedule_was_solved(tmp_path: Path) -> None:
    assert ended(started(tmp_path, SOLVED)) == ("interrupted\n", "")
