"""More than one machine: a real scheduler and two real workers on this one, and shards that share nothing."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import fsspec
import polars as pl
import pytest

from pipeline.derive import parallel
from pipeline.traces.sources import find_sources
from sim.game.game import Limits
from sim.runs.runner import in_shard, jobs_for, play_all
from sim.runs.teams import load_team
from tests.remote import contents
from tests.servers import SECONDS, dask_cluster
from tests.sim.worlds import tiny_task

pytestmark = pytest.mark.slow

TASKS = [tiny_task(seed) for seed in range(12)]


def jobs(folder, tasks=TASKS):
    return jobs_for(tasks, [load_team(name) for name in ("imap", "sd")], Limits(), 1, folder)


def play(folder: Path, workers: int | str = 1) -> dict[str, bytes]:
    for _ in play_all(jobs(folder), workers):
        pass
    return contents(folder)


def test_shards_together_are_the_whole(tmp_path):
    of = 5
    whole = jobs(tmp_path)
    shards = [in_shard(whole, (which, of)) for which in range(1, of + 1)]
    assert sorted(map(id, whole)) == sorted(id(job) for shard in shards for job in shard)
    assert [in_shard(whole[::-1], (which, of))[::-1] for which in range(1, of + 1)] == shards


def test_tables_of_shards_are_the_tables_of_the_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = play(Path("whole"))
    for which in (1, 2, 3):
        for _ in play_all(in_shard(jobs(Path(f"shard{which}")), (which, 3)), 1):
            pass
    assert whole == {name: data for which in (1, 2, 3) for name, data in contents(Path(f"shard{which}")).items()}
    parallel.derive(["whole"], Path("one"), workers=1)
    parallel.derive(["shard1", "shard2", "shard3"], Path("many"), workers=1)
    one, many = (
        {p.stem: pl.read_parquet(p, glob=False).drop("trace_path", strict=False) for p in Path(out).glob("*.parquet")}
        for out in ("one", "many")
    )
    assert one.keys() == many.keys() and all(one[table].equals(many[table]) for table in one)


def test_traces_are_read_from_urls(tmp_path):
    traces = play(tmp_path / "traces")
    root = f"memory://{tmp_path}/there"
    for name, data in traces.items():
        with fsspec.open(f"{root}/{name}", "wb", auto_mkdir=True) as file:
            file.write(data)
    assert parallel.derive([root], tmp_path / "out", workers=1).games == len(traces)
    assert pl.read_parquet(tmp_path / "out" / "games.parquet")["trace_path"].str.starts_with("memory://").all()


@pytest.fixture
def cluster(tmp_path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler's address, and its two workers."""
    with dask_cluster(tmp_path) as running:
        yield running


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_plays_and_derives_the_same_although_a_worker_dies(cluster, tmp_path, monkeypatch):
    address, workers = cluster
    monkeypatch.chdir(tmp_path)
    here, done, deadline = play(Path("here")), 0, time.monotonic() + SECONDS
    for more in play_all(jobs(Path("there")), address):
        done += more
        workers[0].kill()
        assert time.monotonic() < deadline
    there = {name: data for name, data in contents(Path("there")).items() if not name.endswith(".tmp")}
    assert done == len(here) and there == here

    parallel.derive_sources(find_sources(["here"]), Path("one"), workers=1)
    derived = parallel.derive_sources(find_sources(["here"]), Path("many"), workers=address)
    assert derived.games == len(here)
    assert contents(Path("one")) == contents(Path("many"))
