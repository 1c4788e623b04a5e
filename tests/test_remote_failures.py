"""Stores that are not there, refuse, fall silent or are lost, and runs that are killed: one line, nothing half-done."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from subprocess import PIPE
from typing import Any

import pytest
from typer.testing import CliRunner

from machine import stores
from machine.stores import Unreachable
from pipeline import __main__ as pipeline_command
from pipeline.derive import parallel
from pipeline.traces.sources import find_sources
from sim import __main__ as sim_command
from sim.game.trace import read, write
from sim.runs.runner import play_all
from tests.remote import TASKS, contents, derive, jobs, run, send
from tests.servers import SECONDS, Store, dask_cluster, environment, forget_stores, s3_server

pytest_plugins = ("tests.remote_fixtures",)
slow = pytest.mark.slow


# One row a place that no trace or table can go to, and what is said of it.
NO_PLACES = [
    ("foo://bucket/x", "foo:// cannot be written to; name a folder, or s3://"),
    ("http://127.0.0.1/x", "http:// cannot be written to"),
    ("s3://", "names no bucket; write s3://BUCKET/FOLDER"),
    ("{bucket}//x", "is called . or .. or nothing"),
    ("{bucket}/../x", "is called . or .. or nothing"),
    ("{bucket}/file.txt", "is called as a file is; name a folder"),
    ("s3://no-such-bucket/x", "bucket does not exist; check the bucket's name"),
]


@pytest.mark.parametrize(("place", "problem"), NO_PLACES)
def test_a_place_that_cannot_be_written_to_is_one_line_before_the_work(
    place: str, problem: str, here: Path, bucket: str, tmp_path: Path
) -> None:
    out = place.format(bucket=bucket)
    for result in (run(here, out), derive(str(here / "traces"), "--out", out, "--scratch", str(tmp_path / "scratch"))):
        assert result.exit_code == (1 if "does not exist" in problem else 2)
        line = result.stderr.splitlines()[-1]
        assert problem in line and out in line and "rror: " in line
        assert "Traceback" not in result.stderr and result.stdout == ""
    assert contents(bucket) == {} and not (tmp_path / "scratch").exists()


# One row an environment in which no store is reached, and what is said of it.
ENVIRONMENTS = [
    ({"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, "there are no keys in the environment"),
]


@pytest.mark.parametrize(("lacking", "problem"), ENVIRONMENTS)
def test_a_store_that_lets_nobody_in_is_one_line(
    lacking: dict[str, str | None], problem: str, here: Path, bucket: str, store: Store, tmp_path: Path
) -> None:
    keys = {"AWS_ENDPOINT_URL": store.address, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    with environment({**keys, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", **lacking}):
        tables = str(tmp_path / "tables")
        results = [run(here, bucket), derive(str(here / "traces"), "--out", bucket), derive(bucket, "--out", tables)]
    with environment({**keys, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}):
        assert contents(bucket) == {}
    for result in results:
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert result.stderr.startswith("error: ") and problem in result.stderr and bucket in result.stderr
    assert not (tmp_path / "tables").exists()


# One row a command that takes no URL, or not that one.
URLS = [
    (pipeline_command.app, "audit {url}", "audit takes no URL; copy {url} to a folder"),
    (pipeline_command.app, "report --out={url}", "report takes no URL; copy {url} to"),
    (pipeline_command.app, "site traces --out {url}", "site takes no URL; copy {url} to"),
    (pipeline_command.app, "database --out {url}", "database takes no URL; copy {url} to"),
    (pipeline_command.app, "derive {url} --out tables --scratch here", "leave it out"),
    (pipeline_command.app, "derive {url} --out {url} --scratch {url}", "name a folder of this machine"),
    (pipeline_command.app, "derive {url} --out {url} --cluster tcp://127.0.0.1:1", "a folder that all workers see"),
    (pipeline_command.app, "derive {url}/nothing --out tables", "{url}/nothing does not exist"),
    (sim_command.app, "suite list.csv --out {url}", "suite takes no URL; copy {url} to"),
    (sim_command.app, "run {url} --team imap --out traces", "takes a URL after --out alone; copy {url} to a folder"),
    (
        sim_command.app,
        "run t.jsonl --team imap --out traces --cache {url}",
        "takes a URL after --out alone; copy {url}",
    ),
]


@pytest.mark.parametrize(("app", "words", "problem"), URLS)
def test_a_url_where_none_can_be_is_one_line(
    app: Any, words: str, problem: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, words.format(url=bucket).split())
    assert result.exit_code == 2
    assert problem.format(url=bucket) in result.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_one_line_says_what_to_install(
    here: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    for result in (derive("s3://bucket/traces", "--out", str(tmp_path)), run(here, "s3://bucket/traces")):
        assert result.exit_code == 2
        assert "Install s3fs to access S3; install calbench-lab[cluster]" in result.stderr.splitlines()[-1]


@slow
def test_a_store_that_refuses_or_is_silent_is_given_up(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(stores.REQUESTS, "read_timeout", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        keys = {"AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        with environment({**keys, "AWS_ENDPOINT_URL": address}):
            # Bound and not listening, it refuses.
            refused = [run(here, "s3://bucket/x"), derive("s3://bucket/x", "--out", str(tmp_path / "tables"))]
            silent.listen()
            result = derive(str(here / "traces"), "--out", "s3://bucket/x")
    for each in (*refused, result):
        assert each.exit_code == 1 and each.stderr.count("\n") == 1
        assert "no answer; check the bucket's name, the network, and keys" in each.stderr
    assert not (tmp_path / "tables").exists()


@slow
def test_a_store_that_is_lost_ends_the_work_and_blames_no_trace(here: Path, tmp_path: Path) -> None:
    with s3_server() as lost:
        bucket = lost.bucket()
        send(contents(here / "traces"), bucket)
        sources = find_sources([bucket])
        lost.stop()
        with pytest.raises(Unreachable, match="cannot be read: no answer"):
            parallel.derive_sources(sources, tmp_path / "tables", workers=1)
        with pytest.raises(Unreachable, match="no answer"):
            parallel.derive_sources(find_sources([here / "traces"]), bucket, workers=1, scratch=tmp_path / "scratch")
        with pytest.raises(Unreachable, match="no answer"):
            write(read(next((here / "traces").rglob("*.zst"))), f"{bucket}/one.json.zst")
    forget_stores()
    assert list(tmp_path.iterdir()) == []


@slow
def test_runs_that_are_killed_leave_whole_files_and_the_next_makes_them_good(
    here: Path, bucket: str, tmp_path: Path
) -> None:
    draws, scratch = Random("kills at a store"), tmp_path / "scratch"
    words = ["--team", "imap", "--team", "sd", "--out", f"{bucket}/traces", "--workers", "2", "--resume"]
    play = ["sim", "run", str(here / "tasks.jsonl"), *words]
    options = ["--partition", "--workers", "2", "--scratch", str(scratch)]
    tables = ["pipeline", "derive", str(here / "traces"), "--out", f"{bucket}/tables", *options]
    parallel.derive([here / "traces"], tmp_path / "tables", parallel.Recipe(partition=True), 1)
    for words_of_command, made, clean in ((play, "traces", here / "traces"), (tables, "tables", tmp_path / "tables")):
        for _ in range(2):
            begun = subprocess.Popen([sys.executable, "-m", *words_of_command], stdout=PIPE, stderr=PIPE)
            time.sleep(draws.uniform(0.5, 2.5))
            begun.kill()
            begun.communicate(timeout=SECONDS)
            left = contents(f"{bucket}/{made}")
            assert {n: data for n, data in left.items() if not n.startswith(".")}.items() <= contents(clean).items()
        subprocess.run([sys.executable, "-m", *words_of_command], check=True, capture_output=True, timeout=SECONDS)
        assert contents(f"{bucket}/{made}") == contents(clean)


@slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_plays_and_derives_to_a_store_although_a_worker_dies(
    here: Path, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workers").mkdir()
    with dask_cluster(tmp_path / "workers") as (address, workers):
        done, deadline = 0, time.monotonic() + SECONDS
        for more in play_all(jobs(f"{bucket}/traces"), address):
            done += more
            assert time.monotonic() < deadline
        assert done == 2 * len(TASKS) and contents(f"{bucket}/traces") == contents(here / "traces")

        def begun(done: int, total: int) -> None:
            workers[0].kill()

        partition = parallel.Recipe(partition=True)
        found = find_sources([f"{bucket}/traces"])
        derived = parallel.derive_sources(found, f"{bucket}/tables", partition, address, begun, tmp_path / "shared")
    assert derived.games == done and derived.rejected == ()
    parallel.derive_sources(found, tmp_path / "tables", partition, 1)
    assert contents(f"{bucket}/tables") == contents(tmp_path / "tables")
    assert list((tmp_path / "shared").iterdir()) == []
