"""Which third of its cell a task falls into by its difficulty (paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from sim.tasks.task import Task

DIFFICULTIES = ("easy", "medium", "hard")


def ranked(tasks: Iterable[Task]) -> list[Task]:
    """The tasks by difficulty score, then errands that the optimum displaces, then seed."""
    return sorted(tasks, key=lambda task: (task.difficulty_score, task.displaced_errands, task.seed))


def thirds(number: int) -> tuple[int, int, int]:
    """The ranks at which the thirds of so many tasks begin."""
    return (0, number // 3, 2 * number // 3)


def cell_of(task: Task) -> tuple[Any, ...]:
    """What the tasks share among which a difficulty is ranked."""
    p = task.parameters
    size = (task.num_agents, task.num_participants, task.num_meetings, task.num_slots)
    return (task.setting, *size, task.density, p.errand_cost_values, p.errand_cost_level or p.pref_level)


def graded(tasks: Sequence[Task]) -> list[Task]:
    """The tasks, in their order, each with the difficulty of its own third among those of its cell.

    Where a cell has fewer than three, they keep what they are called.
    """
    grades: dict[str, str] = {}
    for cell in dict.fromkeys(map(cell_of, tasks)):
        in_cell = ranked(t for t in tasks if cell_of(t) == cell)
        if len(in_cell) < len(DIFFICULTIES):
            continue
        _, medium, hard = thirds(len(in_cell))
        grades |= {t.task_id: DIFFICULTIES[(rank >= medium) + (rank >= hard)] for rank, t in enumerate(in_cell)}
    return [msgspec.structs.replace(t, difficulty=grades.get(t.task_id, t.difficulty)) for t in tasks]


def moved_thirds(tasks: Sequence[Task]) -> int:
    """How many tasks that are called easy, medium or hard lie in another third of their cell."""
    called = [t for t in tasks if t.difficulty in DIFFICULTIES]
    return sum(own.difficulty != t.difficulty for own, t in zip(graded(called), called, strict=True))
