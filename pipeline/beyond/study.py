"""What a notebook beyond the paper has at hand: the study's tables, and those of `data/beyond` as a schema of its own."""

from pathlib import Path

from pipeline.beyond import PARAMS, TABLES
from pipeline.database import named, parquet_files, rows_of
from pipeline.shipped import ROOT, is_shipped
from pipeline.study import Study

SHIPPED = ROOT / "data/paper/shipped_beyond.json"
SCHEMA = "beyond"


class Beyond(Study):
    """A `Study` whose queries also reach each table of a second folder, as `beyond.NAME`.

    Claims are asserted where the study's games, its parameters and those of this part are the ones that ship.
    Raises FileNotFoundError where either folder holds no tables.
    """

    def __init__(
        self,
        figures: str | Path,
        tables: str | Path = "data/tables",
        beyond: str | Path = TABLES,
        results: str | Path = "data/results",
    ) -> None:
        super().__init__(tables, results, figures)
        self.beyond = (Path() if Path(tables).exists() else ROOT) / beyond
        self.connection.execute(f"CREATE SCHEMA {SCHEMA}")
        for path in parquet_files(self.beyond):
            self.connection.execute(f"CREATE VIEW {SCHEMA}.{named(path.stem)} AS FROM {rows_of(path)}")
        self.shipped = self.shipped and is_shipped(self.tables, SHIPPED, ROOT / PARAMS)
