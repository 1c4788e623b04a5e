"""How a comparison is tested, by the shape of what its query gives: pairs, levels within strata, two rankings, counts.

A statement of the paper and a comparison that simulated teams stand in for are tested by the same functions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import floor, isfinite, log10
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.statistics.paired_tests import DRAWS, holm, paired_permutation
from pipeline.statistics.proportions import fisher_p
from pipeline.statistics.resampling import (
    Array,
    Resampling,
    cluster_draws,
    fewest_clusters,
    interval_around,
    stream,
)

ALPHA, RESAMPLING = 0.05, Resampling(seed="ledger")
FEWEST = fewest_clusters(RESAMPLING.level)
EXAMPLES = 2  # of cases that do not hold, as many are told
PAIRED_DRAWS = 100_000  # of signs: small p keep their first digit from run to run
EVERY_ORDER = 8  # up to 8! orders of a ranking are all tried
DIGITS = 8  # significant ones of a statistic: those beyond may differ from machine to machine
TIE = 1e-12  # sums that are closer than this differ by rounding only


@dataclass(frozen=True)
class Outcome:
    """What a test gives. holds: whether the figures go the way that is said, by themselves; opposite: the other way.

    statistic: the effect (a difference, or a correlation), with its interval. p_value: two-sided, None where figures
    are compared one by one; exact: whether nothing was drawn at random. n: of what `unit` names. shown: in words.
    """

    test: str
    holds: bool
    opposite: bool
    shown: str
    n: int
    unit: str
    statistic: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    exact: bool = True

    @property
    def figures(self) -> tuple[float | None, ...]:
        """Statistic and interval to so many significant digits as are the same on every machine, p and Holm's p."""
        measured = (self.statistic, self.low, self.high)
        known = (round(v, DIGITS - 1 - floor(log10(abs(v)))) if v and isfinite(v) else v for v in measured)
        return (*known, self.p_value, self.p_holm)

    @property
    def agrees(self) -> bool | None:
        """Whether it goes the way that is said, beyond chance; False for the other way, None where chance may do it."""
        return None if not self.clear else True if self.holds else False if self.opposite else None

    @property
    def clear(self) -> bool:
        """Whether it is beyond chance, after Holm's correction where there was one."""
        p = self.p_value if self.p_holm is None else self.p_holm
        return p is None or p <= ALPHA


def described(row: Mapping[str, Any], unit: str = "") -> str:
    """A test as one reads it, from a row of either ledger: test, statistic, interval, p and number."""
    parts = [row["test"]]
    if row["statistic"] is not None:
        bounds = "" if row["low"] is None else f" [{row['low']:.3g}, {row['high']:.3g}]"
        parts.append(f"{row['statistic']:.3g}{bounds}")
    if row["p_value"] is not None:
        holm_p = "" if row["p_holm"] is None else f" (Holm {row['p_holm']:.2g})"
        parts.append(f"p = {row['p_value']:.2g}{holm_p}")
    if row["n"] is not None:
        parts.append(f"{row['n']} {unit.removesuffix('s') if row['n'] == 1 else unit}" if unit else f"n = {row['n']}")
    return ", ".join(part for part in parts if part)


class Labels(NamedTuple):
    """How the figures of a test are named, first to last, and to how many decimals they are shown."""

    names: Sequence[str] = ("", "")
    decimals: int = 2

    def shown(self, values: Sequence[float]) -> str:
        """The figures, each after its name; a dash for one that no game has."""
        texts = (f"{value:.{self.decimals}f}" if isfinite(value) else "–" for value in values)
        return ", ".join(f"{name} {text}".strip() for name, text in zip(self.names, texts, strict=True))


def adjust(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes with Holm's p over all that have one."""
    adjusted = iter(holm([o.p_value for o in outcomes if o.p_value is not None]))
    return [o if o.p_value is None else replace(o, p_holm=next(adjusted)) for o in outcomes]


def paired(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """A test of a > b on the same tasks. rows: task, a and b, one row a task; those without a value are left out."""
    known = rows.drop_nulls(["a", "b"]).sort("task")
    if known.is_empty():
        return None
    a, b = (known[side].cast(pl.Float64).to_list() for side in "ab")
    tested = paired_permutation(a, b, ("ledger", name), PAIRED_DRAWS)
    difference = float(tested.difference or 0.0)
    times = cluster_draws(known["task"].to_list(), RESAMPLING)
    low, high = _bounds(difference, (np.subtract(a, b) @ times) / len(a), len(a))
    means = (sum(a) / len(a), sum(b) / len(b))
    moved = [sum(is_more(*(pair[::way])) for pair in zip(a, b, strict=True)) for way in (1, -1)]
    shown = f"{labels.shown(means)}; more on {moved[0]} tasks, less on {moved[1]}"
    outcome = Outcome(
        "paired by task, signs flipped", difference > 0, difference < 0, shown, len(a), "tasks", difference, low, high
    )
    return replace(outcome, p_value=tested.p_value, exact=tested.exact)


def is_more(x: float, y: float) -> bool:
    """Whether one value is more than another, and not by rounding alone."""
    return x - y > TIE * max(abs(x), abs(y))


def _bounds(statistic: float, draws: Array, tasks: int) -> tuple[float | None, float | None]:
    """The interval of a statistic; none of fewer tasks than one takes, and none without draws."""
    return interval_around(statistic, draws, RESAMPLING.level) if tasks >= FEWEST and draws.size else (None, None)


def by_level(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """A test that Σ above / Σ below rises from level to level: levels are exchanged between the tasks of a stratum.

    rows: task, stratum, level (0, 1, …), above and below, one row a task. None where a level has nothing below.
    """
    known = rows.drop_nulls(["level", "above", "below"]).sort("stratum", "task")
    levels = known["level"].to_numpy().astype(np.int64)
    above, below = (known[side].cast(pl.Float64).to_numpy() for side in ("above", "below"))
    sums = _Sums(above, below, len(labels.names))
    ratios = sums.ratios(levels[None, :])[:, 0]
    if not np.isfinite(ratios).all():
        return None
    rise = float(ratios[-1] - ratios[0])
    edges = np.flatnonzero(np.diff(known["stratum"].rank("dense").to_numpy())) + 1
    strata = np.split(np.arange(known.height), edges)
    rng = stream("ledger", name)
    drawn = np.hstack([rng.permuted(np.tile(levels[part], (DRAWS, 1)), axis=1) for part in strata])
    reached = int((~(np.abs(sums.rises(drawn)) < abs(rise) - TIE)).sum())  # a rise that is none counts as one
    ends = (levels == 0).sum(), (levels == levels.max()).sum()
    low, high = _bounds(rise, sums.redrawn(levels, strata, known["task"].to_list()), min(ends))
    shown, grows = labels.shown(ratios.tolist()), bool((np.diff(ratios) > 0).all())
    outcome = Outcome("levels exchanged within strata", grows, rise < 0, shown, known.height, "tasks", rise, low, high)
    return replace(outcome, p_value=(1 + reached) / (1 + DRAWS), exact=False)


class _Sums(NamedTuple):
    """What stands above and below the ratios of tasks, and the number of levels."""

    above: Array
    below: Array
    steps: int

    def ratios(self, levels: NDArray[np.int64]) -> Array:
        """Σ above / Σ below of each level (rows), under each assignment of levels to tasks (columns)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            chosen = [levels == level for level in range(self.steps)]
            ratios: Array = np.array([(at @ self.above) / (at @ self.below) for at in chosen])
        return ratios

    def rises(self, levels: NDArray[np.int64]) -> Array:
        """From the first level to the last, under each assignment."""
        ratios = self.ratios(levels)
        rises: Array = ratios[-1] - ratios[0]
        return rises

    def redrawn(self, levels: NDArray[np.int64], strata: Sequence[NDArray[np.int64]], tasks: Sequence[str]) -> Array:
        """The rise with the tasks of each level and stratum drawn anew; draws in which a ratio is missing left out.

        The mean of n tasks drawn from n spreads by √((n - 1)/n) too little, as much as draws are widened here. Of one
        task in a cell nothing tells its spread: then there are no draws.
        """
        times = np.zeros((len(levels), RESAMPLING.resamples))
        for part in strata:
            for level in (0, self.steps - 1):
                cell = part[levels[part] == level]
                if len(cell) == 1:
                    return np.zeros(0)
                if len(cell):
                    drawn = cluster_draws([tasks[i] for i in cell], RESAMPLING)
                    times[cell] = 1 + np.sqrt(len(cell) / (len(cell) - 1)) * (drawn - 1)
        first, last = ((levels == level)[:, None] * times for level in (0, self.steps - 1))
        with np.errstate(invalid="ignore", divide="ignore"):
            rises: Array = (self.above @ last) / (self.below @ last) - (self.above @ first) / (self.below @ first)
        return rises[np.isfinite(rises)]


def correlation(rows: pl.DataFrame, labels: Labels, name: str, falls: bool = False) -> Outcome | None:
    """Spearman's test that y rises with x, or `falls`, over rows of x and y; every order of y is tried where few.

    The interval is that of Bonett and Wright, by Fisher's z.
    """
    known = rows.drop_nulls(["x", "y"]).sort("x", "y")
    if known.height < 3 or known["x"].n_unique() < 2 or known["y"].n_unique() < 2:
        return None
    x, y = (np.asarray(known[side].rank("average").to_list()) - (known.height + 1) / 2 for side in "xy")
    scale = float(np.sqrt((x @ x) * (y @ y)))
    rho = float(x @ y) / scale
    exact = known.height <= EVERY_ORDER
    tried = list(permutations(y)) if exact else stream("ledger", name).permuted(np.tile(y, (DRAWS, 1)), axis=1)
    reached = int((np.abs(np.asarray(tried) @ x) >= (abs(rho) - TIE) * scale).sum())
    p = reached / len(tried) if exact else (1 + reached) / (1 + DRAWS)
    going, unit = -rho if falls else rho, labels.names[0] or "teams"
    low, high = _around(rho, known.height)
    shown = f"rank correlation {rho:.2f} over {known.height} {unit}"
    outcome = Outcome("Spearman's rank correlation", going > 0, going < 0, shown, known.height, unit, rho, low, high)
    return replace(outcome, p_value=p, exact=exact)


def _around(rho: float, count: int) -> tuple[float, float] | tuple[None, None]:
    """A 95 % interval of a rank correlation; none for a perfect one, or of three."""
    if count <= 3 or abs(rho) >= 1 - TIE:
        return None, None
    spread = 1.96 * np.sqrt((1 + rho**2 / 2) / (count - 3))
    return float(np.tanh(np.arctanh(rho) - spread)), float(np.tanh(np.arctanh(rho) + spread))


def fisher(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """Fisher's test that the share of the first row is the larger. rows: count and total, two of them."""
    del name  # nothing is drawn
    if rows.height != 2:
        return None
    (a, n), (b, m) = rows.select("count", "total").cast(pl.Int64).rows()
    shown = ", ".join(f"{label} {x} of {y}" for label, x, y in zip(labels.names, (a, b), (n, m), strict=True))
    share = a / n - b / m
    return Outcome(
        "Fisher's exact test", share > 0, share < 0, shown, n + m, "observations", share, p_value=fisher_p(a, n, b, m)
    )


def cases(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """Each row is a case that `holds` or does not; what the first of those that do not hold say is `shown`."""
    del name
    if rows.is_empty():
        return None
    against = rows.filter(~pl.col("holds"))
    unit = labels.names[0] or "cases"
    texts = (
        (against if against.height else rows)["shown"].drop_nulls().unique(maintain_order=True).to_list()
        if "shown" in rows.columns
        else []
    )
    count = [] if rows.height == 1 and texts else [f"{rows.height - against.height} of {rows.height} {unit}"]
    shown = "; ".join([*count, *texts[: EXAMPLES if against.height else 1]])
    return Outcome("every case", against.is_empty(), not against.is_empty(), shown, rows.height, unit)


def beside(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """Printed figures beside each other. rows: one, of `holds` (null: neither shown nor excluded), `shown` and `n`."""
    del name
    if rows.height != 1:
        return None
    holds, shown, n = rows.select("holds", "shown", "n").row(0)
    return Outcome("figures set beside each other", holds is True, holds is False, shown, n, labels.names[0])


def fitted(rows: pl.DataFrame, labels: Labels, name: str) -> Outcome | None:
    """A fit's own test that its slope is negative. rows: one, of t, p_one_sided (of a negative slope) and games."""
    del labels, name
    if rows.height != 1:
        return None
    t, one_sided, games = rows.select("t", "p_one_sided", pl.col("games").cast(pl.Int64)).row(0)
    outcome = Outcome(
        "mixed-effects slope, by t", t < 0, t > 0, f"t = {t:.2f}, one-sided p = {one_sided:.2g}", games, "games"
    )
    return replace(outcome, statistic=t, p_value=2 * min(one_sided, 1 - one_sided))


Test = Callable[[pl.DataFrame, Labels, str], Outcome | None]
TESTS: dict[str, Test] = {
    "paired": paired,
    "by_level": by_level,
    "rises": correlation,
    "falls": lambda rows, labels, name: correlation(rows, labels, name, falls=True),
    "fisher": fisher,
    "cases": cases,
    "beside": beside,
    "fitted": fitted,
}
