"""The power that a paired t test has on our own games: tasks are drawn with replacement, and a repeat of each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.power_analysis.values import Array
from pipeline.statistics.resampling import stream

AT_ONCE = 2_000_000  # differences held in memory


@dataclass(frozen=True)
class Study:
    """A study to simulate: so many tasks, games of each task and team, and the test's level."""

    tasks: int
    repeats: int
    alpha: float


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
    found, left = 0, draws
    while left:
        studies = max(1, min(left, AT_ONCE // (study.tasks * study.repeats)))
        chosen = rng.integers(len(one), size=(studies, study.tasks))
        first, second = (picked(values, chosen, study.repeats, rng) for values in (one, other))
        found += int(rejected(first - second + shift, study.alpha).sum())
        left -= studies
    return found / draws


def picked(values: Array, chosen: NDArray[np.int64], repeats: int, rng: np.random.Generator) -> Array:
    """The mean of as many games as asked for of each chosen task, none of them twice: drawn with replacement, a few
    games would stand in for many and repeats seem to help less than they do. A team with one game plays it again."""
    if values.shape[1] == 1:
        return np.asarray(values[chosen, 0])
    which = rng.permuted(np.broadcast_to(np.arange(values.shape[1]), (*chosen.shape, values.shape[1])), axis=-1)
    return np.asarray(values[chosen[..., None], which[..., :repeats]].mean(axis=-1))


def rejected(differences: Array, alpha: float) -> NDArray[np.bool_]:
    """Of each study (a row of differences), whether a two-sided paired t test rejects that their mean is 0."""
    from scipy.stats import t  # type: ignore[import-untyped]

    tasks = differences.shape[1]
    means, deviations = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    bound = float(t.ppf(1 - alpha / 2, tasks - 1))
    return np.asarray(np.abs(means) * np.sqrt(tasks) > bound * deviations)
