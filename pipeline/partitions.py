"""Tables in folders by team and condition, as Hive has them: `games/team=imap/condition=standard/part.parquet`.

DuckDB and Polars read such a table as one, and only the folders that a query needs (docs/scale.md).
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.schemas.base import Table

if TYPE_CHECKING:
    import polars as pl

BY = ("team", "condition")
FOLDERS = tuple(f"{name}=" for name in BY)
PART = "part.parquet"
# What Hive calls a folder whose value is null.
NULL = "__HIVE_DEFAULT_PARTITION__"


def folder_of(values: Iterable[str | None]) -> Path:
    """The folder of a team and condition; what a path cannot hold is escaped."""
    return Path(*(f"{name}={NULL if v is None else quote(v, safe='')}" for name, v in zip(BY, values, strict=True)))


def is_partition(name: str) -> bool:
    """Whether a file's path within a folder of tables is that of a partition."""
    parts = name.split("/")
    return len(parts) == 2 + len(BY) and parts[-1] == PART and all(map(str.startswith, parts[1:], FOLDERS))


def write_partitions(
    frames: Iterable[tuple["pl.DataFrame", "pl.DataFrame"]], table: Table, out: Path
) -> dict[str, Any]:
    """Write one table that comes in parts, each with the team and condition of its games; return its shape.

    Each part's keys are above those of the part before, and only one is held in memory. A file's rows are sorted by the
    table's key, and are without team and condition, which their folder tells.
    """
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    from pipeline import io

    rows = 0
    # Without rows, too: the folder of the run before, whatever is in it, has to go.
    (out / table.name).mkdir(parents=True, exist_ok=True)
    writers: dict[Path, Any] = {}
    with ExitStack() as opened:
        for frame, games in frames:
            ready = io.shaped(frame, table)
            rows += ready.height
            for folder, part in _split(ready, games):
                data = part.to_arrow()
                if folder not in writers:
                    (out / table.name / folder).mkdir(parents=True, exist_ok=True)
                    path = out / table.name / folder / PART
                    writers[folder] = opened.enter_context(pq.ParquetWriter(path, data.schema, **io.PARQUET))
                writers[folder].write_table(data, io.ROW_GROUP)
    return io.shape(table, rows)


def _split(ready: "pl.DataFrame", games: "pl.DataFrame") -> Iterator[tuple[Path, "pl.DataFrame"]]:
    """(folder, rows) for each team and condition, in the order in which they come."""
    places = games.select("game_id", *(f"{name}" for name in BY)).rename({name: f"_{name}" for name in BY})
    placed = ready.join(places, on="game_id", how="left", maintain_order="left")
    split = placed.partition_by([f"_{name}" for name in BY], as_dict=True, include_key=False)
    for values, part in split.items():
        yield folder_of(values), part.drop(BY, strict=False)
