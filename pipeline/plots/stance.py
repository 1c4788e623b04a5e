"""Table 3 as a plane: how often a team gives in, and how often it pushes back."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.plots.place import Label, label_marks
from pipeline.plots.style import entitle, ink, key, mark, settled, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X, Y = "acquiescence_pct", "pushback_pct"
RATIOS = ((4, "4"), (2, "2"), (1, "1"), (1 / 2, "½"), (1 / 4, "¼"))


def stance_plane(points: pl.DataFrame, title: str) -> "Figure | None":
    """One point per team; on a line from the corner the ratio of acquiescence to pushback is the same. None when empty.

    points: name, kind (of plots.style.KINDS), acquiescence_pct, pushback_pct; with intervals also *_low and *_high.
    """
    shown = points.drop_nulls([X, Y]).sort("kind", "name")
    if shown.is_empty():
        return None
    figure, axes = subplots(figsize=(6.2, 4.8))
    most = 1.12 * max(float(shown[column].max()) for column in (X, Y))  # type: ignore[arg-type]
    axes.set(xlim=(0, most), ylim=(0, most), xlabel="messages that acquiesce, %", ylabel="messages that push back, %")
    _ratios(axes, most)
    for row in shown.iter_rows(named=True):
        for x0, y0, x1, y1 in _intervals(row):
            axes.plot([x0, x1], [y0, y1], color=mark(row["kind"])["color"], linewidth=0.8, alpha=0.7)
        axes.plot([row[X]], [row[Y]], zorder=3, **mark(row["kind"]))
    axes.grid(axis="x", visible=True)
    entitle(figure, title)
    key(figure, shown["kind"].unique().to_list())
    settled(figure)
    rows = list(shown.iter_rows(named=True))
    lines = np.array([line for row in rows for line in _intervals(row)], dtype=np.float64).reshape(-1, 4)
    label_marks(axes, [Label(r[X], r[Y], r["name"], ink(r["kind"])) for r in rows], lines=lines)
    return figure


def _intervals(row: dict[str, Any]) -> list[tuple[float, float, float, float]]:
    """The lines of a team's intervals, as x, y, x, y."""
    if row.get(f"{X}_low") is None or row.get(f"{Y}_low") is None:
        return []
    return [(row[f"{X}_low"], row[Y], row[f"{X}_high"], row[Y]), (row[X], row[f"{Y}_low"], row[X], row[f"{Y}_high"])]


def _ratios(axes: "Axes", most: float) -> None:
    """Lines of one ratio, each named at its end."""
    for ratio, words in RATIOS:
        x, y = (most, most / ratio) if ratio > 1 else (most * ratio, most)
        axes.plot([0, x], [0, y], color="#bbbbbb", linewidth=0.6, zorder=0, linestyle=(0, (4, 2)))
        side: dict[str, Any] = (
            {"ha": "left", "va": "center", "xytext": (2, 0)}
            if ratio > 1
            else {"ha": "center", "va": "bottom", "xytext": (0, 1)}
        )
        axes.annotate(
            f"ratio {words}" if ratio == 1 else words, (x, y), textcoords="offset points", fontsize=7, color="#777777",
            annotation_clip=False, **side,
        )  # fmt: skip
