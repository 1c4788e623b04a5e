"""Exact intervals of shares, against closed forms, another implementation and their own definition."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from pipeline.statistics.proportions import exact_interval, fisher_p, with_shares

COUNTS = [(0, 10), (10, 10), (1, 10), (5, 10), (9, 6967), (13, 6876), (0, 4215), (1, 1)]


@pytest.mark.parametrize(("count", "total"), COUNTS)
def test_the_interval_is_that_of_another_implementation(count: int, total: int) -> None:
    other = binomtest(count, total).proportion_ci(0.95)
    assert exact_interval(count, total) == pytest.approx((other.low, other.high), abs=1e-11)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_the_share_and_its_ends_are_just_not_excluded(counts: tuple[int, int]) -> None:
    count, total = counts
    low, high = exact_interval(count, total)
    assert low is not None and high is not None and low <= count / total <= high
    assert count == 0 or binom.sf(count - 1, total, low) == pytest.approx(0.025, rel=1e-6)
    assert count == total or binom.cdf(count, total, high) == pytest.approx(0.025, rel=1e-6)


def test_no_trial_has_no_interval_and_no_share() -> None:
    assert exact_interval(0, 0) == (None, None)
    frame = pl.DataFrame({"n": [0, 2], "of": [0, 4]})
    assert with_shares(frame, "n", "of", "x", per=100)["x"].to_list() == [None, 50.0]
    assert with_shares(frame.clear(), "n", "of", "x").columns == ["n", "of", "x", "x_low", "x_high"]


def test_fisher_finds_equal_shares_alike_and_the_tea_lady_lucky() -> None:
    assert fisher_p(5, 10, 5, 10) == 1
    assert fisher_p(3, 4, 1, 4) == pytest.approx(34 / 70)
