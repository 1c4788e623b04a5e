"""Figures of what lies gain, at what price of a failure, what points they bring, and what probers learn."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from pipeline.beyond.strategy.search import SAVED
from pipeline.reports.plots import layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

SETTINGS = {"uniform": "uniform costs", "varied": "varied costs"}
FIRST, SECOND = "#0b4f6c", "#b8500c"
GAP = 1.2  # rows between two protocols
LOOKS = {
    "imap": ("s", "#0b4f6c"),
    "poll": ("D", "#3b7d3b"),
    "sd": ("^", "#7a3b7d"),
    "dsm-welfare": ("v", "#8a7a14"),
    "dsm-private": ("o", "#b8500c"),
}


@layout.any_width
def saved_by_price(prices: pl.DataFrame, dearest: Mapping[str, float], title: str) -> "Figure":
    """A panel a setting, a line a protocol: what the best lie saves over the price of a failed meeting, with intervals.

    prices: strategy_prices; dearest: by setting the cost of a dearest errand, the unit of the price.
    """
    from matplotlib.lines import Line2D

    figure, axes = layout.panels(2, 3.0, sharey=True)
    for axis, (setting, name) in zip(axes, SETTINGS.items(), strict=True):
        for protocol, (marker, colour) in LOOKS.items():
            part = prices.filter(setting=setting, protocol=protocol).sort("price")
            x, mean, low, high = (part["price"] / dearest[setting], *(100 * part[c] for c in SAVED))
            axis.fill_between(x, low, high, color=colour, alpha=0.12, linewidth=0)
            axis.plot(x, mean, marker=marker, color=colour, markersize=3.2, linewidth=1.1)
        axis.axhline(0, color="#222222", linewidth=0.7)
        axis.set_xscale("symlog", linthresh=0.1, linscale=0.5)
        axis.set_xticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
        axis.set(title=name, xlim=(0, 10.5), ylim=(-30, 105))
        axis.grid(visible=True)
    layout.name_axes(axes, "price of a failed meeting, in dearest errands", "% of its cost that a liar saves")
    marks = [
        Line2D([], [], color=colour, marker=marker, markersize=3.6, label=style.printed_name(protocol))
        for protocol, (marker, colour) in LOOKS.items()
    ]
    layout.finish(figure, title, marks, "A line a protocol; the best lie at each price is chosen on another suite.")
    return figure


@layout.any_width
def saved_costs(
    saved: pl.DataFrame, protocols: Sequence[str], lies: Sequence[str], title: str, deals: Sequence[str]
) -> "Figure":
    """A panel a setting, a row a protocol and lie: the share of its cost that a liar saves, with its interval.

    saved: rows of `strategy_effects` of the measure saved and all seats. Lies of pairs, the deals, are marked apart.
    """
    figure, axes = layout.panels(2, 3.6, narrow=2, sharey=True)
    heights = row_heights(protocols, [*lies, *deals])
    for axis, (setting, name) in zip(axes, SETTINGS.items(), strict=True):
        for row in saved.filter(setting=setting).iter_rows(named=True):
            height = heights.get((row["protocol"], row["lie"]))
            if height is not None and row["mean"] is not None:
                draw_mean(axis, row, height, hollow=row["lie"] in deals)
        axis.axvline(0, color="#222222", linewidth=0.7)
        axis.set_xscale("symlog", linthresh=1.0, linscale=1.4)
        axis.set_xticks([-10, -1, -0.5, 0, 0.5, 1], ["−1000", "−100", "−50", "0", "50", "100"])
        axis.set_xlim(-12, 1.25)
        axis.grid(axis="x")
        axis.set(title=name, xlabel="% of its cost that a liar saves (log beyond ±100)")
    axes[0].set_yticks(list(heights.values()), [lie for _, lie in heights])
    axes[0].set_ylim(max(heights.values()) + 0.8, -1.6)
    axes[0].grid(axis="y", visible=False)
    for protocol in protocols:
        top = heights[protocol, lies[0]] - 0.95
        axes[0].annotate(style.printed_name(protocol), (-11.3, top), fontsize=style.SMALL, weight="bold", va="center")
    keys = key({"one agent lies": (FIRST, "s"), "a pair with a deal lies": (SECOND, "D")})
    layout.finish(figure, title, keys, "A row a lie, under each protocol.")
    return figure


def row_heights(protocols: Sequence[str], lies: Sequence[str]) -> dict[tuple[str, str], float]:
    """Where each (protocol, lie) is drawn, downwards."""
    step = len(lies) + GAP
    return {(p, lie): n * step + i for n, p in enumerate(protocols) for i, lie in enumerate(lies)}


def draw_mean(axis: "Axes", row: Mapping[str, float], height: float, hollow: bool) -> None:
    """Draw a row's mean, and its interval as a line."""
    colour = SECOND if hollow else FIRST
    if row["low"] is not None:
        axis.hlines(height, row["low"], row["high"], color=colour, linewidth=1.1)
    face = "white" if hollow else colour
    axis.plot(row["mean"], height, marker="D" if hollow else "s", color=colour, markerfacecolor=face, markersize=3.6)


def key(marks: Mapping[str, tuple[str, str]]) -> "list[Line2D]":
    """The key's entries: what each mark stands for, the second one hollow."""
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [], [], color=c, marker=m, linestyle="none", markersize=4, label=label, markerfacecolor="white" if i else c
        )
        for i, (label, (c, m)) in enumerate(marks.items())
    ]


@layout.any_width
def points_and_gains(effects: pl.DataFrame, lies: Sequence[str], title: str) -> "Figure":
    """A row a lie: the points that it brings a liar, and the cost that it saves, each with its interval, by setting.

    effects: rows of `strategy_effects` of the measures points and gain, of all seats of one protocol.
    """
    labels = {"points": "points that the liar has more, a game", "gain": "cost units that the liar saves, a game"}
    figure, axes = layout.subplots(2, 2, 3.2, sharey=True)
    for panels, (setting, name) in zip(axes, SETTINGS.items(), strict=True):
        for axis, measure in zip(panels, labels, strict=True):
            for row in effects.filter(setting=setting, measure=measure).iter_rows(named=True):
                draw_mean(axis, row, lies.index(row["lie"]), hollow=False)
            axis.axvline(0, color="#222222", linewidth=0.7)
            axis.set_title(name if measure == "points" else "")
            axis.grid(axis="x")
        panels[0].set_yticks(range(len(lies)), lies)
    for axis, label in zip(axes[1], labels.values(), strict=True):
        axis.set_xlabel(label)
    axes[0][0].invert_yaxis()
    layout.finish(figure, title, (), "A row a lie.")
    return figure


@layout.any_width
def prober_rates(rates: pl.DataFrame, title: str) -> "Figure":
    """A panel a measure, a row a team of simulated speakers: either prober's figure with its interval.

    rates: rows of `strategy_probers` of the probers fixed and adaptive.
    """
    measures = ["induced leaks per 1000 messages", "labels learnt per 100 questions"]
    teams = rates["speakers"].unique().sort().to_list()
    figure, axes = layout.panels(2, 1.9, sharey=True)
    for axis, measure in zip(axes, measures, strict=True):
        for row in rates.filter(measure=measure).iter_rows(named=True):
            adapts = row["prober"] == "adaptive"
            draw_mean(axis, row, teams.index(row["speakers"]) + (0.16 if adapts else -0.16), hollow=adapts)
        axis.set(xlabel=measure, xlim=(0, None))
        axis.grid(axis="x")
    axes[0].set_yticks(range(len(teams)), [f"{team} (simulated)" for team in teams])
    axes[0].invert_yaxis()
    keys = key({"fixed prober (the study's)": (FIRST, "s"), "adaptive prober": (SECOND, "D")})
    layout.finish(figure, title, keys)
    return figure
