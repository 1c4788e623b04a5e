"""Figures of the tasks that a difference needs, and of how much of a ranking few tasks keep."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots.layout import any_width, finish, name_axes
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import SMALL, round_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {
    ("protocols", 1): ("scripted protocols", {"color": "#0b4f6c", "marker": "s"}),
    ("styles", 1): ("simulated styles, a game a task", {"color": "#b8500c", "marker": "o", "markerfacecolor": "white"}),
    ("styles", 3): ("simulated styles, 3 games a task", {"color": "#b8500c", "marker": "^", "linestyle": "--"}),
}
LABELS = {
    "excess_cost": "excess cost",
    "vps": "privacy loss (VPS)",
    "dms_per_meeting": "DMs per meeting",
    "all": "all three",
}
UNITS = {"excess_cost": "cost a game", "vps": "slots", "dms_per_meeting": "DMs"}
SHORT = {"excess_cost": "cost", "vps": "VPS", "dms_per_meeting": "DMs", "all": "all"}
LINES: dict[str, dict[str, Any]] = {
    "excess_cost": {"color": "#b8500c", "linestyle": "-"},
    "vps": {"color": "#0b4f6c", "linestyle": "--"},
    "dms_per_meeting": {"color": "#3b7d3b", "linestyle": ":"},
    "all": {"color": "#222222", "linestyle": "-."},
}


@any_width
def tasks_by_difference(
    power: pl.DataFrame, panels: Sequence[tuple[str, str]], now: int, title: str
) -> "Figure | None":
    """One panel a (setting, measure): the tasks needed against the difference, and a line at the suite's `now` tasks.

    power: rows of ENOUGH_POWER. Panels without a row are left out; None without any.
    """
    played = [panel for panel in panels if panel in power.select("setting", "measure").unique().rows()]
    if not played:
        return None
    figure, axes = panel_grid(len(played), 2.4, narrow=2, sharey=True)
    for panel, (setting, measure) in zip(axes, played, strict=True):
        shown = power.filter(setting=setting, measure=measure).drop_nulls("tasks").sort("difference")
        for (teams, repeats), (label, look) in LOOKS.items():
            line = shown.filter(teams=teams, repeats=repeats)
            panel.plot(line["difference"], line["tasks"], label=label, **look)
        panel.axhline(now, color="#777777", linewidth=0.6, linestyle=(0, (4, 2)))
        panel.set(xscale="log", yscale="log", xlabel=f"difference of two teams, {UNITS[measure]}", ylim=(1.5, 1e5))
        panel.set_title(f"{LABELS[measure]}, {setting} costs")
        round_ticks(panel.xaxis)
        round_ticks(panel.yaxis)
    name_axes(axes, y="tasks for a power of 80 %")
    axes[0].annotate(f"the suite: {now}", (0, now), (3, -8), xycoords=("axes fraction", "data"),
                        textcoords="offset points", fontsize=SMALL, color="#555555")  # fmt: skip
    finish(figure, title, axes[0].get_legend_handles_labels()[0], "Dashed: the suite as it is.")
    return figure


@any_width
def pairs_kept(curve: pl.DataFrame, chosen: pl.DataFrame, title: str) -> "Figure | None":
    """One panel a setting: the share of pairs that sub-suites of a size order as the whole suite does.

    curve: rows of ENOUGH_CURVE, chosen: of ENOUGH_SUBSUITE. None without a row.
    """
    settings = curve["setting"].unique().sort().to_list()
    if not settings:
        return None
    figure, axes = panel_grid(len(settings), 2.5, sharey=True)
    for panel, setting in zip(axes, settings, strict=True):
        for measure, look in LINES.items():
            line = curve.filter(setting=setting, measure=measure).sort("size")
            panel.plot(line["size"], line["mean"], label=f"{LABELS[measure]}: random, mean", linewidth=1.3, **look)
            panel.plot(line["size"], line["low"], linewidth=0.6, **look)
            _mark_chosen(panel, chosen.filter(setting=setting, measure=measure), look["color"])
        panel.set_title(f"{setting} costs")
        panel.set(xlabel="tasks of the sub-suite", xscale="log")
        round_ticks(panel.xaxis)
    name_axes(axes, y="share of pairs of teams in the right order")
    axes[0].set(ylim=(0.5, 1.06), yticks=[0.5, 0.6, 0.7, 0.8, 0.9, 1])
    finish(figure, title, _keys(axes[0]), "Pairs of protocols and simulated styles.")
    return figure


def _mark_chosen(axes: "Axes", chosen: pl.DataFrame, color: str) -> None:
    """The chosen sub-suite where it was chosen, with its measure's name, and in new games."""
    axes.plot(chosen["size"], chosen["same"], marker="*", color=color, markersize=8, linestyle="none", zorder=3)
    axes.plot(chosen["size"], chosen["new_chosen"], marker="x", color=color, markersize=5, linestyle="none", zorder=3)
    for row in chosen.iter_rows(named=True):
        axes.annotate(
            SHORT[row["measure"]], (row["size"], row["same"]), (0, 5), textcoords="offset points",
            ha="center", va="bottom", fontsize=SMALL, color=color,
        )  # fmt: skip


def _keys(axes: "Axes") -> list[Any]:
    """The key's entries: the lines, the two marks, and what thin lines are."""
    from matplotlib.lines import Line2D

    black: dict[str, Any] = {"color": "#222222"}
    return [
        *axes.get_legend_handles_labels()[0],
        Line2D([], [], marker="*", markersize=8, linestyle="none", label="chosen, where it was chosen", **black),
        Line2D([], [], marker="x", markersize=5, linestyle="none", label="chosen, in new games", **black),
        Line2D([], [], linewidth=0.6, label="thin: 95 % of random ones reach", **black),
    ]
