"""The commands that faults are injected into, each on inputs as small as can be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from machine.manifests import visible_files
from machine.output import write_manifest
from tests import kills
from tests.imports import ROOT


class Command(NamedTuple):
    """A command: how its inputs are made in a folder, its words there, which are asked for in the process that runs it,
    and the exit code that says what it makes of an input that cannot be read."""

    prepare: Callable[[Path], None]
    words: Callable[[Path, Path], list[str]]
    verdict: int | None = None


def few_tasks(folder: Path) -> None:
    kills.write_tasks([kills.tiny_task(seed) for seed in range(3)], folder / "tasks.jsonl")


def one_task(folder: Path) -> None:
    header, row, *_ = (ROOT / "data" / "suites" / "paper72.csv").read_text(encoding="utf-8").splitlines()
    (folder / "list.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")


def listed(folder: Path) -> None:
    """Traces and tables, as a run and `derive` list them."""
    kills.tables(folder, games=2)
    write_manifest(folder / "traces", "run", visible_files(folder / "traces"), {})


def verify(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "verify", str(folder)]


def export(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "export", f"{out}/dataset", "--tables", f"{folder}/tables", "--license", f"{ROOT}/LICENSE"]


def row(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "row", f"{folder}/traces", "--workers", "2"]


def report(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "report", *study(folder), "--team", "imap", "--out", str(out), "--workers", "1"]


def study(folder: Path) -> list[str]:
    return ["--tables", f"{folder}/tables", "--results", f"{folder}/results"]


COMMANDS = {
    "suite": Command(one_task, kills.suite),
    "run": Command(few_tasks, kills.sim_run),
    "derive": Command(partial(kills.traces, games=2), kills.derive, 3),
    "audit": Command(partial(kills.traces, games=2), kills.audit, 1),
    "database": Command(partial(kills.tables, games=2), kills.database),
    "verify": Command(listed, verify, 1),
    "export": Command(partial(kills.tables, games=1), export),
    "site": Command(partial(kills.traces, games=1), kills.site, 3),
    "row": Command(partial(kills.traces, games=1), row, 3),
    "report": Command(kills.results, report, 3),
}
UNSTABLE = ("database",)
