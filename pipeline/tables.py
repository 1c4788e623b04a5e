"""Result tables: one SQL file a table, run by DuckDB over the Parquet files of a folder."""

from pathlib import Path

import polars as pl

from pipeline.database import attach
from pipeline.io import write_csv

SQL = Path(__file__).parent / "sql"


def queries() -> list[str]:
    """The names of all result tables."""
    return sorted(path.stem for path in SQL.glob("*.sql"))


def query(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` over the tables of a folder: one row as its SQL file says, in its order."""
    with attach(tables) as connection:
        result: pl.DataFrame = connection.sql((SQL / f"{name}.sql").read_text(encoding="utf-8")).pl()
    return result


def write_results(tables: Path, out: Path) -> list[Path]:
    """Write every result table as `out/{name}.csv`, and return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in queries():
        paths.append(out / f"{name}.csv")
        write_csv(query(name, tables), paths[-1])
    return paths
