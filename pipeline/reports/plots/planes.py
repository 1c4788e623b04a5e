"""Teams in the plane of two measures, each named beside its mark: Figures 2 and 3, and Table 3."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.plots.layout import any_width, finish, fix_layout, name_axes, panels, subplots, width
from pipeline.reports.plots.style import SMALL, kind_keys, marker_style, round_ticks, text_color
from pipeline.statistics.bootstrap import Line
from pipeline.statistics.pareto import pareto_frontier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EXCESS = "excess_cost"
MESSAGES = "dms_per_meeting"
ACQUIESCENCE, PUSHBACK = "acquiescence_pct", "pushback_pct"
SETTINGS = ("uniform", "varied")

STAIRS: dict[str, Any] = {"color": "#777777", "linewidth": 0.6, "linestyle": (0, (4, 2))}
RATIOS = ((4, "4"), (2, "2"), (1, "1"), (1 / 2, "½"), (1 / 4, "¼"))
LINEAR_TO = 10.0  # excess above it is drawn by its logarithm
PLANE = "A mark a team, lines are 95 % intervals: lower is more discreet, further left is cheaper."
SCATTER = "Large marks are teams, small ones games; the band is the 95 % interval of the line through the games."
STANCE = "A mark a team, lines are 95 % intervals; on a dashed line all have the same ratio of the two."
ABOVE: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "fontsize": SMALL}
MEANS_ONLY = "protocol"  # the kind of which no single games are drawn

Segment = tuple[float, float, float, float]  # x, y, x, y, in data


@any_width
def privacy_plane(points: pl.DataFrame, vps: str, counted: str, title: str) -> "Figure | None":
    """Figure 2, a panel a setting: excess cost against privacy loss, where lower left is better; None without a point.

    points: setting, name, kind (of plots.style.KINDS), excess_cost and the measure `vps`, which is `counted` so; where
    there are intervals also *_low and *_high. The stairs are the Pareto frontier of our own teams, of those that are
    `whole` where the points say it.
    """
    from matplotlib.lines import Line2D

    shown = points.drop_nulls([EXCESS, vps]).sort("kind", "name")
    settings = [s for s in SETTINGS if s in shown["setting"]]
    if not settings:
        return None
    figure, planes = panels(len(settings), 4.2, sharey=True)
    for axes, setting in zip(planes, settings, strict=True):
        _privacy_panel(axes, shown.filter(setting=setting), vps)
        axes.set(title=f"{setting} costs")
    name_axes(planes, "excess cost a game", f"VPS, {counted} (slots)")
    stairs = Line2D([], [], label="none of ours beats these", **STAIRS)
    finish(figure, title, [*kind_keys(shown["kind"].unique().to_list()), stairs], PLANE)
    fix_layout(figure)
    for axes, setting in zip(planes, settings, strict=True):
        rows = shown.filter(setting=setting)
        _label_teams(axes, rows, EXCESS, vps, _all_intervals(rows, EXCESS, vps) + _stairs(rows, vps))
    return figure


def _privacy_panel(axes: "Axes", shown: pl.DataFrame, vps: str) -> None:
    """Draw a setting's marks, their intervals, and the frontier."""
    _logarithmic(axes, shown, vps)
    for x0, y0, x1, y1 in _stairs(shown, vps):
        axes.plot([x0, x1], [y0, y1], zorder=1, **STAIRS)
    _draw_teams(axes, shown, EXCESS, vps, linewidth=0.7, alpha=0.6, zorder=1.5)
    axes.grid(axis="x", visible=True)


def _logarithmic(axes: "Axes", shown: pl.DataFrame, vps: str) -> None:
    """Scale both axes by logarithms; where a mean is not above 0, linearly up to 1."""
    for side, column in (("x", EXCESS), ("y", vps)):
        least, most = float(shown[column].min()), float(shown[column].max())  # type: ignore[arg-type]
        if least > 0:
            axes.set(**{f"{side}scale": "log", f"{side}lim": (least / 1.6, 1.6 * most)})
        else:
            getattr(axes, f"set_{side}scale")("symlog", linthresh=1)
            axes.set(**{f"{side}lim": (1.6 * least - 0.2, 1.6 * most + 0.2)})
        round_ticks(getattr(axes, f"{side}axis"))


def _stairs(shown: pl.DataFrame, vps: str) -> list[Segment]:
    """The Pareto frontier of our own teams as steps."""
    compared = shown.filter("whole") if "whole" in shown.columns else shown
    edge = pareto_frontier(compared.filter(pl.col("kind") != "reported"), EXCESS, vps).select(EXCESS, vps).rows()
    return [line for (x, y), (u, v) in pairwise(edge) for line in ((x, y, u, y), (u, y, u, v))]


@any_width
def messages_and_excess(
    games: pl.DataFrame, means: pl.DataFrame, lines: Mapping[str, Line], title: str
) -> "Figure | None":
    """Figure 3, a panel a setting: games as small points, teams' means as large ones, and a line through the games.

    games: setting, kind, dms_per_meeting, excess_cost; means: the same and name; lines: setting → line, whose interval
    resamples tasks (seaborn's regplot would resample games). Protocols are shown as means alone. None without a game.
    """
    settings = [s for s in SETTINGS if s in games.drop_nulls([MESSAGES, EXCESS])["setting"]]
    if not settings:
        return None
    means = means.drop_nulls([MESSAGES, EXCESS])
    figure, planes = panels(len(settings), 3.2)
    for axes, setting in zip(planes, settings, strict=True):
        _games_and_line(axes, _distinct_games(games, setting), lines.get(setting))
        _draw_teams(axes, means.filter(setting=setting), MESSAGES, EXCESS, {"markersize": 5.5, "markeredgewidth": 1.2})
        round_ticks(axes.yaxis, LINEAR_TO)
        axes.set_title(f"{setting} costs", pad=14)
        axes.annotate(_slope_text(lines.get(setting)), (0, 1), (0, 3), **ABOVE)
    # Each has its own scale, linear or not, and says which.
    for axes in planes:
        axes.set(xlabel="direct messages a scheduled meeting", ylabel="excess cost of the game")
    finish(figure, title, kind_keys(pl.concat([games["kind"], means["kind"]]).unique().to_list()), SCATTER)
    fix_layout(figure)
    for axes, setting in zip(planes, settings, strict=True):
        dots = _distinct_games(games, setting).select(MESSAGES, EXCESS, x=MESSAGES, y=EXCESS).rows()
        _label_teams(axes, means.filter(setting=setting).sort("kind", "name"), MESSAGES, EXCESS, dots)
    return figure


def _distinct_games(games: pl.DataFrame, setting: str) -> pl.DataFrame:
    """The points of a setting's games, each once: kind, dms_per_meeting, excess_cost. Without MEANS_ONLY."""
    own = games.filter(pl.col("kind") != MEANS_ONLY, setting=setting).drop_nulls([MESSAGES, EXCESS])
    return own.select("kind", MESSAGES, EXCESS).unique().sort("kind", MESSAGES, EXCESS)


def _slope_text(line: Line | None) -> str:
    """The slope and its interval as text."""
    if line is None or line.slope is None:
        return ""
    interval = "" if line.low is None else f" [{line.low:.3g}, {line.high:.3g}]"
    return f"{line.slope:+.3g}{interval} a message".replace("-", "−")


def _games_and_line(axes: "Axes", games: pl.DataFrame, line: Line | None) -> None:
    """Draw the games, their line and its interval."""
    axes.set_yscale("symlog", linthresh=LINEAR_TO)
    for (kind,), part in games.group_by("kind", maintain_order=True):
        style = marker_style(str(kind), markersize=2.4, markeredgewidth=0.5, alpha=0.45)
        axes.plot(part[MESSAGES], part[EXCESS], zorder=1.5, **style)
    if line is not None and line.course.height:
        axes.plot(line.course["x"], line.course["y"], color="#222222", linewidth=1.0, zorder=2.5)
        known = line.course.drop_nulls()
        axes.fill_between(known["x"], known["low"], known["high"], color="#222222", alpha=0.13, linewidth=0, zorder=1)
    axes.grid(axis="x", visible=True)


@any_width
def stance_plane(points: pl.DataFrame, title: str) -> "Figure | None":
    """Table 3: how often a team acquiesces against how often it pushes back, with lines of equal ratio.

    points: name, kind (of plots.style.KINDS), acquiescence_pct, pushback_pct; with intervals also *_low and *_high.
    None when there is no point.
    """
    shown = points.drop_nulls([ACQUIESCENCE, PUSHBACK]).sort("kind", "name")
    if shown.is_empty():
        return None
    figure, axes = subplots(height=max(0.75 * width(), 2.8))
    most = 1.12 * max(float(shown[column].max()) for column in (ACQUIESCENCE, PUSHBACK))  # type: ignore[arg-type]
    axes.set(xlim=(0, most), ylim=(0, most), xlabel="messages that acquiesce, %", ylabel="messages that push back, %")
    _ratio_lines(axes, most)
    _draw_teams(axes, shown, ACQUIESCENCE, PUSHBACK, linewidth=0.8, alpha=0.7)
    axes.grid(axis="x", visible=True)
    finish(figure, title, kind_keys(shown["kind"].unique().to_list()), STANCE)
    fix_layout(figure)
    _label_teams(axes, shown, ACQUIESCENCE, PUSHBACK, _all_intervals(shown, ACQUIESCENCE, PUSHBACK))
    return figure


def _ratio_lines(axes: "Axes", most: float) -> None:
    """Draw lines of equal ratio, each named at its end."""
    for ratio, words in RATIOS:
        x, y = (most, most / ratio) if ratio > 1 else (most * ratio, most)
        axes.plot([0, x], [0, y], color="#bbbbbb", linewidth=0.6, zorder=0, linestyle=(0, (4, 2)))
        side: dict[str, Any] = (
            {"ha": "left", "va": "center", "xytext": (2, 0)}
            if ratio > 1
            else {"ha": "center", "va": "bottom", "xytext": (0, 1)}
        )
        axes.annotate(
            f"ratio {words}" if ratio == 1 else words, (x, y), textcoords="offset points", fontsize=SMALL,
            color="#777777", annotation_clip=False, **side,
        )  # fmt: skip


def _draw_teams(
    axes: "Axes", rows: pl.DataFrame, x: str, y: str, size: Mapping[str, Any] | None = None, **interval: Any
) -> None:
    """Draw a mark for each team; and its intervals, in the style that `interval` gives, if it gives one."""
    for row in rows.iter_rows(named=True):
        style = marker_style(row["kind"], **(size or {}))
        for x0, y0, x1, y1 in _intervals(row, x, y) if interval else ():
            axes.plot([x0, x1], [y0, y1], color=style["color"], **interval)
        axes.plot([row[x]], [row[y]], zorder=3, **style)


def _intervals(row: Mapping[str, Any], x: str, y: str) -> list[Segment]:
    """A team's intervals as segments, one for each axis where both bounds are known."""
    x_low, x_high, y_low, y_high = (row.get(f"{measure}_{end}") for measure in (x, y) for end in ("low", "high"))
    across = [(x_low, row[y], x_high, row[y])] if x_low is not None and x_high is not None else []
    along = [(row[x], y_low, row[x], y_high)] if y_low is not None and y_high is not None else []
    return across + along


def _all_intervals(rows: pl.DataFrame, x: str, y: str) -> list[Segment]:
    return [line for row in rows.iter_rows(named=True) for line in _intervals(row, x, y)]


def _label_teams(axes: "Axes", rows: pl.DataFrame, x: str, y: str, lines: list[Any]) -> None:
    """Write each team's name beside its mark. lines: segments or points that labels avoid."""
    labels = [Label(row[x], row[y], row["name"], text_color(row["kind"])) for row in rows.iter_rows(named=True)]
    label_marks(axes, labels, lines=np.array(lines, dtype=np.float64).reshape(-1, 4))
