"""Verdicts from the signs of what tasks show, and none from too few of them."""

import polars as pl
import pytest

from pipeline.statistics.bootstrap import fit_line
from pipeline.statistics.paired_tests import is_within, slope_parts, slope_rises
from pipeline.statistics.resampling import Resampling


def games(*slopes: float) -> pl.DataFrame:
    """Three games of each task, whose y grows by its slope from one to the next."""
    rows = [(f"t{task}", x, 5 + slope * x) for task, slope in enumerate(slopes) for x in (-1, 0, 1)]
    return pl.DataFrame(rows, schema=["task_id", "x", "y"], orient="row")


@pytest.mark.parametrize(
    ("slopes", "verdict"),
    [
        ((1, 2, 1, 3, 1, 2), True),
        ((-1, -2, -1, -3, -1, -2), False),
        ((1, 2, 1, 3, 1), None),  # of five, all agree by chance in 2 of 32
        ((9, 8, 1, 2, -3, 7), None),  # its percentile interval lies above 0
    ],
)
def test_a_slope_rises_where_so_many_tasks_hardly_agree_by_chance(
    slopes: tuple[float, ...], verdict: bool | None
) -> None:
    assert slope_rises(games(*slopes), "x", "y") is verdict


def test_tasks_agree_less_than_the_interval_of_few_says() -> None:
    few = games(9, 8, 1, 2, -3, 7)
    line = fit_line(few, "x", "y", [], Resampling(2000, 0.95, "test"))
    assert line.low is not None and line.low > 0
    assert sum(slope_parts(few, "x", "y")) == pytest.approx(line.slope)


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ((0.5, -0.3, 0.2, 0, -0.4, 0.1), True),
        ((0, 0, 0, 0, 0, 0), True),
        ((2, 3, 1.5, 2, 4, 2), False),
        ((0.5, -0.3, 3, -2, -0.4, 0.1), None),
        ((), None),
    ],
)
def test_a_difference_is_within_a_margin_where_both_its_sides_are_beyond_chance(
    differences: tuple[float, ...], verdict: bool | None
) -> None:
    others: list[float | None] = [7.0] * len(differences)
    assert is_within(1, [7 + d for d in differences], others) is verdict
