"""Lists of tasks: read, written, and selected from candidates by difficulty."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from machine.files import write_atomically
from sim.tasks.scenario import Parameters
from sim.tasks.suite import VARIED_COSTS, Entry, Task, TaskError, make_task

REQUIRED = ("setting", "task_id", "seed", "num_agents", "num_participants", "density", "difficulty")
SETTINGS = ("uniform", "varied")


def numbers(kind: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """A reader of values that are joined by semicolons."""
    return lambda text: tuple(kind(part) for part in text.split(";"))


# What a column of a list says of the scenario, and how it is read.
COLUMNS: Mapping[str, Callable[[str], Any]] = {
    "seed": int,
    "num_agents": int,
    "num_participants": int,
    "density": float,
    "num_slots": int,
    "num_meetings": int,
    "pref_level": int,
    "errand_cost_level": int,
    "meeting_cost_level": int,
    "errand_cost_values": numbers(int),
    "agent_densities": numbers(float),
}


def read_list(path: Path) -> list[Entry]:
    """The entries of a task list. Raises TaskError, naming file, line and column, where one can't be read."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TaskError(f"{path}: can't be read as CSV ({error}); name a task list") from error
    if not rows:
        raise TaskError(f"{path}: holds no task; give it a header and a line for each task")
    missing = [c for c in REQUIRED if c not in rows[0][1]]
    if missing:
        raise TaskError(f"{path}: the column {missing[0]} is missing; a list has {', '.join(REQUIRED)}")
    entries = [read_entry(row, f"{path}, line {number}") for number, row in rows]
    names = [e.task_id for e in entries]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise TaskError(f"{path}: the task_id {twice} comes twice; give each task a name of its own")
    return entries


def read_entry(row: Mapping[str, str], where: str) -> Entry:
    """The entry of one line of a list."""
    setting = row["setting"]
    if setting not in SETTINGS:
        raise TaskError(f"{where}: the setting is {setting!r}; it must be one of {', '.join(SETTINGS)}")
    if not row["task_id"] or any(c in row["task_id"] for c in "/\\\0"):
        raise TaskError(f"{where}: the task_id {row['task_id']!r} can't name a file; use letters, digits and _")
    given = {column: read_value(row, column, where) for column in COLUMNS if row.get(column)}
    missing = next((c for c in REQUIRED if not row.get(c)), None)
    if missing:
        raise TaskError(f"{where}: {missing} is empty; every task needs one")
    if setting == "varied" and not {"errand_cost_values", "errand_cost_level", "pref_level"} & set(given):
        given["errand_cost_values"] = VARIED_COSTS
    parameters = Parameters(**given)
    return Entry(task_id=row["task_id"], setting=setting, difficulty=row["difficulty"], parameters=parameters)


def read_value(row: Mapping[str, str], column: str, where: str) -> Any:
    """The value of a column, read as its kind."""
    try:
        return COLUMNS[column](row[column])
    except ValueError:
        raise TaskError(f"{where}: {column} is {row[column]!r}, which is no number of its kind") from None


def write_list(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a task list; its columns are those of the first row."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, [buffer.getvalue().encode()])


def joined(values: Iterable[Any]) -> str:
    """Values as a list's column holds several."""
    return ";".join(map(str, values))


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
