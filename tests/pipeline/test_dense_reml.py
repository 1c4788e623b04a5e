"""Fits of hard data sets within the tolerances of agreement, against REML by another road."""

import polars as pl
import pytest
from dense_reml import dense_fit
from statistics_check import games

from pipeline.statistics.mixed_effects import crossed, crossed_by_statsmodels
from pipeline.statistics.resampling import stream

pytestmark = pytest.mark.slow


def world(name: str, **shape: object) -> pl.DataFrame:
    return games(stream("hard", name), **{"tasks": 14, **shape})  # type: ignore[arg-type]


def level(frame: pl.DataFrame, group: str) -> pl.DataFrame:
    """The frame without any difference between the means of the group: its variance is exactly 0."""
    return frame.with_columns(pl.col("x", "y") - pl.col("x", "y").mean().over(group))


HEAVY = world("heavy").with_columns(x=(3 * pl.col("x")).exp().round(0), y=1.3 + 0.1 * pl.col("y"))
HARD = {
    "no variance between models": level(world("models", slope=-0.2), "model"),
    "none at all": level(level(world("neither"), "task"), "model"),
    "huge ones": world("huge", var=(50.0, 20.0, 1.0)),
    "half of the cells": world("half", kept=0.5, slope=-0.2),
    "repeats": world("repeats", tasks=12, repeats=3, kept=0.9),
    "two models": world("two", models=2, tasks=20),
    "predictor of the model": world("means", between=1.0),
    "heavy tails and many zeros": HEAVY,
    "an outcome far from 0": world("far", var=(0.5, 0.0, 1.0)).with_columns(pl.col("y") + 1e6),
}


@pytest.mark.parametrize("case", HARD)
def test_a_hard_data_set_is_fitted_within_the_tolerances_of_agreement(case: str) -> None:
    fit, other = crossed(HARD[case], "y", "x"), dense_fit(HARD[case])
    assert fit.loglik == pytest.approx(other.loglik, abs=1e-6)
    assert abs(fit.beta - other.beta) < 1e-5 * other.se
    assert fit.se == pytest.approx(other.se, rel=1e-5)
    assert (fit.var["model"], fit.var["task"], fit.var_residual) == pytest.approx(other.var, rel=1e-5, abs=1e-5)
    assert fit.singular == (min(fit.var["model"], fit.var["task"]) == 0)


def test_five_thousand_rows_of_which_tasks_differ_in_nothing() -> None:
    frame = world("many", tasks=36, repeats=20, var=(0.3, 0.0, 1.0), slope=-0.1)
    fit, theirs = crossed(frame, "y", "x"), crossed_by_statsmodels(frame, "y", "x")
    assert fit.n == 5040
    assert theirs.loglik - 1e-8 < fit.loglik < theirs.loglik + 1e-3
    assert abs(theirs.beta - fit.beta) < 1e-3 * fit.se
    assert [theirs.var[name] for name in fit.sizes] == pytest.approx([fit.var["model"], fit.var["task"]], abs=1e-3)
