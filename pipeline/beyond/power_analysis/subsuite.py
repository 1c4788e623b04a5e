"""The smallest set of tasks that ranks all teams as the whole suite does, and how well such sets do elsewhere."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from pipeline.beyond.power_analysis.values import Array
from pipeline.statistics.resampling import stream

SCALE = 10**6  # values as whole numbers: a millionth is below what any measure tells apart
TIE = 1e-9  # relative


Pairs = list[tuple[str, str]]


class NotProven(RuntimeError):
    """The solver could not prove that no smaller set does."""


def order(means: Mapping[str, float]) -> list[list[str]]:
    """The teams from least to most, teams that tie together."""
    ranked: list[list[str]] = []
    for team in sorted(means, key=lambda t: (means[t], t)):
        if ranked and np.isclose(means[team], means[ranked[-1][0]], rtol=TIE, atol=TIE):
            ranked[-1].append(team)
        else:
            ranked.append([team])
    return ranked


def strict_pairs(means: Mapping[str, float]) -> Pairs:
    """(less, more) of every two teams that do not tie."""
    ranked = order(means)
    return [(a, b) for i, lower in enumerate(ranked) for higher in ranked[i + 1 :] for a in lower for b in higher]


def smallest(measures: Sequence[Mapping[str, Array]], seconds: float) -> list[int]:
    """The tasks, ascending, of a smallest non-empty set whose means order every two teams as all tasks do, by each
    measure; ties are free.

    measures: of each, team → value on each task. Solved exactly as an integer program: x_t ∈ {0, 1}, Σ x_t least, and
    for each two neighbours a, b of a ranking Σ x_t (b_t − a_t) > 0. Of the smallest, the first in order of tasks.
    Raises NotProven where `seconds` were not enough.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    tasks = len(next(iter(measures[0].values())))
    x = [model.new_bool_var("") for _ in range(tasks)]
    model.add(sum(x) >= 1)
    for values in measures:
        for step in steps(values):
            model.add(cp_model.LinearExpr.weighted_sum(x, step) >= 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    goals = [sum(x), *(-variable for variable in x)]
    for goal in goals:
        model.minimize(goal)
        if solver.solve(model) != cp_model.OPTIMAL:
            raise NotProven(f"the smallest of {tasks} tasks was not proven within {seconds:g} seconds")
        model.add(goal == round(solver.objective_value))
    return [task for task in range(tasks) if solver.boolean_value(x[task])]


def steps(values: Mapping[str, Array]) -> list[list[int]]:
    """Task by task, what each team has more than one just below it in the ranking, in millionths."""
    whole = {team: np.rint(v * SCALE).astype(int) for team, v in values.items()}
    ranked = order({team: float(v.mean()) for team, v in values.items()})
    return [(whole[b] - whole[a]).tolist() for lower, higher in pairwise(ranked) for a in lower for b in higher]


def agreements(values: Mapping[str, Array], subsets: Sequence[Sequence[int]], pairs: Pairs) -> Array:
    """Of each subset of tasks, all of one size, the share of the pairs (less, more) that its means order so; a tie
    counts half. Without a pair there is no share."""
    if not pairs:
        return np.zeros(0)
    chosen = np.asarray(subsets)
    means = {team: v[chosen].mean(axis=1) for team, v in values.items()}
    right = [ordered(means[less], means[more]) for less, more in pairs]
    return np.asarray(np.mean(right, axis=0))


def ordered(less: Array, more: Array) -> Array:
    """1 where less is below more, ½ where they tie, else 0."""
    return np.where(np.isclose(less, more, rtol=TIE, atol=TIE), 0.5, (less < more).astype(float))


def random_subsets(tasks: int, size: int, draws: int, names: tuple[str, ...]) -> list[list[int]]:
    """Sets of tasks drawn without replacement; `names` names the stream."""
    rng = stream("sub-suites", *names, str(size))
    return [rng.permutation(tasks)[:size].tolist() for _ in range(draws)]
