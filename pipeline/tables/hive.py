"""Tables in Hive partitions by team and condition: `games/team=imap/condition=standard/00000000.parquet`.

DuckDB and Polars read such folders as one table, and skip those that a query does not need (docs/scale.md).
"""

from pathlib import Path

from machine.errors import UserError

BY = ("team", "condition")
FOLDER_PREFIXES = tuple(f"{name}=" for name in BY)
FILES = "*.parquet"


def is_partition(name: str) -> bool:
    """Whether a file's path, relative to a folder of tables, is that of a partition."""
    names = name.split("/")
    return (
        len(names) == 2 + len(BY)
        and names[-1].endswith(FILES[1:])
        and all(map(str.startswith, names[1:], FOLDER_PREFIXES))
    )


def write_partitions(table: Path, games: Path, folder: Path) -> None:
    """Write the rows of a table's Parquet file to partitions in the folder, in their order. Team and condition are left
    out, as the folders name them. games: the Parquet file that tells each game's.

    Raises UserError where the disk takes two teams' folders for one.
    """
    import polars as pl

    from pipeline.tables.io import PARQUET

    by = pl.scan_parquet(games, glob=False).select("game_id", *BY)
    rows = pl.scan_parquet(table, glob=False)
    own = rows.drop(BY, strict=False).join(by, on="game_id", how="left", maintain_order="left")
    place = pl.PartitionBy(folder, key=list(BY), include_key=False, approximate_bytes_per_file=None)
    own.sink_parquet(place, mkdir=True, **PARQUET)
    if len(list(folder.rglob(FILES))) < own.select(pl.struct(BY).n_unique()).collect().item():
        raise UserError(f"{folder}: the disk takes two teams' names for one; give them other names")
