"""Power of the paired t test: by formula and by simulation, for groups of teams and for pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.power_analysis.components import Scores, components, difference_variance, pair, stacked
from pipeline.statistics.resampling import Array, stream

AT_ONCE = 2_000_000  # differences held in memory

Row = dict[str, Any]


@dataclass(frozen=True)
class Aim:
    """A two-sided paired t test at level alpha that is to have a power; more than `most` tasks are not considered."""

    alpha: float
    power: float
    most: int


@dataclass(frozen=True)
class Study:
    """A study to simulate: so many tasks, games of each task and team, and the test's level."""

    tasks: int
    repeats: int
    alpha: float


@dataclass(frozen=True)
class Checking:
    """How powers are checked by simulation: the studies drawn for each, and up to how many tasks one is simulated."""

    draws: int
    most_tasks: int


def power_of(difference: float, deviation: float, tasks: int, alpha: float) -> float:
    """Power of the paired t test, by the noncentral t distribution: df = tasks − 1, shifted by δ √tasks / deviation."""
    from scipy.stats import nct, t  # type: ignore[import-untyped]

    if deviation == 0:
        return 1.0 if difference else alpha
    shift, freedom = abs(difference) * sqrt(tasks) / deviation, tasks - 1
    bound = float(t.ppf(1 - alpha / 2, freedom))
    power = float(nct.sf(bound, freedom, shift) + nct.cdf(-bound, freedom, shift))
    return power if isfinite(power) else integrated_power(bound, freedom, shift)


def integrated_power(bound: float, freedom: int, shift: float) -> float:
    """P(|Z + shift| > bound · s), s² distributed as χ² / df: for where SciPy's noncentral t gives no number."""
    from scipy.integrate import quad  # type: ignore[import-untyped]
    from scipy.stats import chi, norm

    root = sqrt(freedom)

    def density(s: float) -> float:
        reached = norm.sf(bound * s - shift) + norm.cdf(-bound * s - shift)
        return float(reached * chi.pdf(s * root, freedom) * root)

    spread = 12 / sqrt(2 * freedom)
    return min(1.0, float(quad(density, max(0.0, 1 - spread), 1 + spread, limit=200)[0]))


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


def detectable(deviation: float, tasks: int, test: Aim) -> float:
    """The difference that so many tasks find with the test's power: δ of power_of(δ, deviation, tasks) = power.

    It depends on what was observed only by the deviation: the power at the observed difference would be its p value
    again.
    """
    from scipy.optimize import brentq  # type: ignore[import-untyped]

    def missing(difference: float) -> float:
        return power_of(difference, 1.0, tasks, test.alpha) - test.power

    return deviation * float(brentq(missing, 0.0, 100.0))


def simulated_power(
    one: Array, other: Array, study: Study, draws: int, names: tuple[str, ...], to: float | None = None
) -> float:
    """The share of `draws` studies that find the teams different.

    one, other: tasks × repeats values. Each study draws tasks with replacement, and for each of them and each team as
    many of its games without; differences are paired by task. With `to`, all are shifted so that the mean difference is
    `to`. `names` names the stream.
    """
    rng = stream("enough", *names, str(study.tasks), str(study.repeats))
    shift = 0.0 if to is None else to - float(one.mean() - other.mean())
    rejections, left = 0, draws
    while left:
        studies = max(1, min(left, AT_ONCE // (study.tasks * study.repeats)))
        chosen = rng.integers(len(one), size=(studies, study.tasks))
        first, second = (mean_of_games(values, chosen, study.repeats, rng) for values in (one, other))
        rejections += int(rejected(first - second + shift, study.alpha).sum())
        left -= studies
    return rejections / draws


def mean_of_games(values: Array, chosen: NDArray[np.int64], repeats: int, rng: np.random.Generator) -> Array:
    """Studies × tasks: the mean of `repeats` games of each chosen task. A team with one game plays it again.

    No game is drawn twice: with replacement, a few games would stand in for many and repeats seem to help less.
    """
    if values.shape[1] == 1:
        return np.asarray(values[chosen, 0])
    which = rng.permuted(np.broadcast_to(np.arange(values.shape[1]), (*chosen.shape, values.shape[1])), axis=-1)
    return np.asarray(values[chosen[..., None], which[..., :repeats]].mean(axis=-1))


def rejected(differences: Array, alpha: float) -> NDArray[np.bool_]:
    """Of each study (a row of differences), whether a two-sided paired t test rejects that their mean is 0."""
    from scipy.stats import t

    tasks = differences.shape[1]
    means, deviations = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    bound = float(t.ppf(1 - alpha / 2, tasks - 1))
    return np.asarray(np.abs(means) * np.sqrt(tasks) > bound * deviations)


def component_row(scores: Scores, teams: str) -> Row:
    """The variance components of a group of teams: the columns of enough_components after the measure."""
    values = stacked(scores)
    variances = components(values)
    named = {name: getattr(variances, name) for name in ("team", "task", "interaction", "repeat")}
    return {"teams": teams, "number": values.shape[0], "tasks": values.shape[1], "repeats": values.shape[2]} | {
        f"var_{name}": value for name, value in named.items()
    }


def power_rows(
    scores: Scores, teams: str, differences: Sequence[float], repeats: Sequence[int], test: Aim, checking: Checking
) -> Iterator[Row]:
    """One row a difference and number of repeats: tasks that tell two teams of the group apart, and their check."""
    variances = components(stacked(scores))
    # Who plays a task the same way each time gains nothing by repeats.
    for count in repeats if variances.repeat else repeats[:1]:
        for difference in differences:
            tasks = tasks_needed(difference, sqrt(difference_variance(variances, count)), test)
            simulable = tasks is not None and tasks <= checking.most_tasks and count <= most_repeats(scores)
            study = Study(tasks or 0, count, test.alpha)
            powers = [shifted_power(scores, a, b, study, difference, checking) for a, b in scores.pairs if simulable]
            of_pairs = [
                tasks_needed(difference, sqrt(pair(scores.values[a], scores.values[b]).variance(count)), test)
                for a, b in scores.pairs
            ]
            yield {
                "teams": teams,
                "difference": difference,
                "repeats": count,
                "tasks": tasks,
                "least_tasks": min((n for n in of_pairs if n is not None), default=None),
                "most_tasks": None if None in of_pairs else max(n for n in of_pairs if n is not None),
                "simulated_power": sum(powers) / len(powers) if powers else None,
                "least_simulated_power": min(powers, default=None),
            }


def most_repeats(scores: Scores) -> int:
    """How many games of a task a study can draw: as many as everybody played, of those who play it in several ways."""
    return min((v.shape[1] for v in scores.values.values() if v.shape[1] > 1), default=1)


def shifted_power(scores: Scores, a: str, b: str, study: Study, to: float, checking: Checking) -> float:
    """The simulated power of a study of two teams, their games shifted to differ by `to` on average."""
    names = (scores.setting, scores.measure, a, b, str(to))
    return simulated_power(scores.values[a], scores.values[b], study, checking.draws, names, to)


def pair_rows(scores: Scores, repeats: int, test: Aim, checking: Checking) -> Iterator[Row]:
    """One row a pair of teams: the difference that they have, what it takes to find it, and what the suite finds."""
    from scipy.stats import ttest_rel

    for a, b in scores.pairs:
        teams = pair(scores.values[a], scores.values[b])
        differ = teams.difference != 0
        once, often = (sqrt(teams.variance(count)) for count in (1, repeats))
        needed = tasks_needed(teams.difference, once, test) if differ else None
        means = [scores.values[team].mean(axis=1) for team in (a, b)]
        yield {
            "a": a,
            "b": b,
            "difference": teams.difference,
            "var_interaction": teams.interaction,
            "var_repeat": teams.repeat,
            "tasks": needed,
            "tasks_with_repeats": tasks_needed(teams.difference, often, test) if differ else None,
            "detectable": detectable(once, len(scores.tasks), test),
            "p": float(ttest_rel(*means).pvalue) if (means[0] != means[1]).any() else 1.0,
            "simulated_power": power_as_played(scores, a, b, needed, test, checking),
        }


def power_as_played(scores: Scores, a: str, b: str, tasks: int | None, test: Aim, checking: Checking) -> float | None:
    """The simulated power of a study of two teams as they are, one game a task; None where there are too many tasks."""
    if tasks is None or tasks > checking.most_tasks:
        return None
    names = (scores.setting, scores.measure, a, b)
    return simulated_power(scores.values[a], scores.values[b], Study(tasks, 1, test.alpha), checking.draws, names)
