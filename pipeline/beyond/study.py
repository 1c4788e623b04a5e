"""What a notebook beyond the paper has at hand: the study's tables, and those of `data/beyond` in a schema."""

from pathlib import Path

from pipeline.beyond import TABLES
from pipeline.database import attach_as
from pipeline.shipped import PARAMS_BEYOND, ROOT, SHIPPED, SHIPPED_BEYOND, is_shipped
from pipeline.study import Study, in_a_notebook, tell_not_ours


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
        shipped: Path = SHIPPED,
        shipped_beyond: Path = SHIPPED_BEYOND,
    ) -> None:
        super().__init__(tables, results, figures, shipped)
        self.beyond = (Path() if Path(tables).exists() else ROOT) / beyond
        attach_as(self.connection, "beyond", self.beyond)
        if self.shipped and not is_shipped(self.tables, shipped_beyond, PARAMS_BEYOND):
            self.shipped = False
            if in_a_notebook():
                tell_not_ours()
