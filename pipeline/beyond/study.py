"""What a notebook beyond the paper has at hand: the study's tables, and those of `data/beyond` in a schema."""

from pathlib import Path

from pipeline.beyond import TABLES
from pipeline.database import attach_as
from pipeline.shipped import PARAMS_BEYOND, ROOT, SHIPPED_BEYOND, is_shipped
from pipeline.study import Study


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
        attach_as(self.connection, "beyond", self.beyond)
        self.shipped = self.shipped and is_shipped(self.tables, SHIPPED_BEYOND, PARAMS_BEYOND)
