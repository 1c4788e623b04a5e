"""By which rules a folder of tables was derived, as its table game_summary says."""

from pathlib import Path

import polars as pl

RECORDED = ("rules", "english", "english_version")


def recorded_reading(tables: Path) -> tuple[str, str, int] | None:
    """The rules of typed messages, the reading of English and its version, by which the tables were derived.

    None if that is not known: the tables were derived before it was recorded, or have no game. Raises ValueError for
    tables of several readings.
    """
    path = tables / "game_summary.parquet"
    if not path.is_file() or not set(RECORDED) <= set(pl.read_parquet_schema(path)):
        return None
    recorded = pl.scan_parquet(path, glob=False).select(RECORDED).unique().collect().rows()
    if len(recorded) > 1:
        raise ValueError(f"{path}: rows of several readings; derive the traces again")
    return recorded[0] if recorded else None
