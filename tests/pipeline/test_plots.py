"""Figures: frames ready to draw, places of labels, and files that are the same twice."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from pipeline.reports.measures import OWN
from pipeline.reports.plots.dots import (
    Panel,
    team_dots,
    with_intervals,
    with_names,
)
from pipeline.reports.plots.labels import place_labels, spread_apart, text_size
from pipeline.reports.plots.layout import COLUMN, HALF_COLUMN, panels, printed_at
from pipeline.reports.plots.lines import Steps, team_lines
from pipeline.reports.plots.planes import messages_and_excess, privacy_plane
from pipeline.reports.plots.style import save
from pipeline.statistics.bootstrap import fit_line
from pipeline.statistics.pareto import pareto_frontier
from pipeline.statistics.resampling import Resampling

if TYPE_CHECKING:
    from matplotlib.figure import Figure

pytestmark = pytest.mark.slow

PLACES = st.floats(-1000, 1000, allow_nan=False)


@given(st.lists(PLACES, max_size=30), st.floats(0.1, 50))
def test_spread_labels_keep_their_order_their_distance_and_their_column(wanted: list[float], gap: float) -> None:
    places = spread_apart(wanted, gap, -1200, 1200)
    ordered = [places[i] for i in sorted(range(len(wanted)), key=lambda i: wanted[i])]
    apart = min(gap, 2400 / max(1, len(wanted) - 1))
    assert all(b - a >= apart - 1e-6 for a, b in pairwise(ordered))
    assert all(-1200 - 1e-6 <= place <= 1200 + 1e-6 for place in places)


POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(POINTS)
def test_the_frontier_is_who_nobody_beats(places: list[tuple[int, int]]) -> None:
    points = pl.DataFrame(places, schema={"x": pl.Float64, "y": pl.Float64}, orient="row")
    kept = pareto_frontier(points, "x", "y").rows() if len(places) > 1 else places
    beaten = [(x, y) for x, y in places if any(a <= x and b <= y and (a, b) != (x, y) for a, b in places)]
    assert sorted(kept + beaten) == sorted(places)
    assert kept == sorted(kept)


def test_teams_that_differ_by_rounding_alone_are_on_the_frontier_together() -> None:
    points = pl.DataFrame({"team": ["a", "b"], "x": [1.704, 1.7039999999999997], "y": [2.0, 2.0]})
    assert set(pareto_frontier(points, "x", "y")["team"]) == {"a", "b"}


def boxes(centres: np.ndarray, sizes: np.ndarray) -> list[tuple[float, ...]]:
    return [tuple(row) for row in np.hstack([centres - sizes / 2, centres + sizes / 2])]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(one[i] < other[i + 2] - 1e-6 and other[i] < one[i + 2] - 1e-6 for i in (0, 1))


CROWDS = {
    "in a row": [(100.0 + 9 * i, 100.0) for i in range(8)],
    "in a corner": [(8.0, 8.0), (10.0, 16.0), (20.0, 8.0)],
    "at one place": [(120.0, 120.0)] * 4,
}


@pytest.mark.parametrize("marks", CROWDS.values(), ids=CROWDS)
def test_labels_hide_neither_each_other_nor_a_mark(marks: list[tuple[float, float]]) -> None:
    points = np.array(marks)
    sizes = np.array([text_size(f"a team's name {i}", 7) for i in range(len(marks))])
    squares, inside = np.hstack([points - 4, points + 4]), np.array([0.0, 0.0, 320.0, 240.0])
    centres = place_labels(points, sizes, squares, np.zeros((0, 4)), inside)
    labels = boxes(centres, sizes)
    assert not [(i, j) for i in range(len(labels)) for j in range(i) if overlap(labels[i], labels[j])]
    assert not [label for label in labels for square in squares if overlap(label, tuple(square))]
    assert all(overlap(label, (0, 0, 320, 240)) and min(label) > -1 and label[2] < 321 for label in labels)
    assert np.array_equal(centres, place_labels(points, sizes, squares, np.zeros((0, 4)), inside))


TEAMS = [("imap", False), ("sd", False), ("exact", True), ("my-model", False)]
KINDS = {"imap": "protocol", "sd": "protocol", "exact": "simulated", "my-model": "other"}


def table(**more: float) -> pl.DataFrame:
    """A row a team and setting, as Table 1 has them."""
    rows = [
        {"team": team, "simulated": simulated, "setting": setting, "condition": "standard", "excess_cost": e, **more}
        for e, (team, simulated) in enumerate(TEAMS, start=1)
        for setting in ("uniform", "varied")
    ]
    return pl.DataFrame(rows).with_columns(pl.col("excess_cost").cast(pl.Float64))


def test_teams_are_named_and_told_apart() -> None:
    found = with_names(table())
    assert dict(found.select("team", "kind").unique().rows()) == KINDS
    assert found.filter(team="sd")["name"].unique().to_list() == ["SD-MAP"]
    assert found["team"].to_list() == table()["team"].to_list()


def interval(**of: object) -> dict[str, object]:
    row = {"team": "imap", "setting": "uniform", "condition": "standard", "part": None, "measure": "excess_cost"}
    return row | {"mean": 1.0, "low": 0.5, "high": 1.5} | of


def test_a_mean_gets_its_own_interval() -> None:
    intervals = pl.DataFrame([interval(), interval(part="easy", low=9.0), interval(measure="fairness", low=7.0)])
    found = with_intervals(table(), intervals, ["excess_cost"])
    assert found.height == table().height
    assert found.filter(team="imap", setting="uniform").select("excess_cost_low", "excess_cost_high").row(0) == (
        0.5,
        1.5,
    )
    assert found.filter(setting="varied")["excess_cost_low"].null_count() == len(TEAMS)
    easy = with_intervals(table().with_columns(difficulty=pl.lit("easy")), intervals, ["excess_cost"], "difficulty")
    assert easy.filter(team="imap", setting="uniform")["excess_cost_low"].item() == 9.0


def points(**more: float) -> pl.DataFrame:
    frame = with_names(table(vps_uniform_mean=1.5, dms_per_meeting=6.0, **more))
    ends = {f"excess_cost_{end}": pl.col("excess_cost") * by for end, by in (("low", 0.8), ("high", 1.3))}
    return frame.with_columns(panel=pl.col("setting") + " costs", **ends)


STEPS = Steps("step", ["a", "b"], ["A", "B"], "step", "excess", 10)


def of_steps() -> pl.DataFrame:
    """Two steps a team, far enough apart for a logarithm."""
    steps = [
        points().with_columns(pl.lit(step).alias("step"), pl.col("excess_cost") * by)
        for step, by in (("a", 1), ("b", 90))
    ]
    return pl.concat(steps)


def scattered() -> "Figure | None":
    games = [points().with_columns(dms_per_meeting=6.0 + i, task_id=pl.lit(f"t{i}")) for i in range(3)]
    every = pl.concat(games)
    line = fit_line(every, "dms_per_meeting", "excess_cost", [6.0, 9.0], Resampling(50, 0.95, "test"))
    return messages_and_excess(every, points(), {"uniform": line}, "A title")


def test_dots_show_the_means_and_intervals_that_they_are_given() -> None:
    shown = points().filter(setting="varied")
    figure = team_dots(shown, [Panel("excess_cost", "excess")], "A title")
    assert figure is not None
    lines = [
        (line.get_marker() not in ("", "None"), [round(float(x), 6) for x in line.get_xdata()])
        for line in figure.axes[0].lines
    ]
    assert sorted(x for marked, xs in lines if marked for x in xs) == sorted(shown["excess_cost"])
    ends = shown.select(pl.col("excess_cost_low", "excess_cost_high").round(6)).rows()
    assert sorted(tuple(xs) for marked, xs in lines if not marked) == sorted(ends)


FIGURES: dict[str, Callable[[], "Figure | None"]] = {
    "plane": lambda: privacy_plane(points(), OWN, "so", "A title"),
    "lines": lambda: team_lines(of_steps(), "excess_cost", STEPS, "A title"),
    "dots": lambda: team_dots(
        points(), [Panel("excess_cost", "excess", "cost", log=True), Panel("fairness", "f")], "A title"
    ),
    "scatter": scattered,
}


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_a_figure_is_the_same_file_twice_and_shows_its_words_whole(
    draw: Callable[[], "Figure | None"], tmp_path: Path
) -> None:
    files = []
    for file in ("a.svg", "b.svg"):
        figure = draw()
        assert figure is not None
        files.append(save(figure, tmp_path / file).read_text(encoding="utf-8"))
        check_words(figure)
    assert files[0] == files[1]
    assert "<dc:date>" not in files[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "b.svg"]


def check_words(figure: "Figure") -> None:
    """Titles and names lie on the page, and no words are too small."""
    from matplotlib.text import Text

    every: list[Any] = [w for w in figure.findobj(Text) if w.get_visible() and w.get_text().strip()]
    assert min(w.get_fontsize() for w in every) >= 7
    placed = [w for axes in figure.axes for w in (*axes.texts, axes.title)] + list(figure.texts)
    ends = [corner for w in placed if w.get_text() for corner in w.get_window_extent().get_points()]
    assert figure.get_suptitle() == "A title"
    assert all(figure.bbox.padded(1).contains(*end) for end in ends)


@pytest.mark.parametrize("name", [r"$\nosuch$", "a $x$ b", "$^_{$"])
def test_a_name_is_drawn_as_it_is_written(name: str, tmp_path: Path) -> None:
    means = pl.DataFrame({"name": [name, "IMAP"], "kind": ["other", "protocol"], "excess": [1.0, 20.0]})
    figure = team_dots(means, [Panel("excess", name, name)], name)
    assert figure is not None
    save(figure, tmp_path / "drawn.svg")
    texts = [part for part in figure.findobj() if isinstance(part, Text)]
    assert [text.get_text() for text in texts].count(name) >= 3
    assert not any(text.get_parse_math() for text in texts)


PRINTED = """
import sys
from pathlib import Path
import polars as pl
from pipeline.reports.plots.dots import Panel, team_dots
from pipeline.reports.plots.layout import at_width
from pipeline.reports.plots.style import save
points = pl.DataFrame({"name": ["IMAP", "exact"], "kind": ["protocol", "simulated"], "excess": [1.0, 20.0]})
figure = team_dots(points, [Panel("excess", "excess", "cost a game", log=True)], "A finding")
for inches in (5.5, 2.75):
    save(at_width(figure, inches), Path(sys.argv[1], f"{inches}.pdf"))
"""


def test_a_pdf_is_the_same_in_every_process_and_as_wide_as_it_says(tmp_path: Path) -> None:
    folders = [tmp_path / seed for seed in "12"]
    for folder in folders:
        environment = {**os.environ, "PYTHONHASHSEED": folder.name}
        subprocess.run([sys.executable, "-c", PRINTED, str(folder)], env=environment, check=True)
    one, other = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert one == other
    for name, points_wide in (("5.5.pdf", b"396"), ("2.75.pdf", b"198")):
        assert re.search(rb"/MediaBox \[ 0 0 " + points_wide + rb" ", one[name]), name
        assert b"CreationDate" not in one[name]
        assert b"(A finding. A row for each team" in one[name]


def test_panels_stand_side_by_side_in_a_column_and_below_each_other_in_half_of_one() -> None:
    def columns(inches: float) -> int:
        with printed_at(inches):
            _, drawn = panels(2, 1.5)
        return len({round(axes.get_position().x0, 3) for axes in drawn})

    assert (columns(COLUMN), columns(HALF_COLUMN)) == (2, 1)
