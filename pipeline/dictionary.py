"""The data dictionary, made from the declared tables."""

from collections.abc import Iterable

from pipeline.schemas.base import TABLES, Table


def data_dictionary(tables: Iterable[Table] = tuple(TABLES.values())) -> str:
    """Markdown: for each table what one row is, its key, and a line per column."""
    return "\n".join(section(table) for table in tables)


def section(table: Table) -> str:
    """One table's part of the dictionary."""
    head = [
        f"## {table.name}",
        "",
        f"One row is {table.row}. Key: {', '.join(f'`{column}`' for column in table.key)}.",
        "",
        "| column | type | meaning | unit |",
        "| --- | --- | --- | --- |",
    ]
    rows = [f"| `{c.name}` | {c.dtype} | {c.meaning.replace('|', chr(92) + '|')} | {c.unit} |" for c in table.columns]
    return "\n".join([*head, *rows, ""])
