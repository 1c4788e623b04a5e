"""Tasks and repeats that a difference needs: for groups of teams, and for each pair as it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from pipeline.beyond.power_analysis.components import components, difference_variance, pair, stacked
from pipeline.beyond.power_analysis.power import Aim, power_of, tasks_needed
from pipeline.beyond.power_analysis.simulate import Study, simulated_power
from pipeline.beyond.power_analysis.values import Scores

Row = dict[str, Any]


@dataclass(frozen=True)
class Checking:
    """How powers are simulated: the studies of each, and the tasks beyond which none is."""

    draws: int
    most_tasks: int


def component_row(scores: Scores, teams: str) -> Row:
    """The variance components of a group of teams."""
    values = stacked(scores)
    found = components(values)
    named = {name: getattr(found, name) for name in ("team", "task", "interaction", "repeat")}
    return {"teams": teams, "number": values.shape[0], "tasks": values.shape[1], "repeats": values.shape[2]} | {
        f"var_{name}": value for name, value in named.items()
    }


def power_rows(
    scores: Scores, teams: str, differences: Sequence[float], repeats: Sequence[int], test: Aim, checking: Checking
) -> Iterator[Row]:
    """One row a difference and number of repeats: tasks that tell two teams of the group apart, and their check."""
    found = components(stacked(scores))
    # Who plays a task the same way each time gains nothing by repeats.
    for count in repeats if found.repeat else repeats[:1]:
        for difference in differences:
            tasks = tasks_needed(difference, sqrt(difference_variance(found, count)), test)
            known = tasks is not None and tasks <= checking.most_tasks and count <= most_repeats(scores)
            study = Study(tasks or 0, count, test.alpha)
            powers = [shifted_power(scores, a, b, study, difference, checking) for a, b in scores.pairs if known]
            yield {
                "teams": teams,
                "difference": difference,
                "repeats": count,
                "tasks": tasks,
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
    """One row a pair of teams: the difference that they have, and what it takes to find it."""
    for a, b in scores.pairs:
        found = pair(scores.values[a], scores.values[b])
        known = found.difference != 0
        once, often = (sqrt(found.variance(count)) for count in (1, repeats))
        needed = tasks_needed(found.difference, once, test) if known else None
        now = len(scores.tasks)
        yield {
            "a": a,
            "b": b,
            "difference": found.difference,
            "var_interaction": found.interaction,
            "var_repeat": found.repeat,
            "tasks": needed,
            "tasks_with_repeats": tasks_needed(found.difference, often, test) if known else None,
            "power_now": power_of(found.difference, once, now, test.alpha),
            "simulated_now": checked(scores, a, b, now, test, checking),
            "simulated_power": checked(scores, a, b, needed, test, checking),
        }


def checked(scores: Scores, a: str, b: str, tasks: int | None, test: Aim, checking: Checking) -> float | None:
    """The simulated power of a study of two teams as they are, one game a task; None where there are too many tasks."""
    if tasks is None or tasks > checking.most_tasks:
        return None
    names = (scores.setting, scores.measure, a, b)
    return simulated_power(scores.values[a], scores.values[b], Study(tasks, 1, test.alpha), checking.draws, names)
