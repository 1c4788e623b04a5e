"""Figures of two measures of each team, joined by a line, such as necessary and disclosed bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots.layout import any_width, finish
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import kind_keys, marker_style, round_ticks, text_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, FRAME = 0.17, 0.7  # inches for a row, and for what stands around the rows
TICK: dict[str, Any] = {"marker": "|", "color": "#222222", "markersize": 9, "markeredgewidth": 1.4, "linestyle": "none"}
BETWEEN = "#9a9a9a"


@dataclass(frozen=True)
class TwoMeasures:
    """The two measures: a tick for the first, the team's own mark for the second; log: whether distances are ratios."""

    first: str
    second: str
    first_label: str  # of the tick, in the key
    xlabel: str
    log: bool = False


@any_width
def two_values(
    points: pl.DataFrame, two: TwoMeasures, title: str, settings: Sequence[str] = ("uniform", "varied")
) -> "Figure | None":
    """A panel a setting, a row a team, in the order of the second measure in the first panel; None without a point.

    points: setting, name, kind (of plots.style.KINDS) and both measures; {measure}_low and {measure}_high of the second
    are drawn as a line where there are any.
    """
    from matplotlib.lines import Line2D

    shown = points.drop_nulls([two.first, two.second])
    panels = [setting for setting in settings if setting in shown["setting"]]
    if not panels:
        return None
    order = shown.sort(pl.col("setting") != panels[0], two.second, "name")["name"].unique(maintain_order=True).to_list()
    figure, axes = panel_grid(len(panels), FRAME + ROW * len(order), sharey=True)
    for panel, setting in zip(axes, panels, strict=True):
        _panel(panel, shown.filter(setting=setting), two, order)
        panel.set_title(f"{setting} costs")
        panel.set_xlabel(two.xlabel)
    kinds = dict(shown.select("name", "kind").unique().iter_rows())
    for panel in axes:
        if panel.get_subplotspec().is_first_col():  # type: ignore[union-attr]
            panel.set_yticks(range(len(order)), order)
            for label, name in zip(panel.get_yticklabels(), order, strict=True):
                label.set_color(text_color(kinds[name]))
    tick = Line2D([], [], label=two.first_label, **TICK)
    finish(
        figure, title, [*kind_keys(shown["kind"].unique().to_list()), tick], "A row a team; lines are 95 % intervals."
    )
    return figure


def _panel(axes: "Axes", rows: pl.DataFrame, two: TwoMeasures, order: Sequence[str]) -> None:
    """The teams of one setting, one above the other."""
    if two.log and rows.select(pl.all_horizontal(pl.col(two.first, two.second) > 0).all()).item():
        axes.set_xscale("log")
    for row in rows.iter_rows(named=True):
        height = order.index(row["name"])
        style = marker_style(row["kind"], markersize=4.6)
        axes.hlines(height, *sorted((row[two.first], row[two.second])), color=BETWEEN, linewidth=0.7, zorder=1)
        if row.get(f"{two.second}_low") is not None:
            ends = row[f"{two.second}_low"], row[f"{two.second}_high"]
            axes.hlines(height, *ends, color=style["color"], linewidth=1.8, alpha=0.6, zorder=2)
        axes.plot([row[two.first]], [height], **TICK)
        axes.plot([row[two.second]], [height], **style)
    axes.margins(x=0.08)
    axes.set_ylim(-0.7, len(order) - 0.3)
    if two.log:
        round_ticks(axes.xaxis)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", linewidth=0.3)
    axes.tick_params(axis="y", length=0)
