"""Where counts of the paper exceed what its other figures leave room for, model by model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.plots.style import REPORTED, entitle, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOM, BEYOND = "#d9d9d9", "#b8500c"


@dataclass(frozen=True)
class Panel:
    """What is counted by model, and the room that other figures leave: a mark must lie within its bar."""

    heading: str
    xlabel: str
    counted: Mapping[str, float]
    room: Mapping[str, float]


def counted_and_room(panels: Sequence[Panel], title: str) -> "Figure":
    """A row for each model, a panel for each count: marks to the right of their bars can't be."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    models = sorted({model for panel in panels for model in panel.room})
    figure, axes = subplots(1, len(panels), figsize=(6.9, 1.35 + 0.2 * len(models)), sharey=True, squeeze=False)
    for place, panel in zip(axes[0], panels, strict=True):
        _panel(place, panel, models)
    axes[0][0].set_yticks(range(len(models)), models)
    axes[0][0].set_ylim(len(models) - 0.4, -0.6)
    axes[0][0].tick_params(axis="y", length=0)
    inside, beyond = ({**REPORTED, "color": color} for color in ("#444444", BEYOND))
    keys = [
        Patch(color=ROOM, label="room left by Table 1"),
        Line2D([], [], label="counted", **inside),
        Line2D([], [], label="counted beyond that", **beyond),
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    entitle(figure, title)
    return figure


def _panel(axes: "Axes", panel: Panel, models: Sequence[str]) -> None:
    for place, model in enumerate(models):
        room, counted = panel.room.get(model), panel.counted.get(model)
        if room is not None:
            axes.barh(place, room, height=0.72, color=ROOM)
        if counted is not None:
            beyond = room is not None and counted > room
            axes.plot(
                [counted],
                [place],
                zorder=3,
                **REPORTED | {"color": BEYOND if beyond else "#444444", "markeredgewidth": 1.4},
            )
            if beyond:
                axes.annotate(
                    f"{counted:.0f}", (counted, place), xytext=(5, 0), textcoords="offset points", va="center",
                    fontsize=6.8, color=BEYOND,
                )  # fmt: skip
    axes.set_title(panel.heading, fontsize=8)
    axes.set_xlabel(panel.xlabel)
    axes.margins(x=0.12)
    axes.grid(axis="x", visible=True)
    axes.grid(axis="y", visible=False)
