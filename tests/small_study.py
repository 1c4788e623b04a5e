"""The study in small: tables and results of a few teams on six of the paper's tasks, in all three conditions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from pipeline.reports.batch.own_study import derive_study
from sim.game.game import Limits
from sim.runs.runner import jobs_for, play_chunk
from sim.runs.teams import Team, named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_blocked_task, make_task, write_tasks
from sim.tasks.task import Task
from tests.imports import ROOT

TASKS = (15, 16, 20, 48, 52, 56)  # an easy, a medium and a hard one of each setting, at one density
PROTOCOLS, STYLES = ("imap", "sd"), ("exact", "blunt", "chatty")


def games(folder: Path, tasks: list[Task], teams: list[Team], adversary: int | None = None) -> None:
    play_chunk(jobs_for(tasks, teams, Limits(max_turns_per_round=6), 1, folder, adversary))


@contextmanager
def in_the_project() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        yield patch


def made_once(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of that name in another, which whoever comes first makes and others wait for."""
    with open(folder / f"{name}.lock", "w") as lock:
        flock(lock, LOCK_EX)
        if not (folder / name).is_dir():
            make(folder / f"{name}.draft")
            (folder / f"{name}.draft").rename(folder / name)
    return folder / name


def make(folder: Path) -> None:
    listed = read_list(ROOT / "data/suites/paper72.csv")
    standard, blocked = ([of(listed[i]) for i in TASKS] for of in (make_task, make_blocked_task))
    speakers = [named_teams()[name] for name in STYLES]
    teams = [*(named_teams()[name] for name in PROTOCOLS), *speakers]
    games(folder / "in/standard", standard, teams)
    games(folder / "in/blocked", blocked, teams)
    games(folder / "in/adversarial", standard, speakers, adversary=0)
    write_tasks(blocked, folder / "blocked.jsonl")
    with in_the_project():
        assert not derive_study([folder / "in"], folder, lambda done, total: None).failed
