"""Figures of the frontier: excess cost against leakage, shares of the baseline's leakage, and others beside it."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.plots.planes import STAIRS
from pipeline.reports.plots.style import KINDS, fix_layout, marker_style, round_ticks, set_title, subplots, text_color
from pipeline.tables.paths import PAPER_PROTOCOLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

X = "excess_cost"
SETTINGS = ("uniform", "varied")
# Protocols differ by shape, so that they can be told apart in grey; filled: beyond the paper, open: of the paper.
LOOKS: Mapping[str, tuple[str, str, str]] = {
    "secure": ("secure sums, totals at once", "o", "#0b4f6c"),
    "poll": ("polling, thresholds", "s", "#b8500c"),
    "imap-noisy": ("IMAP, random lies, ε", "D", "#7a3b7d"),
    "imap-kbit": ("IMAP, k bits", "^", "#3b7d3b"),
    "dsm-log": ("DSM, log scores, points", "v", "#8a7a14"),
    "dpop": ("DPOP", "P", "#444444"),
}
PAPER_MARK: dict[str, Any] = {"marker": "s", "markersize": 6, "markerfacecolor": "white", "color": "#222222"}
AXIS = {"vps_uniform_mean": "privacy loss (VPS, slots)", "bits": "information leaked (bits per ordered pair)"}


def plane(points: pl.DataFrame, pareto: pl.DataFrame, measures: Mapping[str, float], title: str) -> "Figure":
    """A row of panels per measure, one per setting: each protocol's curve over its parameter, with intervals.

    points: frontier_points; pareto: frontier_pareto; measures: the end of each one's axis. Excess grows to the right,
    leakage upwards. Who misses meetings is not drawn. The stairs join those that no other beats in both.
    """
    figure, panels = subplots(len(measures), 2, figsize=(7.2, 1 + 3.6 * len(measures)), sharey="row", squeeze=False)
    drawn = []
    for row, (measure, most) in zip(panels, measures.items(), strict=True):
        able = points.join(pareto.filter("coordinates", measure=measure), on=["setting", "team"], how="semi")
        row[0].set_ylabel(AXIS[measure])
        for axes, setting in zip(row, SETTINGS, strict=True):
            shown = _both_axes(able.filter(setting=setting), measure)
            edge = pareto.filter("on_frontier", setting=setting, measure=measure)
            _scale(axes, setting, float(shown["excess_cost_high"].max()), most)  # type: ignore[arg-type]
            _marks(axes, shown)
            _stairs(axes, edge, most)
            drawn.append((axes, shown))
    for axes in panels[-1]:
        axes.set_xlabel("excess cost a game")
    for axes, setting in zip(panels[0], SETTINGS, strict=True):
        axes.set_title(f"{setting} costs")
    set_title(figure, title)
    figure.legend(handles=_legend(), loc="outside lower center", ncols=4)
    fix_layout(figure)
    for axes, shown in drawn:
        _labels(axes, shown)
    return figure


def _scale(axes: "Axes", setting: str, furthest: float, most: float) -> None:
    """A panel's scales: excess linear up to a bound, then by its logarithm."""
    start = 1 if setting == "uniform" else 10
    axes.set_ylim(0, most)
    axes.set_xscale("symlog", linthresh=start)
    axes.set_xlim(0, furthest * 1.25)
    round_ticks(axes.xaxis, start)


def _both_axes(points: pl.DataFrame, measure: str) -> pl.DataFrame:
    """One row per team: parameter, and mean, low and high of both axes."""
    index = ["team", "protocol", "parameter", "kind"]
    sides = []
    for name, to in ((X, X), (measure, "leakage")):
        side = points.filter(measure=name).select(
            *index, pl.col("mean").alias(to), pl.col("low").alias(f"{to}_low"), pl.col("high").alias(f"{to}_high")
        )
        sides.append(side)
    return sides[0].join(sides[1], on=index).sort("protocol", "parameter")


def _marks(axes: "Axes", rows: pl.DataFrame) -> None:
    from matplotlib.collections import LineCollection

    crosses = [(line, _color(row["protocol"])) for row in rows.iter_rows(named=True) for line in _crosses(row)]
    lines = [list(zip(xs, ys, strict=True)) for (xs, ys), _ in crosses]
    axes.add_collection(LineCollection(lines, colors=[c for _, c in crosses], linewidths=0.6, alpha=0.45, zorder=1.5))
    for protocol, (_, shape, color) in LOOKS.items():
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


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    beyond = [Line2D([], [], label=text, marker=m, color=c, linewidth=0.7) for text, m, c in LOOKS.values()]
    paper = Line2D([], [], label="the paper's protocols", linestyle="none", **PAPER_MARK)
    return [*beyond, paper, Line2D([], [], label="none beats these", **STAIRS)]


def _labels(axes: "Axes", rows: pl.DataFrame) -> None:
    """One label for all marks at one point: the paper's names, and each protocol's parameters."""
    parameters: dict[tuple[float, float], dict[str, list[str]]] = {}
    for row in rows.sort(pl.col("protocol").is_in(list(LOOKS)), "protocol", "parameter").iter_rows(named=True):
        at_point = parameters.setdefault((round(row[X], 6), round(row["leakage"], 6)), {})
        at_point.setdefault(row["protocol"], []).append(row["parameter"])
    labels = [
        Label(x, y, "; ".join(_label(*named) for named in at_point.items()), _color(next(iter(at_point))))
        for (x, y), at_point in parameters.items()
    ]
    lines = [(xs[0], ys[0], xs[1], ys[1]) for row in rows.iter_rows(named=True) for xs, ys in _crosses(row)]
    for protocol in LOOKS:
        marks = rows.filter(protocol=protocol).sort(X, "leakage").select(X, "leakage").rows()
        lines += [(*one, *other) for one, other in pairwise(marks) if protocol != "poll"]
    label_marks(axes, labels, lines=np.array(lines, dtype=np.float64), fontsize=6.5)


def _label(protocol: str, parameters: list[str]) -> str:
    """The label of a protocol's mark: its parameters; of the paper's protocols their names."""
    if protocol == "dpop" or parameters == [""]:
        return {"dpop": "DPOP"}.get(protocol, PAPER_PROTOCOLS.get(protocol, protocol))
    return ", ".join(sorted(parameters, key=lambda p: (len(p), p)))


def _color(protocol: str) -> str:
    return LOOKS[protocol][2] if protocol in LOOKS else "#222222"


def shares(domination: pl.DataFrame, teams: Mapping[str, str], measures: Mapping[str, str], title: str) -> "Figure":
    """Leakage as a share of the baseline's, with 95 % intervals: a panel per setting, a row per measure.

    domination: frontier_domination; teams: team → its name in the key; measures: measure → its name on the axis.
    """
    figure, panels = subplots(1, 2, figsize=(7.0, 3.3), sharey=True)
    heights = {name: len(measures) - 1 - i for i, name in enumerate(measures)}
    for axes, setting in zip(panels, SETTINGS, strict=True):
        axes.set(
            title=f"{setting} costs", xlabel="share of IMAP's leakage", xlim=(0, 1.02), ylim=(-0.6, len(measures) - 0.4)
        )
        axes.axvline(0.5, color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.axvline(1, color="#222222", linewidth=0.8)
        for i, team in enumerate(teams):
            _, shape, color = _look(team)
            shift = (i - (len(teams) - 1) / 2) * -0.26
            for row in domination.filter(setting=setting, team=team).iter_rows(named=True):
                if row["measure"] in heights:
                    y = heights[row["measure"]] + shift
                    axes.plot([row["share_low"], row["share_high"]], [y, y], color=color, linewidth=1)
                    axes.plot([row["share"]], [y], marker=shape, color=color, markersize=4.5)
        axes.grid(axis="x", visible=True)
    panels[0].set_yticks(list(heights.values()), list(measures.values()))
    set_title(figure, title)
    figure.legend(handles=_team_legend(teams), loc="outside lower center", ncols=len(teams) + 1)
    return figure


def _look(team: str) -> tuple[str, str, str]:
    """The look of a team's protocol."""
    return next(look for protocol, look in LOOKS.items() if team.startswith(protocol))


def _team_legend(teams: Mapping[str, str]) -> list[Any]:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], label=text, marker=_look(t)[1], color=_look(t)[2], linewidth=1) for t, text in teams.items()]
    return [*keys, Line2D([], [], label="half", color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))]


def gaps_to_frontier(others: pl.DataFrame, pareto: pl.DataFrame, title: str) -> "Figure":
    """Excess cost against VPS, a panel per setting: simulated speakers and reported models beside the frontier.

    others: frontier_placed; pareto: frontier_pareto.
    """
    from matplotlib.lines import Line2D

    figure, panels = subplots(1, 2, figsize=(7.0, 4.2), sharey=True)
    edges = pareto.filter("on_frontier", measure="vps_uniform_mean")
    for axes, setting in zip(panels, SETTINGS, strict=True):
        rows, edge = others.filter(setting=setting), edges.filter(setting=setting)
        _scale(axes, setting, max(float(rows[X].max()), float(edge[X].max())), 2.3)  # type: ignore[arg-type]
        axes.set(title=f"{setting} costs", xlabel="excess cost a game")
        _stairs(axes, edge, 2.3)
        axes.plot(edge[X], edge["leakage"], zorder=2, **marker_style("protocol"))
        for kind in ("simulated", "reported"):
            own = rows.filter(kind=kind)
            axes.plot(own[X], own["vps_uniform_mean"], zorder=3, **marker_style(kind))
        axes.grid(axis="x", visible=True)
    panels[0].set_ylabel(AXIS["vps_uniform_mean"])
    set_title(figure, title)
    kinds = ("protocol", "simulated", "reported")
    keys = [Line2D([], [], label=KINDS[k][0], **KINDS[k][1]) for k in kinds]
    figure.legend(
        handles=[*keys, Line2D([], [], label="none beats these", **STAIRS)], loc="outside lower center", ncols=4
    )
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
        Label(x, y, team, text_color("protocol")) for team, x, y in edge.select("team", X, "leakage").iter_rows()
    ]
    stairs = np.array([(*one, *other) for one, other in pairwise(_corners(axes, edge, axes.get_ylim()[1]))])
    label_marks(axes, [*others, *protocols], lines=stairs, fontsize=6.5)
