"""Figure 2: what teams pay beyond the optimum against what they give away."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.frontier import frontier
from pipeline.plots.place import Label, label_marks
from pipeline.plots.style import entitle, ink, key, mark, round_ticks, settled, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X, Y = "excess_cost", "vps_uniform_mean"
STAIRS: dict[str, Any] = {"color": "#777777", "linewidth": 0.6, "linestyle": (0, (4, 2))}
ENDS = (f"{X}_low", f"{X}_high", f"{Y}_low", f"{Y}_high")


def privacy_plane(points: pl.DataFrame, title: str) -> "Figure | None":
    """One panel per setting, one point per team. Excess grows to the right, leakage upwards: below and left is better.

    points: setting, name, kind (of plots.style.KINDS), excess_cost, vps_uniform_mean; where there are intervals also
    *_low and *_high. The stairs join the teams of ours that no other beats in both. None when there is no point.
    """
    from matplotlib.lines import Line2D

    shown = points.drop_nulls([X, Y])
    settings = [s for s in ("uniform", "varied") if s in shown["setting"]]
    if not settings:
        return None
    figure, panels = subplots(1, len(settings), figsize=(6.9, 4.8), sharey=True, squeeze=False)
    for axes, setting in zip(panels[0], settings, strict=True):
        _panel(axes, shown.filter(setting=setting).sort("kind", "name"), setting)
    panels[0][0].set_ylabel("privacy loss (VPS, slots)")
    entitle(figure, title)
    key(figure, shown["kind"].unique().to_list(), [Line2D([], [], label="none of ours beats these", **STAIRS)])
    settled(figure)
    for axes, setting in zip(panels[0], settings, strict=True):
        _labels(axes, shown.filter(setting=setting).sort("kind", "name"))
    return figure


def _panel(axes: "Axes", shown: pl.DataFrame, setting: str) -> None:
    """The marks of a setting, their intervals, and the stairs."""
    axes.set_title(f"{setting} costs")
    axes.set_xlabel("excess cost a game")
    _scale(axes, shown)
    _stairs(axes, shown)
    for row in shown.iter_rows(named=True):
        style = mark(row["kind"])
        for x0, y0, x1, y1 in _intervals(row):
            axes.plot([x0, x1], [y0, y1], color=style["color"], linewidth=0.7, alpha=0.6, zorder=1.5)
        axes.plot([row[X]], [row[Y]], zorder=3, **style)
    axes.grid(axis="x", visible=True)


def _scale(axes: "Axes", shown: pl.DataFrame) -> None:
    """Logarithms, so that a distance is a ratio; where a mean is not above 0, only beyond 1."""
    for side, column in (("x", X), ("y", Y)):
        least, most = float(shown[column].min()), float(shown[column].max())  # type: ignore[arg-type]
        if least > 0:
            axes.set(**{f"{side}scale": "log", f"{side}lim": (least / 1.6, 1.6 * most)})
        else:
            getattr(axes, f"set_{side}scale")("symlog", linthresh=1)
            axes.set(**{f"{side}lim": (1.6 * least - 0.2, 1.6 * most + 0.2)})
        round_ticks(getattr(axes, f"{side}axis"))


def _stairs(axes: "Axes", shown: pl.DataFrame) -> None:
    """The edge of what teams of ours reach: none is below it."""
    for x0, y0, x1, y1 in _stair_lines(shown):
        axes.plot([x0, x1], [y0, y1], zorder=1, **STAIRS)


def _stair_lines(shown: pl.DataFrame) -> list[tuple[float, float, float, float]]:
    edge = frontier(shown.filter(pl.col("kind") != "reported"), X, Y).select(X, Y).rows()
    return [line for (x, y), (u, v) in pairwise(edge) for line in ((x, y, u, y), (u, y, u, v))]


def _intervals(row: dict[str, Any]) -> list[tuple[float, float, float, float]]:
    """The lines of a team's intervals, as x, y, x, y."""
    low_x, high_x, low_y, high_y = (row.get(end) for end in ENDS)
    across = [(low_x, row[Y], high_x, row[Y])] if low_x is not None and high_x is not None else []
    along = [(row[X], low_y, row[X], high_y)] if low_y is not None and high_y is not None else []
    return across + along


def _labels(axes: "Axes", shown: pl.DataFrame) -> None:
    rows = list(shown.iter_rows(named=True))
    labels = [Label(row[X], row[Y], row["name"], ink(row["kind"])) for row in rows]
    lines = [line for row in rows for line in _intervals(row)] + _stair_lines(shown)
    label_marks(axes, labels, lines=np.array(lines, dtype=np.float64).reshape(-1, 4), fontsize=6.8)
