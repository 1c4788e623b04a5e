"""How hard a task is, by a named scorer, and which third of its cell it falls into (paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from sim.calendar import Calendar
from sim.tasks.oracle import count
from sim.tasks.suite import TaskError
from sim.tasks.task import Task

DIFFICULTIES = ("easy", "medium", "hard")


def optimum_share(task: Task) -> float:
    """The paper's: the optimum per participant-slot to fill, in cost units."""
    return task.difficulty_score


def infeasible_share(task: Task) -> float:
    """The share of all assignments without a clash that calendars rule out, from 0 to 1: 0 where every slot can be
    cleared, as on every task without blocked errands.

    Raises TaskError where they are too many to count, or meetings last longer than a slot.
    """
    if task.feasible_assignments is None:
        raise TaskError(f"the assignments of task {task.task_id} can't be counted; take the scorer `paper`")
    free = [Calendar([None] * task.num_slots)] * task.num_agents
    return 1 - task.feasible_assignments / count(free, task.meetings).feasible


# What a difficulty can be ranked by: from least to most difficult.
SCORERS: Mapping[str, Callable[[Task], float]] = {"paper": optimum_share, "feasible": infeasible_share}


def ranked(tasks: Iterable[Task], scorer: str = "paper") -> list[Task]:
    """The tasks by score, then errands that the optimum displaces, then seed."""
    score = SCORERS[scorer]
    return sorted(tasks, key=lambda task: (score(task), task.displaced_errands, task.seed))


def thirds(number: int) -> tuple[int, int, int]:
    """The ranks at which the thirds of so many tasks begin."""
    return (0, number // 3, 2 * number // 3)


def cell_of(task: Task) -> tuple[Any, ...]:
    """What the tasks share among which a difficulty is ranked."""
    p = task.parameters
    size = (task.num_agents, task.num_participants, task.num_meetings, task.num_slots)
    return (task.setting, *size, task.density, p.errand_cost_values, p.errand_cost_level or p.pref_level)


def graded(tasks: Sequence[Task], scorer: str = "paper") -> list[Task]:
    """The tasks, in their order, each with the difficulty of its own third among those of its cell.

    Where a cell has fewer than three, they keep what they are called.
    """
    grades: dict[str, str] = {}
    for cell in dict.fromkeys(map(cell_of, tasks)):
        in_cell = ranked((t for t in tasks if cell_of(t) == cell), scorer)
        if len(in_cell) < len(DIFFICULTIES):
            continue
        _, medium, hard = thirds(len(in_cell))
        grades |= {t.task_id: DIFFICULTIES[(rank >= medium) + (rank >= hard)] for rank, t in enumerate(in_cell)}
    return [msgspec.structs.replace(t, difficulty=grades.get(t.task_id, t.difficulty)) for t in tasks]


def moved_thirds(tasks: Sequence[Task], scorer: str = "paper") -> int:
    """How many tasks that are called easy, medium or hard lie in another third of their cell."""
    called = [t for t in tasks if t.difficulty in DIFFICULTIES]
    return sum(own.difficulty != t.difficulty for own, t in zip(graded(called, scorer), called, strict=True))
