"""Games and tables that go to a real S3 server on this machine: what its tests share."""

from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from machine.manifests import MANIFEST_SUFFIX
from machine.stores import file_system, list_files, open_file
from pipeline import __main__ as pipeline_command
from sim import __main__ as sim_command
from sim.game.game import Limits
from sim.runs.runner import jobs_for
from sim.runs.teams import load_team
from tests.sim.worlds import tiny_task

TASKS = [tiny_task(seed) for seed in range(6)]
TEAMS = ("imap", "sd")


def jobs(place: Path | str, tasks: list[Any] = TASKS) -> list[Any]:
    return jobs_for(tasks, [load_team(name) for name in TEAMS], Limits(), 1, place)


def run(here: Path, out: str, *more: str) -> Any:
    teams = [word for team in TEAMS for word in ("--team", team)]
    words = ["run", str(here / "tasks.jsonl"), *teams, "--out", out, "--workers", "1", *more]
    return CliRunner().invoke(sim_command.app, words)


def derive(*words: str) -> Any:
    return CliRunner().invoke(pipeline_command.app, ["derive", *words, "--workers", "1"])


def contents(place: Path | str) -> dict[str, bytes]:
    """Each file's path in the folder, and its bytes; without manifests."""
    if isinstance(place, Path):
        files = (p for p in place.rglob("*") if p.is_file() and not p.name.endswith(MANIFEST_SUFFIX))
        return {p.relative_to(place).as_posix(): p.read_bytes() for p in files}
    try:
        return {
            url.removeprefix(f"{place}/"): open_file(url).read()
            for url, _ in list_files(place)
            if not url.endswith(MANIFEST_SUFFIX)
        }
    except FileNotFoundError:
        return {}


def send(data: dict[str, bytes], place: str) -> None:
    for name, content in data.items():
        system, path = file_system(f"{place}/{name}")
        system.pipe_file(path, content)
