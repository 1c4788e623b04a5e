"""Work on several processes: results in order, errors as they are, and a line where a worker or the user ends it."""

import os
import signal
import subprocess
import sys
import time
from operator import neg
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from machine.cores import map_ordered, map_unordered
from machine.errors import UserError
from machine.output import no_empty_folders
from machine.terminal import Commands
from tests.imports import ROOT
from tests.kills import is_alive, workers_of

# Nothing here takes so long, on no machine however busy: who waits longer waits for ever.
LIMIT = 120.0


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_results_come_with_the_index_of_their_item_for_any_number_of_workers(workers: int) -> None:
    assert sorted(map_unordered(neg, range(7), workers)) == [(i, -i) for i in range(7)]
    assert list(map_ordered(neg, range(7), workers)) == [-i for i in range(7)]
    assert list(map_unordered(neg, [], workers)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "item", "error", "words"),
    [
        (os.stat, "/none", FileNotFoundError, "No such file"),
        (os._exit, 1, UserError, "a process died, perhaps for lack of memory"),
    ],
)
def test_what_ends_a_call_ends_the_work(function: object, item: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        list(map_unordered(function, [item] * 4, 2))  # type: ignore[arg-type]


WORKING = """
import time
from machine.cores import map_unordered

try:
    for _ in map_unordered(time.sleep, [0.1, 60, 60], 2):
        print("ready", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def started(script: str) -> subprocess.Popen[str]:
    """A script at work in a process group of its own, as in a terminal."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    return subprocess.Popen([sys.executable, "-c", script], text=True, start_new_session=True, **pipes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "told", "code"), [(signal.SIGINT, "interrupted\n", 0), (signal.SIGKILL, "", -signal.SIGKILL)]
)
def test_ctrl_c_is_told_once_and_no_worker_outlives_its_run(number: int, told: str, code: int) -> None:
    run = started(WORKING)
    assert run.stdout and run.stdout.readline() == "ready\n"
    workers = workers_of(run.pid)
    assert len(workers) == 2
    os.killpg(run.pid, number) if number == signal.SIGINT else os.kill(run.pid, number)
    out, err = run.communicate(timeout=LIMIT)
    assert (out, run.returncode) == (told, code) and "KeyboardInterrupt" not in err
    end = time.monotonic() + LIMIT
    while any(map(is_alive, workers)):
        assert time.monotonic() < end, "a worker outlives its run"
        time.sleep(0.1)


def program(error: BaseException, folder: Path) -> typer.Typer:
    """A program with a command that makes a folder and fails."""
    app = typer.Typer(cls=Commands)

    @app.callback()
    def main() -> None: ...

    @app.command()
    def derive() -> None:
        with no_empty_folders([folder / "out" / "tables"]):
            (folder / "out" / "tables").mkdir(parents=True)
            raise error

    return app


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "run the same command again"),
        (UserError("the key\n is missing; name one", 2), 2, "error: the key\\n is missing; name one\n"),
        (OSError(28, "No space left on device", "a.csv"), 1, "'a.csv': make room on the disk"),
        (OSError(24, "Too many open files"), 1, "use fewer --workers"),
    ],
)
def test_a_command_that_fails_says_why_in_one_line_and_leaves_no_folder(
    error: BaseException, code: int, words: str, tmp_path: Path
) -> None:
    result = CliRunner().invoke(program(error, tmp_path), ["derive"])
    assert (result.exit_code, result.stderr.count("\n")) == (code, 1)
    assert words in result.stderr and not list(tmp_path.iterdir())


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


def test_ctrl_c_is_heard_after_a_schedule_was_solved() -> None:
    assert started(SOLVED).communicate(timeout=LIMIT) == ("interrupted\n", "")
