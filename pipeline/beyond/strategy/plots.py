"""What lies gain, what DSM's points make of them, and what two kinds of adversaries learn."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from pipeline.reports.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS = {"uniform": "uniform costs", "varied": "varied costs"}
INK, PAIR = "#0b4f6c", "#b8500c"
GAP = 1.2  # rows between two protocols


def gains(
    saved: pl.DataFrame, protocols: Sequence[str], lies: Sequence[str], title: str, deals: Sequence[str]
) -> "Figure":
    """A panel a setting, a row a protocol and lie: the share of its cost that a liar saves, with its interval.

    saved: rows of `strategy_effects` of the measure saved and all seats. Lies of pairs, the deals, are marked apart.
    """
    figure, axes = style.subplots(1, 2, figsize=(6.9, 6.4), sharey=True)
    places = rows_of(protocols, [*lies, *deals])
    for axis, (setting, told) in zip(axes, SETTINGS.items(), strict=True):
        for row in saved.filter(setting=setting).iter_rows(named=True):
            place = places.get((row["protocol"], row["lie"]))
            if place is not None and row["mean"] is not None:
                interval(axis, row, place, pair=row["lie"] in deals)
        axis.axvline(0, color="#222222", linewidth=0.7)
        axis.set_xscale("symlog", linthresh=1.0, linscale=1.4)
        axis.set_xticks([-10, -1, -0.5, 0, 0.5, 1], ["−1000", "−100", "−50", "0", "50", "100"])
        axis.set_xlim(-12, 1.25)
        axis.grid(axis="x")
        axis.set(title=told, xlabel="% of its cost that a liar saves")
    axes[0].set_yticks(list(places.values()), [lie for _, lie in places])
    axes[0].invert_yaxis()
    axes[0].grid(axis="y", visible=False)
    for protocol in protocols:
        top = places[protocol, lies[0]] - 0.95
        axes[0].annotate(style.printed_name(protocol), (-11.3, top), fontsize=7.5, weight="bold", va="center")
    style.set_title(figure, title)
    legend(figure, {"one agent lies": (INK, "s"), "a pair with a deal lies": (PAIR, "D")})
    return figure


def rows_of(protocols: Sequence[str], lies: Sequence[str]) -> dict[tuple[str, str], float]:
    """Where each protocol's lies stand, downwards."""
    step = len(lies) + GAP
    return {(p, lie): n * step + i for n, p in enumerate(protocols) for i, lie in enumerate(lies)}


def interval(axis: "Axes", row: Mapping[str, float], place: float, pair: bool) -> None:
    """A mean and its interval in a row."""
    colour = PAIR if pair else INK
    if row["low"] is not None:
        axis.hlines(place, row["low"], row["high"], color=colour, linewidth=1.1)
    face = "white" if pair else colour
    axis.plot(row["mean"], place, marker="D" if pair else "s", color=colour, markerfacecolor=face, markersize=3.6)


def legend(figure: "Figure", marks: Mapping[str, tuple[str, str]]) -> None:
    """A legend below the figure: what each mark stands for, the second one hollow."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D(
            [], [], color=c, marker=m, linestyle="none", markersize=4, label=told, markerfacecolor="white" if i else c
        )
        for i, (told, (c, m)) in enumerate(marks.items())
    ]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines))


def points(both: pl.DataFrame, lies: Sequence[str], title: str) -> "Figure":
    """A row a lie: the points that it brings a liar, and the cost that it saves, each with its interval, by setting.

    both: rows of `strategy_effects` of the measures points and gain, of all seats of one protocol.
    """
    told = {"points": "points that the liar has more, a game", "gain": "cost units that the liar saves, a game"}
    figure, axes = style.subplots(2, 2, figsize=(6.9, 3.7), sharey=True)
    for panels, (setting, name) in zip(axes, SETTINGS.items(), strict=True):
        for axis, measure in zip(panels, told, strict=True):
            for row in both.filter(setting=setting, measure=measure).iter_rows(named=True):
                interval(axis, row, lies.index(row["lie"]), pair=False)
            axis.axvline(0, color="#222222", linewidth=0.7)
            axis.set_title(name if measure == "points" else "")
            axis.grid(axis="x")
        panels[0].set_yticks(range(len(lies)), lies)
    for axis, words in zip(axes[1], told.values(), strict=True):
        axis.set_xlabel(words)
    axes[0][0].invert_yaxis()
    style.set_title(figure, title)
    return figure


def probing(rates: pl.DataFrame, title: str) -> "Figure":
    """A panel a measure, a row a team of simulated speakers: either prober's figure with its interval.

    rates: rows of `strategy_probers` of the probers fixed and adaptive.
    """
    measures = ["induced leaks per 1000 messages", "labels learnt per 100 questions"]
    teams = rates["speakers"].unique().sort().to_list()
    figure, axes = style.subplots(1, 2, figsize=(6.9, 2.7), sharey=True)
    for axis, measure in zip(axes, measures, strict=True):
        for row in rates.filter(measure=measure).iter_rows(named=True):
            adapts = row["prober"] == "adaptive"
            interval(axis, row, teams.index(row["speakers"]) + (0.16 if adapts else -0.16), pair=adapts)
        axis.set(xlabel=measure, xlim=(0, None))
        axis.grid(axis="x")
    axes[0].set_yticks(range(len(teams)), [f"{team} (simulated)" for team in teams])
    axes[0].invert_yaxis()
    style.set_title(figure, title)
    legend(figure, {"fixed prober (the study's)": (INK, "s"), "adaptive prober": (PAIR, "D")})
    return figure
