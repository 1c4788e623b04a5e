"""The tables as a DuckDB database: attached over the Parquet files, or copied into a file of its own."""

import re
from pathlib import Path

import duckdb

from pipeline.io import replacing


def attach(tables: Path) -> duckdb.DuckDBPyConnection:
    """A connection in memory with a view for every Parquet file of the folder, called by the file's name.

    One thread: sums of floats then come out the same on every machine.
    """
    connection = duckdb.connect(config={"threads": 1})
    for path in parquet_files(tables):
        connection.execute(f"CREATE VIEW {named(path.stem)} AS FROM {rows_of(path)}")
    return connection


def build_database(tables: Path, database: Path) -> list[str]:
    """Write a database file with every table of the folder, whole or not at all; return the tables' names.

    Raises OSError where it can't be written.
    """
    paths = parquet_files(tables)
    database.parent.mkdir(parents=True, exist_ok=True)
    with replacing(database) as target:
        try:
            with duckdb.connect(str(target)) as connection:
                for path in paths:
                    connection.execute(f"CREATE TABLE {named(path.stem)} AS FROM {rows_of(path)}")
        except duckdb.Error as error:
            raise OSError(f"{database}: can't be written ({error})") from error
        finally:
            target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
    return [path.stem for path in paths]


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
