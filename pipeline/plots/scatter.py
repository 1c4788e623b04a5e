"""Figure 3: messages against excess cost, game by game."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from pipeline.plots.place import Label, label_marks
from pipeline.plots.style import entitle, ink, key, mark, round_ticks, settled, subplots
from pipeline.statistics.bootstrap import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X, Y = "dms_per_meeting", "excess_cost"
LINEAR_TO = 10.0  # excess beyond is drawn by its logarithm
APART = "protocol"  # drawn as means alone


def messages_and_excess(
    games: pl.DataFrame, means: pl.DataFrame, lines: Mapping[str, Line], title: str
) -> "Figure | None":
    """A panel per setting: small points are games, large ones their team's means, the line is that through the games.

    games: setting, kind, dms_per_meeting, excess_cost; means: the same and name; lines: by setting. Protocols are shown
    as means, apart. None when no game is to be drawn.
    """
    settings = [s for s in ("uniform", "varied") if s in games.drop_nulls([X, Y])["setting"]]
    if not settings:
        return None
    figure, panels = subplots(1, len(settings), figsize=(6.9, 3.7), sharex=True, squeeze=False)
    for axes, setting in zip(panels[0], settings, strict=True):
        _panel(axes, _games(games, setting), lines.get(setting))
        _means(axes, means.filter(setting=setting).drop_nulls([X, Y]))
        axes.set_title(f"{setting} costs")
        axes.set_title(_slope(lines.get(setting)), loc="right", fontsize=7, weight="normal")
        axes.set_xlabel("direct messages a scheduled meeting")
    panels[0][0].set_ylabel("excess cost of the game")
    entitle(figure, title)
    key(figure, pl.concat([games["kind"], means["kind"]]).unique().to_list())
    settled(figure)
    for axes, setting in zip(panels[0], settings, strict=True):
        _labels(axes, means.filter(setting=setting).drop_nulls([X, Y]).sort("kind", "name"), _games(games, setting))
    return figure


def _games(games: pl.DataFrame, setting: str) -> pl.DataFrame:
    """The games of a setting that are drawn one by one; those at one place are one point."""
    own = games.filter(pl.col("kind") != APART, setting=setting).drop_nulls([X, Y])
    return own.select("kind", X, Y).unique().sort("kind", X, Y)


def _slope(line: Line | None) -> str:
    """The slope in words, with its interval."""
    if line is None or line.slope is None:
        return ""
    interval = "" if line.low is None else f" [{line.low:.3g}, {line.high:.3g}]"
    return f"{line.slope:+.3g}{interval} a message".replace("-", "−")


def _panel(axes: "Axes", games: pl.DataFrame, line: Line | None) -> None:
    """The games, their line and its interval."""
    axes.set_yscale("symlog", linthresh=LINEAR_TO)
    for (kind,), part in games.group_by("kind", maintain_order=True):
        style = mark(str(kind), markersize=2.4, markeredgewidth=0.5, alpha=0.45)
        axes.plot(part[X], part[Y], zorder=1.5, **style)
    if line is not None and line.course.height:
        axes.plot(line.course["x"], line.course["y"], color="#222222", linewidth=1.0, zorder=2.5)
        known = line.course.drop_nulls()
        axes.fill_between(known["x"], known["low"], known["high"], color="#222222", alpha=0.13, linewidth=0, zorder=1)
    axes.grid(axis="x", visible=True)


def _means(axes: "Axes", means: pl.DataFrame) -> None:
    for row in means.iter_rows(named=True):
        axes.plot([row[X]], [row[Y]], zorder=3, **mark(row["kind"], markersize=5.5, markeredgewidth=1.2))
    round_ticks(axes.yaxis, LINEAR_TO)


def _labels(axes: "Axes", means: pl.DataFrame, games: pl.DataFrame) -> None:
    labels = [Label(row[X], row[Y], row["name"], ink(row["kind"])) for row in means.iter_rows(named=True)]
    label_marks(axes, labels, lines=games.select(X, Y, x=X, y=Y).to_numpy())
