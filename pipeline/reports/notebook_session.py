"""What a notebook has at hand: tables, results, the paper's figures, a place for figures, and claims with a verdict."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.reports.reference_study import PARAMS, REFERENCE, is_reference
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import polars_schema
from pipeline.tables.queries import attach, query_names, query_text
from pipeline.tables.schemas.results import RESULT_TABLES

if TYPE_CHECKING:
    from IPython.display import SVG, Markdown
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[2]
NUMBERS = ROOT / paths.NUMBERS

VERDICT = {
    "claim": pl.String,
    "source": pl.String,
    "about": pl.String,
    "holds": pl.Boolean,
    "by_construction": pl.Boolean,
}
ROW = ("team", "setting", "condition", "part")
INTERVAL = dict.fromkeys((*ROW, "measure"), pl.String) | dict.fromkeys(("mean", "low", "high"), pl.Float64)

# What a condition raises where a team, a setting or a column that it asks for is not in somebody's traces.
NOTHING_TO_TELL = (LookupError, TypeError, ValueError, ArithmeticError, pl.exceptions.PolarsError)

NOTHING_TO_DRAW = "*Nothing to draw: these tables hold no such games.*"
NOT_OURS = (
    "*These are not the study's own games and parameters. The findings above are about the study's; "
    "the tables and figures below, and the verdicts at the end, are about these.*"
)


class ClaimFailed(AssertionError):
    """A claim that the study's own tables used to show, and no longer do."""


class Study:
    """The tables and results of one folder each, read as they are asked for.

    tables: folder of Parquet tables; results: folder of CSV results; figures: folder for SVG files, made when needed;
    reference: the file that tells the study's own tables (reference_study.py). Where the current folder has no such
    tables, relative paths are those of the project.
    """

    def __init__(
        self, tables: str | Path, results: str | Path, figures: str | Path, reference: Path = REFERENCE
    ) -> None:
        base = Path() if Path(tables).exists() else ROOT
        self.tables, self.results, self.figures = base / tables, base / results, base / figures
        self.connection = attach(self.tables)
        self.is_reference = is_reference(self.tables, reference)
        self._verdicts: list[tuple[Any, ...]] = []
        if in_a_notebook():
            _furnish()
            if not self.is_reference:
                tell_not_ours()

    def sql(self, query: str) -> pl.DataFrame:
        """The answer of DuckDB to a query over the tables, each of which is a view under its name."""
        found: pl.DataFrame = self.connection.sql(query).pl()
        return found

    def result(self, name: str) -> pl.DataFrame:
        """A result, from `results/{name}.csv`. Raises FileNotFoundError when there is none."""
        return pl.read_csv(self.results / f"{name}.csv", schema_overrides=self._types(name), infer_schema_length=None)

    def _types(self, name: str) -> dict[str, Any]:
        """The types of a result's columns: a CSV does not tell them where it has no value."""
        if name in RESULT_TABLES:
            return polars_schema(RESULT_TABLES[name])
        if name in query_names():
            return dict(self.sql(f"FROM ({query_text(name)}) LIMIT 0").schema)
        return {}

    def has(self, name: str) -> bool:
        """Whether there is such a result: not all are made of other traces than the study's."""
        return (self.results / f"{name}.csv").is_file()

    def intervals(self, table: str) -> pl.DataFrame:
        """The 95 % intervals of a result table: team, setting, condition, part, measure, mean, low, high.

        part is what is left of the row's key, as text. No row where the results hold no intervals.
        """
        if not self.has("intervals"):
            return pl.DataFrame(schema=INTERVAL)
        found = self.result("intervals").filter(table=table)
        return found.select(pl.col(ROW).replace("", None), *(name for name in INTERVAL if name not in ROW))

    def resampling(self) -> Resampling:
        """How the intervals of the results were made, for those that a notebook makes itself: the same draws."""
        import yaml

        return Resampling(**yaml.safe_load(PARAMS.read_text(encoding="utf-8"))["intervals"])

    def paper(self, source: str) -> pl.DataFrame:
        """The paper's figures under one of its headings ("Table 1"): setting, method, kind, metric, value as float."""
        found = read_numbers(NUMBERS).filter(source=source)
        return found.with_columns(pl.col("value").cast(pl.Float64), pl.col("decimals").cast(pl.Int64))

    def figure(self, figure: "Figure | None", name: str) -> "SVG | Markdown":
        """Save a figure as `figures/{name}.svg`, the same bytes in every run, and show that file.

        Where there is none to draw, say so.
        """
        from IPython.display import SVG, Markdown

        from pipeline.reports.plots.style import save

        if figure is None:
            return Markdown(NOTHING_TO_DRAW)  # type: ignore[no-untyped-call]
        return SVG(filename=str(save(figure, self.figures / f"{name}.svg")))  # type: ignore[no-untyped-call]

    def assert_claim(
        self, claim: str, holds: object, *, source: str, about: str = "protocols", by_construction: bool = False
    ) -> None:
        """Record whether a claim of the paper holds; on the study's own tables one that does not is an error.

        holds: true or false, or a function that tells; where other tables lack what it asks for, the verdict is empty.
        source: where the paper says it; about: whom our evidence shows (protocols, or simulated teams);
        by_construction: a simulated team's parameters make it so, which supports nothing. Raises ClaimFailed.
        """
        verdict = self._verdict(holds)
        self._verdicts.append((claim, source, about, verdict, by_construction))
        if self.is_reference and not verdict:
            raise ClaimFailed(f"{claim} ({source})")

    def assert_deviation(self, claim: str, holds: object, *, source: str, about: str = "simulated teams") -> None:
        """Record a claim of the paper that the study's own tables do not show: an error there if they come to show it.

        Raises ClaimFailed.
        """
        verdict = self._verdict(holds)
        self._verdicts.append((claim, source, about, verdict, False))
        if self.is_reference and verdict is not False:
            raise ClaimFailed(f"now holds, and is listed as one that does not: {claim} ({source})")

    def verdicts(self) -> pl.DataFrame:
        """One row per claim, in the order in which they were made. `holds` is empty where the tables can't tell."""
        return pl.DataFrame(self._verdicts, schema=VERDICT, orient="row")

    def _verdict(self, holds: object) -> bool | None:
        """Whether a condition holds. On the study's own tables whatever it raises is raised."""
        if not callable(holds):
            return None if holds is None else bool(holds)
        try:
            found = holds()
        except NOTHING_TO_TELL:
            if self.is_reference:
                raise
            return None
        return None if found is None else bool(found)


def in_a_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def _furnish() -> None:
    """Let tables show whole."""
    pl.Config(
        fmt_str_lengths=200, tbl_rows=60, tbl_cols=20, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True
    )


def tell_not_ours() -> None:
    """Tell that what follows is not about the games and parameters that a notebook's prose is about."""
    from IPython.display import Markdown, display

    display(Markdown(NOT_OURS))  # type: ignore[no-untyped-call]
