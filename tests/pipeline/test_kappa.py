"""Cohen's kappa against tables worked out by hand, and what must hold of every table."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics.proportions import agreement, kappa
from pipeline.statistics.resampling import Resampling

# Both, first only, second only, neither; and kappa.
BY_HAND = [
    ((20, 5, 10, 15), 0.4),  # p = 35/50, e = (25·30 + 25·20)/50² = 1/2
    ((45, 15, 25, 15), 0.06 / 0.46),  # p = 0.60, e = (60·70 + 40·30)/100² = 0.54
    ((25, 35, 5, 35), 0.14 / 0.54),  # p = 0.60 as before, e = (60·30 + 40·70)/100² = 0.46
    ((10, 0, 0, 10), 1.0),
    ((1, 0, 0, 999), 1.0),
    ((25, 25, 25, 25), 0.0),
    ((0, 0, 5, 5), 0.0),  # a reader who never says yes agrees by chance only
    ((0, 50, 50, 0), -1.0),
]
# Nothing varies, so there is nothing to agree on.
WITHOUT = [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 0, 9)]

COUNT = st.integers(0, 10_000)
TABLE = st.tuples(COUNT, COUNT, COUNT, COUNT)


def by_definition(table: tuple[int, ...]) -> Fraction | None:
    both, first, second, neither = table
    n = sum(table)
    if not n:
        return None
    observed = Fraction(both + neither, n)
    yes = Fraction(both + first, n) * Fraction(both + second, n)
    no = Fraction(second + neither, n) * Fraction(first + neither, n)
    return None if yes + no == 1 else (observed - yes - no) / (1 - yes - no)


@pytest.mark.parametrize(("table", "expected"), BY_HAND)
def test_kappa_is_as_worked_out_by_hand(table: tuple[int, ...], expected: float) -> None:
    assert float(kappa(*table)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("table", WITHOUT)
def test_there_is_no_kappa_where_nothing_varies(table: tuple[int, ...]) -> None:
    assert np.isnan(kappa(*table))
    assert agreement(np.array([table, table]), Resampling()).kappa is None


@given(TABLE)
def test_kappa_is_its_definition(table: tuple[int, ...]) -> None:
    expected = by_definition(table)
    found = float(kappa(*table))
    assert np.isnan(found) if expected is None else found == float(expected)


@given(TABLE)
def test_kappa_is_the_same_for_either_order_of_readers_and_for_yes_and_no(table: tuple[int, ...]) -> None:
    both, first, second, neither = table
    for other in ((both, second, first, neither), (neither, first, second, both)):
        assert np.array_equal(kappa(*table), kappa(*other), equal_nan=True)


@given(st.tuples(COUNT, st.integers(0, 3), st.integers(0, 3), COUNT))
def test_kappa_is_at_most_one_and_one_only_where_all_is_the_same(table: tuple[int, ...]) -> None:
    both, first, second, neither = table
    value = float(kappa(*table))
    assert np.isnan(value) or -1 <= value <= 1
    assert (value == 1) == (first == second == 0 and both > 0 and neither > 0)


@given(st.lists(TABLE, min_size=1, max_size=6))
def test_an_interval_lies_around_kappa_and_is_the_same_twice(games: list[tuple[int, ...]]) -> None:
    found = agreement(np.array(games), Resampling(resamples=200))
    assert found == agreement(np.array(games), Resampling(resamples=200))
    assert (found.both, found.neither) == (sum(g[0] for g in games), sum(g[3] for g in games))
    if len(games) < 2:
        assert (found.low, found.high) == (None, None)
    elif found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.high <= 1


def test_games_that_are_alike_leave_no_doubt() -> None:
    found = agreement(np.array([[20, 5, 10, 15]] * 8), Resampling())
    assert (found.observed, found.kappa) == (0.7, 0.4)
    assert (found.low, found.high) == pytest.approx((0.4, 0.4))


def test_games_that_differ_leave_doubt() -> None:
    found = agreement(np.array([[20, 0, 0, 20], [5, 15, 15, 5]] * 3), Resampling())
    assert found.low is not None and found.kappa is not None and found.high is not None
    assert found.low < found.kappa < found.high
