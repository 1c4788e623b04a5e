"""A run that is killed, starved or met by another leaves nothing half-done, and a plain run finishes the work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from machine.cores import alive
from machine.output import exclusive_access, replacing
from sim.tasks.suite import write_tasks
from tests.faults import KINDS
from tests.imports import ROOT
from tests.kills import LIMIT, ROWS, Harness, Row, sim_run, tiny_disk, workers_of
from tests.sim.worlds import tiny_task

slow = pytest.mark.slow

# The commands of which one step of each kind fails here; the soak draws others, of all commands.
SAMPLED = ("run", "derive", "audit", "suite", "select", "database", "row")

KILLS = {"sim run": 6, "pipeline derive": 3}


@pytest.fixture(scope="module", params=ROWS, ids=[row.name for row in ROWS])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Harness:
    row: Row = request.param
    return Harness(row, tmp_path_factory.mktemp("runs"), Random(f"kills of {row.name}"))


@slow
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_was_not(runs: Harness) -> None:
    for _ in range(KILLS.get(runs.row.name, 2)):
        runs.kill(runs.folder / "killed")
    runs.check_done(runs.folder / "killed")


@slow
def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(runs: Harness) -> None:
    """Where this user may mount no disk, no file may grow instead, as in the soak."""
    disk = runs.folder / "disk"
    with tiny_disk(disk, runs.row.kilobytes_of_disk) as mounted:
        if mounted:
            runs.check_starved(disk / "out")
            subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        else:
            runs.fill_disk(disk / "out")
        runs.check_done(disk / "out")


@slow
def test_two_runs_side_by_side_do_not_spoil_each_other_s_work(runs: Harness) -> None:
    runs.meet(runs.folder / "met")
    runs.check_left(runs.folder / "met")


@slow
def test_whatever_step_fails_nothing_is_lost_and_one_line_says_so() -> None:
    kinds = [word for kind in KINDS if kind != "list" for word in ("--kind", kind)]
    words = [*SAMPLED, "--every", "3", "--most", "1", "--seed", "a sample", *kinds]
    done = subprocess.run([sys.executable, "-m", "tests.faults", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    tried = dict(line.split(" faults,")[0].split(": ") for line in done.stdout.splitlines())
    assert tried.keys() == set(SAMPLED) and min(map(int, tried.values())) >= 2, done.stdout


@slow
def test_the_workers_of_a_killed_run_end_too(tmp_path: Path) -> None:
    write_tasks([tiny_task(seed) for seed in range(400)], tmp_path / "tasks.jsonl")
    runs = Harness(Row("long", lambda folder: None, sim_run, 0, 0), tmp_path, Random("workers"))
    run = runs.start(tmp_path / "out")
    workers: list[int] = []
    while len(workers) < 2 and run.poll() is None:
        workers = workers_of(run.pid)
        time.sleep(0.02)
    assert len(workers) == 2, "the run was over before its workers were seen"
    run.send_signal(signal.SIGKILL)
    run.communicate(timeout=LIMIT)
    until = time.monotonic() + LIMIT
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(alive, workers))


def test_a_process_that_has_ended_is_not_alive_though_nobody_has_asked_how() -> None:
    over = subprocess.Popen(["true"])
    until = time.monotonic() + LIMIT
    while alive(over.pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert over.returncode is None
    assert not alive(over.pid)
    over.wait()
    assert (alive(over.pid), alive(os.getpid())) == (False, True)


def test_drafts_of_processes_that_are_no_more_are_removed(tmp_path: Path) -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    (tmp_path / "team").mkdir()
    for owner in (over.pid, os.getpid()):
        (tmp_path / "team" / f".t.json.zst.{owner}.tmp").write_bytes(b"half")
    remove_drafts(tmp_path)
    assert [p.name for p in (tmp_path / "team").iterdir()] == [f".t.json.zst.{os.getpid()}.tmp"]


def test_beside_a_pack_only_its_own_folder_is_tidied(tmp_path: Path) -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    (tmp_path / "others").mkdir()
    for folder in (tmp_path, tmp_path / "others"):
        (folder / f".games.jsonl.zst.{over.pid}.tmp").write_bytes(b"half")
    remove_drafts(tmp_path, deep=False)
    assert [p.name for p in tmp_path.iterdir()] == ["others"]
    assert len(list((tmp_path / "others").iterdir())) == 1


def test_what_a_killed_process_left_beside_a_file_goes_when_the_file_is_written(tmp_path: Path) -> None:
    over = subprocess.Popen(["true"])
    over.wait()
    kept = [f".t.csv.{os.getpid()}.tmp", f".other.csv.{over.pid}.tmp", ".t.csv.mine.tmp"]
    for name in (*kept, f".t.csv.{over.pid}.tmp", f".t.csv.{over.pid}.tmp.wal", f".t.csv.{10**30}.tmp"):
        (tmp_path / name).write_bytes(b"half")
    with replacing(tmp_path / "t.csv") as target:
        target.write_bytes(b"whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([*kept[1:], "t.csv"])


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path: Path) -> None:
    with exclusive_access(tmp_path / "out"):
        with (
            pytest.raises(InUse, match="out: another run is writing there; wait for its end"),
            exclusive_access(tmp_path / "out"),
        ):
            pass
        with exclusive_access(tmp_path / "other"):
            pass
    with exclusive_access(tmp_path / "out"):
        assert list((tmp_path / "out").iterdir()) == []
