"""How evenly a burden is spread, beside the paper's least over largest part, which rises when everybody pays more."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from pipeline.beyond.optima.problem import Burden


def gini(burden: Sequence[int]) -> float:
    """Σ_i Σ_j |x_i − x_j| / (2 n Σ_i x_i): 0 where all pay alike or nobody pays, (n − 1) / n where one pays all."""
    total = sum(burden)
    apart = sum(abs(x - y) for x, y in product(burden, burden))
    return apart / (2 * len(burden) * total) if total else 0.0


def percentile(value: float, others: Mapping[float, int]) -> float:
    """The share, in %, of the others (value → how many) that are below, equal ones counting half."""
    below = sum(n for other, n in others.items() if other < value)
    equal = others.get(value, 0)
    return 100 * (below + equal / 2) / sum(others.values())


def mildness(burden: Sequence[int]) -> int:
    """Minus the largest part: greater is fairer, and paying more does not improve it."""
    return -max(burden)


def spread(burdens: Mapping[Burden, int], measure: Callable[[Burden], float]) -> Counter[float]:
    """Value of the measure → how many schedules have it."""
    found: Counter[float] = Counter()
    for burden, ways in burdens.items():
        found[measure(burden)] += ways
    return found
