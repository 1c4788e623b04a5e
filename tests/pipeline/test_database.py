"""The database file: what it says of itself, who can open it, and what becomes of it when something goes wrong."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from machine.errors import UserError
from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.tables import io, queries
from pipeline.tables.database import build_database, result_sources, task_sources
from pipeline.tables.schemas.base import REJECTED, TABLES, TASKS
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.tables.schemas.table import Table
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
    build_database(
        study / "tables", study / "x.duckdb", result_sources((study / "results").glob("*.csv")), lines.append
    )
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
    kinds = "constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
    keys = f"SELECT constraint_type, constraint_column_names FROM duckdb_constraints() {where} AND {kinds}"
    assert rows(database, keys) == [("UNIQUE" if table.name == "patterns" else "PRIMARY KEY", list(table.key))]
    filled = {
        name for (name,) in rows(database, f"SELECT column_name FROM duckdb_columns() {where} AND NOT is_nullable")
    }
    assert filled == set(table.key) - ({"agent", "item_id"} if table.name == "patterns" else set())


def test_tables_refer_to_games_rounds_and_agents(database: Path) -> None:
    found = rows(
        database,
        "SELECT table_name, referenced_table, constraint_column_names FROM duckdb_constraints() "
        "WHERE constraint_type = 'FOREIGN KEY'",
    )
    expected = [
        (table.name, parent, key)
        for table in TABLES.values()
        for parent, key in (("games", ["game_id"]), ("rounds", ["game_id", "round"]), ("agents", ["game_id", "agent"]))
        if table.name != parent and set(key) <= set(table.names)
    ]
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_table_1_is_a_view_equal_to_the_result(database: Path) -> None:
    assert rows(database, "SELECT count(*) FROM table1") == [(2,)]
    order = "ORDER BY team, setting, condition"
    assert rows(database, f"FROM table1 {order}") == rows(database, f"FROM results.table1 {order}")


def test_results_are_read_as_declared_and_as_printed(study: Path, tmp_path: Path) -> None:
    figures = {"metric": ["a", "b"], "published": ["5.00", ""], "ours": ["5", None], "by_construction": [True, None]}
    io.write_csv(pl.DataFrame(figures | {"note": ["=1+1", ""]}), tmp_path / "compare.csv")
    excess = RESULT_TABLES["excess"]
    none = pl.DataFrame(schema=io.polars_schema(excess))
    queries.write_result(none, "excess", tmp_path)
    build_database(study / "tables", tmp_path / "x.duckdb", result_sources(tmp_path.glob("*.csv")))
    assert rows(tmp_path / "x.duckdb", "FROM results.compare") == [
        ("a", "5.00", "5", True, "=1+1"),
        ("b", "", None, None, ""),
    ]
    described = rows(tmp_path / "x.duckdb", "DESCRIBE results.excess")
    types = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN"}
    assert [line[:2] for line in described] == [(c.name, types[c.dtype]) for c in excess.columns]


def test_tasks_have_their_difficulty_score(study: Path, tmp_path: Path) -> None:
    tasks = [make_task(entry) for entry in read_list(Path("data/suites/paper72.csv"))[:2]]
    for name in ("one", "two"):  # the same tasks in two suites are there once
        write_tasks(tasks, tmp_path / f"{name}.jsonl")
    lines: list[str] = []
    build_database(study / "tables", tmp_path / "x.duckdb", task_sources(tmp_path), lines.append)
    found = rows(tmp_path / "x.duckdb", "SELECT task_id, difficulty_score, greedy_cost, optimal_bound FROM tasks")
    assert sorted(found) == sorted((t.task_id, t.difficulty_score, t.greedy.cost, t.optimal_bound) for t in tasks)
    assert [line[0] for line in rows(tmp_path / "x.duckdb", "DESCRIBE tasks")] == list(TASKS.names)
    assert lines == ["games: a task_id that tasks lacks (rows: 3); it has no such foreign key in the database"]


def test_a_repeated_key_is_said_in_one_line_and_everything_is_there(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    games = io.read_table(tmp_path / "tables", "games")
    pl.concat([games, games[:1]]).write_parquet(tmp_path / "tables" / "games.parquet")
    rejected = [("a", "x", ""), ("a", "x", ""), ("b", None, "")]
    io.to_frame(REJECTED, rejected).write_parquet(tmp_path / "tables" / "rejected.parquet")
    ran = CliRunner().invoke(
        app, ["database", "--tables", str(tmp_path / "tables"), "--out", str(tmp_path / "x.duckdb")]
    )
    assert ran.exit_code == 0
    assert ran.stderr.splitlines() == [
        "games: a repeated game_id (rows: 1); it has no such primary key in the database",
        "rejected: an empty path, reason, place (rows: 1); it has no such primary key in the database",
    ]
    assert rows(tmp_path / "x.duckdb", "SELECT count(*) FROM games") == [(4,)]
    assert sorted(rows(tmp_path / "x.duckdb", "FROM rejected")) == sorted(rejected, key=str)


def test_a_database_of_tables_that_are_replaced_meanwhile_is_not_made(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study / "tables", tmp_path / "tables")
    path = tmp_path / "tables" / "games.parquet"
    games = io.read_table(tmp_path / "tables", "games")
    pl.concat([games, games[:1]]).write_parquet(path)

    def replace(line: str) -> None:
        games.write_parquet(path)

    with pytest.raises(OSError, match=r"games.parquet was replaced or written to while it was read"):
        build_database(tmp_path / "tables", tmp_path / "x.duckdb", say=replace)
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
    make = ["database", "--tables", str(study / "tables"), "--out", str(path)]
    assert CliRunner().invoke(app, make).exit_code == 0
    subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path)], check=False, timeout=60)
    assert (tmp_path / "x.duckdb.wal").exists()
    done = CliRunner().invoke(app, make)
    assert done.exit_code == 2 and "x.duckdb.wal holds what was written to" in " ".join(done.stderr.split())
    with pytest.raises(UserError, match="move both away"):
        build_database(study / "tables", path)
    assert {file.name for file in tmp_path.iterdir()} == {"x.duckdb", "x.duckdb.manifest.json", "x.duckdb.wal"}
    whole = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert whole.exit_code == 1 and "x.duckdb.wal holds what was written to x.duckdb since it was made" in whole.stdout
    with duckdb.connect(str(path)) as writer:
        assert writer.execute("FROM notes").fetchall() == [(1,)]


def test_an_empty_log_is_in_nobody_s_way(study: Path, tmp_path: Path) -> None:
    (tmp_path / "x.duckdb.wal").touch()
    build_database(study / "tables", tmp_path / "x.duckdb")
    with duckdb.connect(str(tmp_path / "x.duckdb")) as writer:
        assert writer.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(len(TABLES),)]


READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print(connection.execute("SELECT count(*) FROM games").fetchall(), flush=True)
sys.stdin.readline()
print(connection.execute("SELECT count(*) FROM messages").fetchall(), flush=True)
"""


def test_a_reader_reads_on_while_it_is_rebuilt(study: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    build_database(study / "tables", path)
    (messages,) = rows(path, "SELECT count(*) FROM messages")
    command = [sys.executable, "-c", READER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout
        assert reader.stdout.readline() == "[(3,)]\n"
        build_database(study / "tables", path)
        told, _ = reader.communicate("go on\n", timeout=60)
    assert told == f"[{messages}]\n"


def test_a_database_that_cannot_be_made_leaves_the_old_one(study: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    build_database(study / "tables", path)
    before = path.read_bytes()
    (tmp_path / "bad.jsonl").write_text("no task\n")
    with pytest.raises(OSError, match=r"x\.duckdb: can't be written"):
        build_database(study / "tables", path, task_sources(tmp_path))
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"x.duckdb", "bad.jsonl"}


def test_a_table_too_large_for_an_index_is_there_without_keys(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.tables.database.MOST_ROWS_WITH_KEYS", 2)
    lines: list[str] = []
    build_database(study / "tables", tmp_path / "x.duckdb", say=lines.append)
    assert "games: has 3 rows, more than 2; it has no keys in the database" in lines
    assert rows(tmp_path / "x.duckdb", "SELECT count(*) FROM games") == [(3,)]
    keys = "FROM duckdb_constraints() WHERE table_name = 'games'"
    assert rows(tmp_path / "x.duckdb", keys) == []
