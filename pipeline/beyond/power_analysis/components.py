"""Variance components of team × task × repeat, by the mean squares of a balanced analysis of variance."""

from dataclasses import dataclass

import numpy as np

from pipeline.beyond.power_analysis.values import Array, Scores


@dataclass(frozen=True)
class Components:
    """Variances of y = μ + team + task + team·task + repeat. `interaction` is what stays of a paired difference however
    often its games are repeated, `repeat` what repeats average away. Negative estimates are 0."""

    team: float
    task: float
    interaction: float
    repeat: float


def components(values: Array) -> Components:
    """The components of teams × tasks × repeats values, at least two of the first two.

    With one repeat the last two can't be told apart: all of it is called interaction, as befits teams that play a task
    the same way each time. Expected mean squares: Searle, Casella and McCulloch (1992), section 4.5.
    """
    teams, tasks, repeats = values.shape
    cells = values.mean(axis=2)
    by_team, by_task, grand = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    of_team = tasks * repeats * float(((by_team - grand) ** 2).sum()) / (teams - 1)
    of_task = teams * repeats * float(((by_task - grand) ** 2).sum()) / (tasks - 1)
    left = cells - by_team[:, None] - by_task[None, :] + grand
    of_both = repeats * float((left**2).sum()) / ((teams - 1) * (tasks - 1))
    within = float(((values - cells[:, :, None]) ** 2).sum()) / (teams * tasks * max(1, repeats - 1))
    return Components(
        max(0.0, (of_team - of_both) / (tasks * repeats)),
        max(0.0, (of_task - of_both) / (teams * repeats)),
        max(0.0, (of_both - within) / repeats),
        within,
    )


def difference_variance(found: Components, repeats: int) -> float:
    """Variance over tasks of the difference of two teams' means of `repeats` games: 2 (interaction + repeat / R)."""
    return 2 * (found.interaction + found.repeat / repeats)


@dataclass(frozen=True)
class Pair:
    """Two teams' difference a − b: its mean, what tasks make of it, and what repeats do."""

    difference: float
    interaction: float
    repeat: float

    def variance(self, repeats: int) -> float:
        """Variance over tasks of the difference of means of `repeats` games."""
        return self.interaction + self.repeat / repeats


def pair(one: Array, other: Array) -> Pair:
    """The pair's difference from tasks × repeats values each; a team with one repeat plays the same way each time."""
    means = one.mean(axis=1) - other.mean(axis=1)
    noise = [within(values) for values in (one, other)]
    averaged = sum(n / values.shape[1] for n, values in zip(noise, (one, other), strict=True))
    return Pair(float(means.mean()), max(0.0, float(means.var(ddof=1)) - averaged), sum(noise))


def within(values: Array) -> float:
    """Variance among a task's repeats, pooled over tasks; 0 with one repeat."""
    return float(values.var(axis=1, ddof=1).mean()) if values.shape[1] > 1 else 0.0


def stacked(scores: Scores) -> Array:
    """Teams × tasks × repeats, as many repeats as every team has."""
    repeats = min(values.shape[1] for values in scores.values.values())
    return np.stack([values[:, :repeats] for _, values in sorted(scores.values.items())])
