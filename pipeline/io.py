"""Tables in files: Parquet and CSV, sorted by an asserted key, the same bytes for the same rows."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.schemas import TABLES, Table

DTYPES: dict[str, Any] = {
    "str": pl.String,
    "int": pl.Int64,
    "float": pl.Float64,
    "bool": pl.Boolean,
    "list[int]": pl.List(pl.Int64),
}


def polars_schema(table: Table) -> dict[str, Any]:
    """Column name → polars dtype, in the table's order."""
    return {column.name: DTYPES[column.dtype] for column in table.columns}


def to_frame(table: Table, rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """The rows, whose values stand in the order of the table's columns, as a frame."""
    schema = polars_schema(table)
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    series = [pl.Series(n, list(v), d) for (n, d), v in zip(schema.items(), columns, strict=True)]
    return pl.DataFrame(series)


def shaped(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The frame with the table's columns in order and in dtype, sorted by its key. Raises ValueError if two rows share it."""
    schema = polars_schema(table)
    ordered = frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items()).sort(table.key, maintain_order=True)
    same = ordered.select(pl.all_horizontal(pl.col(k).eq_missing(pl.col(k).shift(1)) for k in table.key)).to_series()
    repeated = same[1:].arg_true()
    if len(repeated):
        row = ordered.row(repeated[0] + 1, named=True)
        raise ValueError(f"{table.name}: two rows share the key {({k: row[k] for k in table.key})}")
    return ordered


def write_table(frame: pl.DataFrame, table: Table, folder: Path) -> dict[str, Any]:
    """Write `folder/{table}.parquet` and `.csv`, whole or not at all, and return the table's shape."""
    ready = shaped(frame, table)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / f"{table.name}.parquet") as path:
        ready.write_parquet(path, compression="zstd", compression_level=1, row_group_size=131072, statistics=True)
    write_csv(ready, folder / f"{table.name}.csv")
    return shape(ready, table)


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a CSV at full precision: True and False, lists joined by ';', nothing for a null."""
    with replacing(path) as target:
        for_csv(frame).write_csv(target)


def for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists and booleans as the text that CSV holds."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    booleans = [name for name, dtype in frame.schema.items() if dtype == pl.Boolean]
    return frame.with_columns(
        *(pl.col(n).list.eval(pl.element().cast(pl.String).fill_null("")).list.join(";") for n in lists),
        *(pl.when(pl.col(n)).then(pl.lit("True")).when(~pl.col(n)).then(pl.lit("False")).alias(n) for n in booleans),
    )


def read_table(folder: Path, name: str) -> pl.DataFrame:
    """A table from `folder/{name}.parquet`. Raises ValueError when its columns are not the declared ones."""
    frame = pl.read_parquet(folder / f"{name}.parquet")
    expected = polars_schema(TABLES[name])
    if dict(frame.schema) != expected:
        raise ValueError(f"{folder / name}.parquet does not have the columns of {name}: derive the tables again")
    return frame


def shape(frame: pl.DataFrame, table: Table) -> dict[str, Any]:
    """The table's rows, key and columns with dtypes, ready for JSON."""
    columns = {column.name: column.dtype for column in table.columns}
    return {"table": table.name, "rows": frame.height, "key": list(table.key), "columns": columns}


def write_json(value: object, path: Path) -> None:
    """Write a value as indented JSON, whole or not at all."""
    with replacing(path) as target:
        target.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place when all went well and disappears when not."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield beside
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def concat(frames: Iterable[pl.DataFrame], table: Table) -> pl.DataFrame:
    """The frames one below the other; an empty table when there are none."""
    parts = list(frames)
    return pl.concat(parts) if parts else pl.DataFrame(schema=polars_schema(table))
