"""Task lists: CSV files with one task a line, its name, seed and parameters."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from machine.files import write_whole
from sim.tasks.scenario import Parameters
from sim.tasks.suite import VARIED_COSTS, Entry, TaskError

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
    write_whole(path, [buffer.getvalue().encode()])


def joined(values: Iterable[Any]) -> str:
    """Values as a list's column holds several."""
    return ";".join(map(str, values))
