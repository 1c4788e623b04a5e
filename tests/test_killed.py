"""A run that is killed, starved or met by another leaves nothing half-done, and a plain run finishes the work.

One representative of each kind; the soak draws all others (tests/soak.py).
"""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.faults import KINDS
from tests.imports import ROOT
from tests.kills import ROWS, Harness, Row

pytestmark = pytest.mark.slow

BY_NAME = {row.name: row for row in ROWS}
# The commands of which one step of each kind fails here.
SAMPLED = ("derive", "database")


@pytest.fixture
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Harness:
    row: Row = BY_NAME[request.param]
    return Harness(row, tmp_path, Random(f"kills of {row.name}"))


@pytest.mark.parametrize("runs", ["sim run", "pipeline derive"], indirect=True)
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_was_not(runs: Harness) -> None:
    for _ in range(2):
        runs.kill(runs.folder / "killed")
    runs.check_done(runs.folder / "killed")


@pytest.mark.parametrize("runs", ["pipeline database"], indirect=True)
def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(runs: Harness) -> None:
    runs.fill_disk(runs.folder / "full")
    runs.check_done(runs.folder / "full")


@pytest.mark.parametrize("runs", ["pipeline site"], indirect=True)
def test_two_runs_side_by_side_do_not_spoil_each_other_s_work(runs: Harness) -> None:
    runs.meet(runs.folder / "met")
    runs.check_left(runs.folder / "met")


def test_whatever_step_fails_nothing_is_lost_and_one_line_says_so() -> None:
    kinds = [word for kind in KINDS if kind != "list" for word in ("--kind", kind)]
    words = [*SAMPLED, "--every", "3", "--most", "1", "--seed", "a sample", *kinds]
    done = subprocess.run([sys.executable, "-m", "tests.faults", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tried = dict(line.split(" faults,")[0].split(": ") for line in done.stdout.splitlines())
    assert tried.keys() == set(SAMPLED) and min(map(int, tried.values())) >= 2, done.stdout
