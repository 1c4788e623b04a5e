"""REML of y = Xβ + Σ Z_k u_k + e, u_k ~ N(0, γ_k σ²), e ~ N(0, σ²): the deviance in the ratios γ, and its least value.

With V = I + Σ γ_k Z_k Z_k', P = V⁻¹ − V⁻¹X(X'V⁻¹X)⁻¹X'V⁻¹ and s = y'Py, the restricted likelihood at its best β and σ²
is −½ d(γ), with d = log|V| + log|X'V⁻¹X| + (n − p)(1 + log(2π s / (n − p))). lme4 minimises the same criterion (Bates,
Mächler, Bolker and Walker 2015, section 3). Its first two derivatives have closed forms, so that Newton's method comes
as near to the optimum as rounding allows; and every ratio is also held at exactly 0, which a search in the variances or
their logarithms only approaches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtrs  # type: ignore[import-untyped]

Array = NDArray[np.float64]

SINGULAR = 1e-4  # a relative standard deviation √γ below this is 0, as in lme4's isSingular
STARTS = (0.003, 0.1, 3.0)  # ratios of the coarse grid on which a descent begins
STEPS = 100
HALVINGS = 40
LONGEST = 3.0  # of a step in log γ
STILL = 1e-8  # a descent ends with a step in log γ below this: near an optimum the next one is its square
ROUNDING = 1e-13  # of a deviance


@dataclass(frozen=True)
class Design:
    """The right-hand side on m ≤ n rows: Q' of [Z X] = QR applied. On the other n − m, V is the identity and X is 0."""

    n: int
    x: Array  # m × p
    z: tuple[Array, ...]  # m × levels, one a group
    basis: Array  # Q, n × m

    @property
    def inner(self) -> int:
        """The number m of rows that are kept."""
        return len(self.x)

    @property
    def free(self) -> int:
        """The degrees of freedom n − p."""
        return self.n - len(self.x.T)


@dataclass(frozen=True)
class Outcome:
    """An outcome in a design's rows: m values, and the sum of squares on the rows left out."""

    inside: Array
    outside: float


@dataclass(frozen=True)
class Profile:
    """The deviance at some ratios, and what it was made of."""

    ratios: Array  # γ, one a group
    deviance: float
    lower: Array  # L of V = LL', m × m
    x: Array  # L⁻¹X
    bread: Array  # (X'V⁻¹X)⁻¹, p × p
    beta: Array  # p
    residual: Array  # L⁻¹(y − Xβ)
    squares: float  # y'Py, which is (n − p)σ²


def make_design(x: Array, codes: Sequence[NDArray[np.intp]]) -> Design:
    """The design of n × p fixed effects and, for each group, the n level numbers from 0."""
    z = [np.eye(int(code.max()) + 1)[code] for code in codes]
    basis = np.linalg.qr(np.hstack([*z, x]))[0]
    return Design(len(x), basis.T @ x, tuple(basis.T @ block for block in z), basis)


def project_outcome(design: Design, y: Array) -> Outcome:
    """The n values of an outcome in the design's rows."""
    inside = design.basis.T @ y
    outside = y - design.basis @ inside
    return Outcome(inside, float(outside @ outside))


def profile(design: Design, y: Outcome, ratios: Array) -> Profile:
    """The profile deviance d(γ) at ratios γ ≥ 0."""
    scaled = np.hstack([np.sqrt(g) * z for g, z in zip(ratios, design.z, strict=True)])
    lower = np.linalg.cholesky(np.eye(design.inner) + scaled @ scaled.T)
    solved = _solve(lower, np.column_stack([design.x, y.inside]))
    x, white = solved[:, :-1], solved[:, -1]
    information = x.T @ x
    bread = np.linalg.inv(information)
    beta = bread @ (x.T @ white)
    residual = white - x @ beta
    squares = float(residual @ residual) + y.outside
    logs = 2 * float(np.log(np.diag(lower)).sum()) + float(np.linalg.slogdet(information)[1])
    deviance = logs + design.free * (1 + float(np.log(2 * np.pi * squares / design.free)))
    return Profile(ratios, deviance, lower, x, np.asarray(bread), beta, residual, squares)


def _solve(lower: Array, right: Array) -> Array:
    """L⁻¹R, as by SciPy's `solve_triangular`, whose checks take longer than it."""
    solved, failed = dtrtrs(lower.T, right, lower=0, trans=1)
    if failed:
        raise np.linalg.LinAlgError("a singular factor")
    return np.asarray(solved)


def projected(fitted: Profile, columns: Array) -> Array:
    """C'PC of m × c columns, c × c: the projector P of a profile, seen from there."""
    return _projected(fitted, _solve(fitted.lower, columns))


def _projected(fitted: Profile, white: Array) -> Array:
    """The same of L⁻¹C."""
    fixed = fitted.x.T @ white
    return np.asarray(white.T @ white - fixed.T @ fitted.bread @ fixed)


def derivatives(design: Design, fitted: Profile) -> tuple[Array, Array]:
    """Gradient (K) and Hessian (K × K) of the profile deviance in the ratios γ, from ∂P/∂γ_k = −P Z_k Z_k' P."""
    white = _solve(fitted.lower, np.hstack(design.z))
    cut = np.cumsum([block.shape[1] for block in design.z])[:-1]
    seen = _projected(fitted, white)
    zpy = white.T @ fitted.residual  # Z'Py
    blocks = [np.split(row, cut, axis=1) for row in np.split(seen, cut)]
    pulls = np.split(zpy, cut)
    traces = np.array([np.trace(row[k]) for k, row in enumerate(blocks)])
    squares = np.array([pull @ pull for pull in pulls]) / fitted.squares
    both = np.array([[np.sum(block**2) for block in row] for row in blocks])
    bent = np.array([[a @ blocks[i][j] @ b for j, b in enumerate(pulls)] for i, a in enumerate(pulls)])
    hessian = design.free * (2 * bent / fitted.squares - np.outer(squares, squares)) - both
    return traces - design.free * squares, hessian


def optimum(design: Design, y: Outcome) -> Profile:
    """The least deviance over all γ ≥ 0: the best of every way to hold some ratios at exactly 0.

    A descent that runs towards 0 belongs to the way that holds the ratio there, and is dropped.
    """
    optima = [fitted for active in _subsets(len(design.z)) if (fitted := _descend(design, y, active)) is not None]
    return min(optima, key=lambda fitted: fitted.deviance)


def _subsets(groups: int) -> Iterator[list[int]]:
    for size in range(groups + 1):
        yield from map(list, combinations(range(groups), size))


def _descend(design: Design, y: Outcome, active: list[int]) -> Profile | None:
    """Newton's method in log γ of the active groups from the best point of a grid, or None on the way to γ = 0."""
    grid = (
        profile(design, y, _ratios(design, active, np.array(start))) for start in product(STARTS, repeat=len(active))
    )
    fitted = min(grid, key=lambda p: p.deviance)
    for _ in range(STEPS if active else 0):
        gradient, hessian = derivatives(design, fitted)
        gamma = fitted.ratios[active]
        gradient = gamma * gradient[active]
        curvature = np.outer(gamma, gamma) * hessian[np.ix_(active, active)] + np.diag(gradient)
        step = _step(gradient, curvature)
        fitted = _search(design, y, active, fitted, step)
        if fitted.ratios[active].min() < SINGULAR**2:
            return None
        if np.abs(step).max() < STILL:
            break
    return fitted


def _step(gradient: Array, curvature: Array) -> Array:
    """Newton's step, downhill also where the deviance bends the wrong way, and never too long."""
    values, vectors = np.linalg.eigh(curvature)
    step: Array = -vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-12))
    return step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))


def _search(design: Design, y: Outcome, active: list[int], fitted: Profile, step: Array) -> Profile:
    """The first point along the step, halved as often as needed, whose deviance is not greater but for rounding."""
    for halving in range(HALVINGS):
        new = profile(design, y, _ratios(design, active, fitted.ratios[active] * np.exp(step * 0.5**halving)))
        if new.deviance <= fitted.deviance + ROUNDING * abs(fitted.deviance):
            return new
    return fitted


def _ratios(design: Design, active: list[int], values: Array) -> Array:
    ratios = np.zeros(len(design.z))
    ratios[active] = values
    return ratios


def satterthwaite(design: Design, fitted: Profile, column: int) -> float:
    """Degrees of freedom of a coefficient's t: 2v² / (g' I⁻¹ g), v its variance, g the gradient of v and I the expected
    information in the variances that are above 0 (Giesbrecht and Burns 1985). Free of the scale σ².
    """
    kept = [np.eye(design.inner), *(z for z, g in zip(design.z, fitted.ratios, strict=True) if g > 0)]
    cut = np.cumsum([block.shape[1] for block in kept])[:-1]
    columns = np.hstack(kept)
    blocks = [np.split(row, cut, axis=1) for row in np.split(projected(fitted, columns), cut)]
    information = np.array([[np.sum(block**2) for block in row] for row in blocks]) / 2
    information[0, 0] += (design.n - design.inner) / 2
    lever = (fitted.bread[column] @ fitted.x.T) @ _solve(fitted.lower, columns)
    gradient = np.array([part @ part for part in np.split(lever, cut)])
    return float(2 * fitted.bread[column, column] ** 2 / (gradient @ np.linalg.solve(information, gradient)))
