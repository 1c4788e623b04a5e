"""The look of figures: one style file, one mark for each kind of team, and files that are the same in every run."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.files import replacing
from pipeline.tables.names import PAPER_PROTOCOLS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

STYLE = Path(__file__).parents[3] / "figures" / "paper.mplstyle"

TITLE, TITLE_ADVANCE = 9.5, 6.0  # points: the size of titles, and the breadth of one of their letters

COMMENT, INDENT, BETWEEN = re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"\s*\n\s*"), re.compile(r">\s+<")
GROUP = re.compile(r"(<g id=)")
PLACES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|points)="[^"]*"|translate\([^)]*\)')
DECIMAL = re.compile(r"-?\d+\.\d+")

# Kinds of points differ by shape and by filling, so that they can be told apart in grey.
PROTOCOL: dict[str, Any] = {"marker": "s", "color": "#0b4f6c", "markersize": 6, "linestyle": "none"}
SIMULATED: dict[str, Any] = {
    "marker": "o", "color": "#b8500c", "markerfacecolor": "white", "markersize": 5, "linestyle": "none",
}  # fmt: skip
REPORTED: dict[str, Any] = {"marker": "x", "color": "#888888", "markersize": 5, "linestyle": "none"}
OTHER: dict[str, Any] = {"marker": "D", "color": "#3b7d3b", "markersize": 5, "linestyle": "none"}

KINDS = {
    "protocol": ("scripted protocol", PROTOCOL),
    "simulated": ("simulated speakers (no model)", SIMULATED),
    "other": ("agents of these traces", OTHER),
    "reported": ("reported by the paper", REPORTED),
}


def name(team: str) -> str:
    """A team's name as it is printed."""
    return PAPER_PROTOCOLS.get(team, team)


def kind(team: str, simulated: bool) -> str:
    """Which of KINDS a team is."""
    return "protocol" if team in PAPER_PROTOCOLS else "simulated" if simulated else "other"


def subplots(rows: int = 1, columns: int = 1, **how: Any) -> tuple["Figure", Any]:
    """A figure and its axes (an array where there are several), in the project's style, without a window."""
    from matplotlib import rc_file
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    rc_file(STYLE, use_default_template=True)
    figure = Figure(figsize=how.pop("figsize", None))
    FigureCanvasSVG(figure)
    return figure, figure.subplots(rows, columns, **how)


def save(figure: "Figure", path: Path) -> Path:
    """Write an SVG without a date: the same figure gives the same bytes. Places are kept to 0.01 points."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as target:
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
        target.write_text(compact(target.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def compact(svg: str) -> str:
    """The drawing without comments and indentation, and without digits that nobody sees."""
    bare = BETWEEN.sub("><", INDENT.sub(" ", COMMENT.sub("", svg)))
    return GROUP.sub(r"\n\1", PLACES.sub(lambda places: DECIMAL.sub(_rounded, places[0]), bare)) + "\n"


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:g}"


def label(axes: "Axes", x: float, y: float, text: str, **how: Any) -> None:
    """Words beside a point."""
    axes.annotate(text, (x, y), xytext=how.pop("offset", (5, 3)), textcoords="offset points", fontsize=7, **how)


def mark(kind: str, **how: Any) -> dict[str, Any]:
    """How a kind's points are drawn, for Axes.plot."""
    return KINDS[kind][1] | how


def ink(kind: str) -> str:
    """The colour of words about a kind: a shade darker where its marks are grey."""
    return "#5a5a5a" if kind == "reported" else str(KINDS[kind][1]["color"])


def key(figure: "Figure", kinds: list[str], extra: "Sequence[Line2D]" = (), **how: Any) -> None:
    """A legend below the figure for the kinds of points that it shows, and for what else it draws."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], label=KINDS[k][0], **KINDS[k][1]) for k in KINDS if k in kinds]
    figure.legend(handles=[*lines, *extra], loc="outside lower center", ncols=len(lines) + len(extra), **how)


def entitle(figure: "Figure", title: str) -> None:
    """The finding above the panels, on as many lines as the figure's breadth asks for."""
    from textwrap import fill

    characters = int(figure.get_figwidth() * 72 / TITLE_ADVANCE)
    figure.suptitle(fill(title, characters), x=0.01, ha="left", fontsize=TITLE, weight="bold")


def settled(figure: "Figure") -> None:
    """Lay the figure out for good, so that places on the page can be asked for."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def round_ticks(axis: "Axis", linear_to: float = 1) -> None:
    """Plain figures on a logarithmic axis: at 1, 2 and 5 of each power of ten, or at powers where it spans many.

    linear_to: how far from 0 an axis that reaches 0 is linear.
    """
    from matplotlib.ticker import (
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullFormatter,
        NullLocator,
        SymmetricalLogLocator,
    )

    low, high = sorted(axis.get_view_interval())
    if axis.get_scale() == "log":
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 100 else (1.0,)))
        axis.set_minor_locator(LogLocator(subs="auto"))
    elif high > linear_to or low < -linear_to:
        axis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=linear_to))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10]))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "−")))
    axis.set_minor_formatter(NullFormatter())
