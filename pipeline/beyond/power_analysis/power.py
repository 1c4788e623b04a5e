"""How many tasks two teams must share for a difference between them to be found."""

from dataclasses import dataclass
from math import isfinite, sqrt


@dataclass(frozen=True)
class Aim:
    """A two-sided paired t test at level alpha, which is to find the difference with the power given; beyond `most`
    tasks nobody looks."""

    alpha: float
    power: float
    most: int


def power_of(difference: float, deviation: float, tasks: int, alpha: float) -> float:
    """Power of the paired t test, by the noncentral t distribution: df = tasks − 1, shifted by δ √tasks / deviation."""
    from scipy.stats import nct, t  # type: ignore[import-untyped]

    if deviation == 0:
        return 1.0 if difference else alpha
    shift, freedom = abs(difference) * sqrt(tasks) / deviation, tasks - 1
    bound = float(t.ppf(1 - alpha / 2, freedom))
    found = float(nct.sf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift))
    return found if isfinite(found) else integrated_power(bound, freedom, shift)


def integrated_power(bound: float, freedom: int, shift: float) -> float:
    """P(|Z + shift| > bound · s), s² distributed as χ² / df: where the library's own routine gives no number."""
    from scipy.integrate import quad  # type: ignore[import-untyped]
    from scipy.stats import chi, norm

    root = sqrt(freedom)

    def at(s: float) -> float:
        reached = norm.sf(bound * s - shift) + norm.cdf(-bound * s - shift)
        return float(reached * chi.pdf(s * root, freedom) * root)

    spread = 12 / sqrt(2 * freedom)
    return min(1.0, float(quad(at, max(0.0, 1 - spread), 1 + spread, limit=200)[0]))


def tasks_needed(difference: float, deviation: float, test: Aim) -> int | None:
    """The fewest tasks, at least 2, with which the test has its power; None beyond `test.most`.

    difference: of the teams' means; deviation: the standard deviation of their difference over tasks.
    """
    low, high = 1, 2
    while power_of(difference, deviation, high, test.alpha) < test.power:
        if high >= test.most:
            return None
        low, high = high, min(2 * high, test.most)
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(difference, deviation, middle, test.alpha) < test.power:
            low = middle
        else:
            high = middle
    return high
