"""Keys of tables in the database: what is declared, and what rows there are that break it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import duckdb

from pipeline.tables.queries import quoted
from pipeline.tables.schemas.table import Table

# Tables that others refer to, in the order in which they are made: table → its key, by which others refer to it.
REFERRED = {
    "tasks": ("task_id",),
    "games": ("game_id",),
    "rounds": ("game_id", "round"),
    "agents": ("game_id", "agent"),
}


@dataclass(frozen=True)
class Constraint:
    """A key: PRIMARY KEY, UNIQUE where a column of it may be empty, or FOREIGN KEY to the same columns of `parent`."""

    kind: str
    columns: tuple[str, ...]
    parent: str = ""

    @property
    def sql(self) -> str:
        """The constraint as CREATE TABLE takes it."""
        reference = f" REFERENCES main.{self.parent} ({names(self.columns)})" if self.parent else ""
        return f"{self.kind} ({names(self.columns)}){reference}"

    def problem(self, connection: duckdb.DuckDBPyConnection, rows: str) -> str:
        """What in the rows, SQL, breaks the key; nothing where they keep it."""
        columns = ", ".join(self.columns)
        full = " AND ".join(f"{quoted(c)} IS NOT NULL" for c in self.columns)
        if self.parent:
            lost = f"FROM {rows} ANTI JOIN main.{self.parent} USING ({names(self.columns)}) WHERE {full}"
            count = _count(connection, lost)
            return f"a {columns} that {self.parent} lacks (rows: {count})" if count else ""
        if self.kind == "PRIMARY KEY" and (count := _count(connection, f"FROM {rows} WHERE NOT ({full})")):
            return f"an empty {columns} (rows: {count})"
        distinct = f"FROM (SELECT DISTINCT {names(self.columns)} FROM {rows} WHERE {full})"
        count = _count(connection, f"FROM {rows} WHERE {full}") - _count(connection, distinct)
        return f"a repeated {columns} (rows: {count})" if count else ""


def names(columns: Iterable[str]) -> str:
    """Column names as SQL lists them."""
    return ", ".join(map(quoted, columns))


def may_be_empty(table: Table, column: str) -> bool:
    """Whether the table's documentation says that the column can be empty."""
    return any(c.name == column and "empty" in c.meaning for c in table.columns)


def own_key(table: Table) -> Constraint:
    """The key of the table itself."""
    partial = any(may_be_empty(table, column) for column in table.key)
    return Constraint("UNIQUE" if partial else "PRIMARY KEY", table.key)


def keys(table: Table, columns: Collection[str], parents: Collection[str]) -> list[Constraint]:
    """The keys of a table that has the columns: its own, and one to each of `parents` whose key it has."""
    own = [own_key(table)] if set(table.key) <= set(columns) else []
    referred = [
        Constraint("FOREIGN KEY", key, parent)
        for parent, key in REFERRED.items()
        if parent in parents and parent != table.name and set(key) <= set(columns)
    ]
    return own + referred


def _count(connection: duckdb.DuckDBPyConnection, of: str) -> int:
    row = connection.execute(f"SELECT count(*) {of}").fetchone()
    return int(row[0]) if row else 0
