"""Lines over steps: teams over meetings, speakers or difficulties, and what deriving takes over numbers of traces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from pipeline.reports.documents.benchmarks import numbers
from pipeline.reports.plots.dots import WITH_ENDS, with_ends
from pipeline.reports.plots.labels import spread, text_size
from pipeline.reports.plots.style import entitle, ink, key, mark, round_ticks, settled, subplots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.9  # inches
NAME = 6.8  # points, the size of names
LABEL_GAP = 7.6  # points from one name's middle to the next
TIE = 12.0  # points from the last step to the names
LEFT, RIGHT = 0.12, 0.06  # of the steps' range, beyond the first and last
DODGE = 0.013  # of the steps' range: intervals of two teams at one step stand side by side

MEMORY_BOUND = 2_000  # MB


@dataclass(frozen=True)
class Steps:
    """What the lines run over, and how: the steps in order as the frame has them, and as they are printed.

    linear_to: where given, panels have scales of their own, and one with values beyond it has a logarithmic scale;
    dodge: whether teams stand side by side at a step, so that intervals can be told apart. Lines then cross elsewhere
    than their values do: not for curves whose crossings are the message.
    """

    column: str
    order: Sequence[object]
    told: Sequence[str]
    xlabel: str
    ylabel: str
    linear_to: float | None = None
    dodge: bool = True


def team_lines(
    points: pl.DataFrame,
    measure: str,
    steps: Steps,
    title: str,
    panels: Sequence[str] = ("uniform costs", "varied costs"),
    height: float = 3.3,
) -> "Figure | None":
    """A panel for each value of the column `panel` that is there; None where no team has two steps.

    points: panel, name, kind (of plots.style.KINDS), the steps' column and the measure; with intervals also
    {measure}_low and {measure}_high.
    """
    known = points.filter(pl.col(steps.column).is_in(list(steps.order))).drop_nulls(measure)
    shown = known.filter(pl.len().over("panel", "kind", "name") > 1)
    there = [panel for panel in panels if panel in shown["panel"]]
    if not there:
        return None
    own_scales = steps.linear_to is not None
    figure, axes = subplots(1, len(there), figsize=(WIDTH, height), sharey=not own_scales, squeeze=False)
    for place, panel in zip(axes[0], there, strict=True):
        of_panel = shown.filter(panel=panel)
        _scale(place, of_panel[measure], steps.linear_to)
        _panel(place, _lines(of_panel, measure, steps), measure, steps, _room(of_panel, len(there)))
        place.set_title(panel)
    axes[0][0].set_ylabel(steps.ylabel)
    entitle(figure, title)
    key(figure, shown["kind"].unique().to_list())
    settled(figure)
    for place, panel in zip(axes[0], there, strict=True):
        _names(place, _lines(shown.filter(panel=panel), measure, steps), measure, len(steps.order) - 1)
    return figure


def _lines(shown: pl.DataFrame, measure: str, steps: Steps) -> list[tuple[str, str, pl.DataFrame]]:
    """Each team's kind, name, and rows in the order of the steps with `_step`, where they are drawn; highest last."""
    last = len(steps.order) - 1
    places = pl.DataFrame({steps.column: list(steps.order), "_step": [float(i) for i in range(last + 1)]})
    ordered = shown.join(places, on=steps.column).sort("_step")
    teams = ordered.group_by("kind", "name").agg(pl.col(measure).last()).sort(measure, "kind", "name").rows()
    middle, dodge = (len(teams) - 1) / 2, DODGE * last if steps.dodge else 0.0
    return [
        (kind, name, ordered.filter(kind=kind, name=name).with_columns(pl.col("_step") + (n - middle) * dodge))
        for n, (kind, name, _) in enumerate(teams)
    ]


def _panel(
    axes: "Axes", lines: Sequence[tuple[str, str, pl.DataFrame]], measure: str, steps: Steps, room: float
) -> None:
    import seaborn as sns

    last = len(steps.order) - 1
    for kind, _, line in lines:
        dashes = {"linestyle": (0, (4, 2)) if kind == "reported" else "-", "linewidth": 0.8}
        edge = {"markeredgecolor": mark(kind)["color"], "markeredgewidth": 1.0}
        sns.lineplot(
            with_ends(line, measure).to_pandas(), x="_step", y="value", ax=axes, sort=False, err_style="bars",
            **WITH_ENDS, **mark(kind, markersize=3.4) | dashes | edge,
        )  # fmt: skip
    for bars in axes.collections:
        bars.set(linewidth=0.6, alpha=0.55, zorder=1.5)
    axes.set_ylabel("")
    axes.set_xlim(-LEFT * last, last * (1 + RIGHT + room))
    axes.set_xticks(range(last + 1), steps.told)
    axes.spines["bottom"].set_bounds(-LEFT * last, last * (1 + RIGHT))
    axes.set_xlabel(steps.xlabel, x=(LEFT + 0.5) / (1 + LEFT + RIGHT + room))
    if axes.get_yscale() != "linear":
        round_ticks(axes.yaxis, steps.linear_to or 1)


def _scale(axes: "Axes", values: pl.Series, linear_to: float | None) -> None:
    """Logarithmic where values go beyond `linear_to`, and linear around 0 where not all are above it."""
    least, most = float(values.min()), float(values.max())  # type: ignore[arg-type]
    if linear_to is not None and max(most, -least) > linear_to:
        axes.set_yscale("log") if least > 0 else axes.set_yscale("symlog", linthresh=linear_to)


def _room(shown: pl.DataFrame, panels: int) -> float:
    """How much of the steps' range the longest name takes, on a panel of about the width that it will have."""
    width = WIDTH * 72 / panels - 30
    longest = TIE + max(text_size(name, NAME)[0] for name in shown["name"].unique().sort())
    return (1 + LEFT + RIGHT) * longest / (width - longest)


def _names(axes: "Axes", lines: Sequence[tuple[str, str, pl.DataFrame]], measure: str, last: int) -> None:
    """The teams' names to the right of the lines, apart from one another, each tied to its line."""
    ends = [(float(line["_step"][-1]), float(line[measure][-1])) for _, _, line in lines]
    scale = 72 / axes.figure.dpi
    marks = [axes.transData.transform(end) * scale for end in ends]
    column = float(axes.transData.transform((last * (1 + RIGHT), 0))[0]) * scale + TIE
    box = axes.get_window_extent()
    heights = spread([float(y) for _, y in marks], LABEL_GAP, (box.y0 + 3) * scale, (box.y1 - 2) * scale)
    for (kind, name, _), end, (x, y), height in zip(lines, ends, marks, heights, strict=True):
        tie = {"arrowstyle": "-", "color": ink(kind), "linewidth": 0.35, "alpha": 0.7, "shrinkA": 1, "shrinkB": 3}
        written = axes.annotate(
            name,
            end,
            xytext=(round(column - float(x), 2), round(height - float(y), 2)),
            textcoords="offset points",
            va="center_baseline",
            fontsize=NAME,
            color=ink(kind),
            arrowprops=tie | {"relpos": (0, 0.5)},
        )
        written.set_in_layout(False)


def growth(found: Mapping[str, Any]) -> "Figure":
    """Two panels over the number of traces: seconds beside straight growth from the middle, and memory."""
    sizes, figures = numbers(found), found["figures"]
    figure, (time, memory) = subplots(1, 2, figsize=(6.4, 2.8))
    seconds = [figures[f"seconds_{n}"] for n in sizes]
    middle = sizes[len(sizes) // 2]
    straight = [figures[f"seconds_{middle}"] * n / middle for n in sizes]
    time.loglog(sizes, straight, color="#888888", linewidth=0.8, linestyle="--", label="in proportion")
    time.loglog(sizes, seconds, marker="o", markersize=4, label="measured")
    time.set(title="Time", xlabel="traces", ylabel="seconds")
    time.legend(frameon=False)
    memory.semilogx(sizes, [figures[f"memory_mb_{n}"] for n in sizes], marker="o", markersize=4)
    memory.axhline(MEMORY_BOUND, color="#888888", linewidth=0.8, linestyle="--")
    memory.annotate("bound", (sizes[0], MEMORY_BOUND), xytext=(0, -9), textcoords="offset points", fontsize=7)
    memory.set(title="Memory of all processes", xlabel="traces", ylabel="MB", ylim=(0, MEMORY_BOUND * 1.1))
    return figure
