"""The lists of tasks that games are held against."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from machine.files import of_project


class SuiteError(ValueError):
    """A task list cannot be read: which, where, and what to do."""


class ListedTask(NamedTuple):
    """A task as a list has it; None where the list does not say."""

    suite: str
    task_id: str
    setting: str
    seed: int
    num_agents: int
    density: float
    num_participants: int | None
    difficulty: str | None
    optimal_cost: int | None
    greedy_cost: int | None
    witness_cost: int | None
    digest: str | None
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
        raise SuiteError(
            f"{path} can't be read as a task list ({reason}); name a CSV as data/suites has them"
        ) from None
    if not tasks:
        raise SuiteError(f"{path} holds no task; give it a header and a line for each task")
    return tasks


def read_row(row: Mapping[str, str | None], path: Path, line: int) -> ListedTask:
    """One line of a list."""

    def needed(column: str) -> str:
        value = row.get(column)
        if not value:
            raise SuiteError(
                f"{path}, line {line}: no {column}; a task needs task_id, setting, seed, num_agents, density"
            )
        return value

    def whole(column: str) -> int | None:
        return int(value) if (value := row.get(column)) else None

    try:
        return ListedTask(
            path.name,
            needed("task_id"),
            needed("setting"),
            int(needed("seed")),
            int(needed("num_agents")),
            float(needed("density")),
            whole("num_participants"),
            row.get("difficulty") or None,
            whole("optimal_cost"),
            whole("greedy_cost"),
            whole("witness_cost"),
            row.get("calendars_sha256") or None,
            whole("blocked_errands"),
        )
    except SuiteError:
        raise
    except ValueError as error:
        raise SuiteError(f"{path}, line {line}: {error}; give a number") from None
