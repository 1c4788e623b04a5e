"""Every figure that the study draws, at both widths of print: nothing too small, cut off, or written over.

Where the study was not run, as in a fresh clone, the paper's figures are drawn of a study in small.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.reports.for_print import BEYOND_TABLES, RESULTS, TABLES, run_cells
from pipeline.reports.plots.layout import COLUMN, PAGE_HEIGHT, WIDTHS, at_width
from pipeline.reports.plots.style import SMALL

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

ROOT = Path(__file__).parents[1]
PAPER = sorted(path for path in (ROOT / "notebooks").glob("*.ipynb") if path.stem != "report")
BEYOND = sorted((ROOT / "notebooks/beyond").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("source", PAPER, ids=lambda path: path.stem)
def test_figures_can_be_read_in_print(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)
    tables, results = TABLES, RESULTS
    if not any(TABLES.glob("*.parquet")):
        small: Path = request.getfixturevalue("small_study")
        tables, results = small / "tables", small / "results"
    assert drawn_wrongly(source, {"tables": str(tables), "results": str(results), "figures": str(tmp_path)}) == []


@pytest.mark.slow
@pytest.mark.skipif(not any((ROOT / BEYOND_TABLES).glob("*.parquet")), reason="the second study was not run here")
@pytest.mark.parametrize("source", BEYOND, ids=lambda path: path.stem)
def test_figures_beyond_the_paper_can_be_read_in_print(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert drawn_wrongly(source, {"figures": str(tmp_path)}) == []


def drawn_wrongly(source: Path, parameters: dict[str, str]) -> list[str]:
    """What is wrong with the figures of a notebook, a line each."""
    drawn = run_cells(source, parameters).drawn
    return [
        f"{name} at {inches} inches: {problem}"
        for name, figure in drawn.items()
        for inches in WIDTHS.values()
        for problem in problems(figure if inches == COLUMN else at_width(figure, inches), inches)
    ]


def problems(figure: "Figure", inches: float) -> Iterator[str]:
    """What is wrong with a figure in print, a line each."""
    figure.draw_without_rendering()
    if figure.get_figwidth() != inches or figure.get_figheight() > PAGE_HEIGHT:
        yield f"it is {figure.get_figwidth():.2f} × {figure.get_figheight():.2f} inches"
    if not figure.get_label():
        yield "it has no caption"
    words = [(text, box) for text, box in shown_words(figure)]
    yield from (f"{t.get_text()!r} has {t.get_fontsize()} points" for t, _ in words if t.get_fontsize() < SMALL)
    page = figure.bbox.padded(1.5)
    yield from (f"{t.get_text()!r} is cut off" for t, b in words if not (page.contains(*b.p0) and page.contains(*b.p1)))
    yield from written_over(words)
    for axes in figure.axes:
        yield from unnamed(figure, axes)


def shown_words(figure: "Figure") -> list[tuple[Any, "Bbox"]]:
    """Each text that is seen, and its box on the page without the line that ties it to a mark.

    Those at ticks outside an axis's range are not seen.
    """
    from matplotlib.text import Text

    every = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    seen = {id(label) for axis in every for label in tick_words(axis)}
    ticks = {id(t.label1) for axis in every for t in (*axis.majorTicks, *axis.minorTicks)}
    ticks |= {id(t.label2) for axis in every for t in (*axis.majorTicks, *axis.minorTicks)}
    texts = [t for t in figure.findobj(Text) if id(t) in seen or (id(t) not in ticks and t.get_visible())]
    return [(t, Text.get_window_extent(t)) for t in texts if t.get_text().strip()]


def tick_words(axis: Any) -> list[Any]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    ticks = [tick for tick in axis.get_major_ticks() if low - slack <= tick.get_loc() <= high + slack]
    every = [label for tick in ticks for label in (tick.label1, tick.label2)]
    return [label for label in every if label.get_visible() and label.get_text().strip()]


def written_over(words: list[tuple[Any, "Bbox"]]) -> Iterator[str]:
    """Pairs of words of which one covers the other: their boxes share more than the space between lines."""
    for (one, a), (other, b) in combinations(words, 2):
        shared_x, shared_y = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        slanted = one.get_rotation() % 90 and other.get_rotation() % 90  # their boxes cross where they do not
        if shared_x > 1.5 and shared_y > 4 and not slanted:
            yield f"{one.get_text()!r} and {other.get_text()!r} touch"


def unnamed(figure: "Figure", axes: Any) -> Iterator[str]:
    """Axes with numbers and no name beside them or their neighbours, and logarithmic ones that do not say so."""
    place = axes.get_subplotspec()
    for side, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        words = [word.get_text() for word in tick_words(axis)]
        if not any(word[:1].isdigit() for word in words):
            continue
        span = "colspan" if side == "x" else "rowspan"
        specs = [(other, other.get_subplotspec()) for other in figure.axes]
        aligned = [other for other, spec in specs if place and spec and getattr(spec, span) == getattr(place, span)]
        names = [getattr(a, f"get_{side}label")() for a in (axes, *aligned)] + [
            getattr(figure, f"get_sup{side}label")()
        ]
        name = next((name for name in names if name), "")
        if not name:
            yield f"the {side} axis of {axes.get_title(loc='left')!r} has no name"
        if axis.get_scale() == "log" and "log" not in name:
            yield f"{name!r} does not say that it is logarithmic"
