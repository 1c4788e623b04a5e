"""Tests that a mixed model's slope is below 0, for a handful of models, where Wald's normal is too sure.

Each takes its draws from a stream with a name, and is the same from run to run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, isnan
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from pipeline.statistics import reml
from pipeline.statistics.mixed_effects import Observations, fit, observations
from pipeline.statistics.reml import Array
from pipeline.statistics.resampling import stream

if TYPE_CHECKING:
    import pandas as pd

CHUNK = 500  # permuted predictors held in memory at a time
MOST_POINTS = 9  # whose orders are all tried
TINY = 1e-12  # relative: means that differ by less are equal
DECIMALS = 9  # of a relabelling's t: what lies below is rounding


@dataclass(frozen=True)
class NullTest:
    """A test against draws in which the predictor does not matter: how often t is as low as the one observed."""

    p_one_sided: float  # against β < 0
    draws: int  # data sets or relabellings compared with, the observed one included
    exact: bool  # whether the draws are all that there are


def bootstrap_test(
    frame: "pl.DataFrame | pd.DataFrame",
    outcome: str,
    predictor: str,
    groups: Sequence[str] = ("model", "task"),
    draws: int = 999,
    seed: str = "bootstrap_test",
) -> NullTest:
    """Parametric bootstrap of t = beta / se: outcomes drawn from the fitted model without the predictor, and refitted.

    Serves any design, unbalanced ones too. Raises ValueError as `crossed` does.
    """
    data = observations(frame, outcome, predictor, groups)
    observed = fit(data).t
    null = _fit_null(data)
    design = reml.make_design(data.fixed, data.codes)
    rng = stream(seed, outcome, predictor)
    drawn = [
        _t_value(design, reml.project_outcome(design, _draw_outcome(data, null.ratios, rng))) for _ in range(draws)
    ]
    return NullTest((1 + sum(t <= observed for t in drawn)) / (draws + 1), draws + 1, False)


def _fit_null(data: Observations) -> reml.Profile:
    """The fit of the model without the predictor."""
    design = reml.make_design(data.fixed[:, :1], data.codes)
    centred = data.outcome - data.outcome.mean()
    return reml.optimum(design, reml.project_outcome(design, centred / centred.std()))


def _draw_outcome(data: Observations, ratios: Array, rng: np.random.Generator) -> Array:
    """An outcome drawn from the null model, n values.

    Row by row: drawn in the design's rows it would depend on the machine's linear algebra.
    """
    y = rng.standard_normal(data.outcome.size)
    for ratio, code, size in zip(ratios, data.codes, data.sizes.values(), strict=True):
        y += np.sqrt(ratio) * rng.standard_normal(size)[code]
    return y


def _t_value(design: reml.Design, y: reml.Outcome) -> float:
    fitted = reml.optimum(design, y)
    return float(fitted.beta[1] / np.sqrt(fitted.bread[1, 1] * fitted.squares / design.free))


def permutation_test(
    frame: "pl.DataFrame | pd.DataFrame",
    outcome: str,
    predictor: str,
    groups: Sequence[str] = ("model", "task"),
    limit: int = 10_000,
    seed: str = "permutation_test",
) -> NullTest:
    """Permutation of whole models: each is given another's predictor, task by task, and t is compared.

    If outcomes do not depend on the predictor and models are exchangeable, all relabellings of the first group are
    equally likely, so the test is exact for any number of models; with k of them p is at least 1 / k!. The variance
    ratios are those of the model without the predictor, which no relabelling changes. Where there are more than `limit`
    relabellings, that many are drawn, the one observed included.

    Raises ValueError as `crossed` does, and unless each level of the first group has one row in each cell of others.
    """
    data = observations(frame, outcome, predictor, groups)
    rows = _exchangeable(data, groups[0])
    null, design = _fit_null(data), reml.make_design(data.fixed[:, :1], data.codes)
    y = (data.outcome - data.outcome.mean()) / data.outcome.std()

    def relabelled_t(order: NDArray[np.intp], axis: int) -> Array:
        """t of each order of the levels (… × levels), rounded, so that no digit tells equal ones apart."""
        orders = order.reshape(-1, len(rows))
        given = np.empty((y.size, len(orders)))
        given[rows.ravel()] = data.predictor[rows[orders].reshape(len(orders), -1)].T
        return _null_t(design, null, y, given).round(DECIMALS).reshape(order.shape[:-1])

    exact = (count := factorial(len(rows))) <= limit
    how = {"permutation_type": "pairings", "alternative": "less", "vectorized": True, "batch": CHUNK}
    rng, draws = stream(seed, outcome, predictor), count if exact else limit - 1
    test = stats.permutation_test((np.arange(len(rows)),), relabelled_t, n_resamples=draws, rng=rng, **how)
    return NullTest(float(test.pvalue), min(count, limit), exact)


def _exchangeable(data: Observations, group: str) -> NDArray[np.intp]:
    """Levels × cells: the rows of each level of the first group, in the same order of cells for all."""
    first, *others = data.codes
    counts = np.bincount(first)
    if len(set(counts.tolist())) == 1:
        rows = np.argsort(first, kind="stable").reshape(len(counts), -1)
        same = all((other[rows] == other[rows[0]]).all() for other in others)
        if same and len({tuple(other[row] for other in others) for row in rows[0]}) == rows.shape[1]:
            return rows
    raise ValueError(f"not every {group} has one row in every cell: use bootstrap_test, which needs no balance")


def _null_t(design: reml.Design, null: reml.Profile, outcome: Array, given: Array) -> Array:
    """t of each column of predictors (n × draws) at the null model's variances: x'Py / √(x'Px), up to a factor."""
    projector = reml.projected(null, np.eye(design.inner))
    inside, y = design.basis.T @ given, design.basis.T @ outcome
    outside, left = given - design.basis @ inside, outcome - design.basis @ y
    along = projector @ inside
    size = (inside * along).sum(axis=0) + (outside**2).sum(axis=0)
    return np.asarray((along.T @ y + outside.T @ left) / np.sqrt(size))


@dataclass(frozen=True)
class MeansTest:
    """The correlation of the models' means, and its permutation test: one point a model."""

    correlation: float | None  # Pearson's, over the means; None where a mean does not vary
    p_one_sided: float | None  # the share of relabellings with a correlation as low


def between_test(frame: "pl.DataFrame | pd.DataFrame", outcome: str, predictor: str, group: str) -> MeansTest:
    """Correlate the group's means of predictor and outcome, with a one-sided permutation test (< 0).

    Raises ValueError as `crossed` does for a single level or a constant predictor.
    """
    data = observations(frame, outcome, predictor, (group,))
    n = np.bincount(data.codes[0])
    x, y = (np.bincount(data.codes[0], values) / n for values in (data.predictor, data.outcome))
    if any(np.ptp(m) <= TINY * np.abs(v).max() for m, v in ((x, data.predictor), (y, data.outcome))):
        return MeansTest(None, None)
    return correlate(x, y)


def correlate(x: Array, y: Array) -> MeansTest:
    """Correlate k points, x with y, and test by all k! orders; beyond 9 points by as many as 9 have, drawn."""
    orders = factorial(min(len(x), MOST_POINTS))
    every = stats.PermutationMethod(n_resamples=orders, batch=CHUNK, rng=stream("correlate", f"{len(x)}"))
    test = stats.pearsonr(x, y, alternative="less", method=every)
    return MeansTest(float(test.statistic), float(test.pvalue))


def correlation_p(correlation: float, points: int) -> float:
    """The two-sided p of Pearson's correlation over so many points, three at least, whose one value is normal."""
    shape = points / 2 - 1
    return float(2 * stats.beta(shape, shape, loc=-1, scale=2).cdf(-abs(correlation)))


def is_negative(correlation: float | None, points: int, alpha: float = 0.05) -> bool | None:
    """Whether a correlation is below 0, and False where it is above; None where chance makes its sign more often than
    alpha, of fewer than three points, and where there is none."""
    if correlation is None or isnan(correlation) or points < 3 or correlation_p(correlation, points) > alpha:
        return None
    return correlation < 0
