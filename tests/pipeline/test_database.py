"""The database file: what it says of itself, who can open it, and what becomes of it when something goes wrong."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from machine.errors import UserError
from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.reports.library import Tables
from pipeline.tables import io, queries
from pipeline.tables.database import make_database
from pipeline.tables.schemas.base import TABLES, TASKS
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.tables.schemas.table import Table
from pipeline.tables.stamp import digests_path, drop_digests, read_stamp, write_digests
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task, write_tasks

pytestmark = pytest.mark.slow

VERSION_OF_1_2 = 65


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tables and results of three games."""
    folder = tmp_path_factory.mktemp("study")
    for game, team in (("a", "imap"), ("b", "imap"), ("c", "sd")):
        write_trace(folder / "in" / f"{game}.json", toy_game(game, team=team, difficulty="easy").text())
    parallel.derive([folder / "in"], folder / "tables", parallel.Recipe(csv=False), workers=1)
    queries.write_query_results(folder / "tables", folder / "results")
    return folder


@pytest.fixture(scope="module")
def database(study: Path) -> Path:
    lines: list[str] = []
    make_database(study / "tables", study / "x.duckdb", say=lines.append)
    assert lines == []
    return study / "x.duckdb"


def rows(database: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_every_table_is_in_it(study: Path, database: Path) -> None:
    found = rows(database, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'")
    assert {name for (name,) in found} == set(TABLES)
    assert rows(database, "SELECT count(*) FROM games") == [(3,)]


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_it_holds_the_data_dictionary(table: Table, database: Path) -> None:
    columns = rows(
        database,
        f"SELECT column_name, comment FROM duckdb_columns() WHERE table_name = '{table.name}' "
        "AND schema_name = 'main' ORDER BY column_index",
    )
    assert columns == [(c.name, f"{c.meaning} ({c.unit})" if c.unit else c.meaning) for c in table.columns]
    where = f"WHERE table_name = '{table.name}' AND schema_name = 'main'"
    assert rows(database, f"SELECT comment FROM duckdb_tables() {where}") == [
        (f"One row is {table.row}. Key: {', '.join(table.key)}.",)
    ]


@pytest.mark.parametrize("results", ["its own", "of other tables", "none"])
def test_table_1_is_a_view_in_every_database_and_equal_to_the_query(results: str, study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    if results != "none":
        shutil.copytree(study / "results", tmp_path / "results")
    if results == "of other tables":
        (tmp_path / "results" / "table1.csv").write_text("team\n", encoding="utf-8")
    make_database(tmp_path / "tables", tmp_path / "x.duckdb", say=lambda _: None)
    wanted = queries.query("table1", study / "tables").rows()
    order = "ORDER BY team, setting, condition"
    assert rows(tmp_path / "x.duckdb", f"FROM table1 {order}") == wanted
    asked = CliRunner().invoke(app, ["sql", f"SELECT team FROM table1 {order}", str(tmp_path / "x.duckdb"), "--csv"])
    assert asked.stdout.split() == ["team", *(team for team, *_ in wanted)]


def test_results_are_read_as_declared_and_as_printed(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    (tmp_path / "results").mkdir()
    figures = {"metric": ["a", "b"], "published": ["5.00", ""], "ours": ["5", None], "note": ["=1+1", ""]}
    io.write_csv(pl.DataFrame(figures), tmp_path / "results" / "compare.csv")
    excess = RESULT_TABLES["excess"]
    queries.write_result(pl.DataFrame(schema=io.polars_schema(excess)), "excess", tmp_path / "results")
    make_database(tmp_path / "tables", tmp_path / "x.duckdb")
    assert rows(tmp_path / "x.duckdb", "FROM results.compare") == [("a", "5.00", "5", "=1+1"), ("b", "", None, "")]
    described = rows(tmp_path / "x.duckdb", "DESCRIBE results.excess")
    types = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN"}
    assert [line[:2] for line in described] == [(c.name, types[c.dtype]) for c in excess.columns]


def test_tasks_have_their_difficulty_score(study: Path, tmp_path: Path) -> None:
    tasks = [make_task(entry) for entry in read_list(Path("data/suites/paper72.csv"))[:2]]
    shutil.copytree(study / "tables", tmp_path / "tables")
    (tmp_path / "suites").mkdir()
    for name in ("one", "two"):  # the same tasks in two suites are there once
        write_tasks(tasks, tmp_path / "suites" / f"{name}.jsonl")
    make_database(tmp_path / "tables", tmp_path / "x.duckdb")
    found = rows(tmp_path / "x.duckdb", "SELECT task_id, difficulty_score, greedy_cost, optimal_bound FROM tasks")
    assert sorted(found) == sorted((t.task_id, t.difficulty_score, t.greedy.cost, t.optimal_bound) for t in tasks)
    assert [line[0] for line in rows(tmp_path / "x.duckdb", "DESCRIBE tasks")] == list(TASKS.names)


@pytest.fixture
def own(study: Path, tmp_path: Path) -> Path:
    """A database of one's own tables, with results and a table beyond the paper beside them."""
    shutil.copytree(study / "tables", tmp_path / "tables")
    shutil.copytree(study / "results", tmp_path / "results")
    (tmp_path / "beyond").mkdir()
    shutil.copytree(study / "tables", tmp_path / "beyond" / "tables")
    assert CliRunner().invoke(app, make(tmp_path)).exit_code == 0
    return tmp_path / "x.duckdb"


def make(folder: Path) -> list[str]:
    return ["database", "--tables", str(folder / "tables"), "--out", str(folder / "x.duckdb")]


# One row a change: the file that is changed, and by what.
CHANGES = [
    ("tables/rounds.parquet", Path.unlink),
    ("tables/more.parquet", Path.touch),
    ("results/leaks.csv", lambda path: path.write_bytes(path.read_bytes().replace(b"imap", b"impa"))),
    ("results/more.csv", Path.touch),
    ("beyond/tables/games.parquet", Path.unlink),
]


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_a_database_of_files_that_changed_since_is_refused(
    name: str, change: Callable[[Path], object], own: Path
) -> None:
    asked = ["sql", "SELECT 1 AS one FROM beyond.games LIMIT 1", str(own)]
    assert CliRunner().invoke(app, asked).exit_code == 0
    change(own.with_name(name.partition("/")[0]) / name.partition("/")[2])
    refused = CliRunner().invoke(app, asked)
    told = " ".join(refused.stderr.split())
    assert refused.exit_code == 2 and f"{name} as it is now: run `python -m pipeline database --tables " in told
    with pytest.raises(UserError, match="as it is now"):
        Tables(own)


def test_a_database_of_files_that_were_only_touched_or_are_elsewhere_is_read(own: Path, tmp_path: Path) -> None:
    for path in own.parent.rglob("*.parquet"):
        path.touch()
    assert Tables(own).games.height == 3
    (tmp_path / "elsewhere").mkdir()
    assert Tables(own.rename(tmp_path / "elsewhere" / "x.duckdb")).games.height == 3


def test_a_database_that_is_gone_or_another_program_s_is_told(own: Path) -> None:
    write_digests([], digests_path(own))
    with duckdb.connect(str(own)) as writer:
        writer.execute("DROP SCHEMA made_from CASCADE")
    with pytest.raises(UserError, match="not the one that was made here: run `make repro`"):
        Tables(own)
    own.unlink()
    gone = CliRunner().invoke(app, ["sql", "FROM games", str(own)])
    assert gone.exit_code == 2 and "no database" in gone.stderr and "make repro" in gone.stderr


def test_digests_without_the_database_that_they_are_of_are_dropped_so_that_its_stage_runs(own: Path) -> None:
    digests = digests_path(own)
    with duckdb.connect(str(own), read_only=True) as connection:
        stamp = read_stamp(connection)
    write_digests(stamp, digests)
    before = digests.read_bytes()
    drop_digests(own, digests)
    assert digests.read_bytes() == before
    for sources in ([replace(stamp[0], sha256="0"), *stamp[1:]], [*stamp, replace(stamp[0], file="new")]):
        write_digests(sources, digests)
        drop_digests(own, digests)
        assert not digests.exists()
    write_digests(stamp, digests)
    own.unlink()
    drop_digests(own, digests)
    assert not digests.exists()


def test_a_database_of_tables_that_are_replaced_meanwhile_is_not_made(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    games = tmp_path / "tables" / "games.parquet"
    monkeypatch.setattr("pipeline.tables.database.write_stamp", lambda *_: games.write_bytes(games.read_bytes()))
    with pytest.raises(OSError, match=r"games.parquet was replaced or written to while it was read"):
        make_database(tmp_path / "tables", tmp_path / "x.duckdb")
    assert [p.name for p in tmp_path.iterdir()] == ["tables"]


def test_programs_from_duckdb_1_2_on_can_open_it(database: Path) -> None:
    header = database.read_bytes()[:20]
    assert header[8:12] == b"DUCK"
    assert int.from_bytes(header[12:20], "little") == VERSION_OF_1_2


KILLED_WRITER = """
import os, sys, duckdb
connection = duckdb.connect(sys.argv[1])
connection.execute("CREATE TABLE notes AS SELECT 1 AS note")
os._exit(9)
"""


def test_what_a_killed_writer_left_in_the_log_is_kept(study: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    shutil.copytree(study / "tables", tmp_path / "tables")
    assert CliRunner().invoke(app, make(tmp_path)).exit_code == 0
    subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path)], check=False, timeout=60)
    assert (tmp_path / "x.duckdb.wal").exists()
    done = CliRunner().invoke(app, make(tmp_path))
    assert done.exit_code == 2 and "x.duckdb.wal holds what was written to" in " ".join(done.stderr.split())
    assert {file.name for file in tmp_path.iterdir()} == {
        "tables",
        *(f"x.duckdb{e}" for e in ("", ".manifest.json", ".wal")),
    }
    whole = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert whole.exit_code == 1 and "x.duckdb.wal holds what was written to x.duckdb since it was made" in whole.stdout
    with duckdb.connect(str(path)) as writer:
        assert writer.execute("FROM notes").fetchall() == [(1,)]


READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print(connection.execute("SELECT count(*) FROM games").fetchall(), flush=True)
sys.stdin.readline()
print(connection.execute("SELECT count(*) FROM messages").fetchall(), flush=True)
"""


def test_a_reader_reads_on_while_it_is_rebuilt(study: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    make_database(study / "tables", path)
    (messages,) = rows(path, "SELECT count(*) FROM messages")
    command = [sys.executable, "-c", READER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout
        assert reader.stdout.readline() == "[(3,)]\n"
        make_database(study / "tables", path)
        told, _ = reader.communicate("go on\n", timeout=60)
    assert told == f"[{messages}]\n"


@pytest.mark.parametrize("bad", ["suites/bad.jsonl", "results/bad.csv"])
def test_a_database_that_cannot_be_made_leaves_the_old_one(bad: str, study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    path = tmp_path / "x.duckdb"
    make_database(tmp_path / "tables", path)
    before = path.read_bytes()
    (tmp_path / bad).parent.mkdir()
    (tmp_path / bad).write_text("no task\n1,2,3\n")
    with pytest.raises(OSError, match=r"x\.duckdb: can't be written"):
        make_database(tmp_path / "tables", path)
    assert path.read_bytes() == before
    names = {"tables", bad.partition("/")[0], "x.duckdb", "x.duckdb.manifest.json"}
    assert {file.name for file in tmp_path.iterdir()} == names
