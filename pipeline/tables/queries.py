"""Tables in DuckDB: the result queries of sql/, and writing their results."""

import re
from collections.abc import Collection
from contextlib import suppress
from itertools import dropwhile
from pathlib import Path

import duckdb
import polars as pl

from machine.errors import UserError
from pipeline.tables.hive import FILES, FOLDER_PREFIXES
from pipeline.tables.io import conform, polars_schema, to_csv_frame, write_csv
from pipeline.tables.paths import missing_tables, unfinished
from pipeline.tables.schemas.base import TABLES, Table
from pipeline.tables.schemas.query_results import SQL, query_names, shared_queries
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.tables.stamp import read_stamp, stale_problem

ALL_GAMES = "all_games"  # a schema; sql/shared/team_means.sql names it too
# What a query lacks is not downloaded, and no file is opened by a program that would have to be.
FETCH_NOTHING = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
NOT_STOPPED = f"WHERE game_id NOT IN (SELECT game_id FROM {ALL_GAMES}.games WHERE stopped)"


def attach(tables: Path, without: Collection[str] = (), asked: str = "") -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB connection with a view for every table of the folder, a Parquet file or the partitions of
    hive.py, or for every table of a database file (database.py), whose other schemas are there under their own names.
    The view `table1` is the result of that name.

    The views leave out games that were stopped, and every row of them: what is broken off is no sample of how a team
    plays. So they do with the games named in `without`. The schema `all_games` has views of the same names with all
    rows. The connection uses one thread, so that sums of floats are the same on every machine. asked: SQL; of a
    folder's tables those that it does not name are left out, which saves most of the time. Raises FileNotFoundError
    without files, UserError for a database of other tables, and duckdb.Error for a file that is no database.
    """
    connection = duckdb.connect(config={"threads": 1, **FETCH_NOTHING})
    if tables.is_file():
        names = _attach_database(connection, tables)
    else:
        names = attach_schema(connection, ALL_GAMES, tables, asked)
    columns = {name: connection.sql(f"FROM {ALL_GAMES}.{quoted(name)}").columns for name in names}
    known = "stopped" in columns.get("games", ())
    for name in names:
        rows = NOT_STOPPED if known and "game_id" in columns[name] else ""
        if without and "game_id" in columns[name]:
            games = ", ".join("'" + game.replace("'", "''") + "'" for game in sorted(without))
            rows = f"{rows or 'WHERE true'} AND game_id NOT IN ({games})"
        connection.execute(f"CREATE VIEW {quoted(name)} AS FROM {ALL_GAMES}.{quoted(name)} {rows}")
    if not asked:
        with suppress(duckdb.Error):  # of tables that lack one, no Table 1 is made; a database has it
            connection.execute(f"CREATE VIEW table1 AS {query_text('table1')}")
    return connection


def _attach_database(connection: duckdb.DuckDBPyConnection, database: Path) -> list[str]:
    """Add a view for every table of a database file, those of its main schema as `all_games`, and for every view.

    Returns the names of the tables of its main schema. Raises UserError if its tables are others by now.
    """
    path = database.as_posix().replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS stored (TYPE duckdb, READ_ONLY)")
    if problem := stale_problem(read_stamp(connection, "stored"), database):
        raise UserError(problem, 2)
    ours = f"database_name = 'stored' AND schema_name != '{ALL_GAMES}'"
    listed = f"SELECT schema_name, table_name FROM duckdb_tables() WHERE {ours} ORDER BY ALL"
    tables = connection.execute(listed).fetchall()
    for schema, name in tables:
        own = quoted(ALL_GAMES if schema == "main" else schema)
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {own}")
        connection.execute(f"CREATE VIEW {own}.{quoted(name)} AS FROM stored.{quoted(schema)}.{quoted(name)}")
    views = f"SELECT view_name FROM duckdb_views() WHERE {ours} AND schema_name = 'main' AND NOT internal"
    for (name,) in connection.execute(views).fetchall():
        connection.execute(f"CREATE VIEW {quoted(name)} AS FROM stored.main.{quoted(name)}")
    return [name for schema, name in tables if schema == "main"]


def attach_schema(connection: duckdb.DuckDBPyConnection, schema: str, tables: Path, asked: str = "") -> list[str]:
    """Add a view `schema.table` to the connection for every table of one more folder; return their names, sorted.

    A folder of partitions has none of a table without rows, which is then empty. asked: as of `attach`. Raises
    FileNotFoundError where there is no table, or they may be of two runs.
    """
    if problem := unfinished(tables):
        raise FileNotFoundError(problem)
    partitioned = {name: rows for name in TABLES if (rows := partitioned_rows(tables / name, TABLES[name]))}
    flat = {path.stem: f"FROM {parquet_rows(path)}" for path in parquet_files(tables, may_be_none=bool(partitioned))}
    there = partitioned | flat
    views = [name for name in there if not asked or name in asked or name == "games"]
    connection.execute(f"CREATE SCHEMA {quoted(schema)}")
    for name in views:
        connection.execute(f"CREATE VIEW {quoted(schema)}.{quoted(name)} AS {there[name]}")
    without_rows = [name for name in TABLES if partitioned and name not in there]
    for name in without_rows:
        no_rows = pl.DataFrame(schema=polars_schema(TABLES[name]))
        connection.register("no_rows", no_rows)
        connection.execute(f"CREATE TABLE {quoted(schema)}.{quoted(name)} AS FROM no_rows")
        connection.unregister("no_rows")
    return sorted([*views, *without_rows])


def partitioned_rows(folder: Path, table: Table) -> str:
    """SQL for the rows of a table in Hive partitions, with its own columns alone; nothing where the folder has none."""
    if next(folder.glob("/".join((*(f"{prefix}*" for prefix in FOLDER_PREFIXES), FILES))), None) is None:
        return ""
    columns = ", ".join(quoted(column.name) for column in table.columns)
    files = f"{sql_path(folder)}/*/*/{FILES}"
    return f"SELECT {columns} FROM read_parquet('{files}', hive_partitioning = true, hive_types_autocast = false)"


def parquet_files(tables: Path, may_be_none: bool = False) -> list[Path]:
    """The folder's Parquet files, sorted by name. Raises FileNotFoundError when there is none, unless that may be."""
    paths = sorted(tables.glob("*.parquet"))
    if not paths and not may_be_none:
        raise FileNotFoundError(missing_tables(tables))
    return paths


def quoted(name: str) -> str:
    """The name of a table or schema as an SQL identifier, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def parquet_rows(path: Path) -> str:
    """SQL for the rows of a Parquet file."""
    return f"read_parquet('{sql_path(path)}')"


def sql_path(path: Path) -> str:
    """A path within quotes of SQL, with what would be a pattern or a quote there escaped."""
    return re.sub(r"([*?\[])", r"[\1]", path.as_posix()).replace("'", "''")


def query_text(name: str) -> str:
    """The SQL of a result table: its own file, after a WITH for each shared query that it selects from."""
    own = _query(SQL / f"{name}.sql")
    parts = [f"{path.stem} AS (\n{_query(path)})" for path in shared_queries(own)]
    return f"WITH {', '.join(parts)}\n{own}" if parts else own


def _query(path: Path) -> str:
    """The SQL of a file without its header, whose words are no names of tables."""
    return "".join(dropwhile(lambda line: line.startswith("--"), path.read_text(encoding="utf-8").splitlines(True)))


def query(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` of the tables in a folder. Its SQL file says what one row is, and sorts them."""
    asked = query_text(name)
    with attach(tables, asked=asked) as connection:
        result: pl.DataFrame = connection.sql(asked).pl()
    return result


def other_results(tables: Path, results: Path) -> str:
    """What to say where a folder's results are of other tables, as its Table 1 is not what these tables give; else "".

    A folder without a Table 1 holds nothing that could be told apart. Raises FileNotFoundError without tables.
    """
    kept = results / "table1.csv"
    if not kept.is_file():
        return ""
    try:
        given = to_csv_frame(query("table1", tables)).write_csv().encode()
    except duckdb.Error:  # of tables that lack one, no Table 1 is made
        given = b""
    return "" if kept.read_bytes() == given else f"{results} holds results of other tables than {tables}"


def write_query_results(tables: Path, out: Path) -> list[Path]:
    """Write every result table that has a query as `out/{name}.csv`, and return the paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    with attach(tables) as connection:
        for name in query_names():
            paths.append(out / f"{name}.csv")
            write_csv(connection.sql(query_text(name)).pl(), paths[-1])
    return paths


def write_result(frame: pl.DataFrame, name: str, results: Path) -> Path:
    """Write a result table that RESULT_TABLES declares as `results/{name}.csv`, and return the path.

    frame: the table's columns, in any order. Raises ValueError where two rows share a key.
    """
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{name}.csv"
    write_csv(conform(frame, RESULT_TABLES[name]), path)
    return path
