"""Intervals of means and of ratios of sums, against enumeration, Student's t and figures worked by hand."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.resampling import Resampling, fewest_clusters, stream

HOW = Resampling(2000, 0.95, "intervals")
Row = tuple[float | None, float | None, float | None, int, int]


def lines(values: list[float | None], each: int = 1, group: str = "g") -> pl.DataFrame:
    """One line a value, `each` of them a task; None is a game without a value."""
    return pl.DataFrame(
        {
            "group": [group] * len(values),
            "task_id": [f"t{i // each:03}" for i in range(len(values))],
            "numerator": [v or 0.0 for v in values],
            "denominator": [0.0 if v is None else 1.0 for v in values],
        },
        schema_overrides={"numerator": pl.Float64, "denominator": pl.Float64, "group": pl.String},
    )


def interval(frame: pl.DataFrame, how: Resampling = HOW) -> Row:
    """Mean, low, high, games and tasks of a frame of one group."""
    row: Row = ratio_intervals(frame, ["group"], how).row(0)[1:]  # type: ignore[assignment]
    return row


def test_the_interval_of_independent_tasks_is_near_students() -> None:
    values = stream("iid").standard_normal(200) * 3 + 10
    mean, low, high, games, tasks = interval(lines(values.tolist()))
    half = stats.t.ppf(0.975, 199) * values.std(ddof=1) / np.sqrt(200)
    assert mean == pytest.approx(values.mean())
    assert low == pytest.approx(values.mean() - half, abs=0.15 * half)
    assert high == pytest.approx(values.mean() + half, abs=0.15 * half)
    assert (games, tasks) == (200, 200)


def test_games_that_share_a_task_are_drawn_together() -> None:
    values = stream("shared").standard_normal(20).tolist()
    once, eightfold = lines(values), lines([v for v in values for _ in range(8)], each=8)
    single, shared = interval(once), interval(eightfold)
    assert shared[1:3] == pytest.approx(single[1:3])
    naive = interval(eightfold.with_columns(task_id=pl.int_range(pl.len())))
    assert naive[2] - naive[1] < 0.5 * (shared[2] - shared[1])  # type: ignore[operator]


@pytest.mark.parametrize(("level", "fewest"), [(0.5, 2), (0.51, 3), (0.75, 3), (0.9, 5), (0.95, 6), (0.99, 8)])
def test_an_interval_takes_as_many_tasks_as_its_level_does(level: float, fewest: int) -> None:
    assert fewest_clusters(level) == fewest
    values = stream("fewest").standard_normal(fewest).tolist()
    without, found = (interval(lines(v), Resampling(200, level, "few")) for v in (values[1:], values))
    assert without[1:3] == (None, None)
    assert found[1] <= found[0] <= found[2]  # type: ignore[operator]


def test_a_ratio_divides_sums_not_games() -> None:
    frame = pl.DataFrame(
        {"group": "g", "task_id": ["a", "b", "c"], "numerator": [1.0, 0, 0], "denominator": [10.0, 90, 0]}
    )
    assert interval(frame) == (0.01, None, None, 2, 2)
    # 8 of 27 draws lack a; of those with a and b, the next to the last quarter has a twice: 2 of 110.
    assert interval(frame, Resampling(2000, 0.5, "intervals")) == (0.01, 0.0, 2 / 110, 2, 2)


EDGES: dict[str, tuple[list[float | None], Row]] = {
    "only gaps": ([None, None], (None, None, None, 0, 0)),
    "one task with a value": ([2.0, None, None], (2.0, None, None, 1, 1)),
    "gap left out": ([3.0, None, *[3.0] * 5], (3.0, 3.0, 3.0, 6, 6)),
    "equal values, in spite of rounding": ([0.1] * 7, (0.1, 0.1, 0.1, 7, 7)),
}


@pytest.mark.parametrize("case", EDGES)
def test_little_data(case: str) -> None:
    values, expected = EDGES[case]
    assert interval(lines(values)) == pytest.approx(expected)
    _, low, high, *_ = found = interval(lines(values))
    assert low is None or low <= found[0] <= high  # type: ignore[operator]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 4), st.none() | st.floats(-1e6, 1e6)), min_size=1, max_size=12), st.randoms())
def test_the_order_of_lines_changes_no_bit(rows: list[tuple[int, float | None]], chance: object) -> None:
    again = list(rows)
    chance.shuffle(again)  # type: ignore[attr-defined]
    how = Resampling(50, 0.95, "intervals")
    frames = [lines([v for _, v in r]).with_columns(task_id=pl.Series([f"t{t}" for t, _ in r])) for r in (rows, again)]
    assert interval(frames[0], how) == interval(frames[1], how)


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    hits = 0
    for i in range(200):
        rng = stream("coverage", str(i))
        values = np.repeat(rng.standard_normal(36), 2) + 0.5 * rng.standard_normal(72)
        _, low, high, *_ = interval(lines(values.tolist(), each=2), Resampling(400, 0.95, str(i)))
        hits += low <= 0 <= high  # type: ignore[operator]
    assert 0.88 <= hits / 200 <= 0.985


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"resamples": 1}, {"level": 0}, {"level": 1.5}, {"level": "0.95"}])
def test_an_interval_of_nothing_is_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"params.yaml: (resamples|level) is .*, not a number between"):
        Resampling(**wrong)
