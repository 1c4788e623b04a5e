"""The database file: every table with what its columns mean, results, tasks, Table 1 as a view, and its stamp."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from machine.errors import UserError
from machine.files import held
from machine.output import staged
from pipeline.tables.io import read_result
from pipeline.tables.paths import tables_problem
from pipeline.tables.queries import other_results, parquet_files, parquet_rows, query, quoted, sql_path
from pipeline.tables.schemas.base import TABLES, TASKS
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.tables.schemas.table import Table
from pipeline.tables.stamp import Origin, stamp_of, write_stamp

# The oldest DuckDB whose file format can hold all that is in the database: programs from this one on open it.
STORAGE_VERSION = "v1.2.0"

SQL_TYPES = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN"}


@dataclass(frozen=True)
class Source:
    """What becomes one table: its rows, as SQL or a frame, and what is declared of it."""

    schema: str
    name: str
    rows: str | pl.DataFrame
    declared: Table | None

    @property
    def table(self) -> str:
        """The table's name in SQL."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def make_database(
    tables: Path, database: Path, beyond: Mapping[str, Table] | None = None, say: Callable[[str], None] = print
) -> list[Origin]:
    """Write a DuckDB file, whole or not at all, and return its stamp. It holds the tables of the folder, and what lies
    beside that: results of these tables, the suites' tasks and, if `beyond` declares tables, those of `beyond/tables`.

    `say` is told of results that are left out. Raises FileNotFoundError for a folder without tables, UserError as
    `check_log` does and for a file that no such call made, and OSError if the file can't be written.
    """
    if problem := tables_problem(tables):
        raise FileNotFoundError(problem)
    parquet_files(tables)
    check_log(database)
    beside = tables.parent
    folders = {"tables": tables, "results": beside / "results", "tasks": beside / "suites"}
    folders |= {} if beyond is None else {"beyond": beside / "beyond" / "tables"}
    if left_out := other_results(tables, folders["results"]):
        say(f"left out: {left_out}")
        folders = {"tables": tables, "tasks": folders["tasks"]}
    with staged(database.parent, "database", [database.name], listed_as=database.name) as work:
        stamp = stamp_of(folders, database.parent)
        try:
            with held(database.parent / origin.file for origin in stamp):
                _write(sources(folders, beyond or {}), stamp, work.folder / database.name)
        except (duckdb.Error, pl.exceptions.PolarsError) as error:
            raise OSError(f"{database}: can't be written ({error})") from error
    return stamp


def log_of(database: Path) -> Path:
    """Where DuckDB keeps changes that are not in the file yet."""
    return database.with_name(f"{database.name}.wal")


def check_log(database: Path) -> None:
    """Raise UserError if a program, open or killed, has written to the file of before what is not in it yet: that would
    be lost, and the new file would not open beside it."""
    log = log_of(database)
    if log.is_file() and log.stat().st_size:
        raise UserError(
            f"{log} holds what was written to {database.name} since it was made; end the program that has it open, and "
            "move both away, or name another",
            2,
        )


def sources(folders: Mapping[str, Path], beyond: Mapping[str, Table]) -> list[Source]:
    """The tables of a database. folders: kind (stamp.py) → folder; beyond: the tables declared beyond the paper."""
    tables = folders["tables"]
    listed = [Source("main", p.stem, parquet_rows(p), TABLES.get(p.stem)) for p in parquet_files(tables)]
    results = sorted(folders["results"].glob("*.csv")) if "results" in folders else []
    listed += [Source("results", p.stem, read_result(p), RESULT_TABLES.get(p.stem)) for p in results]
    if all(path.stem != "table1" for path in results):
        with suppress(duckdb.Error):  # of tables that lack one, no Table 1 is made
            listed.append(Source("results", "table1", query("table1", tables), RESULT_TABLES["table1"]))
    further = sorted(folders["beyond"].glob("*.parquet")) if "beyond" in folders else []
    listed += [Source("beyond", p.stem, parquet_rows(p), beyond.get(p.stem)) for p in further]
    return [*listed, *task_sources(folders["tasks"])]


def task_sources(suites: Path) -> list[Source]:
    """The tasks of the folder's suites as one table, or nothing if it has no suite."""
    paths = sorted(suites.glob("*.jsonl"))
    if not paths:
        return []
    costs = {"optimal_cost": "optimal", "greedy_cost": "greedy", "witness_cost": "witness"}
    types = {c.name: SQL_TYPES[c.dtype] for c in TASKS.columns if c.name not in costs}
    types |= dict.fromkeys(costs.values(), "STRUCT(cost BIGINT)")
    chosen = ", ".join(f"{costs[n]}.cost AS {n}" if n in costs else n for n in TASKS.names)
    files = ", ".join(f"'{sql_path(path)}'" for path in paths)
    read = f"read_json([{files}], format = 'newline_delimited', columns = {types})"
    return [Source("main", TASKS.name, f"(SELECT DISTINCT {chosen} FROM {read})", TASKS)]


def _write(listed: Iterable[Source], stamp: list[Origin], target: Path) -> None:
    with duckdb.connect(str(target), config={"storage_compatibility_version": STORAGE_VERSION}) as connection:
        for source in listed:
            _add_table(connection, source)
        with suppress(duckdb.CatalogException, duckdb.BinderException):  # there is none, or a table of that name
            connection.execute("CREATE VIEW main.table1 AS FROM results.table1")
        write_stamp(connection, stamp)
        connection.execute("CHECKPOINT")  # closing would not tell of a full disk


def _add_table(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Make the table, and say in the database what one row of it is and what its columns mean."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(source.schema)}")
    if isinstance(source.rows, pl.DataFrame):
        connection.register("frame", source.rows)
    rows = source.rows if isinstance(source.rows, str) else "frame"
    connection.execute(f"CREATE TABLE {source.table} AS FROM {rows}")
    if not source.declared:
        return
    comment = f"One row is {source.declared.row}. Key: {', '.join(source.declared.key)}."
    connection.execute(f"COMMENT ON TABLE {source.table} IS {literal(comment)}")
    described = {name for name, *_ in connection.execute(f"DESCRIBE {source.table}").fetchall()}
    for column in (column for column in source.declared.columns if column.name in described):
        meaning = f"{column.meaning} ({column.unit})" if column.unit else column.meaning
        connection.execute(f"COMMENT ON COLUMN {source.table}.{quoted(column.name)} IS {literal(meaning)}")


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"
