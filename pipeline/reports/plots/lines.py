"""Line charts: teams over meetings, speakers or difficulties."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from pipeline.reports.plots.dots import BY_ESTIMATE_AND_BOUNDS, estimates_and_bounds
from pipeline.reports.plots.labels import spread_apart, text_size
from pipeline.reports.plots.layout import any_width, finish, fix_layout, name_axes, width
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import SMALL, kind_keys, marker_style, round_ticks, text_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABEL_GAP = 7.8  # points from one name's middle to the next
TIE = 10.0  # points from the last step to the names
LEFT, RIGHT = 0.12, 0.06  # of the steps' range, beyond the first and last
DODGE = 0.013  # of the steps' range: intervals of two teams at one step stand side by side

LINE_FOR_INTERVAL = "; upright lines are 95 % intervals"


@dataclass(frozen=True)
class Steps:
    """The horizontal axis of `team_lines`: a column, its values in order, and how they are printed.

    linear_to: where given, each panel has its own scale, logarithmic where values go beyond it; dodge: draw teams
    side by side at a step, so that their intervals do not hide each other. Lines then cross elsewhere than their values
    do, which is wrong for curves whose crossings are the message. each: what a line is of.
    """

    column: str
    order: Sequence[object]
    labels: Sequence[str]
    xlabel: str
    ylabel: str
    linear_to: float | None = None
    dodge: bool = True
    each: str = "team"


@any_width
def team_lines(
    points: pl.DataFrame,
    measure: str,
    steps: Steps,
    title: str,
    panels: Sequence[str] = ("uniform costs", "varied costs"),
    height: float = 2.6,
) -> "Figure | None":
    """A line for each team over the steps, a panel for each of `panels` with data; None where no team has two steps.

    points: panel, name, kind (of plots.style.KINDS), the steps' column and the measure; with intervals also
    {measure}_low and {measure}_high.
    """
    known = points.filter(pl.col(steps.column).is_in(list(steps.order))).drop_nulls(measure)
    shown = known.filter(pl.len().over("panel", "kind", "name") > 1)
    present = [panel for panel in panels if panel in shown["panel"]]
    if not present:
        return None
    own_scales = steps.linear_to is not None
    figure, axes = panel_grid(len(present), height, sharey=not own_scales)
    across = len({panel_axes.get_position().x0 for panel_axes in axes})
    for panel_axes, panel in zip(axes, present, strict=True):
        panel_rows = shown.filter(panel=panel)
        _scale(panel_axes, panel_rows[measure], steps.linear_to)
        _panel(panel_axes, _lines(panel_rows, measure, steps), measure, steps, _label_margin(panel_rows, across))
        panel_axes.set_title(panel)
    for panel_axes in axes if own_scales else ():
        panel_axes.set_ylabel(steps.ylabel)
    name_axes(axes, y=steps.ylabel)
    reading = f"A line for each {steps.each}{LINE_FOR_INTERVAL if f'{measure}_low' in shown.columns else ''}."
    finish(figure, title, kind_keys(shown["kind"].unique().to_list()), reading)
    fix_layout(figure)
    for panel_axes, panel in zip(axes, present, strict=True):
        _label_lines(panel_axes, _lines(shown.filter(panel=panel), measure, steps), measure, len(steps.order) - 1)
    return figure


def _lines(shown: pl.DataFrame, measure: str, steps: Steps) -> list[tuple[str, str, pl.DataFrame]]:
    """(kind, name, rows) of each team, the one that ends highest last. rows: in the steps' order, `_step` their x."""
    last = len(steps.order) - 1
    positions = pl.DataFrame({steps.column: list(steps.order), "_step": [float(i) for i in range(last + 1)]})
    ordered = shown.join(positions, on=steps.column).sort("_step")
    teams = ordered.group_by("kind", "name").agg(pl.col(measure).last()).sort(measure, "kind", "name").rows()
    middle, dodge = (len(teams) - 1) / 2, DODGE * last if steps.dodge else 0.0
    return [
        (kind, name, ordered.filter(kind=kind, name=name).with_columns(pl.col("_step") + (n - middle) * dodge))
        for n, (kind, name, _) in enumerate(teams)
    ]


def _panel(
    axes: "Axes", lines: Sequence[tuple[str, str, pl.DataFrame]], measure: str, steps: Steps, margin: float
) -> None:
    import seaborn as sns

    last = len(steps.order) - 1
    for kind, _, line in lines:
        dashes = {"linestyle": (0, (4, 2)) if kind == "reported" else "-", "linewidth": 0.8}
        edge = {"markeredgecolor": marker_style(kind)["color"], "markeredgewidth": 1.0}
        sns.lineplot(
            estimates_and_bounds(line, measure).to_pandas(), x="_step", y="_value", ax=axes, sort=False,
            err_style="bars", **BY_ESTIMATE_AND_BOUNDS, **marker_style(kind, markersize=3.4) | dashes | edge,
        )  # fmt: skip
    for bars in axes.collections:
        bars.set(linewidth=0.6, alpha=0.55, zorder=1.5)
    axes.set_ylabel("")
    axes.set_xlim(-LEFT * last, last * (1 + RIGHT + margin))
    axes.set_xticks(range(last + 1), steps.labels)
    axes.spines["bottom"].set_bounds(-LEFT * last, last * (1 + RIGHT))
    axes.set_xlabel(steps.xlabel, x=(LEFT + 0.5) / (1 + LEFT + RIGHT + margin))
    if axes.get_yscale() != "linear":
        round_ticks(axes.yaxis, steps.linear_to or 1)


def _scale(axes: "Axes", values: pl.Series, linear_to: float | None) -> None:
    """Scale the axis by logarithms where values go beyond `linear_to`; linear around 0 where not all are positive."""
    least, most = float(values.min()), float(values.max())  # type: ignore[arg-type]
    if linear_to is not None and max(most, -least) > linear_to:
        axes.set_yscale("log") if least > 0 else axes.set_yscale("symlog", linthresh=linear_to)


def _label_margin(shown: pl.DataFrame, panels: int) -> float:
    """The width of the longest name, as a share of the steps' range on a panel of about its final width."""
    room = width() * 72 / panels - 40
    longest = TIE + max(text_size(name, SMALL)[0] for name in shown["name"].unique().sort())
    return (1 + LEFT + RIGHT) * longest / (room - longest)


def _label_lines(axes: "Axes", lines: Sequence[tuple[str, str, pl.DataFrame]], measure: str, last: int) -> None:
    """Write the teams' names right of the lines, one above the other, each tied to its line."""
    ends = [(float(line["_step"][-1]), float(line[measure][-1])) for _, _, line in lines]
    scale = 72 / axes.figure.dpi
    marks = [axes.transData.transform(end) * scale for end in ends]
    column = float(axes.transData.transform((last * (1 + RIGHT), 0))[0]) * scale + TIE
    box = axes.get_window_extent()
    heights = spread_apart([float(y) for _, y in marks], LABEL_GAP, (box.y0 + 3) * scale, (box.y1 - 2) * scale)
    for (kind, name, _), end, (x, y), height in zip(lines, ends, marks, heights, strict=True):
        color = text_color(kind)
        tie = {"arrowstyle": "-", "color": color, "linewidth": 0.35, "alpha": 0.7, "shrinkA": 1, "shrinkB": 3}
        annotation = axes.annotate(
            name,
            end,
            xytext=(round(column - float(x), 2), round(height - float(y), 2)),
            textcoords="offset points",
            va="center_baseline",
            fontsize=SMALL,
            color=color,
            arrowprops=tie | {"relpos": (0, 0.5)},
        )
        annotation.set_in_layout(False)
