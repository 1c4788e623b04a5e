"""Tests that do without Wald's normal, for a handful of models: against enumeration and Student's t."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statistics_check import games, long, textbook

from pipeline.statistics.mixed_effects import crossed
from pipeline.statistics.resampling import stream
from pipeline.statistics.small_sample import (
    between_test,
    bootstrap_test,
    correlation_p,
    is_negative,
    permutation_test,
)

pytestmark = pytest.mark.slow

SMALL = games(stream("small"), 4, 8, 1, slope=-0.5, kept=0.9)


def test_permutation_compares_with_every_relabelling() -> None:
    frame = games(stream("relabelled"), 4, 6, slope=-0.3)
    x, y = (frame.sort("model", "task")[name].to_numpy().reshape(4, 6) for name in ("x", "y"))
    var = statsmodels_null(frame)
    relabelled = [textbook(long(x[list(order)], y), var) for order in permutations(range(4))]
    t = [beta / se for beta, se, _ in relabelled]
    found = permutation_test(frame, "y", "x")
    assert found.p_one_sided == pytest.approx(np.mean([value <= t[0] + 1e-12 for value in t]))
    assert (found.draws, found.exact) == (24, True)


def statsmodels_null(frame: pl.DataFrame) -> dict[str, float]:
    """Variances of the model without the predictor."""
    import statsmodels.api as sm

    parts = {"model": "0 + C(model)", "task": "0 + C(task)"}
    data = frame.to_pandas().assign(all=1)
    null = sm.MixedLM.from_formula("y ~ 1", groups="all", vc_formula=parts, data=data).fit(method=["nm"])
    return {"model": null.vcomp[0], "task": null.vcomp[1], "residual": null.scale}


def test_beyond_the_limit_relabellings_are_drawn_and_agree() -> None:
    frame = games(stream("drawn"), 6, 8, slope=-0.2)
    every, some = permutation_test(frame, "y", "x"), permutation_test(frame, "y", "x", limit=700)
    assert (every.draws, every.exact, some.draws, some.exact) == (720, True, 700, False)
    assert some.p_one_sided == pytest.approx(every.p_one_sided, abs=0.07)
    assert some == permutation_test(frame.reverse(), "y", "x", limit=700)
    assert some != permutation_test(frame, "y", "x", limit=700, seed="another stream")


def test_the_bootstrap_finds_students_t_where_that_is_exact() -> None:
    frame = games(stream("booted"), 3, 12, var=(20.0, 0.5, 1.0), between=1.0, slope=-9.0)
    found = bootstrap_test(frame, "y", "x", draws=300)
    fit = crossed(frame, "y", "x")
    assert fit.df == pytest.approx(1, abs=1e-6)
    assert fit.p_one_sided + 0.08 < fit.p_one_sided_t < 0.3
    assert found.p_one_sided == pytest.approx(fit.p_one_sided_t, abs=0.07)  # 300 draws: 3 standard errors at most
    assert (found.draws, found.exact) == (301, False)


def test_between_models_every_relabelling_of_their_means_is_tried() -> None:
    frame = games(stream("between"), 5, 6, slope=-1.0, between=0.9, kept=0.8)
    means = frame.group_by("model").agg(pl.col("x", "y").mean()).sort("model")
    x, y = means["x"].to_numpy(), means["y"].to_numpy()
    found = between_test(frame, "y", "x", "model")
    assert found.correlation == pytest.approx(stats.pearsonr(x, y).statistic)
    every = [stats.pearsonr(x[list(order)], y).statistic for order in permutations(range(5))]
    assert found.p_one_sided == pytest.approx(np.mean([r <= every[0] + 1e-9 for r in every]))
    assert found == between_test(frame.reverse(), "y", "x", "model")


@pytest.mark.parametrize("correlation", [-1.0, -0.84, -0.2, 0.0, 0.71])
@pytest.mark.parametrize("points", [3, 7, 30])
def test_the_p_of_a_correlation_is_that_of_its_t(correlation: float, points: int) -> None:
    t = np.inf if abs(correlation) == 1 else abs(correlation) * np.sqrt((points - 2) / (1 - correlation**2))
    assert correlation_p(correlation, points) == pytest.approx(2 * stats.t.sf(t, points - 2), abs=1e-12)


@pytest.mark.parametrize(
    ("correlation", "points", "verdict"),
    [
        (1.0, 2, None),
        (-1.0, 3, True),
    ],
)
def test_the_sign_of_a_correlation_is_told_where_chance_seldom_makes_it(
    correlation: float | None, points: int, verdict: bool | None
) -> None:
    assert is_negative(correlation, points) is verdict
