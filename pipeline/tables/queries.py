"""Result tables: one SQL file a table, run by DuckDB over the Parquet files of a folder."""

from pathlib import Path

import polars as pl

from pipeline.tables.database import attach
from pipeline.tables.io import write_csv

SQL = Path(__file__).parent / "sql"
SHARED = SQL / "shared"  # what several result tables select from


def queries() -> list[str]:
    """The names of all result tables."""
    return sorted(path.stem for path in SQL.glob("*.sql"))


def query_text(name: str) -> str:
    """The SELECT of a result table, after a WITH of the shared query that it selects from, if there is one."""
    own = (SQL / f"{name}.sql").read_text(encoding="utf-8")
    shared = [path for path in sorted(SHARED.glob("*.sql")) if f"FROM {path.stem}\n" in own]
    parts = [f"{path.stem} AS (\n{path.read_text(encoding='utf-8')})" for path in shared]
    return f"WITH {', '.join(parts)}\n{own}" if parts else own


def query(name: str, tables: Path) -> pl.DataFrame:
    """The result table `name` over the tables of a folder: one row as its SQL file says, in its order."""
    with attach(tables) as connection:
        result: pl.DataFrame = connection.sql(query_text(name)).pl()
    return result


def write_results(tables: Path, out: Path) -> list[Path]:
    """Write every result table as `out/{name}.csv`, and return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in queries():
        paths.append(out / f"{name}.csv")
        write_csv(query(name, tables), paths[-1])
    return paths
