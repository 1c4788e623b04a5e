"""Figures at the widths of print: a column of a page or half of one, panels stacked where there is little room.

Lengths are in inches; of text in points.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from itertools import pairwise
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from pipeline.reports.plots.labels import text_size
from pipeline.reports.plots.style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

COLUMN, HALF_COLUMN = 5.5, 2.75
WIDTHS = {"": COLUMN, "_half": HALF_COLUMN}  # in print, after a figure's name
PAGE_HEIGHT, PANELS_HEIGHT = 9.0, 7.9  # more does not fit on a page; the rest is for title and key

TITLE_SIZE, LETTER_WIDTH, LINE_HEIGHT = 9.0, 5.7, 11.5  # of titles in points; the width is a letter's mean
KEY_SIZE, KEY_MARK, KEY_LINE = 7.0, 30.0, 11.0  # of the key's words, what its marks take, and its lines

P = ParamSpec("P")
Drawn = TypeVar("Drawn", bound="Figure | None")

_width: ContextVar[float] = ContextVar("width", default=COLUMN)
_drawn_by: "WeakKeyDictionary[Figure, Callable[[], Figure | None]]" = WeakKeyDictionary()


def any_width(draw: Callable[P, Drawn]) -> Callable[P, Drawn]:
    """A drawing function whose figures `at_width` can draw anew."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Drawn:
        figure = draw(*args, **kwargs)
        if figure is not None:
            _drawn_by[figure] = partial(draw, *args, **kwargs)
        return figure

    return drawn


def at_width(figure: "Figure", inches: float) -> "Figure":
    """The same figure laid out anew at a width. Raises KeyError where no `any_width` drew it."""
    with printed_at(inches):
        drawn = _drawn_by[figure]()
    assert drawn is not None
    return drawn


@contextmanager
def printed_at(inches: float) -> Iterator[None]:
    """Figures that are drawn meanwhile have this width."""
    token = _width.set(inches)
    try:
        yield
    finally:
        _width.reset(token)


def width() -> float:
    """The width of figures that are drawn now."""
    return _width.get()


def is_narrow() -> bool:
    """Whether figures that are drawn now have less than a column."""
    return width() < COLUMN


def subplots(rows: int = 1, columns: int = 1, height: float = 2.5, **options: Any) -> tuple["Figure", Any]:
    """A figure in the project's style, without a window, and its axes (an array where there are several).

    height: of all rows; title and key add to it.
    """
    from matplotlib import rc_file
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    rc_file(STYLE, use_default_template=True)
    figure = Figure(figsize=(width(), height))
    FigureCanvasSVG(figure)
    return figure, figure.subplots(rows, columns, **options) if rows else None


def panels(count: int, height: float, narrow: int = 1, **options: Any) -> tuple["Figure", "list[Axes]"]:
    """A figure of `count` panels in reading order: side by side, in half a column `narrow` of them beside each other.

    height: of a row of panels.
    """
    columns = min(count, narrow) if is_narrow() else count
    rows = ceil(count / columns)
    figure, axes = subplots(rows, columns, min(rows * height, PANELS_HEIGHT), squeeze=False, **options)
    for spare in axes.flat[count:]:
        spare.remove()
    return figure, list(axes.flat[:count])


def name_axes(axes: "Sequence[Axes]", x: str = "", y: str = "") -> None:
    """Name the axes of panels once: across below each column, upwards left of each row."""
    for panel in axes:
        place = panel.get_subplotspec()
        if x and place is not None and place.is_last_row():
            panel.set_xlabel(x)
        if y and place is not None and place.is_first_col():
            panel.set_ylabel(y)


def finish(figure: "Figure", title: str, keys: Sequence[Any] = (), reading: str = "") -> None:
    """Write the title above the panels and the key below; each axis says its scale; no name is longer than its axis.

    reading: how the figure is read, in sentences; with the title it is the figure's caption, which is its label.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _say_scale(axis)
    lines = wrapped(title, figure, LETTER_WIDTH)
    figure.suptitle(lines, x=0.01, ha="left", fontsize=TITLE_SIZE, weight="bold")
    columns = _key_columns([key.get_label() for key in keys], figure.get_figwidth() * 72 - 12)
    if keys:
        figure.legend(handles=list(keys), loc="outside lower center", ncols=columns)
    rows = ceil(len(keys) / columns)
    above, below = LINE_HEIGHT * (lines.count("\n") + 1) + 4, KEY_LINE * rows + (6 if rows else 0)
    grow(figure, (above + below) / 72)
    figure.set_label(f"{title.rstrip('.')}. {reading}".strip())
    _wrap_names(figure)


def grow(figure: "Figure", inches: float) -> None:
    """Make room for words around the panels, up to the height of a page."""
    figure.set_figheight(min(PAGE_HEIGHT, figure.get_figheight() + inches))


def wrapped(text: str, figure: "Figure", letter: float = 3.9) -> str:
    """Text in lines as wide as the figure, where a letter takes `letter` points."""
    return fill(text, int(figure.get_figwidth() * 72 / letter))


def fix_layout(figure: "Figure") -> None:
    """Lay the figure out once and for all, so that positions in points are known."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def _say_scale(axis: "Axis") -> None:
    """Add to an axis's name that it is logarithmic, and from where on."""
    name, scale = axis.get_label_text(), axis.get_scale()
    if not name or scale not in ("log", "symlog") or "log" in name:
        return
    linear_to = getattr(axis.get_transform(), "linthresh", None)
    low, high = sorted(axis.get_view_interval())
    if linear_to is None:
        note = "log"
    elif high > linear_to or low < -linear_to:
        note = f"log beyond {'±' if low < -linear_to else ''}{linear_to:g}"
    else:
        return
    axis.set_label_text(f"{name[:-1]}; {note})" if name.endswith(")") else f"{name} ({note})")


def _key_columns(labels: Sequence[str], room: float) -> int:
    """The most columns in which the key's entries fit beside each other."""
    widths = [KEY_MARK + text_size(label, KEY_SIZE)[0] for label in labels]
    fitting = (n for n in range(len(widths), 1, -1) if sum(_column_widths(widths, n)) <= room)
    return next(fitting, 1)


def _column_widths(widths: Sequence[float], columns: int) -> list[float]:
    """The widths of a key's columns, which are filled one after the other."""
    full, rest = divmod(len(widths), columns)
    ends = [sum(full + (i < rest) for i in range(column)) for column in range(columns + 1)]
    return [max(widths[a:b]) for a, b in pairwise(ends)]


def _wrap_names(figure: "Figure") -> None:
    """Break the names of panels and axes that are longer than their panel, and keep the words at its ticks apart."""
    figure.draw_without_rendering()
    for axes in figure.axes:
        _space_ticks(axes)
        box = axes.get_window_extent()
        for words, room in ((axes.xaxis.label, box.width), (axes.yaxis.label, box.height), *_titles(axes, box.width)):
            _wrap(words, room, upright=words is axes.yaxis.label)


def _titles(axes: "Axes", room: float) -> "list[tuple[Text, float]]":
    """The titles of a panel with the room for each."""
    return [(words, room) for words in (axes.title, axes._left_title) if words.get_text()]  # type: ignore[attr-defined]


def _wrap(words: "Text", room: float, upright: bool) -> None:
    text = words.get_text()
    if not text or "\n" in text or words.get_rotation() % 90:
        return
    box = words.get_window_extent()
    length = box.height if upright else box.width
    if length > room + (TITLE_SIZE if upright else 0):
        words.set_text(fill(text, max(8, int(0.92 * len(text) * room / length)), break_long_words=False))


def _space_ticks(axes: "Axes") -> None:
    """Where words at the ticks below a panel would touch, slant them; of numbers leave out every other one."""
    ticks = [tick for tick in axes.xaxis.get_major_ticks() if tick.label1.get_visible() and tick.label1.get_text()]
    boxes = [tick.label1.get_window_extent() for tick in ticks]
    if not any(one.padded(3).overlaps(other) for one, other in pairwise(boxes)):
        return
    words = [tick.label1.get_text().replace("\n", " ") for tick in ticks]
    if any(word[:1].isalpha() for word in words):
        slanted: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks([tick.get_loc() for tick in ticks], words, **slanted)
    else:
        axes.set_xticks([tick.get_loc() for tick in ticks][::2], [tick.label1.get_text() for tick in ticks][::2])
