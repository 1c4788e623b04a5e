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
    ((10, 0, 0, 10), 1.0),
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


@given(st.lists(TABLE, min_size=1, max_size=6))
def test_an_interval_lies_around_kappa_and_is_the_same_twice(games: list[tuple[int, ...]]) -> None:
    found = agreement(np.array(games), Resampling(resamples=200))
    assert found == agreement(np.array(games), Resampling(resamples=200))
    assert (found.both, found.neither) == (sum(g[0] for g in games), sum(g[3] for g in games))
    if len(games) < 2:
        assert (found.low, found.high) == (None, None)
    elif found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.high <= 1


def test_games_that_differ_leave_doubt() -> None:
    found = agreement(np.array([[20, 0, 0, 20], [5, 15, 15, 5]] * 3), Resampling())
    assert found.low is not None and found.kappa is not None and found.high is not None
    assert found.low < found.kappa < found.high
