"""Patterns by team: a cell a figure, the darker the more often, on a logarithmic scale."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from pipeline.plots.style import KINDS, entitle, ink, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, COLUMN = 0.21, 0.46  # inches
LEAST, MOST = 0.01, 100.0  # what is drawn nearly white, and darkest; nothing is drawn for 0
ORDER = ("reported", "other", "simulated", "protocol")
GAP = 0.35  # columns left free between kinds


def pattern_map(cells: pl.DataFrame, notes: Mapping[str, str], title: str, note_title: str) -> "Figure | None":
    """A row for each pattern in the frame's order, a column for each team within its kind; None when there is no cell.

    What a team never shows is left blank.

    cells: pattern, name, kind (of plots.style.KINDS), per_100; notes: words to the right of a pattern's row.
    """
    if cells.is_empty():
        return None
    patterns = cells["pattern"].unique(maintain_order=True).to_list()
    places = _places(cells)
    width = 2.3 + COLUMN * len(places) + (1.5 if notes else 0)
    figure, axes = subplots(figsize=(max(4.2, min(8.6, width)), 1.25 + ROW * len(patterns)))
    for row in cells.iter_rows(named=True):
        if row["per_100"]:
            _cell(axes, places[row["kind"], row["name"]], patterns.index(row["pattern"]), row["per_100"])
    _frame(axes, patterns, places)
    right = max(places.values()) + 0.75
    axes.text(right, -0.75, note_title if notes else "", fontsize=7, color="#555555", va="bottom")
    for pattern, words in notes.items():
        if pattern in patterns:
            axes.text(right, patterns.index(pattern), words, fontsize=7, color="#555555", va="center")
    entitle(figure, title)
    return figure


def _places(cells: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Where each column stands, from the left."""
    teams = cells.select("kind", "name").unique(maintain_order=True)
    places, place = {}, 0.0
    for kind in (k for k in ORDER if k in teams["kind"]):
        for name in teams.filter(kind=kind)["name"]:
            places[kind, name] = place
            place += 1
        place += GAP
    return places


def _cell(axes: "Axes", x: float, y: int, value: float) -> None:
    from math import log10

    from matplotlib.patches import Rectangle

    depth = min(1.0, max(0.06, log10(value / LEAST) / log10(MOST / LEAST)))
    shade = str(1 - 0.72 * depth)
    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=shade, edgecolor="none"))
    axes.text(
        x,
        y,
        figure_of(value),
        ha="center",
        va="center_baseline",
        fontsize=6.5,
        color="white" if depth > 0.62 else "#222222",
    )


def figure_of(value: float) -> str:
    """A rate in four characters or so."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= LEAST else f"<{LEAST}"


def _frame(axes: "Axes", patterns: Sequence[str], places: Mapping[tuple[str, str], float]) -> None:
    axes.set(xlim=(-0.6, max(places.values()) + 0.6), ylim=(len(patterns) - 0.45, -0.55))
    axes.set_yticks(range(len(patterns)), [pattern.replace("_", " ") for pattern in patterns])
    axes.set_xticks(list(places.values()), [name for _, name in places], rotation=40, ha="left", rotation_mode="anchor")
    axes.tick_params(axis="both", length=0)
    axes.xaxis.tick_top()
    for words, (kind, _) in zip(axes.get_xticklabels(), places, strict=True):
        words.set_color(ink(kind))
    for kind in {kind: None for kind, _ in places}:
        own = [x for (k, _), x in places.items() if k == kind]
        axes.annotate(
            KINDS[kind][0], ((own[0] + own[-1]) / 2, len(patterns) - 0.4), xytext=(0, -3), textcoords="offset points",
            ha="center", va="top", fontsize=7, color=ink(kind), annotation_clip=False,
        )  # fmt: skip
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)
