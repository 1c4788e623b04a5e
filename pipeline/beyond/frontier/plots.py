"""The frontier as pictures: the plane of excess and leakage, and shares of the baseline's leakage."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline.reports.plots.labels import Label, label_marks
from pipeline.reports.plots.planes import STAIRS
from pipeline.reports.plots.style import KINDS, fix_layout, marker_style, round_ticks, set_title, subplots, text_color
from pipeline.tables.names import PAPER_PROTOCOLS

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
PAPERS: dict[str, Any] = {"marker": "s", "markersize": 6, "markerfacecolor": "white", "color": "#222222"}
NAMED = {"vps_uniform_mean": "privacy loss (VPS, slots)", "bits": "information leaked (bits per ordered pair)"}


def plane(points: pl.DataFrame, pareto: pl.DataFrame, measures: Mapping[str, float], title: str) -> "Figure":
    """A row of panels per measure, one per setting: each protocol's curve over its parameter, with intervals.

    points: frontier_points; pareto: frontier_pareto; measures: the end of each one's axis. Excess grows to the right,
    leakage upwards. Who misses meetings is not drawn. The stairs join those that no other beats in both.
    """
    figure, panels = subplots(len(measures), 2, figsize=(7.2, 1 + 3.6 * len(measures)), sharey="row", squeeze=False)
    drawn = []
    for row, (measure, most) in zip(panels, measures.items(), strict=True):
        able = points.join(pareto.filter("coordinates", measure=measure), on=["setting", "team"], how="semi")
        row[0].set_ylabel(NAMED[measure])
        for axes, setting in zip(row, SETTINGS, strict=True):
            shown, edge = _wide(able.filter(setting=setting), measure), pareto.filter(setting=setting, measure=measure)
            _axes(axes, setting, float(shown["excess_cost_high"].max()), most)  # type: ignore[arg-type]
            _marks(axes, shown)
            _stairs(axes, edge.filter("on_frontier"), most)
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


def _axes(axes: "Axes", setting: str, furthest: float, most: float) -> None:
    """A panel's scales: excess linear up to a bound, then by its logarithm."""
    start = 1 if setting == "uniform" else 10
    axes.set_ylim(0, most)
    axes.set_xscale("symlog", linthresh=start)
    axes.set_xlim(0, furthest * 1.25)
    round_ticks(axes.xaxis, start)


def _wide(points: pl.DataFrame, measure: str) -> pl.DataFrame:
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
    papers = rows.filter(pl.col("kind") == "protocol", ~pl.col("protocol").is_in(list(LOOKS)))
    axes.plot(papers[X], papers["leakage"], linestyle="none", zorder=4, **PAPERS)


def _crosses(row: Mapping[str, Any]) -> list[tuple[list[float], list[float]]]:
    """The lines of a team's intervals."""
    across = [row[f"{X}_low"], row[f"{X}_high"]], [row["leakage"]] * 2
    return [across, ([row[X]] * 2, [row["leakage_low"], row["leakage_high"]])]


def _stairs(axes: "Axes", edge: pl.DataFrame, most: float) -> None:
    """Draw the edge of what protocols reach."""
    axes.plot(*zip(*_edge(axes, edge, most), strict=True), zorder=1, **STAIRS)


def _edge(axes: "Axes", edge: pl.DataFrame, most: float) -> list[tuple[float, float]]:
    """The corners of that edge: up from its first point, to the right from its last."""
    points = edge.select(X, "leakage").unique().sort(X, "leakage").rows()
    corners = [corner for (x, y), (u, v) in pairwise(points) for corner in ((x, y), (u, y), (u, v))]
    return [(points[0][0], most), *(corners or points), (axes.get_xlim()[1], points[-1][1])]


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D

    ours = [Line2D([], [], label=text, marker=m, color=c, linewidth=0.7) for text, m, c in LOOKS.values()]
    papers = Line2D([], [], label="the paper's protocols", linestyle="none", **PAPERS)
    return [*ours, papers, Line2D([], [], label="none beats these", **STAIRS)]


def _labels(axes: "Axes", rows: pl.DataFrame) -> None:
    """One label for marks at one place: the paper's names, and each protocol's parameters."""
    at: dict[tuple[float, float], dict[str, list[str]]] = {}
    for row in rows.sort(pl.col("protocol").is_in(list(LOOKS)), "protocol", "parameter").iter_rows(named=True):
        here = at.setdefault((round(row[X], 6), round(row["leakage"], 6)), {})
        here.setdefault(row["protocol"], []).append(row["parameter"])
    labels = [
        Label(x, y, "; ".join(_words(*named) for named in here.items()), _color(next(iter(here))))
        for (x, y), here in at.items()
    ]
    lines = [(xs[0], ys[0], xs[1], ys[1]) for row in rows.iter_rows(named=True) for xs, ys in _crosses(row)]
    for protocol in LOOKS:
        places = rows.filter(protocol=protocol).sort(X, "leakage").select(X, "leakage").rows()
        lines += [(*one, *other) for one, other in pairwise(places) if protocol != "poll"]
    label_marks(axes, labels, lines=np.array(lines, dtype=np.float64), fontsize=6.5)


def _words(protocol: str, parameters: list[str]) -> str:
    """How the marks of a protocol are called: by their parameters; those of the paper by their names."""
    if protocol == "dpop" or parameters == [""]:
        return {"dpop": "DPOP"}.get(protocol, PAPER_PROTOCOLS.get(protocol, protocol))
    return ", ".join(sorted(parameters, key=lambda p: (len(p), p)))


def _color(protocol: str) -> str:
    return LOOKS[protocol][2] if protocol in LOOKS else "#222222"


def shares(domination: pl.DataFrame, teams: Mapping[str, str], measures: Mapping[str, str], title: str) -> "Figure":
    """Leakage as a share of the baseline's, with 95 % intervals: a panel per setting, a row per measure."""
    figure, panels = subplots(1, 2, figsize=(7.0, 3.3), sharey=True)
    places = {name: len(measures) - 1 - i for i, name in enumerate(measures)}
    for axes, setting in zip(panels, SETTINGS, strict=True):
        axes.set(
            title=f"{setting} costs", xlabel="share of IMAP's leakage", xlim=(0, 1.02), ylim=(-0.6, len(measures) - 0.4)
        )
        axes.axvline(0.5, color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))
        axes.axvline(1, color="#222222", linewidth=0.8)
        for i, team in enumerate(teams):
            _, shape, color = _look(team)
            step = (i - (len(teams) - 1) / 2) * -0.26
            for row in domination.filter(setting=setting, team=team).iter_rows(named=True):
                if row["measure"] in places:
                    y = places[row["measure"]] + step
                    axes.plot([row["share_low"], row["share_high"]], [y, y], color=color, linewidth=1)
                    axes.plot([row["share"]], [y], marker=shape, color=color, markersize=4.5)
        axes.grid(axis="x", visible=True)
    panels[0].set_yticks(list(places.values()), list(measures.values()))
    set_title(figure, title)
    figure.legend(handles=_team_keys(teams), loc="outside lower center", ncols=len(teams) + 1)
    return figure


def _look(team: str) -> tuple[str, str, str]:
    """The look of a team's protocol."""
    return next(look for protocol, look in LOOKS.items() if team.startswith(protocol))


def _team_keys(teams: Mapping[str, str]) -> list[Any]:
    from matplotlib.lines import Line2D

    keys = [Line2D([], [], label=text, marker=_look(t)[1], color=_look(t)[2], linewidth=1) for t, text in teams.items()]
    return [*keys, Line2D([], [], label="half", color="#777777", linewidth=0.8, linestyle=(0, (4, 2)))]


def places(placed: pl.DataFrame, pareto: pl.DataFrame, title: str) -> "Figure":
    """Simulated speakers and the models that the paper reports, in the plane of excess and VPS, beside the frontier."""
    from matplotlib.lines import Line2D

    figure, panels = subplots(1, 2, figsize=(7.0, 4.2), sharey=True)
    edges = pareto.filter("on_frontier", measure="vps_uniform_mean")
    for axes, setting in zip(panels, SETTINGS, strict=True):
        rows, edge = placed.filter(setting=setting), edges.filter(setting=setting)
        _axes(axes, setting, max(float(rows[X].max()), float(edge[X].max())), 2.3)  # type: ignore[arg-type]
        axes.set(title=f"{setting} costs", xlabel="excess cost a game")
        _stairs(axes, edge, 2.3)
        axes.plot(edge[X], edge["leakage"], zorder=2, **marker_style("protocol"))
        for kind in ("simulated", "reported"):
            own = rows.filter(kind=kind)
            axes.plot(own[X], own["vps_uniform_mean"], zorder=3, **marker_style(kind))
        axes.grid(axis="x", visible=True)
    panels[0].set_ylabel(NAMED["vps_uniform_mean"])
    set_title(figure, title)
    kinds = ("protocol", "simulated", "reported")
    keys = [Line2D([], [], label=KINDS[k][0], **KINDS[k][1]) for k in kinds]
    figure.legend(
        handles=[*keys, Line2D([], [], label="none beats these", **STAIRS)], loc="outside lower center", ncols=4
    )
    fix_layout(figure)
    for axes, setting in zip(panels, SETTINGS, strict=True):
        _names(axes, placed.filter(setting=setting), edges.filter(setting=setting))
    return figure


def _names(axes: "Axes", rows: pl.DataFrame, edge: pl.DataFrame) -> None:
    columns = pl.col(X), pl.col("vps_uniform_mean").alias("leakage")
    others = [
        Label(x, y, team, text_color(kind)) for team, kind, x, y in rows.select("team", "kind", *columns).iter_rows()
    ]
    ours = [Label(x, y, team, text_color("protocol")) for team, x, y in edge.select("team", X, "leakage").iter_rows()]
    stairs = np.array([(*one, *other) for one, other in pairwise(_edge(axes, edge, axes.get_ylim()[1]))])
    label_marks(axes, [*others, *ours], lines=stairs, fontsize=6.5)
