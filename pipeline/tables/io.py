"""Reading and writing tables: sorted by key, checked against their schema, safe in a spreadsheet."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from machine.files import replacing
from pipeline.tables.schemas.base import TABLES, Table

BLANKS = r"(^|[;\t\r\n])([ \x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\xa0\x{2000}-\x{200f}\x{3000}\x{feff}]*)"
# The wide forms are taken for formulas in some languages.
RISKY = BLANKS + r"([=+\-@'\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}])"
MARKED = BLANKS + "'"
NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


def marked(text: pl.Expr) -> pl.Expr:
    """The text as a spreadsheet may open it."""
    return pl.when(text.str.contains(NUMBER)).then(text).otherwise(text.str.replace_all(RISKY, "${1}${2}'${3}"))


def is_risky(texts: pl.Series) -> bool:
    """Whether `marked` would change any of the texts."""
    return texts.unique().str.contains(RISKY).any()


def unmarked(text: pl.Expr) -> pl.Expr:
    """The text that `marked` was given."""
    return text.str.replace_all(MARKED, "${1}${2}")


DTYPES: dict[str, Any] = {
    "str": pl.String,
    "int": pl.Int64,
    "float": pl.Float64,
    "bool": pl.Boolean,
    "list[int]": pl.List(pl.Int64),
    "list[str]": pl.List(pl.String),
}

PARQUET: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
ROW_GROUP = 131_072


def polars_schema(table: Table) -> dict[str, Any]:
    """Column name → polars dtype, in the table's order."""
    return {column.name: DTYPES[column.dtype] for column in table.columns}


def to_frame(table: Table, rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """The rows, whose values stand in the order of the table's columns, as a frame."""
    schema = polars_schema(table)
    columns = zip(*rows, strict=True) if rows else ([] for _ in schema)
    return pl.DataFrame([_series(n, list(v), d) for (n, d), v in zip(schema.items(), columns, strict=True)])


def _series(name: str, values: list[Any], dtype: Any) -> pl.Series:
    """The values as a column. Lists are cut from one flat column: polars would build a column for each of them."""
    if not values or not isinstance(dtype, pl.List):
        return pl.Series(name, values, dtype)
    flat = pl.Series(list(chain.from_iterable(values)), dtype=dtype.inner)
    length = pl.col("length")
    cut = pl.lit(flat).implode().list.slice(length.cum_sum() - length, length)
    lengths = pl.DataFrame({"length": list(map(len, values))}, schema={"length": pl.Int64})
    return lengths.select(cut.alias(name)).to_series()


def shaped(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The frame with the table's columns in order and in dtype, sorted by its key.

    Raises ValueError if two rows share a key.
    """
    schema = polars_schema(table)
    ready = frame[list(schema)]
    if ready.schema != schema:
        ready = ready.cast(pl.Schema(schema))
    if not is_ascending(ready, table.key):
        ready = ready.sort(table.key, maintain_order=True)
        check_key(ready, table)
    return ready


def is_ascending(frame: pl.DataFrame, key: Sequence[str]) -> bool:
    """Whether each row's key, without nulls, is above that of the row before: most frames are born so.

    Compared column by column, outside Polars' engine, whose start would take longer.
    """
    later = pl.repeat(False, max(0, frame.height - 1), eager=True)
    for name in reversed(key):
        column = frame[name]
        if column.null_count():
            return False
        left, right = column[:-1], column[1:]
        later = (left < right) | ((left == right) & later)
    return bool(later.all())


def check_key(ordered: pl.DataFrame, table: Table) -> None:
    """Raise ValueError if two neighbouring rows share a key."""
    same = ordered.select(pl.all_horizontal(pl.col(k).eq_missing(pl.col(k).shift(1)) for k in table.key)).to_series()
    repeated = same[1:].arg_true()
    if len(repeated):
        row = ordered.row(repeated[0] + 1, named=True)
        raise ValueError(f"{table.name}: two rows share the key { ({k: row[k] for k in table.key}) }")


def write_table(frame: pl.DataFrame, table: Table, folder: Path, csv: bool = True) -> dict[str, Any]:
    """Write `folder/{table}.parquet` and, if wanted, `.csv`, whole or not at all, and return the table's shape."""
    return write_in_ranges([frame], table, folder, csv)


def write_in_ranges(frames: Iterable[pl.DataFrame], table: Table, folder: Path, csv: bool = True) -> dict[str, Any]:
    """Write one table that comes in frames, each frame's keys above those of the frame before; return its shape.

    Only one frame is held in memory. Each starts a row group: the same frames give the same bytes.
    """
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    folder.mkdir(parents=True, exist_ok=True)
    empty = pl.DataFrame(schema=polars_schema(table))
    rows = 0
    with (
        replacing(folder / f"{table.name}.parquet") as parquet,
        pq.ParquetWriter(parquet, empty.to_arrow().schema, **PARQUET) as writer,
        csv_writer(folder / f"{table.name}.csv", empty) if csv else nullcontext() as write_rows,
    ):
        for frame in frames:
            ready = shaped(frame, table)
            writer.write_table(ready.to_arrow(), ROW_GROUP)
            if write_rows:
                write_rows(ready)
            rows += ready.height
    return shape(table, rows)


@contextmanager
def csv_writer(path: Path, empty: pl.DataFrame) -> Iterator[Callable[[pl.DataFrame], None]]:
    """A function that appends a frame's rows to a CSV, which appears whole or not at all."""
    with replacing(path) as target, target.open("wb") as text:
        for_csv(empty).write_csv(text)
        yield lambda frame: for_csv(frame).write_csv(text, include_header=False)


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a CSV at full precision: True and False, lists joined by ';', nothing for a null, no formula for a
    spreadsheet to run (pipeline/tables/io.py)."""
    with replacing(path) as target:
        for_csv(frame).write_csv(target)


def for_csv(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists, booleans and text as CSV holds them."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    booleans = [name for name, dtype in frame.schema.items() if dtype == pl.Boolean]
    texts = [name for name, dtype in frame.schema.items() if dtype in (pl.String, pl.List(pl.String))]
    ready = frame.with_columns(
        *(pl.col(n).list.eval(pl.element().cast(pl.String).fill_null("")).list.join(";") for n in lists),
        *(pl.when(pl.col(n)).then(pl.lit("True")).when(~pl.col(n)).then(pl.lit("False")).alias(n) for n in booleans),
    )
    # Looking costs a tenth of marking, and most columns have nothing to mark.
    return ready.with_columns(marked(pl.col(n)) for n in texts if is_risky(ready[n]))


def write_shard(ready: pl.DataFrame, path: Path) -> None:
    """Write a table's rows, in its shape, as `map_shard` reads them."""
    ready.write_ipc(path)


def map_shard(path: Path) -> pl.DataFrame:
    """A shard, memory-mapped: its pages are read when they are needed, and can be given back at any time."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        return pl.DataFrame(pa.ipc.open_file(source).read_all())


def read_table(folder: Path, name: str) -> pl.DataFrame:
    """A table from `folder/{name}.parquet`. Raises ValueError when its columns are not the declared ones."""
    frame = pl.read_parquet(folder / f"{name}.parquet", glob=False)
    expected = polars_schema(TABLES[name])
    if dict(frame.schema) != expected:
        raise ValueError(f"{folder / name}.parquet does not have the columns of {name}: derive the tables again")
    return frame


def shape(table: Table, rows: int) -> dict[str, Any]:
    """The table's rows, key and columns with dtypes, ready for JSON."""
    columns = {column.name: column.dtype for column in table.columns}
    return {"table": table.name, "rows": rows, "key": list(table.key), "columns": columns}


def write_json(value: object, path: Path) -> None:
    """Write a value as indented JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as target:
        target.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
