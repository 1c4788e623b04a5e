"""Choosing a suite: candidates of each cell, ranked by difficulty, a few from each third (paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from sim.tasks.lists import joined
from sim.tasks.scenario import Parameters
from sim.tasks.suite import VARIED_COSTS, Entry, Task, make_task

DIFFICULTIES = ("easy", "medium", "hard")
SHAPES = ((2, 2), (5, 3), (5, 5))
DENSITIES = (0.6, 0.8, 1.0)
SEED_BASES = {"uniform": 320000, "varied": 420000}
CELL_STEP = 1000


class Cell(Struct, frozen=True):
    """One configuration of a suite: its number, its shape (agents, participants) and its density."""

    number: int
    num_agents: int
    num_participants: int
    density: float


def cells(shapes: Sequence[tuple[int, int]] = SHAPES, densities: Sequence[float] = DENSITIES) -> list[Cell]:
    """The cells in order: every shape at every density, numbered from 0."""
    pairs = [(shape, density) for shape in shapes for density in densities]
    return [Cell(number, *shape, density) for number, (shape, density) in enumerate(pairs)]


def candidates(cell: Cell, setting: str, seed_base: int, number: int) -> Iterator[Entry]:
    """The entries that a cell chooses from; their names and difficulties come with the choice."""
    values = VARIED_COSTS if setting == "varied" else None
    for i in range(number):
        parameters = Parameters(
            seed=seed_base + CELL_STEP * cell.number + i,
            num_agents=cell.num_agents,
            num_participants=cell.num_participants,
            density=cell.density,
            errand_cost_values=values,
        )
        yield Entry(task_id=f"candidate_{parameters.seed}", setting=setting, difficulty="", parameters=parameters)


def rank(task: Task) -> tuple[float, int, int]:
    """What candidates are ranked by: difficulty, errands that the optimum displaces, seed."""
    return (task.difficulty_score, task.displaced_errands, task.seed)


def choose(tasks: Sequence[Task], per_third: int) -> list[tuple[str, Task]]:
    """The first `per_third` of each third of the ranked candidates, with their difficulty."""
    ranked = sorted(tasks, key=rank)
    thirds = (0, len(ranked) // 3, 2 * len(ranked) // 3)
    return [(d, task) for d, start in zip(DIFFICULTIES, thirds, strict=True) for task in ranked[start:][:per_third]]


def chosen_row(cell: Cell, position: int, per_third: int, difficulty: str, task: Task) -> dict[str, Any]:
    """The line of a task list for the cell's chosen task at `position`, from 0."""
    running = cell.number * per_third * len(DIFFICULTIES) + position + 1
    values = task.parameters.errand_cost_values
    name = (
        f"b{running:03}_{difficulty}_{cell.num_agents}a_{cell.num_participants}p_"
        f"d{str(cell.density).replace('.', 'p')}_c{len(values) if values else 1}_{position % per_third + 1}"
    )
    return {
        "setting": task.setting,
        "task_id": name,
        "seed": task.seed,
        "num_agents": task.num_agents,
        "num_participants": task.num_participants,
        "density": task.density,
        "difficulty": difficulty,
        "errand_cost_values": joined(values or ()),
        "difficulty_score": task.difficulty_score,
        "displaced_errands": task.displaced_errands,
        "optimal_cost": task.optimal.cost,
        "feasible_assignments": task.feasible_assignments,
        "optimal_assignments": task.optimal_assignments,
    }


def select_cell(cell: Cell, setting: str, seed_base: int, number: int, per_third: int) -> list[dict[str, Any]]:
    """The chosen tasks of one cell, as lines of a task list."""
    tasks = [make_task(entry) for entry in candidates(cell, setting, seed_base, number)]
    rows = enumerate(choose(tasks, per_third))
    return [chosen_row(cell, position, per_third, *chosen) for position, chosen in rows]
