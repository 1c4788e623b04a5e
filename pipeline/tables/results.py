"""Result tables that are declared: written as CSV in the order of their key."""

from pathlib import Path

import polars as pl

from pipeline.tables.io import shaped, write_csv
from pipeline.tables.schemas.results import RESULT_TABLES


def write_result(frame: pl.DataFrame, name: str, results: Path) -> Path:
    """Write the declared result `name` as `results/{name}.csv`, and return its path.

    Raises ValueError where two rows share a key.
    """
    results.mkdir(parents=True, exist_ok=True)
    path = results / f"{name}.csv"
    write_csv(shaped(frame, RESULT_TABLES[name]), path)
    return path
