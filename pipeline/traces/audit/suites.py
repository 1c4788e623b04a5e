"""The lists of tasks that games are held against."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from machine.files import of_project


class SuiteError(ValueError):
    """A task list cannot be read: which, where, and what to do."""


class ListedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task as a list has it; None where the list does not say."""

    suite: str
    task_id: str
    setting: str
    seed: int
    num_agents: int
    density: float
    num_participants: int | None = None
    difficulty: str | None = None
    optimal_cost: int | None = None
    greedy_cost: int | None = None
    witness_cost: int | None = None
    calendars_sha256: str | None = None
    blocked_errands: int | None = None


# By name, the tasks of that name: lists number their tasks alike, so several may have one.
Suites = Mapping[str, tuple[ListedTask, ...]]


def read_suites(paths: Iterable[Path]) -> Suites:
    """The tasks of the lists, looked for as `of_project` does. Raises SuiteError where one cannot be read."""
    tasks: dict[str, tuple[ListedTask, ...]] = {}
    for path in map(of_project, paths):
        for task in read_suite(path):
            tasks[task.task_id] = (*tasks.get(task.task_id, ()), task)
    return tasks


def read_suite(path: Path) -> list[ListedTask]:
    """The tasks of one list."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            names = reader.fieldnames or ()
            if len(set(names)) < len(names):
                raise SuiteError(f"{path} has a column twice; keep one")
            tasks = [read_row(row, path, reader.line_num) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise SuiteError(f"{path} can't be read as a task list ({reason}); name a CSV as in data/suites") from None
    if not tasks:
        raise SuiteError(f"{path} holds no task; give it a header and a line for each task")
    return tasks


def read_row(row: Mapping[str, str | None], path: Path, line: int) -> ListedTask:
    """One line of a list; an empty field says nothing."""
    try:
        given = {name: value for name, value in row.items() if value}
        return msgspec.convert(given | {"suite": path.name}, ListedTask, strict=False)
    except msgspec.ValidationError as error:
        needs = "a task needs task_id, setting, seed, num_agents and density, and numbers where they belong"
        raise SuiteError(f"{path}, line {line}: {error}; {needs}") from None
