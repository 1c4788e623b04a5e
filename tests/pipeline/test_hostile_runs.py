"""Hostile names, folders and ends: workers that die, disks that are full, runs that are killed or meet."""

import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from machine.cores import OverBudget, cpu_budget
from pipeline.__main__ import app
from pipeline.derive import parallel, rows
from pipeline.derive.rows import read_traces
from pipeline.privacy import evidence
from pipeline.tables.io import read_table
from pipeline.traces.sources import find_sources, find_sources_and_others
from sim.tasks.suite import encode_calendar
from tests.imports import ROOT
from tests.sim.worlds import tiny_task

pytestmark = pytest.mark.slow

NAMES = ("a\nb.json", 'quo"te.json', "com,ma.json", "=1+1.json", b"caf\xe9.json", "\x1b[31mred.json", "\u202eleft.json")


def derive_by_command(folder: Path, out: Path) -> tuple[int, list[str]]:
    result = CliRunner().invoke(app, ["derive", str(folder), "--out", str(out), "--workers", "1"])
    return result.exit_code, result.stderr.splitlines()


@pytest.mark.parametrize("good", [True, False])
def test_files_may_be_called_anything(good: bool, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for i, name in enumerate(NAMES):
        content = toy_game(f"game-{i}").text() if good else b"oops"
        Path(os.fsdecode(os.fsencode(tmp_path / "in") + b"/" + os.fsencode(name))).write_bytes(content)
    code, lines = derive_by_command(tmp_path / "in", tmp_path / "out")
    assert code == (0 if good else 3)
    assert len(lines) == (1 if good else len(NAMES) + 1)
    assert all(line.isprintable() for line in lines)
    table = "games" if good else "rejected"
    paths = read_table(tmp_path / "out", table)["trace_path" if good else "path"].to_list()
    assert {Path(path).name for path in paths} == {n if isinstance(n, str) else "caf\\xe9.json" for n in NAMES}
    with open(tmp_path / "out" / f"{table}.csv", newline="", encoding="utf-8") as told:
        assert len(list(csv.reader(told))) == len(NAMES) + 1


def test_other_files_are_counted_and_a_folder_may_be_called_like_a_trace(tmp_path: Path) -> None:
    write_trace(tmp_path / "x.json" / "a.json", toy_game().text())
    for name in ("README.md", "a.json.bak", "b.JSON"):
        write_trace(tmp_path / "x.json" / name, b"?")
    for name in ("run.manifest.json", "site/made.json", "results/metrics.json"):
        write_trace(tmp_path / "x.json" / name, b"{}")
    code, lines = derive_by_command(tmp_path / "x.json", tmp_path / "out")
    assert (code, lines[0].split(":")[0]) == (0, "3 other files passed over")


SCHEMA = (ROOT / "docs/trace.schema.json").read_bytes()
TASK = msgspec.json.encode(tiny_task(1), enc_hook=encode_calendar) + b"\n"
# One row a file beside a trace, what it holds, and whether it is passed over or rejected.
BESIDE = [
    ("trace.schema.json", SCHEMA, True),
    ("tasks.jsonl", BOM_UTF8 + TASK + b"\n" + TASK, True),
    ("trace.schema.json", SCHEMA[:-100], False),
    ("a.json", b'{"$schema": 1, ' + toy_game().text()[1:100], False),
    ("own.json", b'{"a": 1}', False),
]


@pytest.mark.parametrize(("name", "text", "passed_over"), BESIDE)
def test_whole_files_of_other_kinds_are_passed_over_and_all_else_is_rejected(
    name: str, text: bytes, passed_over: bool, tmp_path: Path
) -> None:
    write_trace(tmp_path / "x.json", toy_game().text())
    write_trace(tmp_path / name, text)
    [(rows, rejected)] = read_traces(find_sources([tmp_path]))
    assert len(rows["games"]) == 1
    assert {Path(r.path.partition("#")[0]).name for r in rejected} == (set() if passed_over else {name})


def test_a_file_that_vanishes_is_rejected(tmp_path: Path) -> None:
    sources = find_sources([write_trace(tmp_path / "a.json", b""), write_trace(tmp_path / "b.json", toy_game().text())])
    (tmp_path / "a.json").unlink()
    [(rows, rejected)] = read_traces(sources)
    assert (len(rows["games"]), rejected[0].reason) == (1, "cannot be opened: No such file or directory")


@contextmanager
def unprivileged() -> Iterator[None]:
    """As somebody who may not read everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def test_what_may_not_be_read_is_rejected() -> None:
    # Not pytest's folder: others may not enter those that it lies in.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "in"
        write_trace(folder / "a.json", toy_game().text()).chmod(0)
        write_trace(folder / "closed" / "b.json", toy_game().text())
        (folder / "closed").chmod(0)
        Path(name).chmod(0o755)
        with unprivileged():
            sources, _ = find_sources_and_others([folder])
            [(_, rejected)] = read_traces(sources)
        (folder / "closed").chmod(0o755)
    assert [(Path(r.path).name, r.reason) for r in rejected] == [
        ("a.json", "cannot be opened: Permission denied"),
        ("closed", "cannot be opened: Permission denied"),
    ]


def test_traces_are_derived_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = write_trace(tmp_path / "p.jsonl", b"\n".join(toy_game(f"g{i}").text() for i in range(5)))
    parallel.derive([pack], tmp_path / "whole", workers=1)
    monkeypatch.setattr("pipeline.traces.limits.BATCH_BYTES", 5_000)
    assert len(list(read_traces(find_sources([pack])))) == 3
    parallel.derive([pack], tmp_path / "batches", workers=1)
    for path in (tmp_path / "whole").iterdir():
        assert path.read_bytes() == (tmp_path / "batches" / path.name).read_bytes()


def test_two_runs_into_one_folder_do_not_mix(tmp_path: Path) -> None:
    first, second = (write_trace(tmp_path / name / "a.json", toy_game(name).text()) for name in ("first", "second"))
    out, seen = tmp_path / "out", list[str]()

    def meanwhile(done: int, total: int) -> None:
        parallel.derive([second], out, workers=1)
        seen.extend(read_table(out, "games")["game_id"])

    parallel.derive([first], out, workers=1, progress=meanwhile)
    # It is told of before the first trace is read and after it.
    assert seen == ["second", "second"]
    assert {read_table(out, name)["game_id"].unique().item() for name in ("games", "messages", "belief_evidence")} == {
        "first"
    }
    assert not list(out.glob(".*"))


def spin(*_: Any) -> Any:
    """Work without end."""
    while True:
        pass


SLOW = "slow game"


@pytest.mark.parametrize("stalls", ["reading", "deriving"])
def test_a_trace_that_takes_too_long_is_rejected_alone(
    stalls: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", SLOW):
        write_trace(tmp_path / "in" / f"{name}.json", toy_game(name).text())
    monkeypatch.setattr("pipeline.traces.limits.CPU_SECONDS", 0.3)
    reading, deriving = rows.ingest, evidence.privacy_frames
    if stalls == "reading":
        monkeypatch.setattr(rows, "ingest", lambda t, *rest: spin() if t.game_id == SLOW else reading(t, *rest))
    else:
        slow = lambda f: SLOW in f["games"]["game_id"].to_list()  # noqa: E731
        monkeypatch.setattr(evidence, "privacy_frames", lambda f, *rest: spin() if slow(f) else deriving(f, *rest))
    derived = parallel.derive([tmp_path / "in"], tmp_path / "out", workers=1)
    (rejected,) = derived.rejected
    assert (derived.games, rejected.reason) == (2, "takes more than 0.3 CPU seconds")
    assert rejected.path.endswith(f"{SLOW}.json")
    assert read_table(tmp_path / "out", "games")["game_id"].to_list() == ["a", "b"]


def test_a_budget_ends_with_its_block_and_other_threads_have_none() -> None:
    ended: list[str] = []
    with pytest.raises(OverBudget, match=r"more than 0\.05 CPU seconds"), cpu_budget(0.05):
        spin()

    def work() -> None:
        with cpu_budget(0.01):
            until = time.thread_time() + 0.03
            while time.thread_time() < until:
                pass
        ended.append("well")

    thread = Thread(target=work)
    thread.start()
    thread.join()
    with cpu_budget(0.02):
        pass
    until = time.process_time() + 0.04
    while time.process_time() < until:
        pass
    assert ended == ["well"]


@pytest.mark.parametrize("command", ["derive", "audit", "database", "site"])
@pytest.mark.parametrize("megabytes", [512, 1024])
def test_too_few_addresses_are_one_line(command: str, megabytes: int, tmp_path: Path) -> None:
    write_trace(tmp_path / "in" / "a.json", toy_game().text())
    inputs = ["--tables", str(tmp_path / "in")] if command == "database" else [str(tmp_path / "in")]
    words = [sys.executable, "-m", "pipeline", command, *inputs, "--out", str(tmp_path / "out")]
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, preexec_fn=limit)
    line = f"error: the libraries find no room in {megabytes} MB of address space; allow 2048 MB or more (ulimit -v)\n"
    assert (done.returncode, done.stdout, done.stderr) == (4 if command == "audit" else 1, "", line)
    assert not (tmp_path / "out").exists()
