"""Lines through games, and pooled means, with intervals."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics.bootstrap import all_of, fit_line, rises, within
from pipeline.statistics.resampling import Resampling

DRAWN = Resampling(200, 0.95, "test")


def games(*rows: tuple[str, float | None, float | None], group: str = "a") -> pl.DataFrame:
    schema = {"task_id": pl.String, "x": pl.Float64, "y": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(group=pl.lit(group))


EXACT = games(("t1", 0, 1), ("t1", 1, 3), *((f"t{x}", x, 1 + 2 * x) for x in (2, 3, 4, 5, 9)))
NOISY = games(
    ("t1", 0, 1), ("t1", 1, 0), ("t2", 2, 4), ("t3", 5, 3), ("t4", 7, 9), ("t4", 1, 2), ("t5", 3, 3), ("t6", 4, 5)
)  # fmt: skip


def test_a_straight_line_is_found_and_is_sure() -> None:
    line = fit_line(EXACT, "x", "y", [0, 10], DRAWN)
    assert (line.slope, line.low, line.high, line.games) == (pytest.approx(2), pytest.approx(2), pytest.approx(2), 7)
    assert line.course.rows() == [pytest.approx((0, 1, 1, 1)), pytest.approx((10, 21, 21, 21))]


def test_the_slope_is_that_of_least_squares() -> None:
    line = fit_line(NOISY, "x", "y", [], DRAWN)
    expected = NOISY.select(pl.cov("x", "y") / pl.var("x")).item()
    assert line.slope == pytest.approx(expected)
    assert line.low is not None
    assert line.high is not None
    assert line.low < expected < line.high


@given(st.permutations(range(NOISY.height)))
def test_the_order_of_games_changes_no_digit(order: list[int]) -> None:
    shuffled = fit_line(NOISY[order], "x", "y", [2.0], DRAWN)
    ordered = fit_line(NOISY, "x", "y", [2.0], DRAWN)
    assert (shuffled.slope, shuffled.low, shuffled.course.rows()) == (ordered.slope, ordered.low, ordered.course.rows())


WITHOUT = (
    (games(), (None, None, None, 0)),
    (games(("t1", 3, 1), ("t2", 3, 2)), (None, None, None, 2)),  # x does not vary
    (games(("t1", None, 1), ("t2", 3, None)), (None, None, None, 0)),
    (games(("t1", 0, 0), ("t1", 1, 2)), (pytest.approx(2), None, None, 2)),  # one task: no interval
    # x varies in one task alone, or between two: without it there would be no line
    (games(("t1", 0, 0), ("t1", 1, 2), ("t2", 0, 1), ("t3", 0, 1)), (pytest.approx(4 / 3), None, None, 4)),
    (games(("t1", 0, 0), ("t2", 1, 2)), (pytest.approx(2), None, None, 2)),
    (EXACT.filter(pl.col("task_id") != "t9"), (pytest.approx(2), None, None, 6)),  # five tasks hold no 95 %
)


@pytest.mark.parametrize(("few", "expected"), WITHOUT)
def test_what_games_do_not_tell_is_left_empty(few: pl.DataFrame, expected: tuple[object, ...]) -> None:
    line = fit_line(few, "x", "y", [1.0], DRAWN)
    assert (line.slope, line.low, line.high, line.games) == expected
    assert line.course.height == (0 if line.slope is None else 1)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 2.0, True),
        (-2.0, -0.1, False),
        (-1.33, 1.33, None),
        (0.0, 1.0, None),
    ],
)
def test_an_interval_that_holds_0_decides_nothing(low: float | None, high: float | None, verdict: bool | None) -> None:
    assert rises(low, high) is verdict


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [([True, True], True), ([True, None], None), ([None, False], False), ([], None)],
)
def test_all_hold_where_none_fails_or_is_undecided(verdicts: list[bool | None], together: bool | None) -> None:
    assert all_of(verdicts) is together


def test_within_games_of_different_sizes_a_level_course_is_level() -> None:
    """Larger games have more meetings and more to say in each, as many in the last as in the first."""
    sizes = range(2, 9)
    pooled = games(*((f"t{n}", meeting, 3 * n) for n in sizes for meeting in range(n)))
    across, level = (fit_line(frame, "x", "y", [], DRAWN) for frame in (pooled, within(pooled, ["task_id"], "xy")))
    assert across.slope is not None and across.slope > 1
    assert (level.slope, level.low, level.high) == (0, 0, 0)
