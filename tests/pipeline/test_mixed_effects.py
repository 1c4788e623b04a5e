"""Crossed random intercepts against closed forms, textbook formulas, statsmodels and simulated truth (Appendix I)."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from statistics_check import games, long, lowest_on_grid, textbook, varied_games

from pipeline.statistics import reml
from pipeline.statistics.mixed_effects import Fit, crossed, crossed_by_statsmodels
from pipeline.statistics.resampling import stream

pytestmark = pytest.mark.slow

Array = NDArray[np.float64]


def double_centred(values: Array) -> Array:
    """Models × tasks, less the means of both: without any part between models or between tasks."""
    rows, columns = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    return values - rows - columns + values.mean()


def closed_form(x: Array, y: Array) -> tuple[float, float, dict[str, float], float, int]:
    """beta, se, variances, REML log-likelihood and df of a balanced table whose predictor has no part between groups.

    The three mean squares are independent, with expectations σ² + bσ²_model, σ² + aσ²_task and σ². REML pools with the
    residual's each that is below it, the least first (order-restricted maximum likelihood).
    """
    a, b = y.shape
    z = x / x.std(ddof=1)
    beta = float((z * y).sum() / (z**2).sum())
    sums = {
        "model": b * ((y.mean(axis=1) - y.mean()) ** 2).sum(),
        "task": a * ((y.mean(axis=0) - y.mean()) ** 2).sum(),
        "residual": (double_centred(y - beta * z) ** 2).sum(),
    }
    df = {"model": a - 1, "task": b - 1, "residual": (a - 1) * (b - 1) - 1}
    pooled, freedom = sums["residual"], df["residual"]
    squares = {}
    for name in sorted(("model", "task"), key=lambda n: sums[n] / df[n]):
        if sums[name] / df[name] < pooled / freedom:
            pooled, freedom = pooled + sums[name], freedom + df[name]
        else:
            squares[name] = sums[name] / df[name]
    error = pooled / freedom
    scales = {name: squares.get(name, error) for name in df}
    var = {"model": (scales["model"] - error) / b, "task": (scales["task"] - error) / a, "residual": error}
    twice = sum(df[n] * (np.log(2 * np.pi * scales[n])) + sums[n] / scales[n] for n in df) + np.log(a * b * (a * b - 1))
    return beta, float(np.sqrt(error / (z**2).sum())), var, float(-twice / 2), freedom


@settings(max_examples=50)
@given(
    st.integers(2, 7), st.integers(2, 9), st.sampled_from([0, 0.3, 2]), st.sampled_from([0, 0.3, 2]), st.integers(0, 99)
)
def test_a_balanced_table_has_the_closed_form(
    models: int, tasks: int, between: float, across: float, seed: int
) -> None:
    if (models - 1) * (tasks - 1) < 2:
        tasks += 1
    rng = stream("closed form", str(seed))
    x = double_centred(rng.standard_normal((models, tasks)))
    y = rng.standard_normal((models, tasks)) + between * rng.standard_normal((models, 1))
    y += across * rng.standard_normal((1, tasks))
    fit = crossed(long(x, y), "y", "x")
    beta, se, var, loglik, freedom = closed_form(x, y)
    assert fit.beta == pytest.approx(beta, abs=1e-9)
    assert fit.se == pytest.approx(se, rel=1e-7)
    assert fit.var == pytest.approx(var, abs=1e-6 * max(var.values()))
    assert fit.loglik == pytest.approx(loglik, abs=1e-9)
    assert fit.df == pytest.approx(freedom, rel=1e-6)
    assert fit.singular == (min(var["model"], var["task"]) == 0)


def test_a_predictor_of_the_model_alone_is_a_regression_on_seven_means() -> None:
    frame = games(stream("means"), between=1.0)
    fit = crossed(frame, "y", "x")
    means = frame.group_by("model").agg(pl.col("x", "y").mean()).sort("model")
    line = stats.linregress(means["x"], means["y"], alternative="less")
    assert not fit.singular
    assert fit.df == pytest.approx(5, abs=1e-6)
    assert fit.t == pytest.approx(line.slope / line.stderr, rel=1e-7)
    assert fit.p_one_sided_t == pytest.approx(line.pvalue, abs=1e-7)
    assert fit.p_one_sided == pytest.approx(stats.norm.cdf(fit.t))
    assert fit.beta / fit.sd == pytest.approx(line.slope, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_an_unbalanced_fit_is_the_textbook_gls_and_nothing_near_it_is_likelier(seed: int) -> None:
    frame = games(stream("textbook", str(seed)), 5, 12, 2, (0.3 * (seed % 2), 0.5, 1.0), slope=-0.3, kept=0.7)
    fit = crossed(frame, "y", "x")
    assert textbook(frame, fit.var) == pytest.approx((fit.beta, fit.se, fit.loglik), rel=1e-9)
    for name in fit.var:
        for factor in (0.98, 1.02):
            moved = fit.var | {name: fit.var[name] * factor if fit.var[name] else 0.002}
            assert textbook(frame, moved)[2] < fit.loglik
    assert lowest_on_grid(frame) >= -2 * fit.loglik - 1e-9


@pytest.mark.parametrize("frame", list(varied_games(8)))
def test_statsmodels_finds_the_same_optimum(frame: pl.DataFrame) -> None:
    fit, theirs = crossed(frame, "y", "x"), crossed_by_statsmodels(frame, "y", "x")
    assert theirs.loglik - 1e-8 < fit.loglik < theirs.loglik + 1e-5
    assert abs(theirs.beta - fit.beta) < 1e-3 * fit.se
    assert theirs.se == pytest.approx(fit.se, rel=0.05)
    assert [theirs.var[name] for name in fit.sizes] == pytest.approx([fit.var["model"], fit.var["task"]], abs=5e-3)
    assert theirs.var_residual == pytest.approx(fit.var_residual, rel=1e-3)
    assert (theirs.n, theirs.sizes, theirs.sd) == (fit.n, fit.sizes, fit.sd)
    assert theirs.p_one_sided == pytest.approx(fit.p_one_sided, abs=0.02)
    assert theirs.p_one_sided_t == pytest.approx(theirs.p_one_sided, rel=1e-12)


def test_groups_by_any_name_keep_their_variances_apart() -> None:
    frame = games(stream("named"), 5, 12, var=(4.0, 0.1, 1.0)).rename({"model": "zebra", "task": "a task"})
    fit, theirs = (fitted(frame, "y", "x", ("zebra", "a task")) for fitted in (crossed, crossed_by_statsmodels))
    assert theirs.var == pytest.approx(fit.var, rel=0.02, abs=5e-3)
    with pytest.raises(ValueError, match="no column model"):
        crossed_by_statsmodels(frame, "y", "x")


PENICILLIN = """
27 23 26 23 23 21  27 23 26 23 23 21  25 21 25 24 24 20  26 23 25 23 23 20  25 22 26 22 23 20  24 22 25 23 22 19
24 20 23 21 22 19  26 22 26 24 24 21  24 21 24 22 22 20  24 21 24 23 22 19  26 23 26 24 24 21  25 22 26 24 24 20
26 24 26 24 25 22  26 23 26 23 23 20  26 23 25 24 24 22  25 22 25 23 23 20  25 21 24 23 23 20  25 22 24 23 23 19
24 21 23 21 21 19  26 23 26 24 24 21  25 21 24 22 22 18  25 22 25 22 22 20  24 21 24 22 24 19  24 21 24 22 21 18
"""


def test_penicillin_is_as_lme4_prints_it() -> None:
    """24 plates × 6 samples (Davies and Goldsmith 1972), a standing example of lme4's crossed intercepts by REML."""
    y = np.array(PENICILLIN.split(), dtype=float)
    plate, sample = np.indices((24, 6))
    shape = reml.make_design(np.ones((144, 1)), [plate.ravel(), sample.ravel()])
    at = reml.optimum(shape, reml.project_outcome(shape, y))
    scale = at.squares / shape.free
    assert at.deviance == pytest.approx(330.8606, abs=5e-5)
    assert [*(scale * at.ratios), scale] == pytest.approx([0.7169, 3.7309, 0.3024], abs=5e-5)
    assert (at.beta[0], np.sqrt(scale * at.bread[0, 0])) == pytest.approx((22.9722, 0.8086), abs=5e-5)


SMALL = games(stream("small"), 4, 8, 1, slope=-0.5, kept=0.9)


@given(st.floats(1e-3, 1e3), st.floats(-1e4, 1e4), st.floats(1e-3, 1e3), st.floats(-100, 100), st.randoms())
def test_units_and_row_order_do_not_matter(
    scale: float, shift: float, unit: float, start: float, chance: object
) -> None:
    before = crossed(SMALL, "y", "x")
    rows = list(range(SMALL.height))
    chance.shuffle(rows)  # type: ignore[attr-defined]
    changed = SMALL[rows].with_columns(y=pl.col("y") * scale + shift, x=pl.col("x") * unit + start)
    after = crossed(changed, "y", "x")
    loss = 1e-7 + 1e-12 * abs(shift) / scale
    assert after.beta / scale == pytest.approx(before.beta, rel=loss, abs=loss)
    assert after.se / scale == pytest.approx(before.se, rel=loss)
    assert {n: v / scale**2 for n, v in after.var.items()} == pytest.approx(before.var, rel=10 * loss, abs=10 * loss)
    assert after.loglik == pytest.approx(before.loglik - (SMALL.height - 2) * np.log(scale), abs=1e-5)
    assert after.sd / unit == pytest.approx(before.sd)


def test_the_interval_is_student_s_and_the_bound_is_where_both_one_sided_tests_reject() -> None:
    fit = crossed(SMALL, "y", "x")
    low, high = fit.interval()
    assert (low + high) / 2 == pytest.approx(fit.beta)
    assert stats.t.cdf((fit.beta - high) / fit.se, fit.df) == pytest.approx(0.025)
    bound = fit.equivalence_bound()
    above, below = (stats.t.sf((fit.beta + side * bound) / fit.se, fit.df) for side in (1, -1))
    assert max(above, 1 - below) == pytest.approx(0.05)
    assert bound > abs(fit.beta)


def broken(**columns: object) -> pl.DataFrame:
    return SMALL.with_columns(**columns)  # type: ignore[arg-type]


EFFECTS = pl.col("model") * 2.0 + pl.col("task") * 0.5 + pl.col("x")
ERRORS = {
    "no column": (SMALL.drop("x"), "no column x"),
    "gap": (broken(y=pl.when(pl.col("task") > 0).then("y")), "y holds .* missing"),
    "nan": (broken(x=pl.lit(float("nan"))), "x holds .* missing or infinite"),
    "text": (broken(y=pl.lit("much")), "y holds values that are not numbers"),
    "label": (broken(task=pl.when(pl.col("task") > 0).then("task")), "task holds missing labels"),
    "one model": (SMALL.filter(model=0), "model needs at least 2 levels to have a variance, and has 1"),
    "own task": (broken(task=pl.int_range(pl.len())), "task has as many levels as there are rows"),
    "alike": (broken(task=pl.col("model") + 10), "model and task group the rows alike"),
    "no rows": (SMALL.clear(), "model needs at least 2 levels"),
    "exact": (broken(y=EFFECTS), "explain the outcome exactly"),
    "constant outcome": (broken(y=pl.lit(2.5)), "explain the outcome exactly"),
    "predictor of two models": (
        SMALL.filter(pl.col("model") < 2).with_columns(x=pl.col("model") * 3.0),
        "the predictor alone tells the levels of model apart",
    ),
    "saturated": (SMALL.filter(pl.col("model") < 2, pl.col("task").is_in([1, 2])), "explain the outcome exactly"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_fitted_is_refused_in_one_line(case: str) -> None:
    frame, message = ERRORS[case]
    with pytest.raises(ValueError, match=message) as caught:
        crossed(frame, "y", "x")
    assert "\n" not in str(caught.value)


def test_with_many_models_the_truth_is_recovered() -> None:
    fits: list[Fit] = [crossed(games(stream("many", str(i)), 40, 12, slope=-0.1), "y", "x") for i in range(100)]
    errors = np.array([fit.beta + 0.1 * fit.sd for fit in fits]) / [fit.se for fit in fits]
    assert abs(errors.mean()) < 3 / np.sqrt(100)
    assert 0.85 < errors.std() < 1.15
    assert 0 < np.mean(stats.norm.cdf(errors) <= 0.05) < 0.115  # 5 % and 3 standard errors
    for name, true in {"model": 0.5, "task": 0.5, "residual": 1.0}.items():
        found = np.array([fit.var[name] for fit in fits])
        assert abs(found.mean() - true) < 4 * found.std() / np.sqrt(100)
