"""Tests of comparisons: what is certain comes out as by hand, chance as chance, in whatever order rows are."""

from math import factorial

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr  # type: ignore[import-untyped]

from pipeline.paper.ledger.outcomes import (
    Labels,
    Outcome,
    adjust,
    by_level,
    correlation,
    paired,
)
from pipeline.statistics.resampling import stream

LABELS = Labels(("more", "less"), 1)


def pairs(*differences: float) -> pl.DataFrame:
    rows = [(f"t{i}", 10.0 + d, 10.0) for i, d in enumerate(differences)]
    return pl.DataFrame(rows, schema=["task", "a", "b"], orient="row")


def levels(*values: tuple[str, int, float]) -> pl.DataFrame:
    """Tasks of one stratum: their level and what stands above, over 1."""
    rows = [(f"t{i}", stratum, level, value, 1.0) for i, (stratum, level, value) in enumerate(values)]
    return pl.DataFrame(rows, schema=["task", "stratum", "level", "above", "below"], orient="row")


def points(x: list[float], y: list[float]) -> pl.DataFrame:
    return pl.DataFrame({"x": x, "y": y})


def test_pairs_that_all_differ_one_way_have_two_patterns_as_extreme() -> None:
    found = paired(pairs(1, 2, 3, 4, 5, 6), LABELS, "x")
    assert found
    assert (found.holds, found.statistic, found.p_value, found.exact, found.n) == (True, 3.5, 2 / 2**6, True, 6)
    assert found.low is not None and found.high is not None and 1 <= found.low <= 3.5 <= found.high <= 6
    assert found.shown == "more 13.5, less 10.0; more on 6 tasks, less on 0"
    few = paired(pairs(1, 2, 3, 4, 5), LABELS, "x")
    assert few and (few.low, few.high, few.p_value) == (None, None, 2 / 2**5)


def test_pairs_that_cancel_are_chance_and_a_missing_value_leaves_its_pair_out() -> None:
    missing = pairs(1, -1).vstack(pl.DataFrame({"task": ["t9"], "a": [5.0], "b": [None]}, schema=pairs(1).schema))
    found = paired(missing, LABELS, "x")
    assert found and (found.holds, found.opposite, found.p_value, found.n) == (False, False, 1.0, 2)
    assert paired(pairs(), LABELS, "x") is None


def test_levels_are_exchanged_within_a_stratum_only() -> None:
    apart = [("s", level, float(level)) for level in (0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1)]
    found = by_level(levels(*apart), LABELS, "x")
    assert found and found.holds and found.statistic == 1.0 and (found.low, found.high) == (1.0, 1.0)
    assert found.p_value == pytest.approx(2 / 924, abs=0.002)  # 12 choose 6 assignments, two of them as extreme
    by_stratum = [("a", 0, 0.0)] * 4 + [("b", 1, 1.0)] * 4
    alone = by_level(levels(*by_stratum), LABELS, "x")
    assert alone and alone.p_value == 1.0  # no stratum has two levels to exchange


@pytest.mark.parametrize("tasks_a_cell", [1, 2, 12])
def test_the_interval_of_a_rise_is_as_wide_as_the_spread_of_its_tasks(tasks_a_cell: int) -> None:
    """The standard error of a difference of means, from what the tasks of each cell spread; of one there is none."""
    rng = stream("rise", str(tasks_a_cell))
    strata = [str(s) for s in range(24 // tasks_a_cell)]
    values = [(s, level, float(rng.normal())) for s in strata for level in (0, 1) for _ in range(tasks_a_cell)]
    rows = levels(*values)
    found = by_level(rows, LABELS, "x")
    assert found is not None
    if tasks_a_cell == 1:
        assert (found.low, found.high) == (None, None)
        return
    spread = rows.group_by("stratum", "level").agg(pl.col("above").var())["above"].mean()
    assert found.low is not None and found.high is not None and isinstance(spread, float)
    assert found.high - found.low == pytest.approx(2 * 1.96 * (2 * spread / 24) ** 0.5, rel=0.1)


def test_a_ranking_of_seven_is_tried_in_every_order() -> None:
    found = correlation(points([1, 2, 3, 4, 5, 6, 7], [10, 20, 30, 40, 50, 60, 70]), Labels(("models",)), "x")
    assert found and found.p_value == pytest.approx(2 / factorial(7)) and found.exact and found.holds


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=6))
@settings(max_examples=20, deadline=None)
def test_a_rank_correlation_is_spearman_s_and_falls_where_it_does_not_rise(values: list[tuple[int, int]]) -> None:
    x, y = ([float(v[side]) for v in values] for side in (0, 1))
    rising, falling = (correlation(points(x, y), LABELS, "x", falls=falls) for falls in (False, True))
    if rising is None or falling is None:
        assert len(set(x)) == 1 or len(set(y)) == 1
        return
    assert rising.statistic == pytest.approx(float(spearmanr(x, y).statistic))
    assert (rising.holds, rising.opposite) == (falling.opposite, falling.holds)
    assert rising.p_value == falling.p_value


def test_holm_is_over_the_outcomes_that_have_a_p() -> None:
    outcomes = [Outcome("t", True, False, "", 1, "tasks", p_value=p) for p in (0.01, None, 0.04)]
    assert [o.p_holm for o in adjust(outcomes)] == [0.02, None, 0.04]
    assert [o.clear for o in adjust(outcomes)] == [True, True, True]


@given(st.permutations(range(6)))
@settings(max_examples=10, deadline=None)
def test_the_order_of_rows_changes_nothing(order: list[int]) -> None:
    rows = levels(*[("s", i % 2, float(i)) for i in range(6)])
    assert by_level(rows[order], LABELS, "x") == by_level(rows, LABELS, "x")
    assert paired(pairs(3, 1, 4, 1, 5, 9)[order], LABELS, "x") == paired(pairs(3, 1, 4, 1, 5, 9), LABELS, "x")
