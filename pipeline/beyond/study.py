"""The session of a notebook beyond the paper: the study's tables, and those of `data/beyond` as `beyond.NAME`."""

from pathlib import Path

from pipeline.beyond import TABLES
from pipeline.reports.notebook_session import Study, in_a_notebook, show_not_reference
from pipeline.reports.reference_study import PARAMS_BEYOND, REFERENCE, REFERENCE_BEYOND, ROOT, is_reference
from pipeline.tables.queries import attach_schema


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
        reference: Path = REFERENCE,
        reference_beyond: Path = REFERENCE_BEYOND,
    ) -> None:
        super().__init__(tables, results, figures, reference)
        self.beyond = (Path() if Path(tables).exists() else ROOT) / beyond
        attach_schema(self.connection, "beyond", self.beyond)
        if self.is_reference and not is_reference(self.tables, reference_beyond, PARAMS_BEYOND):
            self.is_reference = False
            if in_a_notebook():
                show_not_reference()
