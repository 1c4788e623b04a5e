"""A notebook's access to tables, results and the paper's figures; its own figures; and its claims with verdicts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from machine.files import check_versions, file_versions
from machine.terminal import counted
from pipeline.paper.compare import read_numbers
from pipeline.reports.measures import reading_of
from pipeline.reports.reference_study import PARAMS, REFERENCE, changed_parameters, is_reference
from pipeline.statistics.caveats import caveats
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import read_result
from pipeline.tables.paths import NUMBERS as PRINTED
from pipeline.tables.paths import RESULTS, ROOT, no_tables, read_yaml
from pipeline.tables.queries import ALL_GAMES, attach

if TYPE_CHECKING:
    from IPython.display import SVG, Markdown
    from matplotlib.figure import Figure

NUMBERS = ROOT / PRINTED

VERDICT = {
    "claim": pl.String,
    "source": pl.String,
    "about": pl.String,
    "holds": pl.Boolean,
    "by_construction": pl.Boolean,
}
INTERVAL_KEY = ("team", "setting", "condition", "part")
INTERVAL = dict.fromkeys((*INTERVAL_KEY, "measure"), pl.String) | dict.fromkeys(("mean", "low", "high"), pl.Float64)

# What a condition raises where other traces lack a team, setting or column that it asks for.
UNDECIDABLE = (LookupError, TypeError, ValueError, ArithmeticError, pl.exceptions.PolarsError)

MOST_TEAMS_NAMED = 12  # in a sentence

NOTHING_TO_DRAW = "*Nothing to draw: these tables hold no such games.*"
NOT_REFERENCE = (
    "*These are not the study's own games and parameters: tables, figures and verdicts are about those at hand.*"
)


class ClaimFailed(AssertionError):
    """A claim that the study's own tables used to show, and no longer do."""


class Study:
    """The tables and results of a study, read when they are asked for.

    tables: folder of Parquet tables; results: folder of CSV results; figures: folder for SVG files, made when needed;
    reference: the fingerprint of the study's own tables (reference_study.py); usual: whether the notebook's other
    parameters are those that it is shipped with; note: whether it says where these are not the study's. Where the
    current folder has no such tables, relative paths are those of the project. english: how English was read where the
    tables do not record it. drawn: the figures saved so far, by name; reading: by which the tables are.
    """

    def __init__(
        self,
        tables: str | Path,
        results: str | Path,
        figures: str | Path,
        reference: Path = REFERENCE,
        *,
        usual: bool = True,
        note: bool = True,
        english: str = "",
    ) -> None:
        base = Path() if Path(tables).exists() else ROOT
        self._tables, self.results, self.figures = base / tables, base / results, base / figures
        if absent := no_tables(self._tables):
            raise FileNotFoundError(absent)
        self._versions = file_versions(self._tables.glob("*.parquet"))
        self.connection = attach(self._tables)
        self.is_reference = usual and is_reference(self._tables, reference)
        self.drawn: dict[str, Figure] = {}
        self._verdicts: list[tuple[Any, ...]] = []
        self.reading = reading_of(self._tables, english)
        if in_a_notebook():
            show_whole_tables()
            if note and not self.is_reference:
                show_not_reference()

    @property
    def tables(self) -> Path:
        """The folder of tables. Raises OSError where they are not those any more that the notebook began with."""
        check_versions(self._versions)
        return self._tables

    def sql(self, query: str) -> pl.DataFrame:
        """The rows of a DuckDB query over the tables, each a view under its name, without the games that were stopped.

        With those too, a table is `all_games.NAME`. Raises OSError as `tables` does.
        """
        check_versions(self._versions)
        answer: pl.DataFrame = self.connection.sql(query).pl()
        return answer

    def result(self, name: str) -> pl.DataFrame:
        """A result, from `results/{name}.csv`. Raises FileNotFoundError when there is none."""
        return read_result(self.results / f"{name}.csv")

    def has(self, name: str) -> bool:
        """Whether this result exists: not every one is made for other traces than the study's."""
        return (self.results / f"{name}.csv").is_file()

    def intervals(self, table: str) -> pl.DataFrame:
        """The 95 % intervals of a result table: team, setting, condition, part, measure, mean, low, high.

        part is what is left of the row's key, as text. No row where the results hold no intervals.
        """
        if not self.has("intervals"):
            return pl.DataFrame(schema=INTERVAL)
        key = pl.col(INTERVAL_KEY).replace("", None)
        values = (name for name in INTERVAL if name not in INTERVAL_KEY)
        return self.result("intervals").filter(table=table).select(key, *values)

    def params(self, section: str) -> dict[str, Any]:
        """A section of the study's params.yaml."""

        sections: dict[str, dict[str, Any]] = read_yaml(PARAMS)
        return sections[section]

    def resampling(self) -> Resampling:
        """How the results' intervals were resampled, so that a notebook's own use the same draws."""
        return Resampling(**self.params("intervals"))

    def paper(self, source: str) -> pl.DataFrame:
        """The paper's figures under one of its headings ("Table 1"): setting, method, kind, metric, value as float."""
        answer = read_numbers(NUMBERS).filter(source=source)
        return answer.with_columns(pl.col("value").cast(pl.Float64), pl.col("decimals").cast(pl.Int64))

    def statements(self, *names: str) -> pl.DataFrame:
        """What the paper says, checked in the study's own ledger of statements: says, where, found, verdict."""
        rows = read_result(ROOT / RESULTS / "statements.csv")
        chosen = pl.concat(rows.filter(id=name) for name in names)
        return chosen.select("says", "where", "found", "verdict")

    def figure(self, figure: "Figure | None", name: str) -> "SVG | Markdown":
        """Save a figure as `figures/{name}.svg`, the same bytes in every run, and return it for display.

        In a notebook it is shown, and its caption is returned, to stand below it. figure: None where there is nothing
        to draw, which the return value then says.
        """
        if figure is not None:
            self.drawn[name] = figure
        return show_figure(figure, self.figures / f"{name}.svg")

    def finding(self, shown: str, otherwise: object = "") -> "Markdown":
        """What the study's own tables show, in Markdown, for display; on any others what `otherwise` says.

        shown: holds on the study's tables, as the notebook asserts where it has the figures; otherwise: text, or a
        function that returns it, which says nothing where these tables lack what it reads.
        """
        from IPython.display import Markdown

        text = shown if self.is_reference else self._evaluated(otherwise)
        return Markdown(str(text or ""))  # type: ignore[no-untyped-call]

    def stated(self, condition: str, text: str) -> str:
        """What the games of a condition show, between whose they are and what has to be said of their teams; in
        Markdown, as the text is."""
        games = self.sql("SELECT team, condition FROM games").filter(condition=condition)
        teams = [escape_markdown(name) for name in games["team"].unique().sort()]
        named = f": {', '.join(teams)}" if len(teams) <= MOST_TEAMS_NAMED else ""
        counts = f"{counted(games.height, f'{escape_markdown(condition)} game')} of {counted(len(teams), 'team')}"
        played = f"{counts}{named}." if teams else f"These tables hold no {escape_markdown(condition)} game."
        return " ".join(filter(None, [f"**{played}**", text.strip(), self.caveats(condition)]))

    def caveats(self, condition: str) -> str:
        """What has to be said of teams whose means under a condition don't compare as they stand, in Markdown."""
        games = self.sql(f"FROM {ALL_GAMES}.games").filter(condition=condition)
        return escape_markdown(" ".join(caveats(games, self.tables)))

    def assert_claim(
        self, claim: str, holds: object, *, source: str, about: str = "protocols", by_construction: bool = False
    ) -> None:
        """Record whether a claim of the paper holds; on the study's own tables one that does not is an error.

        holds: a truth value, or a function that returns one; null where other tables lack what the function reads.
        source: where the paper says it; about: whose games are our evidence (protocols, or simulated teams);
        by_construction: it follows from simulated teams' parameters and supports nothing. Raises ClaimFailed.
        """
        verdict = self._verdict(holds)
        self._verdicts.append((claim, source, about, verdict, by_construction))
        if self.is_reference and not verdict:
            raise ClaimFailed(f"{claim} ({source})")

    def assert_deviation(
        self, claim: str, holds: object, *, source: str, about: str = "simulated teams", by_construction: bool = False
    ) -> None:
        """Record a claim of the paper that does not hold on the study's own tables; that it holds there is an error.

        The arguments are those of `assert_claim`. Raises ClaimFailed.
        """
        verdict = self._verdict(holds)
        self._verdicts.append((claim, source, about, verdict, by_construction))
        if self.is_reference and verdict is not False:
            raise ClaimFailed(f"now holds, and is listed as one that does not: {claim} ({source})")

    def verdicts(self) -> pl.DataFrame:
        """One row per claim, in the order recorded: VERDICT's columns. `holds` is null where the tables can't tell."""
        return pl.DataFrame(self._verdicts, schema=VERDICT, orient="row")

    def _verdict(self, holds: object) -> bool | None:
        """Whether a condition holds, None where it can't be evaluated; on the study's own tables errors are raised."""
        answer = self._evaluated(holds)
        return None if answer is None else bool(answer)

    def _evaluated(self, value: object) -> object:
        """The value, or what it returns where it is a function: None where other tables lack what that reads."""
        if not callable(value):
            return value
        try:
            return value()
        except UNDECIDABLE:
            if self.is_reference:
                raise
            return None


def show_figure(figure: "Figure | None", path: Path) -> "SVG | Markdown":
    """Save a figure as SVG and return it for display; in a notebook it is shown, and its caption is returned."""
    from IPython.display import SVG, Markdown, display

    from pipeline.reports.plots.style import save

    if figure is None:
        return Markdown(NOTHING_TO_DRAW)  # type: ignore[no-untyped-call]
    shown = SVG(filename=str(save(figure, path)))  # type: ignore[no-untyped-call]
    if not in_a_notebook():
        return shown
    display(shown)  # type: ignore[no-untyped-call]
    return Markdown(escape_markdown(str(figure.get_label())))  # type: ignore[no-untyped-call]


def escape_markdown(text: str) -> str:
    """Text from a trace, escaped so that Markdown shows it literally within a line.

    Control characters, and those that steer the direction of text, are shown as their codes.
    """
    shown = "".join(c if c.isprintable() else f"[U+{ord(c):04X}]" for c in text)
    return "".join(c if c.isalnum() or c in " .-" else f"&#{ord(c)};" for c in shown)


def in_a_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def show_whole_tables() -> None:
    """Make the notebook show frames in full, and text, without quotes and nulls."""
    from pipeline.reports.views.html import escape_text, plain_table

    pl.Config(
        fmt_str_lengths=200, tbl_rows=60, tbl_cols=20, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True
    )
    formatter = sys.modules["IPython"].get_ipython().display_formatter.formatters["text/html"]
    formatter.for_type(pl.DataFrame, plain_table)
    formatter.for_type(str, lambda text: f"<p>{escape_text(text)}</p>")


def show_not_reference() -> None:
    """Display a note that these are not the games and parameters that the notebook's prose is about, and what of the
    parameters is changed."""
    from IPython.display import Markdown, display

    changes = "; ".join(map(escape_markdown, changed_parameters()))
    note = f"{NOT_REFERENCE}\n\nChanged parameters: {changes}." if changes else NOT_REFERENCE
    display(Markdown(note))  # type: ignore[no-untyped-call]
