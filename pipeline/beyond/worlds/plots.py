"""Figures of how cost, messages and leakage grow with a world, and of what densities fill."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.plots import layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LOOKS: Mapping[str, dict[str, Any]] = {
    "imap": {"color": "#0b4f6c", "marker": "s", "linestyle": "-"},
    "sd": {"color": "#b8500c", "marker": "o", "linestyle": "--", "markerfacecolor": "white"},
    "dsm-welfare": {"color": "#3b7d3b", "marker": "^", "linestyle": "-."},
    "dsm-private": {"color": "#666666", "marker": "D", "linestyle": ":", "markerfacecolor": "white"},
}
SWEEPS = ("agents", "slots", "meetings", "participants", "density")


@layout.any_width
def growth(points: pl.DataFrame, measures: Mapping[str, str], title: str) -> "Figure":
    """A row a measure, a column a size that grows, both logarithmic: each protocol's means with their intervals.

    points: rows of `worlds_points` of one setting; measures: what each is called on its axis. An axis whose means reach
    0 is linear below 1.
    """
    shape = {"sharex": "col", "sharey": "row", "squeeze": False}
    figure, axes = layout.subplots(len(measures), len(SWEEPS), 1.3 * len(measures) + 0.4, **shape)
    for panels, (measure, label) in zip(axes, measures.items(), strict=True):
        means = points.filter(measure=measure)
        for axis, sweep in zip(panels, SWEEPS, strict=True):
            for protocol, look in LOOKS.items():
                draw_means(axis, means.filter(sweep=sweep, protocol=protocol).sort("value"), look)
            axis.set_xscale("log")
            size_ticks(axis, means.filter(sweep=sweep)["value"].unique().sort().to_list())
        vertical_scale(panels[0], means)
        panels[0].set_ylabel(label)
    slant: dict[str, Any] = {"rotation": 40, "ha": "right"} if layout.is_narrow() else {}
    for axis, sweep in zip(axes[-1], SWEEPS, strict=True):
        axis.set_xlabel(f"{sweep} (log)", **slant)
    layout.finish(figure, title, protocol_key(), "Each column lets one size grow.")
    return figure


def vertical_scale(axis: "Axes", shown: pl.DataFrame) -> None:
    """Make the vertical axis logarithmic, wide enough for means and intervals; linear below 1 where means reach 0."""
    from matplotlib.ticker import NullLocator

    ends = shown.select(least=pl.min("mean"), most=pl.max_horizontal(pl.max("mean"), pl.max("high"))).row(0)
    least, most = (0.0 if end is None else float(end) for end in ends)
    if least <= 0:
        axis.set_yscale("symlog", linthresh=1.0)
        axis.set_ylim(-0.4, max(1.0, 2 * most))
    else:
        axis.set_yscale("log")
        axis.margins(y=0.08)
    style.round_ticks(axis.yaxis)
    axis.yaxis.set_minor_locator(NullLocator())


def draw_means(axis: "Axes", shown: pl.DataFrame, look: Mapping[str, Any]) -> None:
    """Draw one protocol's means, joined, and their intervals."""
    axis.plot(shown["value"], shown["mean"], markersize=3.2, linewidth=0.9, **look)
    bounded = shown.drop_nulls(["low", "high"])
    axis.vlines(bounded["value"], bounded["low"], bounded["high"], color=look["color"], linewidth=0.7)


def size_ticks(axis: "Axes", values: Sequence[float]) -> None:
    """Label a logarithmic axis with the sizes themselves; every other one where they crowd."""
    from matplotlib.ticker import NullLocator

    labelled = values[:: len(values) - 1] if layout.is_narrow() else values if len(values) < 5 else values[::2]
    axis.set_xticks(labelled, [f"{v:g}" for v in labelled])
    axis.xaxis.set_minor_locator(NullLocator())


def protocol_key() -> "list[Line2D]":
    """The key's entries for the protocols."""
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], markersize=4, linewidth=0.9, label=style.printed_name(p), **look) for p, look in LOOKS.items()
    ]


@layout.any_width
def densities(means: pl.DataFrame, slots: int, title: str) -> "Figure":
    """What densities fill in either suite, and IMAP's and DSM-Welfare's excess there where costs vary.

    means: rows of `worlds_densities`; slots: of a calendar.
    """
    figure, axes = layout.panels(3, 2.2)
    suites = {"published": ("s", "#0b4f6c"), "three densities": ("o", "#b8500c")}
    for (suite, (marker, colour)), shift in zip(suites.items(), (-0.012, 0.012), strict=True):
        fill = means.filter(suite=suite).unique(["density"]).sort("density")
        face = colour if shift < 0 else "white"
        look: dict[str, Any] = {
            "marker": marker,
            "color": colour,
            "markerfacecolor": face,
            "markersize": 4.5,
            "linewidth": 0.9,
        }
        axes[0].plot(fill["density"] + shift, fill["most_errands"], label=suite, **look)
        for axis, protocol in zip(axes[1:], ("imap", "dsm-welfare"), strict=True):
            shown = means.filter(suite=suite, setting="varied", protocol=protocol, measure="excess_cost")
            shown = shown.sort("density")
            axis.plot(shown["density"] + shift, shown["mean"], **look)
            axis.vlines(shown["density"] + shift, shown["low"], shown["high"], color=colour, linewidth=0.8)
            axis.set(title=style.printed_name(protocol), ylabel="excess cost a game")
    axes[0].set(title="what errands fill", ylabel="slots of a calendar", ylim=(0, slots), yticks=range(0, slots + 1, 4))
    axes[0].legend(loc="lower right", frameon=False)
    for axis in axes:
        axis.set(xlabel="density asked for (errands a slot)", xticks=[0.4, 0.6, 0.8, 1.0])
    layout.finish(figure, title)
    return figure
