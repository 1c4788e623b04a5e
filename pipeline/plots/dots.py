"""A row a team, a panel a measure: means as points, intervals as lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from pipeline.plots.style import KINDS, entitle, ink, key, mark, round_ticks, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, FRAME = 0.155, 1.05  # inches for a row, and for what stands around the rows
BETWEEN = 0.6  # rows left free between kinds
LEAST = 1.8  # inches: what titles and axes need when there is but a row or two


@dataclass(frozen=True)
class Panel:
    """A measure: its column, what stands above and below its panel, and the rows that it shows.

    where: a column's value that a point must have, such as ("setting", "varied"); log: whether distances are ratios.
    """

    measure: str
    heading: str
    xlabel: str = ""
    where: tuple[str, str] | None = None
    log: bool = False


def team_dots(points: pl.DataFrame, panels: Sequence[Panel], title: str) -> "Figure | None":
    """A row for each team, in the frame's order within its kind; None when no panel has a point.

    points: name, kind (of plots.style.KINDS) and the panels' measures; with intervals also {measure}_low and
    {measure}_high. A team that lacks a measure has an empty place.
    """
    there = [panel for panel in panels if not _rows(points, panel).is_empty()]
    if not there:
        return None
    places = _places(points)
    height = max(LEAST, FRAME + ROW * max(places.values(), default=0))
    figure, axes = subplots(1, len(there), figsize=(6.9, height), sharey=True, squeeze=False)
    for place, panel in zip(axes[0], there, strict=True):
        _panel(place, _rows(points, panel), panel, places)
    _names(axes[0][0], places)
    entitle(figure, title)
    key(figure, points["kind"].unique().to_list())
    return figure


def _rows(points: pl.DataFrame, panel: Panel) -> pl.DataFrame:
    if panel.measure not in points.columns:
        return points.clear()
    known = points.drop_nulls(panel.measure)
    return known.filter(pl.col(panel.where[0]) == panel.where[1]) if panel.where else known


def _places(points: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Where each kind and name stands, from above, with room between kinds."""
    teams = points.select("kind", "name").unique(maintain_order=True)
    places, height = {}, 0.0
    for kind in (k for k in KINDS if k in teams["kind"]):
        for name in teams.filter(kind=kind)["name"]:
            places[kind, name] = height
            height += 1
        height += BETWEEN
    return places


def _panel(axes: "Axes", rows: pl.DataFrame, panel: Panel, places: dict[tuple[str, str], float]) -> None:
    measure = panel.measure
    if panel.log:
        least = float(rows[measure].min())  # type: ignore[arg-type]
        axes.set_xscale("log") if least > 0 else axes.set_xscale("symlog", linthresh=1)
    for row in rows.iter_rows(named=True):
        height, style = places[row["kind"], row["name"]], mark(row["kind"], markersize=4.2)
        if row.get(f"{measure}_low") is not None:
            axes.hlines(height, row[f"{measure}_low"], row[f"{measure}_high"], color=style["color"], linewidth=0.8)
        axes.plot([row[measure]], [height], **style)
    axes.set_title(panel.heading, fontsize=8)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.08)
    if panel.log:
        round_ticks(axes.xaxis)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", linewidth=0.3)
    axes.tick_params(axis="y", length=0)


def _names(axes: "Axes", places: dict[tuple[str, str], float]) -> None:
    axes.set_yticks(list(places.values()), [name for _, name in places])
    axes.set_ylim(max(places.values()) + 0.7, -0.7)
    for words, (kind, _) in zip(axes.get_yticklabels(), places, strict=True):
        words.set_color(ink(kind))
