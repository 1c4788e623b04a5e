"""The database file: every table with its keys and comments, the results, the tasks, and Table 1 as a view."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from machine.errors import UserError
from machine.manifests import held_origins
from machine.output import replacing
from pipeline.tables.constraints import REFERRED, Constraint, keys, may_be_empty, own_key
from pipeline.tables.io import ESCAPED_START
from pipeline.tables.paths import tables_problem
from pipeline.tables.queries import SQL, parquet_files, parquet_rows, quoted
from pipeline.tables.schemas.base import GAMES, TABLES, TASKS
from pipeline.tables.schemas.results import RESULT_TABLES
from pipeline.tables.schemas.table import Column, Table

# The oldest DuckDB whose file format can hold all that is in the database: programs from this one on open it.
STORAGE_VERSION = "v1.2.0"

# The index of a key stands in memory while it is built: larger tables get none.
MOST_ROWS_WITH_KEYS = 10_000_000

SQL_TYPES = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN"}
# The columns of games by which results are grouped mean the same in all of them.
GROUPS = tuple(c for c in GAMES.columns if c.name in ("team", "simulated", "setting", "condition", "difficulty"))
WITHOUT_QUERY = {
    "audit": "One row is a team, condition and code of what the auditor found: in how many traces, how often.",
    "compare": "One row is a baseline figure of the paper beside ours.",
    "known_truth": "One row is a finder, part and kind of phrasing: precision and recall against known truth.",
}
# Columns of results that hold figures to the digit as they are printed.
AS_PRINTED = ("published", "ours")


@dataclass(frozen=True)
class Source:
    """What becomes one table: SQL for its rows, and what is declared of it; a comment where nothing is.

    escaped: whether texts have the apostrophes of CSV files (`io.escape_formulas`), which are taken off.
    """

    schema: str
    name: str
    rows: str
    declared: Table | None = None
    comment: str = ""
    escaped: bool = False

    @property
    def table(self) -> str:
        """The table's name in SQL."""
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def shown(self) -> str:
        """The table's name as a person would write it."""
        return self.name if self.schema == "main" else f"{self.schema}.{self.name}"


@dataclass
class Build:
    """A database under construction: its connection, where to say what is left out, and what others may refer to."""

    connection: duckdb.DuckDBPyConnection
    say: Callable[[str], None]
    parents: set[str] = field(default_factory=set)


def build_database(
    tables: Path, database: Path, more: Sequence[Source] = (), say: Callable[[str], None] = print
) -> list[str]:
    """Write a DuckDB file with every table of the folder and `more`, whole or not at all; return the tables' names.

    The file of before can be read meanwhile. `say` is given a line for each key that the rows do not keep. Raises
    FileNotFoundError for a folder without tables, UserError as `check_log` does, and OSError where the file can't
    be written.
    """
    if problem := tables_problem(tables):
        raise FileNotFoundError(problem)
    sources = sorted([*more, *table_sources("main", tables, TABLES)], key=_order)
    database.parent.mkdir(parents=True, exist_ok=True)
    with replacing(database) as target, held_origins({"tables": parquet_files(tables)}):
        try:
            _write(sources, target, say)
            _verify(sources, target)
        except duckdb.Error as error:
            raise OSError(f"{database}: can't be written ({error})") from error
        finally:
            log_of(target).unlink(missing_ok=True)
        check_log(database)
    return [source.shown for source in sources]


def check_log(database: Path) -> None:
    """Raise UserError where a program, open or killed, has written to the file of before what is not in it yet:
    that would be lost, and the new file would not open beside it. No build leaves such: drafts have other names."""
    log = log_of(database)
    if log.is_file() and log.stat().st_size:
        raise UserError(
            f"{log} holds what was written to {database.name} since it was made; end the program that has it open, and "
            "move both away, or name another",
            2,
        )


def table_sources(schema: str, folder: Path, declared: Mapping[str, Table]) -> list[Source]:
    """The folder's Parquet files. declared: name → table. Raises FileNotFoundError when there is none."""
    paths = parquet_files(folder)
    return [Source(schema, path.stem, parquet_rows(path), declared.get(path.stem)) for path in paths]


def result_sources(paths: Iterable[Path]) -> list[Source]:
    """Result tables, CSV files, for the schema `results`."""
    return [_result_source(path) for path in paths]


def task_sources(suites: Path) -> list[Source]:
    """The tasks of the folder's suites as one table, or nothing where it has no suite."""
    paths = sorted(suites.glob("*.jsonl"))
    if not paths:
        return []
    costs = {"optimal_cost": "optimal", "greedy_cost": "greedy", "witness_cost": "witness"}
    types = {c.name: SQL_TYPES[c.dtype] for c in TASKS.columns if c.name not in costs}
    types |= dict.fromkeys(costs.values(), "STRUCT(cost BIGINT)")
    chosen = ", ".join(f"{costs[n]}.cost AS {n}" if n in costs else n for n in TASKS.names)
    read = (
        f"read_json([{', '.join(map(path_literal, paths))}], format = 'newline_delimited', columns = {sql_map(types)})"
    )
    return [Source("main", TASKS.name, f"(SELECT DISTINCT {chosen} FROM {read})", TASKS)]


def literal(text: str) -> str:
    """The text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def path_literal(path: Path) -> str:
    """The path as an SQL string in which nothing is a pattern."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in path.as_posix()))


def sql_map(values: Mapping[str, str]) -> str:
    """A mapping of texts as DuckDB's readers take it."""
    return "{" + ", ".join(f"{literal(name)}: {literal(value)}" for name, value in values.items()) + "}"


def _result_source(path: Path) -> Source:
    declared = RESULT_TABLES.get(path.stem)
    if declared:
        types = {c.name: SQL_TYPES[c.dtype] for c in declared.columns}
    else:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
        types = {name: "VARCHAR" for name in header if name in AS_PRINTED}
    options = "header = true, delim = ',', quote = '\"', nullstr = '', allow_quoted_nulls = false, sample_size = -1"
    guesses = "auto_type_candidates = ['BOOLEAN', 'BIGINT', 'DOUBLE', 'VARCHAR']"
    given = f", types = {sql_map(types)}" if types else ""
    rows = f"read_csv({path_literal(path)}, {options}, {guesses}{given})"
    return Source("results", path.stem, rows, declared, _result_comment(path.stem), escaped=True)


def _result_comment(name: str) -> str:
    """What a result's query says in its first lines, or what is known of those without one; else nothing."""
    path = SQL / f"{name}.sql"
    if not path.is_file():
        return WITHOUT_QUERY.get(name, "")
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next((i for i, line in enumerate(lines) if not line.startswith("--")), 0)
    return " ".join(line.removeprefix("--").strip() for line in lines[:first])


def _order(source: Source) -> tuple[bool, int, str, str]:
    """Tables of the schema main first, among them those that others refer to."""
    names = [*REFERRED, source.name]
    return (source.schema != "main", names.index(source.name), source.schema, source.name)


def log_of(database: Path) -> Path:
    """Where DuckDB keeps changes that are not in the file yet."""
    return database.with_name(f"{database.name}.wal")


def _write(sources: Iterable[Source], target: Path, say: Callable[[str], None]) -> None:
    with duckdb.connect(str(target), config={"storage_compatibility_version": STORAGE_VERSION}) as connection:
        build = Build(connection, say)
        for source in sources:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(source.schema)}")
            _add_table(build, source)
            _add_comments(connection, source)
        _add_table1(connection)


def _verify(sources: Sequence[Source], target: Path) -> None:
    """Open the finished file as a reader would. Raises duckdb.Error, or OSError where a table is missing."""
    with duckdb.connect(str(target), read_only=True) as connection:
        written = connection.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall()
    missing = {(source.schema, source.name) for source in sources} - set(written)
    if missing:
        raise OSError(f"{target}: was not written whole; build it again")


def _add_table(build: Build, source: Source) -> None:
    """Make the table with its keys; where its rows break some, say which, and make it with the others."""
    described = build.connection.execute(f"DESCRIBE FROM {source.rows}").fetchall()
    columns = {name: kind for name, kind, *_ in described}
    constraints = _constraints(build, source, columns)
    try:
        _create(build.connection, source, columns, constraints)
    except duckdb.ConstraintException:
        problems = {constraint: constraint.problem(build.connection, source.rows) for constraint in constraints}
        for constraint in filter(problems.get, constraints):
            build.say(
                f"{source.shown}: {problems[constraint]}; it has no such {constraint.kind.lower()} in the database"
            )
        constraints = [constraint for constraint in constraints if not problems[constraint]]
        _create(build.connection, source, columns, constraints)
    if source.schema == "main" and source.declared and own_key(source.declared) in constraints:
        build.parents.add(source.name)


def _constraints(build: Build, source: Source, columns: Mapping[str, str]) -> list[Constraint]:
    """The keys that a table should have. DuckDB knows no references from one schema to another."""
    if source.declared is None:
        return []
    rows = build.connection.execute(f"SELECT count(*) FROM {source.rows}").fetchall()[0][0]
    if rows > MOST_ROWS_WITH_KEYS:
        build.say(f"{source.shown}: has {rows} rows, more than {MOST_ROWS_WITH_KEYS}; it has no keys in the database")
        return []
    return keys(source.declared, columns, build.parents if source.schema == "main" else ())


def _create(
    connection: duckdb.DuckDBPyConnection,
    source: Source,
    columns: Mapping[str, str],
    constraints: Sequence[Constraint],
) -> None:
    """Make the table with its rows. Raises duckdb.ConstraintException where they break a key."""
    declared = source.declared
    own = {name for c in constraints if not c.parent for name in c.columns}
    full = {name for name in own if declared and not may_be_empty(declared, name)}
    lines = [f"{quoted(name)} {kind}{' NOT NULL' if name in full else ''}" for name, kind in columns.items()]
    lines += [constraint.sql for constraint in constraints]
    connection.execute(f"CREATE OR REPLACE TABLE {source.table} ({', '.join(lines)})")
    values = [_plain(name) if source.escaped and kind == "VARCHAR" else quoted(name) for name, kind in columns.items()]
    connection.execute(f"INSERT INTO {source.table} SELECT {', '.join(values)} FROM {source.rows}")


def _plain(column: str) -> str:
    """SQL for a text without the apostrophes of CSV files, as `io.unescape_formulas` gives it."""
    return f"regexp_replace({quoted(column)}, {literal(ESCAPED_START)}, '\\1')"


def _add_comments(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Say in the database what one row of a table is and what its columns mean."""
    declared = source.declared
    comment = f"One row is {declared.row}. Key: {', '.join(declared.key)}." if declared else source.comment
    if comment:
        connection.execute(f"COMMENT ON TABLE {source.table} IS {literal(comment)}")
    described = connection.execute(f"DESCRIBE {source.table}").fetchall()
    meanings = _meanings(declared.columns if declared else GROUPS)
    for name in (name for name, *_ in described if name in meanings):
        connection.execute(f"COMMENT ON COLUMN {source.table}.{quoted(name)} IS {literal(meanings[name])}")


def _meanings(columns: Iterable[Column]) -> dict[str, str]:
    """Column → its meaning, with its unit in brackets."""
    return {c.name: f"{c.meaning} ({c.unit})" if c.unit else c.meaning for c in columns}


def _add_table1(connection: duckdb.DuckDBPyConnection) -> None:
    """Add Table 1 as a view, where its result is there."""
    try:
        connection.execute("CREATE VIEW main.table1 AS FROM results.table1")
    except (duckdb.CatalogException, duckdb.BinderException):
        return
    connection.execute(f"COMMENT ON VIEW main.table1 IS {literal(_result_comment('table1'))}")
