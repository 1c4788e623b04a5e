"""Tables in DuckDB: the database file, the result queries of sql/, and writing their results."""

import re
from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from machine.files import replacing
from pipeline.tables.io import shaped, write_csv
from pipeline.tables.schemas.results import RESULT_TABLES


def attach(tables: Path) -> duckdb.DuckDBPyConnection:
    """A connection in memory with a view for every Parquet file of the folder, called by the file's name.

    One thread: sums of floats then come out the same on every machine.
    """
    connection = duckdb.connect(config={"threads": 1})
    for path in parquet_files(tables):
        connection.execute(f"CREATE VIEW {named(path.stem)} AS FROM {rows_of(path)}")
    return connection


def attach_as(connection: duckdb.DuckDBPyConnection, schema: str, tables: Path) -> None:
    """Let a connection see the tables of one more folder, as `schema.table`."""
    connection.execute(f"CREATE SCHEMA {named(schema)}")
    for path in parquet_files(tables):
        connection.execute(f"CREATE VIEW {named(schema)}.{named(path.stem)} AS FROM {rows_of(path)}")


def build_database(tables: Path, database: Path, schemas: Mapping[str, Path] | None = None) -> list[str]:
    """Write a database file with every table of the folder, whole or not at all; return the tables' names.

    schemas: more folders, each under the schema that holds its tables. Raises OSError where it can't be written.
    """
    folders = {"main": tables, **(schemas or {})}
    paths = [(schema, path) for schema, folder in folders.items() for path in parquet_files(folder)]
    database.parent.mkdir(parents=True, exist_ok=True)
    with replacing(database) as target:
        try:
            with duckdb.connect(str(target)) as connection:
                for schema, path in paths:
                    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {named(schema)}")
                    connection.execute(f"CREATE TABLE {named(schema)}.{named(path.stem)} AS FROM {rows_of(path)}")
        except duckdb.Error as error:
            raise OSError(f"{database}: can't be written ({error})") from error
        finally:
            target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
    return [path.stem if schema == "main" else f"{schema}.{path.stem}" for schema, path in paths]


def parquet_files(tables: Path) -> list[Path]:
    """The folder's Parquet files, by name. Raises FileNotFoundError when there is none."""
    paths = sorted(tables.glob("*.parquet"))
    if not paths:
        raise FileNotFoundError(f"no tables in {tables}: derive them first (python -m pipeline derive)")
    return paths


def named(table: str) -> str:
    """A table's name in SQL, whatever it is made of."""
    return '"' + table.replace('"', '""') + '"'


def rows_of(path: Path) -> str:
    """The rows of a Parquet file in SQL: a path is no pattern, and ends no string."""
    literal = re.sub(r"([*?\[])", r"[\1]", path.as_posix()).replace("'", "''")
    return f"read_parquet('{literal}')"


SQL = Path(__file__).parent / "sql"
SHARED = SQL / "shared"  # what several result tables select from


def queries() -> list[str]:
    """The names of all result tables."""
    return sorted(path.stem for path in SQL.glob("*.sql"))


def query_text(name: str) -> str:
    """The SELECT of a result table, after a WITH of the shared query that it selects from, if there is one."""
    own = (SQL / f"{name}.sql").read_text(encoding="utf-8")
    shared = [path for path in sorted(SHARED.glob("*.sql")) if f"FROM {path.stem}\n" in own]
    parts = [f"{path.stem} AS (\n{path.read_text(encoding='utf-8')})" for path in shared]
    return f"WITH {', '.join(parts)}\n{own}" if parts else own


def query(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` over the tables of a folder: one row as its SQL file says, in its order."""
    with attach(tables) as connection:
        result: pl.DataFrame = connection.sql(query_text(name)).pl()
    return result


def write_results(tables: Path, out: Path) -> list[Path]:
    """Write every result table as `out/{name}.csv`, and return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in queries():
        paths.append(out / f"{name}.csv")
        write_csv(query(name, tables), paths[-1])
    return paths


def write_result(frame: pl.DataFrame, name: str, results: Path) -> Path:
    """Write the declared result `name` as `results/{name}.csv`, and return its path.

    Raises ValueError where two rows share a key.
    """
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{name}.csv"
    write_csv(shaped(frame, RESULT_TABLES[name]), path)
    return path
