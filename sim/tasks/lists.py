"""Lists of tasks: read, written, and selected from candidates by difficulty."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from machine.output import write_atomically
from sim.tasks.scenario import Parameters, draw_participants
from sim.tasks.suite import VARIED_COSTS, Entry, TaskError, checked, make_task, name_problem
from sim.tasks.task import Task

REQUIRED = ("setting", "task_id", "seed", "num_agents", "num_participants", "density", "difficulty")
SETTINGS = ("uniform", "varied")
DIFFICULTIES = ("easy", "medium", "hard")


def numbers(kind: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    """A reader of values that are joined by semicolons."""
    return lambda text: tuple(kind(part) for part in text.split(";"))


def agents_of(text: str) -> tuple[int, ...]:
    """Agents that are joined by spaces or commas."""
    return tuple(map(int, text.replace(",", " ").split()))


def truth(text: str) -> bool:
    """Whether the text says true or false."""
    return {"true": True, "false": False}[text.strip().lower()]


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
    "participant_lists": numbers(agents_of),
    "force_witness_errand": truth,
    "duration": int,
    "prior_meetings": int,
    "blocked_errands": int,
}
# What a column notes of the task that comes out; nothing is made from it.
NOTES = (
    "difficulty_score",
    "displaced_errands",
    "optimal_cost",
    "greedy_cost",
    "witness_cost",
    "feasible_assignments",
    "optimal_assignments",
    "participants",
    "witness_slots",
    "calendars_sha256",
    "comment",
)
KNOWN = tuple(dict.fromkeys((*REQUIRED, *COLUMNS, *NOTES)))
# How a value is written that is no plain number.
WRITTEN = {
    "errand_cost_values": "whole numbers like 1;100;1000",
    "agent_densities": "numbers like 0.6;0.8;1.0",
    "participant_lists": "agents like 0 1 2;0 3 4, one list a meeting",
    "force_witness_errand": "true or false",
    "density": "a number",
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
    if problem := column_problem(reader.fieldnames or ()):
        raise TaskError(f"{path}: {problem}")
    entries = [read_entry(row, f"{path}, line {number}") for number, row in rows]
    names = [e.task_id for e in entries]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise TaskError(f"{path}: the task_id {twice} comes twice; give each task a name of its own")
    return entries


def column_problem(names: Sequence[str]) -> str | None:
    """What is wrong with the header of a list, with the nearest known name of an unknown column; None if nothing."""
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        return f"the column {twice} comes twice; keep one"
    unknown = next((n for n in names if n not in KNOWN), None)
    if unknown is None:
        return None
    if near := get_close_matches(unknown, KNOWN, 1, 0.5):
        return f"there is no column {unknown!r}; did you mean {near[0]}?"
    return (
        f"there is no column {unknown!r}; leave it out, or write it into `comment`. A list may have {', '.join(KNOWN)}"
    )


def read_entry(row: Mapping[str, str], where: str) -> Entry:
    """The entry of one line of a list."""
    setting = row["setting"]
    if None in row:
        raise TaskError(f"{where}: has more values than the header names; quote a value that holds a comma")
    if setting not in SETTINGS:
        raise TaskError(f"{where}: the setting is {setting!r}; it must be one of {', '.join(SETTINGS)}")
    if problem := name_problem(row["task_id"] or ""):
        raise TaskError(f"{where}: {problem}")
    given = {column: read_value(row, column, where) for column in COLUMNS if row.get(column)}
    missing = next((c for c in REQUIRED if not row.get(c)), None)
    if missing:
        raise TaskError(f"{where}: {missing} is empty; every task needs one")
    if setting == "varied" and not {"errand_cost_values", "errand_cost_level", "pref_level"} & set(given):
        given["errand_cost_values"] = VARIED_COSTS
    parameters = Parameters(**given)
    if row.get("participants") and not parameters.participant_lists:
        check_noted_participants(parameters, row["participants"], where)
    return Entry(task_id=row["task_id"], setting=setting, difficulty=row["difficulty"], parameters=parameters)


def check_noted_participants(p: Parameters, noted: str, where: str) -> None:
    """Raise TaskError where a list notes other participants than the seed draws."""
    if not 1 <= p.num_participants <= p.num_agents:
        return  # no scenario comes of it, which is said by the rule that fails
    drawn = draw_participants(p.seed, p.num_agents, p.num_participants, p.num_meetings)
    listed = read_value({"participant_lists": noted}, "participant_lists", where)
    if [sorted(members) for members in listed] != [list(members) for members in drawn]:
        raise TaskError(f"{where}: participants notes others than the seed draws; `participant_lists` says who meets")


def read_value(row: Mapping[str, str], column: str, where: str) -> Any:
    """The value of a column, read as its kind."""
    try:
        return COLUMNS[column](row[column])
    except (ValueError, KeyError):
        wanted = WRITTEN.get(column, "a whole number")
        raise TaskError(f"{where}: {column} is {row[column]!r}; write {wanted}") from None


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


class Choice(Struct, frozen=True):
    """How a suite is chosen: from `number` candidates a cell, `per_third` of each third.

    `sizes` are the numbers that all candidates share beside their cell's, by column, and `costs` what errands cycle
    through where the setting is varied. Blocked errands are none of them: which they are follows from a task's name,
    and the name from its rank (`sim.tasks.lists.graded` ranks blocked tasks that have their names).
    """

    setting: str
    seed_base: int
    number: int = 100
    per_third: int = 4
    sizes: Mapping[str, Any] = {}
    costs: tuple[int, ...] = VARIED_COSTS


def cells(shapes: Sequence[tuple[int, int]] = SHAPES, densities: Sequence[float] = DENSITIES) -> list[Cell]:
    """The cells in order: every shape at every density, each once, numbered from 0."""
    pairs = [(shape, density) for shape in dict.fromkeys(shapes) for density in dict.fromkeys(densities)]
    return [Cell(number, *shape, density) for number, (shape, density) in enumerate(pairs)]


def candidates(cell: Cell, choice: Choice) -> Iterator[Entry]:
    """The entries that a cell chooses from; their names and difficulties come with the choice."""
    for i in range(choice.number):
        parameters = Parameters(
            seed=choice.seed_base + CELL_STEP * cell.number + i,
            num_agents=cell.num_agents,
            num_participants=cell.num_participants,
            density=cell.density,
            errand_cost_values=choice.costs if choice.setting == "varied" else None,
            **choice.sizes,
        )
        name = f"candidate_{parameters.seed}"
        yield Entry(task_id=name, setting=choice.setting, difficulty="", parameters=parameters)


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


def choose(tasks: Sequence[Task], per_third: int) -> list[tuple[str, Task]]:
    """The first `per_third` of each third of the ranked candidates, with their difficulty."""
    in_order = ranked(tasks)
    starts = zip(DIFFICULTIES, thirds(len(in_order)), strict=True)
    return [(difficulty, task) for difficulty, start in starts for task in in_order[start:][:per_third]]


def chosen_row(cell: Cell, position: int, choice: Choice, difficulty: str, task: Task) -> dict[str, Any]:
    """The line of a task list for the cell's chosen task at `position`, from 0."""
    running = cell.number * choice.per_third * len(DIFFICULTIES) + position + 1
    values = task.parameters.errand_cost_values or ()
    name = (
        f"b{running:03}_{difficulty}_{cell.num_agents}a_{cell.num_participants}p_"
        f"d{str(cell.density).replace('.', 'p')}_c{len(values) or 1}_{position % choice.per_third + 1}"
    )
    return {
        "setting": task.setting,
        "task_id": name,
        "seed": task.seed,
        "num_agents": task.num_agents,
        "num_participants": task.num_participants,
        "density": task.density,
        "difficulty": difficulty,
        "errand_cost_values": joined(values),
        **choice.sizes,
        "difficulty_score": task.difficulty_score,
        "displaced_errands": task.displaced_errands,
        "optimal_cost": task.optimal.cost,
        "feasible_assignments": task.feasible_assignments,
        "optimal_assignments": task.optimal_assignments,
    }


def select_cell(cell: Cell, choice: Choice) -> list[dict[str, Any]]:
    """The chosen tasks of one cell, as lines of a task list. Raises TaskError where a candidate can't be made."""
    tasks = [checked(make_task, entry) for entry in candidates(cell, choice)]
    rows = enumerate(choose(tasks, choice.per_third))
    return [chosen_row(cell, position, choice, *chosen) for position, chosen in rows]
