"""Write named rows as a table in Parquet, also where there are none."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.tables.io import polars_schema, write_table
from pipeline.tables.schemas.table import Table


def write_rows(rows: Iterable[dict[str, Any]], table: Table, out: Path) -> None:
    """Write the rows, which name each of the table's columns, as `out/{table}.parquet`."""
    write_table(pl.DataFrame(list(rows), schema=polars_schema(table)), table, out, csv=False)
