"""Figures of fairness: what an extra cost can buy, where teams are, and how widely a task's optima range."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.plots.layout import any_width, finish, fix_layout, name_axes
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import kind_keys, marker_style, round_ticks, text_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BEST: dict[str, Any] = {"color": "#333333", "linewidth": 1.2, "drawstyle": "steps-post"}
ORACLE: dict[str, Any] = {"marker": "*", "color": "#000000", "markersize": 7, "linestyle": "none"}
RANGE: dict[str, Any] = {"color": "#9db8c4", "linewidth": 2.2, "solid_capstyle": "butt"}


@any_width
def frontier(prices: pl.DataFrame, teams: pl.DataFrame, oracle: pl.DataFrame, title: str) -> "Figure | None":
    """One panel a setting: the fairest that schedules allow at an extra cost, and the teams' means.

    prices: setting, extra, best; teams: setting, name, kind, excess, ratio; oracle: setting, ratio.
    None without prices.
    """
    from matplotlib.lines import Line2D

    settings = prices["setting"].unique().sort().to_list()
    if not settings:
        return None
    figure, panels = panel_grid(len(settings), 2.9, sharey=True)
    for axes, setting in zip(panels, settings, strict=True):
        curve = prices.filter(setting=setting).sort("extra")
        shown = teams.filter(setting=setting).sort("kind", "name")
        axes.plot(curve["extra"], curve["best"], **BEST)
        for row in shown.iter_rows(named=True):
            axes.plot([row["excess"]], [row["ratio"]], zorder=3, **marker_style(row["kind"]))
        axes.plot([0], oracle.filter(setting=setting)["ratio"], zorder=4, **ORACLE)
        axes.set_title(f"{setting} costs")
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlim(-0.08, 1.6 * max(1.0, float(shown["excess"].max() or 1)))  # type: ignore[arg-type]
        axes.set_ylim(-0.03, 1.05)
        round_ticks(axes.xaxis)
    for axes in panels:  # each scale is its own
        axes.set_xlabel("cost beyond the optimum, a game")
    name_axes(panels, y="fairness (least / largest burden)")
    handles = [Line2D([], [], label="the fairest schedule", **BEST), Line2D([], [], label="the oracle's", **ORACLE)]
    finish(figure, title, [*kind_keys(teams["kind"].unique().to_list()), *handles], "A mark a team's mean.")
    fix_layout(figure)
    for axes, setting in zip(panels, settings, strict=True):
        _labels(axes, teams.filter(setting=setting).sort("kind", "name"), prices.filter(setting=setting).sort("extra"))
    return figure


def _labels(axes: "Axes", shown: pl.DataFrame, curve: pl.DataFrame) -> None:
    """Label the teams' marks, off the curve."""
    steps = pairwise(curve.select("extra", "best").rows())
    lines = [line for (x, y), (u, v) in steps for line in ((x, y, u, y), (u, y, u, v))]
    labels = [Label(r["excess"], r["ratio"], r["name"], text_color(r["kind"])) for r in shown.iter_rows(named=True)]
    label_marks(axes, labels, lines=np.array(lines, dtype=np.float64).reshape(-1, 4))


@any_width
def ranges(tasks: pl.DataFrame, title: str) -> "Figure | None":
    """One panel a setting, one line a task: the fairness of its optima from least to most, and the oracle's own.

    tasks: setting, least_ratio, best_ratio, oracle_ratio. None without a task.
    """
    from matplotlib.lines import Line2D

    settings = tasks["setting"].unique().sort().to_list()
    if not settings:
        return None
    figure, panels = panel_grid(len(settings), 2.0, sharey=True)
    order = ["best_ratio", "least_ratio", "oracle_ratio", "task_id"]
    for axes, setting in zip(panels, settings, strict=True):
        shown = tasks.filter(setting=setting).sort(order)
        for x, row in enumerate(shown.iter_rows(named=True)):
            axes.plot([x, x], [row["least_ratio"], row["best_ratio"]], **RANGE)
            axes.plot([x], [row["oracle_ratio"]], **(ORACLE | {"markersize": 4}))
        axes.set_title(f"{setting} costs")
        axes.set_xticks([])
    name_axes(panels, "tasks, by the fairest of their optima", "fairness (least / largest burden)")
    handles = [Line2D([], [], label="optima of the task", **RANGE), Line2D([], [], label="the oracle's own", **ORACLE)]
    finish(figure, title, handles, "A line a task, from the least fair of its optima to the fairest.")
    return figure
