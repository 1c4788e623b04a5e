"""Figures of the frontier: excess cost against leakage, shares of the baseline's leakage, and others beside it."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.plots.layout import any_width, finish, fix_layout, is_narrow, name_axes, subplots
from pipeline.reports.plots.layout import panels as panel_grid
from pipeline.reports.plots.planes import STAIRS
from pipeline.reports.plots.style import kind_keys, marker_style, printed_name, round_ticks, text_color
from pipeline.tables.paths import EXTRA_PROTOCOLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X = "excess_cost"
SETTINGS = ("uniform", "varied")
# Protocols differ by shape, so that they can be told apart in grey; filled: beyond the paper, open: of the paper.
LOOKS: Mapping[str, tuple[str, str]] = {
    "secure": ("o", "#0b4f6c"),
    "poll": ("s", "#b8500c"),
    "imap-noisy": ("D", "#7a3b7d"),
    "imap-kbit": ("^", "#3b7d3b"),
    "dsm-log": ("v", "#8a7a14"),
    "shares": ("*", "#9c1f3c"),
}
# A mark's name on a curve, which the key names; the marks between a curve's ends go without.
ON_CURVE = {"secure": "{} at once", "imap-noisy": "ε = {}", "imap-kbit": "k = {}", "dsm-log": "{} points"}
PLANE = "Lower gives away less, further left pays less; who misses meetings is not shown. Curves run over a parameter."
PAPER_MARK: dict[str, Any] = {"marker": "s", "markersize": 6, "markerfacecolor": "white", "color": "#222222"}
AXIS = {"vps_uniform_mean": "privacy loss (VPS, slots)", "bits": "information leaked (bits an ordered pair)"}


@any_width
def plane(points: pl.DataFrame, pareto: pl.DataFrame, measures: Mapping[str, float], title: str) -> "Figure":
    """A row of panels per measure, one per setting: each protocol's curve over its parameter, with intervals.

    points: frontier_points; pareto: frontier_pareto; measures: the end of each one's axis. Excess grows to the right,
    leakage upwards. Who misses meetings is not drawn. The stairs join those that no other beats in both.
    """
    rows, columns = (2 * len(measures), 1) if is_narrow() else (len(measures), 2)
    figure, panels = subplots(rows, columns, 1.88 * rows if is_narrow() else 3.4 * rows, squeeze=False)
    panels, drawn = panels.reshape(-1, 2), []
    for row, (measure, most) in zip(panels, measures.items(), strict=True):
        able = points.join(pareto.filter("coordinates", measure=measure), on=["setting", "team"], how="semi")
        name_axes(row, y=AXIS[measure])
        for axes, setting in zip(row, SETTINGS, strict=True):
            shown = _both_axes(able.filter(setting=setting), measure)
            edge = pareto.filter("on_frontier", setting=setting, measure=measure)
            _scale(axes, shown[f"{X}_low"], shown[f"{X}_high"], most)
            _marks(axes, shown)
            _stairs(axes, edge, most)
            drawn.append((axes, shown, edge["team"]))
        for axes, setting in zip(row, SETTINGS, strict=True):
            axes.set_title(f"{setting} costs")
            axes.set_xlabel("excess cost a game")
    finish(figure, title, _keys(), PLANE)
    fix_layout(figure)
    for axes, shown, on_frontier in drawn:
        _labels(axes, shown, on_frontier)
    return figure


def _scale(axes: "Axes", lows: pl.Series, highs: pl.Series, most: float) -> None:
    """A panel's scales: excess by its logarithm; linear up to 1 where it is not above 0 everywhere."""
    least, furthest = float(lows.min()), float(highs.max())  # type: ignore[arg-type]
    axes.set_ylim(0, most)
    axes.set_xscale("log") if least > 0 else axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(least / 1.8 if least > 0 else 0, furthest * 1.6)
    round_ticks(axes.xaxis)


def _both_axes(points: pl.DataFrame, measure: str) -> pl.DataFrame:
    """One row per team: parameter, and mean, low and high of both axes."""
    index = ["team", "protocol", "parameter", "kind"]
    sides = []
    for name, to in ((X, X), (measure, "leakage")):
        # A mean of few tasks has no interval.
        ends = (pl.col(end).fill_null(pl.col("mean")).alias(f"{to}_{end}") for end in ("low", "high"))
        side = points.filter(measure=name).select(*index, pl.col("mean").alias(to), *ends)
        sides.append(side)
    return sides[0].join(sides[1], on=index).sort("protocol", "parameter")


def _marks(axes: "Axes", rows: pl.DataFrame) -> None:
    from matplotlib.collections import LineCollection

    crosses = [(line, _color(row["protocol"])) for row in rows.iter_rows(named=True) for line in _crosses(row)]
    lines = [list(zip(xs, ys, strict=True)) for (xs, ys), _ in crosses]
    axes.add_collection(LineCollection(lines, colors=[c for _, c in crosses], linewidths=0.6, alpha=0.45, zorder=1.5))
    for protocol, (shape, color) in LOOKS.items():
        own = rows.filter(protocol=protocol).sort(X, "leakage")
        line = "-" if protocol != "poll" else "none"
        axes.plot(
            own[X], own["leakage"], marker=shape, color=color, linestyle=line, linewidth=0.7, markersize=5, zorder=3
        )
    paper = rows.filter(pl.col("kind") == "protocol", ~pl.col("protocol").is_in(list(LOOKS)))
    axes.plot(paper[X], paper["leakage"], linestyle="none", zorder=4, **PAPER_MARK)


def _crosses(row: Mapping[str, Any]) -> list[tuple[list[float], list[float]]]:
    """The lines of a team's intervals."""
    across = [row[f"{X}_low"], row[f"{X}_high"]], [row["leakage"]] * 2
    return [across, ([row[X]] * 2, [row["leakage_low"], row["leakage_high"]])]


def _stairs(axes: "Axes", edge: pl.DataFrame, most: float) -> None:
    """Draw the frontier as stairs."""
    axes.plot(*zip(*_corners(axes, edge, most), strict=True), zorder=1, **STAIRS)


def _corners(axes: "Axes", edge: pl.DataFrame, most: float) -> list[tuple[float, float]]:
    """The corners of the stairs: up from the first point, to the right from the last."""
    points = edge.select(X, "leakage").unique().sort(X, "leakage").rows()
    corners = [corner for (x, y), (u, v) in pairwise(points) for corner in ((x, y), (u, y), (u, v))]
    return [(points[0][0], most), *(corners or points), (axes.get_xlim()[1], points[-1][1])]


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D

    beyond = [
        Line2D([], [], label=EXTRA_PROTOCOLS[protocol][0], marker=shape, color=color, linewidth=0.7)
        for protocol, (shape, color) in LOOKS.items()
    ]
    paper = Line2D([], [], label="the paper's protocols", linestyle="none", **PAPER_MARK)
    return [*beyond, paper, Line2D([], [], label="none beats these", **STAIRS)]


def _labels(axes: "Axes", rows: pl.DataFrame, on_frontier: pl.Series) -> None:
    """One label for all marks at one point, of those that have a name there; the others are marks to keep clear of."""
    names: dict[tuple[float, float], list[tuple[str, str]]] = {}
    named = pl.concat([_named(own, on_frontier) for _, own in rows.group_by("protocol", maintain_order=True)])
    for row in named.sort(pl.col("protocol").is_in(list(LOOKS)), "protocol", "parameter").iter_rows(named=True):
        at_point = names.setdefault((round(row[X], 6), round(row["leakage"], 6)), [])
        at_point.append((_name(row["team"], row["protocol"], row["parameter"]), row["protocol"]))
    labels = [
        Label(x, y, _joined([name for name, _ in at_point]), _color(at_point[0][1]))
        for (x, y), at_point in names.items()
    ]
    lines = [(xs[0], ys[0], xs[1], ys[1]) for row in rows.iter_rows(named=True) for xs, ys in _crosses(row)]
    for protocol in LOOKS:
        marks = rows.filter(protocol=protocol).sort(X, "leakage").select(X, "leakage").rows()
        lines += [(*one, *other) for one, other in pairwise(marks) if protocol != "poll"]
    label_marks(axes, labels, rows.select(X, "leakage").rows(), np.array(lines, dtype=np.float64))


def _joined(names: list[str]) -> str:
    """The names of marks at one point, what they have in common said once: polling 0; 0, 100."""
    first = names[0].split(" ", 1)[0]
    return "; ".join([names[0], *(name.removeprefix(f"{first} ") for name in names[1:])])


def _named(own: pl.DataFrame, on_frontier: pl.Series) -> pl.DataFrame:
    """Of one protocol's marks those with a name: the ends of a curve over a parameter, all others.

    In half a column there is room for those alone that no other beats, and for the paper's.
    """
    protocol = own["protocol"][0]
    if protocol not in ON_CURVE:
        return own.filter(pl.col("team").is_in(on_frontier.implode())) if is_narrow() and protocol == "poll" else own
    ordered = own.sort(pl.col("parameter").cast(pl.Int64))
    return pl.concat([ordered.head(1), ordered.tail(1)]).unique(maintain_order=True)


def _name(team: str, protocol: str, parameter: str) -> str:
    if protocol in ON_CURVE:
        return ON_CURVE[protocol].format(parameter).replace("1 points", "1 point")
    return printed_name(team)


def _color(protocol: str) -> str:
    return LOOKS[protocol][1] if protocol in LOOKS else "#222222"


@any_width
def shares(domination: pl.DataFrame, teams: Mapping[str, str], measures: Mapping[str, str], title: str) -> "Figure":
    """Leakage as a share of the baseline's, with 95 % intervals: a panel per setting, a row per measure.

    domination: frontier_domination; teams: team → its name in the key; measures: measure → its name on the axis.
    """
    figure, panels = panel_grid(2, 2.3, sharey=True)
    heights = {name: len(measures) - 1 - i for i, name in enumerate(measures)}
    for axes, setting in zip(panels, SETTINGS, strict=True):
        axes.set(
            title=f"{setting} costs",
            xlabel="leakage as a share of IMAP's",
            xlim=(0, 1.02),
            ylim=(-0.6, len(measures) - 0.4),
        )
        axes.axvline(0.5, color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.axvline(1, color="#222222", linewidth=0.8)
        for i, team in enumerate(teams):
            shape, color = _look(team)
            shift = (i - (len(teams) - 1) / 2) * -0.26
            for row in domination.filter(setting=setting, team=team).iter_rows(named=True):
                if row["measure"] in heights:
                    y = heights[row["measure"]] + shift
                    axes.plot([row["share_low"], row["share_high"]], [y, y], color=color, linewidth=1)
                    axes.plot([row["share"]], [y], marker=shape, color=color, markersize=4.5)
        axes.grid(axis="x", visible=True)
    panels[0].set_yticks(list(heights.values()), list(measures.values()))
    finish(figure, title, _team_keys(teams), "A row a measure of leakage.")
    return figure


def _look(team: str) -> tuple[str, str]:
    """The look of a team's protocol."""
    return next(look for protocol, look in LOOKS.items() if team.startswith(protocol))


def _team_keys(teams: Mapping[str, str]) -> list[Any]:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], label=text, marker=_look(t)[0], color=_look(t)[1], linewidth=1) for t, text in teams.items()]
    return [*keys, Line2D([], [], label="half", color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))]


@any_width
def gaps_to_frontier(others: pl.DataFrame, pareto: pl.DataFrame, title: str) -> "Figure":
    """Excess cost against VPS, a panel per setting: simulated speakers beside the frontier.

    others: frontier_placed; pareto: frontier_pareto.
    """
    from matplotlib.lines import Line2D

    figure, panels = panel_grid(2, 3.6, sharey=True)
    edges = pareto.filter("on_frontier", measure="vps_uniform_mean")
    for axes, setting in zip(panels, SETTINGS, strict=True):
        rows, edge = others.filter(setting=setting), edges.filter(setting=setting)
        every = pl.concat([rows[X], edge[X]])
        _scale(axes, every, every, 2.3)
        axes.set(title=f"{setting} costs", xlabel="excess cost a game")
        _stairs(axes, edge, 2.3)
        axes.plot(edge[X], edge["leakage"], zorder=2, **marker_style("protocol"))
        axes.plot(rows[X], rows["vps_uniform_mean"], zorder=3, **marker_style("simulated"))
        axes.grid(axis="x", visible=True)
    name_axes(panels, y=AXIS["vps_uniform_mean"])
    keys = [*kind_keys(["protocol", "simulated"]), Line2D([], [], label="none beats these", **STAIRS)]
    finish(figure, title, keys, "Lower gives away less, further left pays less.")
    fix_layout(figure)
    for axes, setting in zip(panels, SETTINGS, strict=True):
        _team_labels(axes, others.filter(setting=setting), edges.filter(setting=setting))
    return figure


def _team_labels(axes: "Axes", rows: pl.DataFrame, edge: pl.DataFrame) -> None:
    columns = pl.col(X), pl.col("vps_uniform_mean").alias("leakage")
    others = [
        Label(x, y, team, text_color(kind)) for team, kind, x, y in rows.select("team", "kind", *columns).iter_rows()
    ]
    protocols = [
        Label(x, y, printed_name(team), text_color("protocol"))
        for team, x, y in edge.select("team", X, "leakage").iter_rows()
    ]
    stairs = np.array([(*one, *other) for one, other in pairwise(_corners(axes, edge, axes.get_ylim()[1]))])
    label_marks(axes, [*others, *protocols], lines=stairs)
