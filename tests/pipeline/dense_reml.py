"""REML by another road: n × n covariance matrices, a grid of relative standard deviations, Nelder-Mead from its best.

Shares no code with the fit: slow, and only as exact as a search without derivatives.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Dense:
    """What a fit gives: slope per standard deviation and its error, variances (model, task, residual), likelihood."""

    beta: float
    se: float
    var: tuple[float, float, float]
    loglik: float


class Criterion:
    """The profiled restricted deviance of y = Xβ + u + v + e in the standard deviations of u and v relative to e's."""

    def __init__(self, frame: pl.DataFrame) -> None:
        x, y = (frame[name].to_numpy().astype(float) for name in ("x", "y"))
        self.fixed = np.column_stack([np.ones(len(x)), (x - x.mean()) / x.std(ddof=1)])
        self.y = y - y.mean()
        labels = [frame[name].to_numpy() for name in ("model", "task")]
        self.same = [(label[:, None] == label[None, :]).astype(float) for label in labels]

    def parts(self, theta: Array) -> tuple[float, Array, Array, float]:
        """Deviance, β, X'V⁻¹X and σ² at two relative standard deviations."""
        n = len(self.y)
        v = np.eye(n) + sum(t**2 * same for t, same in zip(theta, self.same, strict=True))
        inverse = np.linalg.inv(v)
        information = self.fixed.T @ inverse @ self.fixed
        beta = np.linalg.solve(information, self.fixed.T @ inverse @ self.y)
        left = self.y - self.fixed @ beta
        squares = float(left @ inverse @ left)
        logs = float(np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1])
        return logs + (n - 2) * (1 + np.log(2 * np.pi * squares / (n - 2))), beta, information, squares / (n - 2)

    def __call__(self, theta: Array) -> float:
        return self.parts(np.abs(theta))[0]


def dense_fit(frame: pl.DataFrame, steps: int = 13) -> Dense:
    """The likeliest fit to columns model, task, x and y that the search finds, its edges included."""
    criterion = Criterion(frame)
    axis = [0.0, *np.exp(np.linspace(-5, 3, steps))]
    starts = sorted((np.array(point) for point in product(axis, axis)), key=criterion)[:3]
    tight = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
    found = [minimize(criterion, start + 1e-3, method="Nelder-Mead", options=tight).x for start in starts]
    for edge in np.eye(2):
        along = minimize_scalar(lambda t, e=edge: criterion(t * e), bounds=(0, 30), options={"xatol": 1e-10})
        found.append(along.x * edge)
    best = min([np.zeros(2), *starts, *map(np.abs, found)], key=criterion)
    deviance, beta, information, scale = criterion.parts(best)
    se = float(np.sqrt(scale * np.linalg.inv(information)[1, 1]))
    return Dense(float(beta[1]), se, (*(scale * best**2), scale), -deviance / 2)
