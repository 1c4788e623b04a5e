"""By which rules a folder of tables was derived, as its table game_summary says."""

from pathlib import Path

import polars as pl

RECORDED = ("rules", "english", "english_version")


def recorded_reading(tables: Path) -> tuple[str, str, int] | None:
    """The rules of typed messages, the reading of English and its version, by which the tables were derived.

    None where that is not known: the tables were derived before it was recorded, have no game, or are of several.
    """
    path = tables / "game_summary.parquet"
    if not path.is_file() or not set(RECORDED) <= set(pl.read_parquet_schema(path)):
        return None
    recorded = pl.scan_parquet(path, glob=False).select(RECORDED).unique().collect().rows()
    return recorded[0] if len(recorded) == 1 else None
