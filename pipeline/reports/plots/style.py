"""The look of figures: one style file, one mark for each kind of team, and files that are the same in every run."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machine.files import PROJECT
from machine.output import replacing
from machine.terminal import visible
from pipeline.tables.paths import EXTRA_PROTOCOLS, PAPER_PROTOCOLS

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

STYLE = PROJECT / "figures" / "paper.mplstyle"

SMALL = 7.0  # points: the size of the smallest words, which are still read in print

# What no XML can hold; a name may.
NO_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
COMMENT, INDENT, BETWEEN_TAGS = re.compile(r"<!--.*?-->", re.DOTALL), re.compile(r"\s*\n\s*"), re.compile(r">\s+<")
GROUP = re.compile(r"(<g id=)")
COORDINATES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|points)="[^"]*"|translate\([^)]*\)')
DECIMAL = re.compile(r"-?\d+\.\d+")

# Kinds of points differ by shape and filling, so that a grey print still shows which is which.
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


def printed_name(team: str) -> str:
    """A team's name as it is printed: of protocols with a parameter both, such as "secure sums, 4 at once"."""
    for protocol, (name, with_parameter) in EXTRA_PROTOCOLS.items():
        parameter = team.removeprefix(f"{protocol}-")
        if team == protocol:
            return name
        if parameter != team:
            return with_parameter.format(printed_parameter(parameter))
    return PAPER_PROTOCOLS.get(team) or visible(team)


def printed_parameter(parameter: str) -> str:
    """A protocol's parameter as it is printed: thresholds as a list."""
    return ", ".join(parameter.split("-"))


def kind(team: str, simulated: bool) -> str:
    """The kind of a team: protocol, simulated or other, keys of KINDS."""
    return "protocol" if team in PAPER_PROTOCOLS else "simulated" if simulated else "other"


def save(figure: "Figure", path: Path) -> Path:
    """Write an SVG, or where the path ends in .pdf a PDF: the same figure gives the same bytes. Returns the path.

    Without a date; an SVG's coordinates to 0.01 points. Either holds the figure's caption as its title.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    is_pdf = path.suffix == ".pdf"
    undated = {"CreationDate": None, "Producer": None} if is_pdf else {"Date": None}
    metadata = {"Title": str(figure.get_label()) or None, "Creator": None, **undated}
    with replacing(path) as target:
        figure.savefig(target, format=path.suffix[1:], metadata=metadata)
        if not is_pdf:
            target.write_text(compact_svg(target.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def compact_svg(svg: str) -> str:
    """The SVG without comments and indentation, its coordinates rounded to 0.01, \ufffd for what no XML can hold."""
    bare = BETWEEN_TAGS.sub("><", INDENT.sub(" ", COMMENT.sub("", NO_XML.sub("\ufffd", svg))))
    return GROUP.sub(r"\n\1", COORDINATES.sub(lambda places: DECIMAL.sub(_rounded, places[0]), bare)) + "\n"


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:g}"


def marker_style(kind: str, **options: Any) -> dict[str, Any]:
    """Keyword arguments of Axes.plot for a kind's points; `options` override them."""
    return KINDS[kind][1] | options


def text_color(kind: str) -> str:
    """The colour of text about a kind: that of its marks, darker where they are grey."""
    return "#5a5a5a" if kind == "reported" else str(KINDS[kind][1]["color"])


def kind_keys(kinds: list[str]) -> "list[Line2D]":
    """The key's entries for the kinds of points that a figure shows."""
    from matplotlib.lines import Line2D

    return [Line2D([], [], label=KINDS[k][0], **KINDS[k][1]) for k in KINDS if k in kinds]


def round_ticks(axis: "Axis", linear_to: float = 1) -> None:
    """Label a logarithmic axis with plain numbers: at 1, 2 and 5 of each power of ten, or at powers if it spans many.

    linear_to: up to where a symmetrical logarithmic axis is linear.
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
