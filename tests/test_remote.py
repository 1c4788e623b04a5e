"""Traces and tables at a URL, both ways, with a real S3 server on this machine: what arrives is what a folder holds."""

import gzip
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import polars as pl
import pytest
import zstandard

from machine.stores import file_system
from pipeline import Tables
from pipeline.derive import parallel
from pipeline.reports.for_print import NotRun, run_cells
from pipeline.tables.io import read_table
from pipeline.tables.schemas.base import TABLES
from sim.game.trace import read, write
from tests.imports import ROOT
from tests.remote import TEAMS, contents, derive, run, send
from tests.servers import SECONDS, Store

pytest_plugins = ("tests.remote_fixtures",)
slow = pytest.mark.slow


@pytest.mark.parametrize("folder", ["a b/für ü/x%20y+z", ""])
def test_games_are_played_to_a_store_as_to_a_folder(folder: str, here: Path, bucket: str) -> None:
    place = f"{bucket}/{folder}".rstrip("/")
    assert run(here, f"{place}/").exit_code == 0
    assert contents(place) == contents(here / "traces")


def test_resuming_plays_what_is_missing_or_stopped_and_replaces_nothing_unasked(here: Path, bucket: str) -> None:
    send(contents(here / "traces"), bucket)
    stopped = read(here / "traces" / "sd" / "tiny2.json.zst")
    stopped.stopped = True
    write(stopped, f"{bucket}/sd/tiny2.json.zst")
    send({"imap/tiny1.json.zst": b"junk", "sd/tiny3.json.zst": contents(here / "traces")["sd/tiny4.json.zst"]}, bucket)
    system, path = file_system(f"{bucket}/imap/tiny5.json.zst")
    system.rm_file(path)
    refused = run(here, bucket, "--resume")
    assert refused.exit_code == 2 and "/imap/tiny1.json.zst holds another game, or what is none" in refused.stderr
    result = run(here, bucket, "--resume", "--overwrite")
    assert result.stdout == f"4 games played, 8 were there already; traces in {bucket}\n"
    assert contents(bucket) == contents(here / "traces")


@slow
def test_tables_arrive_at_a_store_as_in_a_folder(here: Path, bucket: str, tmp_path: Path) -> None:
    games = contents(here / "traces")
    plain = {name: zstandard.decompress(games.pop(f"imap/{name}.json.zst")) for name in ("tiny0", "tiny1")}
    games |= {"imap/0.json.gz": gzip.compress(plain["tiny0"]), "imap/1.jsonl": plain["tiny1"]}
    send(games | {"bad.json": b"{", "notes.txt": b"of no trace"}, f"{bucket}/traces")
    scratch = tmp_path / "scratch"
    words = (f"{bucket}/traces", "--partition")
    there = derive(*words, "--out", f"{bucket}/tables/", "--scratch", str(scratch))
    local = derive(*words, "--out", str(tmp_path / "tables"))
    assert (there.exit_code, local.exit_code) == (3, 3)
    assert there.stderr == local.stderr.replace(str(tmp_path / "tables"), f"{bucket}/tables/")
    found = contents(f"{bucket}/tables")
    assert found == contents(tmp_path / "tables") and "rejected.parquet" in found
    assert there.stderr.endswith(f"12 games in {bucket}/tables/, 1 traces rejected\n")
    assert list(scratch.iterdir()) == []


@slow
def test_tables_of_traces_in_memory_arrive_there(here: Path, tmp_path: Path) -> None:
    send(contents(here / "traces"), f"memory:/{tmp_path}/traces")
    assert derive(f"memory:/{tmp_path}/traces", "--out", f"memory:/{tmp_path}/tables").exit_code == 0
    assert derive(f"memory:/{tmp_path}/traces", "--out", str(tmp_path / "tables")).exit_code == 0
    assert contents(f"memory:/{tmp_path}/tables") == contents(tmp_path / "tables")
    send({"notes.csv": b"of somebody"}, f"memory:/{tmp_path}/tables")
    some = ("--tables", "stance", "--format", "parquet", "--out", f"memory:/{tmp_path}/tables")
    assert derive(f"memory:/{tmp_path}/traces", *some).exit_code == 0
    left = {"games.parquet", "rejected.parquet", "stance.parquet", "notes.csv"}
    assert contents(f"memory:/{tmp_path}/tables").keys() == left


@slow
def test_tables_open_in_a_store_and_on_a_web_server_as_in_a_folder(here: Path, bucket: str, tmp_path: Path) -> None:
    for out in (bucket, str(tmp_path)):
        assert derive(str(here / "traces"), "--out", out, "--partition").exit_code == 0
    local = Tables(tmp_path)
    with web_server(tmp_path) as address:
        for place in (bucket, address):
            remote = Tables(place)
            assert remote.names == local.names and all(remote[name].equals(local[name]) for name in local)
            (game_id, *_) = remote.games["game_id"]
            assert remote.game(game_id) == local.game(game_id)


@contextmanager
def web_server(folder: Path) -> Iterator[str]:
    """The address of a server of this machine that lists a folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            serving.join(SECONDS)


@slow
def test_polars_reads_partitions_from_a_store(here: Path, bucket: str, store: Store, tmp_path: Path) -> None:
    place, name = bucket, "belief_evidence"
    assert derive(str(here / "traces"), "--out", place, "--partition", "--tables", name).exit_code == 0
    parallel.derive([here / "traces"], tmp_path, workers=1)
    wanted = read_table(tmp_path, name)
    keys = {"access_key_id": "anyone", "secret_access_key": "anything", "region": "us-east-1", "allow_http": "true"}
    options = {"storage_options": {**keys, "endpoint_url": store.address}, "hive_partitioning": True}
    for more in ({}, options):
        scan = pl.scan_parquet(f"{place}/{name}/**/*.parquet", **{"hive_partitioning": True, **more})
        found = scan.select(wanted.columns).collect(engine="streaming")
        assert found.sort(TABLES[name].key).equals(wanted)
    imap = scan.filter(pl.col("team") == "imap").collect(engine="streaming")
    assert set(imap["team"]) == {"imap"} and 0 < imap.height < wanted.height


@slow
def test_several_processes_play_and_derive_to_a_store(here: Path, bucket: str, tmp_path: Path) -> None:
    teams = [word for team in TEAMS for word in ("--team", team)]
    command = [sys.executable, "-m"]
    play = [*command, "sim", "run", str(here / "tasks.jsonl"), *teams, "--out", f"{bucket}/traces", "--workers", "2"]
    tables = [*command, "pipeline", "derive", f"{bucket}/traces", "--out", f"{bucket}/tables", "--workers", "2"]
    for words in (play, tables, [*play, "--resume"]):
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 games played, 12 were there already")
    assert contents(f"{bucket}/traces") == contents(here / "traces")
    parallel.derive([f"{bucket}/traces"], tmp_path, workers=1)
    assert contents(f"{bucket}/tables") == contents(tmp_path)


@slow
def test_a_report_is_made_of_tables_in_a_store_or_beside_their_results(here: Path, bucket: str, tmp_path: Path) -> None:
    assert derive(str(here / "traces"), "--out", f"{bucket}/tables").exit_code == 0
    tables = {"bucket": f"{bucket}/tables", "folder": str(tmp_path / "own/tables")}
    assert derive(str(here / "traces"), "--out", tables["folder"]).exit_code == 0
    notebook = ROOT / "notebooks/report.ipynb"
    fetched = run_cells(notebook, {"tables": tables["bucket"], "team": "sd"})
    rows = fetched.result("table1")
    assert set(rows["team"]) == set(TEAMS) and fetched.results.parent == fetched.tables.parent
    shutil.copytree(fetched.results, tmp_path / "own/results")
    assert run_cells(notebook, {"tables": tables["folder"], "team": "sd"}).results == tmp_path / "own/results"
    with pytest.raises(NotRun, match=f"nothing at {bucket}/none that can be listed"):
        run_cells(notebook, {"tables": f"{bucket}/none"})
