"""The commands that faults are injected into, each on inputs as small as can be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from machine.manifests import visible_files
from machine.output import write_manifest
from pipeline.reports import reference_study
from pipeline.reports.documents import build
from pipeline.reports.documents.markdown import PART
from tests import kills
from tests.imports import ROOT
from tests.sim.stub import stub

# What `docs` reads or writes of the project, from the folder that it stands in.
PROJECT = ("README.md", "docs", "data", "dvc.yaml", "params.yaml", "figures", "notebooks", "sim", "pipeline")
GIVEN = "given"
# What a command's own process serves until it ends.
SERVED = ExitStack()


class Command(NamedTuple):
    """A command: how its inputs are made in a folder, its words there, which are asked for in the process that runs it,
    and the exit code that says what it makes of an input that cannot be read. What is prepared in GIVEN stands in the
    folder of its output before it runs. `again` says that it writes over what an earlier run wrote."""

    prepare: Callable[[Path], None]
    words: Callable[[Path, Path], list[str]]
    verdict: int | None = None
    again: bool = True


def few_tasks(folder: Path) -> None:
    kills.write_tasks([kills.tiny_task(seed) for seed in range(3)], folder / "tasks.jsonl")


def one_task(folder: Path) -> None:
    header, row, *_ = (ROOT / "data" / "suites" / "paper72.csv").read_text(encoding="utf-8").splitlines()
    (folder / "list.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")


def select(folder: Path, out: Path) -> list[str]:
    cell = ["--shape", "2x2", "--density", "0.6", "--candidates", "3", "--per-third", "1"]
    return ["sim", "select", "--setting", "varied", *cell, "--workers", "2", "--out", f"{out}/list.csv"]


def listed(folder: Path) -> None:
    """Traces and tables, as a run and `derive` list them."""
    kills.tables(folder, games=2)
    write_manifest(folder / "traces", "run", visible_files(folder / "traces"), {})


def verify(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "verify", str(folder)]


def stale_documents(folder: Path) -> None:
    """The project's documents with nothing in their built parts, beside links to all that these are built from."""
    given = folder / GIVEN
    (given / "data").mkdir(parents=True)
    for name in PROJECT:
        for path in (ROOT / name).iterdir() if name == "data" else [ROOT / name]:
            (given / path.relative_to(ROOT)).symlink_to(path)
    for document in sorted({part.document for part in build.PARTS}, key=len):
        own_folder = (given / document).parent
        if own_folder.is_symlink():
            own_folder.unlink()
            shutil.copytree(ROOT / document.split("/")[0], own_folder)
        (given / document).unlink()
        text = (ROOT / document).read_text(encoding="utf-8")
        (given / document).write_text(PART.sub(r"\1\3", text), encoding="utf-8")


def docs(folder: Path, out: Path) -> list[str]:
    os.chdir(out)
    return ["pipeline", "docs"]


def ship(folder: Path, out: Path) -> list[str]:
    for name in ("REFERENCE", "REFERENCE_BEYOND"):
        setattr(reference_study, name, out / f"{name}.json")
    reference_study.ROOT = out
    return ["pipeline", "ship", "--tables", f"{folder}/tables"]


def export(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "export", f"{out}/dataset", "--tables", f"{folder}/tables", "--license", f"{ROOT}/LICENSE"]


def judge(folder: Path, out: Path) -> list[str]:
    """The stub serves from a thread of the command's own process, and ends with it."""
    served = SERVED.enter_context(stub(style="judge"))
    asked = ["--model", "openai/simulated-judge", "--api-base", served.address]
    return ["pipeline", "judge", f"{folder}/tables", *asked, "--sample", "3", "--out", str(out)]


def row(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "row", f"{folder}/traces", "--workers", "2"]


def figures(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "figures", "20_privacy_plane", *study(folder), "--out", str(out)]


def report(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "report", *study(folder), "--team", "imap", "--out", str(out), "--workers", "1"]


def report_of_traces(folder: Path, out: Path) -> list[str]:
    return ["pipeline", "report", f"{folder}/traces", "--team", "imap", "--out", str(out), "--workers", "1"]


def study(folder: Path) -> list[str]:
    return ["--tables", f"{folder}/tables", "--results", f"{folder}/results"]


COMMANDS = {
    "select": Command(lambda folder: None, select),
    "suite": Command(one_task, kills.suite),
    "run": Command(few_tasks, kills.sim_run),
    "derive": Command(partial(kills.traces, games=2), kills.derive, 3),
    "audit": Command(partial(kills.traces, games=2), kills.audit, 1),
    "database": Command(partial(kills.tables, games=2), kills.database),
    "verify": Command(listed, verify, 1),
    "export": Command(partial(kills.tables, games=1), export, again=False),
    "judge": Command(partial(kills.tables, games=1, teams=("candid",)), judge),
    "ship": Command(partial(kills.tables, games=1), ship),
    "docs": Command(stale_documents, docs),
    "site": Command(partial(kills.traces, games=1), kills.site, 3),
    "row": Command(partial(kills.traces, games=1), row, 3),
    "figures": Command(kills.results, figures, 3),
    "report": Command(kills.results, report, 3),
    "report-of-traces": Command(partial(kills.traces, games=3), report_of_traces, 3),
}
UNSTABLE = ("database",)
