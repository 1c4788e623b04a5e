"""Task lists for the auditor's tests, and games of the paper's first task."""

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from audit_bases import Raw, raw_of

from pipeline.tables.paths import PAPER_SUITE
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.scenario import generate
from sim.tasks.suite import assemble, blocked, eligible_slots, make_blocked_task, make_task
from sim.tasks.task import Task

COLUMNS = ("setting", "task_id", "seed", "num_agents", "num_participants", "density", "difficulty")


def write_suite(path: Path, games: Iterable[Raw], **changes: Any) -> Path:
    """A list of these games' tasks."""
    rows = [{c: raw["config"][c] for c in COLUMNS} | known_of(raw) | changes for raw in games]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def known_of(raw: Raw) -> dict[str, Any]:
    scenario = raw["config"]["scenario"]
    return {"calendars_sha256": scenario["calendars_sha256"], "optimal_cost": scenario["optimal"]["cost"]}


def own_suite(folder: Path, *bases: str) -> Path:
    """A list of the tasks of the tests' games."""
    return write_suite(folder / "own.csv", map(raw_of, bases))


def misblocked() -> Task:
    """The first task's blocked form, with the right number of other errands blocked."""
    entry = read_list(PAPER_SUITE)[0]
    scenario = generate(entry.parameters)
    slots = [eligible_slots(scenario, agent)[-2:] for agent in range(5)]
    named = msgspec.structs.replace(entry, task_id=f"{entry.task_id}_blocked2")
    calendars = blocked(scenario.calendars, slots)
    return assemble(named, "blocked", msgspec.structs.replace(scenario, calendars=calendars))


TASKS: dict[str, Callable[[], Task]] = {
    "standard": lambda: make_task(read_list(PAPER_SUITE)[0]),
    "blocked": lambda: make_blocked_task(read_list(PAPER_SUITE)[0]),
    "misblocked": misblocked,
}


@cache
def paper_text(form: str) -> bytes:
    """A game of the paper's first task."""
    return encoded(play_game(Play(TASKS[form](), named_teams()["imap"])))


def paper_game(form: str) -> Raw:
    """The same as plain JSON, for a test to change."""
    raw: Raw = msgspec.json.decode(paper_text(form))
    return raw
