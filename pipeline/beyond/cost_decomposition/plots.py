"""Figures of the steps of excess cost: stacked bars of costs, and of shares of a team's excess."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots.layout import any_width, finish, name_axes
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.style import SMALL, kind, printed_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Parts differ by grey and by hatching.
LOOK: dict[str, dict[str, Any]] = {
    "future": {"facecolor": "#0b4f6c"},
    "ties": {"facecolor": "#6f9fb5", "hatch": "///"},
    "landing": {"facecolor": "#e0b48f"},
    "information": {"facecolor": "#b8500c", "hatch": "\\\\"},
    "execution": {"facecolor": "#f2efe6", "hatch": "xx"},
}
LABELS = {
    "future": "the future is not known",
    "ties": "an unlucky choice among equals",
    "landing": "where errands land",
    "information": "what the decision did not rest on",
    "execution": "how it was carried out",
}
EDGE: dict[str, Any] = {"edgecolor": "#333333", "linewidth": 0.4, "height": 0.7}
ROW, FRAME = 0.16, 0.75  # inches for a row, and for what stands around the rows


def stacked_bar(axes: "Axes", height: float, parts: dict[str, float]) -> None:
    """Draw one bar: what adds to the right of 0, what saves to the left."""
    ends = {True: 0.0, False: 0.0}
    for part, amount in parts.items():
        if amount:
            axes.barh(height, amount, left=ends[amount > 0], **EDGE, **LOOK[part])
            ends[amount > 0] += amount


def parts_key(parts: Sequence[str]) -> list[Any]:
    """The key's entries for the parts."""
    from matplotlib.patches import Patch

    return [Patch(label=LABELS[p], edgecolor="#333333", linewidth=0.4, **LOOK[p]) for p in parts]


@any_width
def by_difficulty(rows: pl.DataFrame, parts: Sequence[str], title: str) -> "Figure | None":
    """One panel a setting and condition, one bar a difficulty: mean costs of the parts, whiskers for their sum.

    rows: setting, condition, difficulty, the parts, and total with low and high. None when there is no row.
    """
    panels = rows.select("setting", "condition").unique().sort("condition", "setting", descending=True).rows()
    if not panels:
        return None
    figure, axes = panel_grid(len(panels), 1.6, narrow=2, sharey=True)
    order = [d for d in ("all", "hard", "medium", "easy") if d in rows["difficulty"]]
    name_axes(axes, "excess cost a game")
    for panel, (setting, condition) in zip(axes, panels, strict=True):
        panel.set_title(f"{setting}, {condition}")
        for row in rows.filter(setting=setting, condition=condition).iter_rows(named=True):
            height = order.index(row["difficulty"])
            stacked_bar(panel, height, {p: row[p] for p in parts})
            if row["low"] is not None:
                panel.plot([row["low"], row["high"]], [height, height], color="#000000", linewidth=0.8, zorder=3)
        panel.grid(axis="y", visible=False)
        panel.grid(axis="x", visible=True)
    axes[0].set_yticks(range(len(order)), order)
    name_axes(axes, y="difficulty")
    finish(figure, title, parts_key(parts), "A bar is a mean over games, a line its 95 % interval.")
    return figure


@any_width
def shares(rows: pl.DataFrame, parts: Sequence[str], title: str) -> "Figure | None":
    """One panel a setting, one bar a team: each part's share of the team's mean excess, which is written beside it.

    rows: setting, team, simulated, and the parts' mean costs; teams in the frame's order. None when no team has excess.
    """
    above_0 = rows.with_columns(total=pl.sum_horizontal(parts)).filter(pl.col("total") > 0)
    settings = above_0["setting"].unique().sort().to_list()
    if not settings:
        return None
    teams = above_0.select("team", "simulated").unique("team", keep="first", maintain_order=True).rows()[::-1]
    height = FRAME + ROW * len(teams)
    figure, axes = panel_grid(len(settings), height, sharey=True)
    for panel, setting in zip(axes, settings, strict=True):
        _share_panel(panel, above_0.filter(setting=setting), parts, [team for team, _ in teams])
        panel.set_title(f"{setting} costs")
    labels = [
        printed_name(team) + (" (simulated)" if kind(team, simulated) == "simulated" else "")
        for team, simulated in teams
    ]
    axes[0].set_yticks(range(len(teams)), labels)
    finish(figure, title, parts_key(parts), "A bar a team; what stands left of 0 is saved.")
    return figure


def _share_panel(axes: "Axes", rows: pl.DataFrame, parts: Sequence[str], order: Sequence[str]) -> None:
    """The bars of a setting, and the mean excess of each at the right."""
    for row in rows.iter_rows(named=True):
        height = order.index(row["team"])
        stacked_bar(axes, height, {p: 100 * row[p] / row["total"] for p in parts})
        excess = f"{row['total']:,.2f}" if row["total"] < 100 else f"{row['total']:,.0f}"
        axes.annotate(
            excess, (1, height), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize=SMALL,
        )  # fmt: skip
    axes.axvline(0, color="#333333", linewidth=0.6)
    axes.set_xlabel("share of the mean excess, % (excess at the right)")
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)
