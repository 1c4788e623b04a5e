"""The session of a notebook beyond the paper: its tables as `beyond.NAME`, panels to draw on, and marks of teams."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline import beyond
from pipeline.reports.notebook_session import Study, in_a_notebook, show_not_reference
from pipeline.reports.plots import layout, style
from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.reference_study import PARAMS_BEYOND, REFERENCE, REFERENCE_BEYOND, ROOT, is_reference
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.paired_tests import pairwise
from pipeline.tables.queries import attach_schema

if TYPE_CHECKING:
    from IPython.display import SVG, Markdown
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Mark = tuple[float, float, str]  # x, y, and the text beside it
Draw = Callable[["Axes", Any], Sequence[Mark] | None]

# Protocols differ by shape, so that they can be told apart in grey.
LOOKS = {
    "imap-noisy": ("D", "#7a3b7d"),
    "imap-kbit": ("^", "#3b7d3b"),
    "imap": ("s", "#0b4f6c"),
    "sd": ("^", "#7a3b7d"),
    "dsm-log": ("v", "#8a7a14"),
    "dsm-welfare": ("v", "#3b7d3b"),
    "dsm-private": ("D", "#666666"),
    "secure": ("o", "#0b4f6c"),
    "shares": ("*", "#9c1f3c"),
    "poll": ("P", "#b8500c"),
}
SIMULATED = {"marker": "o", "color": "#b8500c", "markerfacecolor": "white"}


class Beyond(Study):
    """A `Study` whose queries also reach each table of a second folder, as `beyond.NAME`.

    Claims are asserted where the study's games, its parameters and those of this part are the ones that ship.
    Raises FileNotFoundError where either folder holds no tables.
    """

    costs = (("uniform costs", "uniform"), ("varied costs", "varied"))  # one panel per setting

    def __init__(
        self,
        figures: str | Path,
        tables: str | Path = "data/tables",
        beyond: str | Path = beyond.TABLES,
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

    def settings(self, section: str) -> dict[str, Any]:
        """A section of notebooks/beyond/params.yaml."""
        return beyond.params(section)

    def claim(self, claim: str, holds: object, about: str = "protocols", by_construction: bool = False) -> None:
        """Record whether a finding of ours holds, as `assert_claim` does."""
        self.assert_claim(claim, holds, source="beyond the paper", about=about, by_construction=by_construction)

    def means(self, rows: pl.DataFrame, by: Sequence[str], value: str | pl.Expr) -> pl.DataFrame:
        """`by`, mean, low and high of a value of games, tasks drawn anew; and games and tasks. rows: with task_id."""
        value = pl.col(value) if isinstance(value, str) else value
        lines = rows.select(*by, "task_id", numerator=value.cast(pl.Float64), denominator=pl.lit(1.0))
        return ratio_intervals(lines.drop_nulls("numerator"), list(by), self.resampling())

    def tests(self, games: pl.DataFrame, measure: str) -> pl.DataFrame:
        """setting, a, b, p_holm of every two teams, in both orders: paired permutation tests over tasks, after Holm's
        correction for all pairs of a setting. games: setting, team, task_id and the measure."""
        found = [
            pairwise(games.filter(setting=setting), value=measure).with_columns(setting=pl.lit(setting))
            for setting in games["setting"].unique().sort()
        ]
        one = pl.concat(found).select("setting", "a", "b", "p_holm")
        return pl.concat([one, one.select("setting", a="b", b="a", p_holm="p_holm")])

    def draw(
        self,
        name: str,
        title: str,
        panels: Sequence[tuple[str, Any]],
        draw: Draw,
        *,
        height: float = 2.6,
        columns: int = 0,
        x: str = "",
        y: str = "",
        reading: str = "",
        **shared: Any,
    ) -> "SVG | Markdown":
        """A figure of panels, each a title and what `draw` is given beside the axes; it returns the marks to label.

        height: of a row, in inches; columns: 0 for as many as there is room for; x, y: the names of all axes; reading:
        how to read it; shared: options of matplotlib's subplots. Labels of lines and bars make the key.
        """

        @layout.any_width
        def drawn() -> "Figure":
            rows = -(-len(panels) // columns) if columns else 0
            options = {"sharey": True, **shared}
            if columns:
                figure, grid = layout.subplots(rows, columns, min(rows * height, layout.PANELS_HEIGHT), **options)
                axes = list(grid.flat)
            else:
                figure, axes = layout.panels(len(panels), height, **options)
            marks = [draw(each, of) for each, (_, of) in zip(axes, panels, strict=True)]
            for each, (words, _) in zip(axes, panels, strict=True):
                each.set_title(words)
                _round_ticks(each)
            layout.name_axes(axes, x, y)
            layout.finish(figure, title, _keys(axes), reading)
            if any(marks):
                layout.fix_layout(figure)
                for each, named in zip(axes, marks, strict=True):
                    label_marks(each, [Label(*mark, "#222222") for mark in named or ()])
            return figure

        return self.figure(drawn() if panels else None, name)


def look(team: str, **options: Any) -> dict[str, Any]:
    """Keyword arguments of Axes.plot for a team's marks, its name among them; `options` override them."""
    known = next((LOOKS[protocol] for protocol in LOOKS if team.startswith(protocol)), None)
    marks = dict(zip(("marker", "color"), known, strict=True)) if known else SIMULATED
    return {**marks, "markersize": 4.5, "linewidth": 0.9, "label": style.printed_name(team), **options}


def shown(mean: str = "mean", low: str = "low", high: str = "high", digits: int = 2) -> pl.Expr:
    """A mean with its interval, as text called `shown`."""
    ends = pl.format("{} [{}, {}]", *(pl.col(name).round(digits) for name in (mean, low, high)))
    return pl.coalesce(ends, pl.format("{}", pl.col(mean).round(digits))).alias("shown")


def _round_ticks(axes: "Axes") -> None:
    """Plain numbers at logarithmic axes whose ticks were not chosen."""
    from matplotlib.ticker import FixedLocator

    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() != "linear" and not isinstance(axis.get_major_locator(), FixedLocator):
            style.round_ticks(axis)


def _keys(axes: Sequence["Axes"]) -> list[Any]:
    """What is labelled in any of the panels, each label once."""
    found = [zip(*each.get_legend_handles_labels(), strict=True) for each in axes]
    return list({label: handle for pairs in found for handle, label in pairs}.values())
