"""A figure as the paper prints it: what equals it, and the games that it is of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.paper.figures import Figure


@given(st.integers(0, 10**6), st.integers(0, 4), st.integers(-49, 49))
def test_a_figure_equals_whatever_rounds_to_it(printed: int, decimals: int, percent: int) -> None:
    value = f"{printed / 10**decimals:.{decimals}f}"
    figure = Figure("s", "uniform", "m", "model", "x", value, str(decimals))
    assert figure.equals((printed + percent / 100) / 10**decimals)
    assert not figure.equals((printed + 0.51) / 10**decimals)


PLACES = (
    ("Table 1", "varied", ("standard", "varied")),
    ("section 4, Blocked calendars", "blocked varied", ("blocked", "varied")),
    ("section 4, Blocked calendars", "blocked", ("blocked", "pooled")),
    ("section 4, Adversarial", "uniform", ("adversarial", "uniform")),
    ("Appendix C", "pooled", ("adversarial", "pooled")),
    ("section 4, Difficulty buckets", "pooled:easy", ("standard", "pooled:easy")),
)


@pytest.mark.parametrize(("source", "setting", "place"), PLACES)
def test_a_figure_knows_the_condition_of_its_games(source: str, setting: str, place: tuple[str, str]) -> None:
    assert Figure(source, setting, "m", "model", "x", "1", "0").condition_and_setting == place
