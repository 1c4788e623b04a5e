"""Tables put together from parts: each part has all rows of some games, DuckDB sorts them, within bounded memory.

The bytes that are written depend neither on how games are shared out to parts nor on the number of workers.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.cores import Workers, map_unordered
from pipeline.tables.schemas.base import TABLES, Table

if TYPE_CHECKING:
    import duckdb
    import polars as pl

LARGEST = ("belief_evidence", "messages", "pair_round_vps")
# Of DuckDB, for each table that is put together at a time.
MEMORY = "400MB"


def part_path(folder: Path, table: str, number: int) -> Path:
    """The file of part number `number` of a table."""
    return folder / f"{table}.{number:05d}.parquet"


def write_parts(frames: Mapping[str, "pl.DataFrame"], folder: Path, number: int) -> None:
    """Write part number `number` of each table. `frames`: table → its rows as `io.conform` returns them."""
    from pipeline.tables import io

    for name, rows in frames.items():
        io.write_parquet(rows, part_path(folder, name, number), compression="lz4", statistics=False)


def remove_games(folder: Path, number: int, games: Sequence[str], tables: Iterable[str]) -> None:
    """Remove some games from a part of the tables."""
    import polars as pl

    for name in tables:
        path = part_path(folder, name, number)
        rows = pl.read_parquet(path, glob=False, memory_map=False)
        rows.filter(~pl.col("game_id").is_in(games)).write_parquet(path)


def put_together(
    names: Iterable[str],
    numbers: Sequence[int],
    folders: tuple[Path, Path],
    workers: Workers,
    csv: bool = True,
    parquet: bool = True,
) -> dict[str, dict[str, Any]]:
    """Write tables from their parts of these numbers, in parallel; return their shapes by name, sorted.

    folders: that of the parts, and that of the tables. Parts go when their table is there, as the disk may be needed.
    """
    call = partial(_put_together, numbers=numbers, folders=folders, csv=csv, parquet=parquet)
    # The largest first, so that no core is left with one at the end.
    ordered = sorted(names, key=lambda name: (name not in LARGEST, name))
    shapes = {shape["table"]: shape for _, shape in map_unordered(call, ordered, workers)}
    return dict(sorted(shapes.items()))


def _put_together(
    name: str, numbers: Sequence[int], folders: tuple[Path, Path], csv: bool, parquet: bool
) -> dict[str, Any]:
    files = [part_path(folders[0], name, number) for number in numbers]
    shape = assemble(TABLES[name], files, folders[1], csv, parquet)
    for path in files:
        path.unlink()
    return shape


def assemble(table: Table, parts: Sequence[Path], out: Path, csv: bool = True, parquet: bool = True) -> dict[str, Any]:
    """Write one table from its parts, sorted by its key, to `out/{table}.parquet` and `.csv`, each if wanted; return
    its shape. Without parts it has no rows."""
    from pipeline.tables import io

    if not parts:
        return io.write_table(io.to_frame(table, []), table, out, csv, parquet)
    out.mkdir(parents=True, exist_ok=True)
    whole = out / f"{table.name}.parquet"
    rows = _sort_parts(table, parts, whole)
    if csv:
        io.parquet_to_csv(whole, whole.with_suffix(".csv"))
    if not parquet:
        whole.unlink()
    return io.table_shape(table, rows)


def _sort_parts(table: Table, parts: Sequence[Path], whole: Path) -> int:
    """Write the sorted rows of the parts as one Parquet file; returns how many."""
    import duckdb

    from pipeline.tables.queries import quoted, sql_path

    columns = ", ".join(quoted(column.name) for column in table.columns)
    order = ", ".join(f"{quoted(name)} ASC NULLS FIRST" for name in table.key)
    files = ", ".join(f"'{sql_path(path)}'" for path in parts)
    options = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 131072"
    sorted_rows = f"SELECT {columns} FROM read_parquet([{files}]) ORDER BY {order}"
    target = whole.as_posix().replace("'", "''")
    connection = _duckdb(parts[0].parent / "sort")
    try:
        return int(connection.execute(f"COPY ({sorted_rows}) TO '{target}' ({options})").fetchall()[0][0])
    except duckdb.IOException as error:
        raise OSError(str(error)) from error


@lru_cache(maxsize=1)
def _duckdb(spill: Path) -> "duckdb.DuckDBPyConnection":
    """A connection for all tables that this process puts together: to make one takes longer than to sort a small table.

    spill: the folder for what memory does not hold.
    """
    import duckdb

    return duckdb.connect(config={"threads": 1, "memory_limit": MEMORY, "temp_directory": str(spill)})
