"""Reading and writing tables: sorted by key, checked against their schema, safe in a spreadsheet."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from machine.output import replacing
from pipeline.tables.paths import tables_problem
from pipeline.tables.schemas.base import TABLES, Table
from pipeline.tables.schemas.results import RESULT_TABLES

DTYPES: dict[str, Any] = {
    "str": pl.String,
    "int": pl.Int64,
    "float": pl.Float64,
    "bool": pl.Boolean,
    "list[int]": pl.List(pl.Int64),
    "list[str]": pl.List(pl.String),
}

# Columns that tables may lack: those of an unknown reading, which pages say of them or refuse.
MAY_LACK = ("rules", "english", "english_version")

PARQUET: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
ROW_GROUP = 131_072

# The start of a cell, and blanks that a spreadsheet skips. A mark further in would shift the spans of what is there.
CELL_START = r"\A([\x00-\x20\x7f\x85\xa0\x{2000}-\x{200f}\x{2028}\x{2029}\x{3000}\x{feff}]*)"
# Some languages take the wide forms for formulas as well.
FORMULA_START = CELL_START + r"([=+\-@'\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])"
ESCAPED_START = CELL_START + "'"
NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


def polars_schema(table: Table) -> dict[str, Any]:
    """Column name → polars dtype, in the table's order."""
    return {column.name: DTYPES[column.dtype] for column in table.columns}


def to_frame(table: Table, rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """A frame of the table's columns. Each row's values stand in the order of the columns."""
    schema = polars_schema(table)
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pl.DataFrame([_series(n, list(v), d) for (n, d), v in zip(schema.items(), columns, strict=True)])


def _series(name: str, values: list[Any], dtype: Any) -> pl.Series:
    """The values as a column. Lists are parts of one flat column: polars would build a column for each of them."""
    if not values or not isinstance(dtype, pl.List):
        return pl.Series(name, values, dtype)
    import pyarrow as pa  # type: ignore[import-untyped]

    flat = pl.Series(list(chain.from_iterable(values)), dtype=dtype.inner)
    offsets = pl.Series(np.cumsum([0, *map(len, values)], dtype=np.int64))
    # Of an array that is not Arrow's own, PyArrow asks Pandas, which takes long to load.
    return pl.Series(name, pl.from_arrow(pa.LargeListArray.from_arrays(offsets.to_arrow(), flat.to_arrow())), dtype)


def conform(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The frame with exactly the table's columns, in their order and dtypes, sorted by the table's key.

    Raises ValueError if two rows share a key, and Polars' ColumnNotFoundError for a missing column.
    """
    schema = polars_schema(table)
    rows = frame[list(schema)]
    if rows.schema != schema:
        rows = rows.cast(pl.Schema(schema))
    rows = rows.sort(table.key, maintain_order=True)
    if len(repeated := rows.select(table.key).is_duplicated().arg_true()):
        key = rows.select(table.key).row(repeated[0], named=True)
        raise ValueError(f"{table.name}: two rows share the key {key}")
    return rows


def write_table(
    frame: pl.DataFrame, table: Table, folder: Path, csv: bool = True, parquet: bool = True
) -> dict[str, Any]:
    """Write `folder/{table}.parquet` and `.csv`, each if wanted, and return the table's shape (see `table_shape`).

    A file appears whole or not at all. Raises ValueError if two rows share a key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ordered = conform(frame, table)
    if parquet:
        with replacing(folder / f"{table.name}.parquet") as draft:
            write_parquet(ordered, draft, row_group_size=ROW_GROUP, **PARQUET)
    if csv:
        write_csv(ordered, folder / f"{table.name}.csv")
    return table_shape(table, ordered.height)


def write_parquet(frame: pl.DataFrame, path: Path, **options: Any) -> None:
    """Write a Parquet file. Raises OSError, also where Polars raises an error of its own for a full disk."""
    try:
        frame.write_parquet(path, **options)
    except pl.exceptions.ComputeError as error:
        raise OSError(str(error)) from error


def parquet_to_csv(table: Path, path: Path) -> None:
    """Write the rows of a Parquet file as a CSV file, as `write_csv` does, some at a time."""
    rows = pl.scan_parquet(table, glob=False)
    height = rows.select(pl.len()).collect().item()
    with replacing(path) as draft, draft.open("wb") as file:
        for start in range(0, max(1, height), ROW_GROUP):
            to_csv_frame(rows.slice(start, ROW_GROUP).collect()).write_csv(file, include_header=not start)


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a CSV file at full precision, whole or not at all.

    Booleans are True and False, lists are joined by ';', nulls are empty, and no text is a formula to a spreadsheet.
    """
    with replacing(path) as draft:
        to_csv_frame(frame).write_csv(draft)


def to_csv_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists, booleans and texts as a CSV file holds them."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    booleans = [name for name, dtype in frame.schema.items() if dtype == pl.Boolean]
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.List(pl.String))]
    plain = frame.with_columns(
        *(pl.col(n).list.eval(pl.element().cast(pl.String).fill_null("")).list.join(";") for n in lists),
        *(pl.when(pl.col(n)).then(pl.lit("True")).when(~pl.col(n)).then(pl.lit("False")).alias(n) for n in booleans),
    )
    # Looking costs a tenth of escaping, and most columns have nothing to escape.
    return plain.with_columns(escape_formulas(pl.col(n)) for n in texts if has_formulas(plain[n]))


def has_formulas(texts: pl.Series) -> bool:
    """Whether `escape_formulas` would change any of the texts."""
    return texts.unique().str.contains(FORMULA_START).any()


def escape_formulas(text: pl.Expr) -> pl.Expr:
    """The text with an apostrophe where it begins as a spreadsheet's formulas do; numbers stay as they are."""
    return pl.when(text.str.contains(NUMBER)).then(text).otherwise(text.str.replace(FORMULA_START, "${1}'${2}"))


def unescape_formulas(text: pl.Expr) -> pl.Expr:
    """The text that `escape_formulas` was given."""
    return text.str.replace(ESCAPED_START, "${1}")


def read_result(path: Path) -> pl.DataFrame:
    """A result from its CSV, its texts without the marks of `escape_formulas`. Its columns have the types that
    RESULT_TABLES declares, also if they hold no value."""
    declared = RESULT_TABLES.get(path.stem)
    types = polars_schema(declared) if declared else None
    read = pl.read_csv(path, schema_overrides=types, infer_schema_length=None, glob=False)
    return read.with_columns(unescape_formulas(pl.col(pl.String)))


def read_table(folder: Path, name: str) -> pl.DataFrame:
    """The table `name` from `folder/{name}.parquet`, with the columns that TABLES declares.

    Raises FileNotFoundError, and ValueError when the file is not whole or has other columns.
    """
    check_table(folder, name)
    return pl.read_parquet(folder / f"{name}.parquet", glob=False)


def check_tables(folder: Path) -> None:
    """Raise ValueError, in one line, where a table is missing from the folder, not whole or of another form."""
    if problem := tables_problem(folder):
        raise ValueError(problem)
    for name in TABLES:
        try:
            check_table(folder, name)
        except FileNotFoundError:
            raise ValueError(f"{folder} lacks the table {name}: derive the tables again") from None


def check_table(folder: Path, name: str) -> None:
    """Raise FileNotFoundError, and ValueError where the table's file is not whole or has other columns."""
    path = folder / f"{name}.parquet"
    try:
        with open(path, "rb") as file:  # a path would be a pattern
            schema = dict(pl.read_parquet_schema(file))
    except pl.exceptions.ComputeError:
        raise ValueError(f"{path} is not a whole Parquet file: derive the tables again") from None
    wanted = polars_schema(TABLES[name]).items()
    if schema != {column: dtype for column, dtype in wanted if column in schema or column not in MAY_LACK}:
        raise ValueError(f"{path} does not have the columns of {name}: derive the tables again")


def table_shape(table: Table, rows: int) -> dict[str, Any]:
    """The table's name, number of rows, key, and dtype by column, ready for JSON."""
    columns = {column.name: column.dtype for column in table.columns}
    return {"table": table.name, "rows": rows, "key": list(table.key), "columns": columns}


def write_json(value: object, path: Path) -> None:
    """Write a value as indented JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        draft.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_rows(rows: Iterable[dict[str, Any]], table: Table, out: Path) -> None:
    """Write the rows, which name each of the table's columns, as `out/{table}.parquet`."""
    write_table(pl.DataFrame(list(rows), schema=polars_schema(table)), table, out, csv=False)
