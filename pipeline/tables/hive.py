"""Tables partitioned into folders as Hive does it: `games/team=imap/condition=standard/part.parquet`.

DuckDB and Polars read the folders as one table, and of them only those that a query needs (docs/scale.md).
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.tables.schemas.base import Table

if TYPE_CHECKING:
    import polars as pl

BY = ("team", "condition")
FOLDERS = tuple(f"{name}=" for name in BY)
FILE = "part.parquet"
# What Hive calls a folder whose value is null.
NULL = "__HIVE_DEFAULT_PARTITION__"


def folder_of(values: Iterable[str | None]) -> Path:
    """The folder of a team and condition; characters that a path cannot hold are percent-encoded."""
    return Path(*(f"{name}={NULL if v is None else quote(v, safe='')}" for name, v in zip(BY, values, strict=True)))


def is_partition(name: str) -> bool:
    """Whether a file's path within a folder of tables is that of a partition."""
    names = name.split("/")
    return len(names) == 2 + len(BY) and names[-1] == FILE and all(map(str.startswith, names[1:], FOLDERS))


def write_partitions(
    frames: Iterable[tuple["pl.DataFrame", "pl.DataFrame"]], table: Table, out: Path
) -> dict[str, Any]:
    """Write one table that comes in pairs of frames, its rows and their games' rows of `games`; return its shape.

    Each frame's keys are above those of the frame before, and only one is held in memory. A file's rows are sorted by
    the table's key, and are without team and condition, which their folder names.
    """
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    from pipeline.tables import io

    rows = 0
    # Also without rows: this folder replaces that of the run before, whatever is in it.
    (out / table.name).mkdir(parents=True, exist_ok=True)
    writers: dict[Path, Any] = {}
    with ExitStack() as opened:
        for frame, games in frames:
            ready = io.shaped(frame, table)
            rows += ready.height
            for folder, partition in _split(ready, games):
                data = partition.to_arrow()
                if folder not in writers:
                    (out / table.name / folder).mkdir(parents=True, exist_ok=True)
                    path = out / table.name / folder / FILE
                    writers[folder] = opened.enter_context(pq.ParquetWriter(path, data.schema, **io.PARQUET))
                writers[folder].write_table(data, io.ROW_GROUP)
    return io.shape(table, rows)


def _split(ready: "pl.DataFrame", games: "pl.DataFrame") -> Iterator[tuple[Path, "pl.DataFrame"]]:
    """(folder, rows) of each team and condition, in the order of their first rows."""
    by = games.select("game_id", *BY).rename({name: f"_{name}" for name in BY})
    joined = ready.join(by, on="game_id", how="left", maintain_order="left")
    split = joined.partition_by([f"_{name}" for name in BY], as_dict=True, include_key=False)
    for values, partition in split.items():
        yield folder_of(values), partition.drop(BY, strict=False)
