"""The study's stages declare what they depend on, are repeated where that changed, and take every parameter."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.reports.documents.stages import stages as graph_of_stages
from tests.imports import ROOT, closure, module_file

DVC_FILES = (ROOT / "dvc.yaml", ROOT / "notebooks/beyond/dvc.yaml")
FILES: list[dict[str, Any]] = [yaml.load(path.read_bytes(), yaml.CSafeLoader)["stages"] for path in DVC_FILES]
STUDY: dict[str, Any] = {name: stage for stages in FILES for name, stage in stages.items()}
NOTEBOOKS = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob("[0-9]*.ipynb")}
RESULTS = Path("data/results")
# What a command runs; and the programs that start another one.
RUN = re.compile(r"python -m ([\w.]+)")
STARTS = {"pipeline.beyond.strategy.play": "sim"}


def programs(stage: dict[str, Any]) -> set[str]:
    """The programs of ours that a stage runs, by what follows `python -m`."""
    named = set(RUN.findall(str(stage["cmd"])))
    return named | {STARTS[name] for name in named & STARTS.keys()}


def executed(stage: dict[str, Any]) -> set[str]:
    """The notebooks that a stage executes, one for each name of its matrix."""
    listed = [dep for dep in stage["deps"] if dep.endswith(".ipynb") and "${item.name}" in dep]
    return {dep.replace("${item.name}", name) for dep in listed for name in stage["matrix"]["name"]}


def is_covered(path: Path, deps: list[str]) -> bool:
    """Whether a file of code, or a folder that it lies in, is among a stage's dependencies."""
    relative = path.relative_to(ROOT)
    return bool({str(relative), *map(str, relative.parents)} & set(deps))


@pytest.mark.parametrize("name", STUDY)
def test_every_stage_depends_on_all_the_code_that_it_runs(name: str) -> None:
    """The simulation's folder counts as a whole; so does what `parameters` imports, which only names what is known."""
    started = [file for program in programs(STUDY[name]) for file in files_of(program)]
    needed = {
        path for file in started + [ROOT / notebook for notebook in executed(STUDY[name])] for path in closure(file)
    }
    code = {path for path in needed if path.suffix == ".py" and path.name != "__init__.py"}
    assert code
    if name != "parameters":
        assert sorted(str(path) for path in code if not is_covered(path, STUDY[name]["deps"])) == []


def files_of(program: str) -> list[Path]:
    """What `python -m` starts, of a package its __main__."""
    return [file for name in (program, f"{program}.__main__") if (file := module_file(name))]


@pytest.mark.parametrize("name", ("suite", "simulate", "negotiate", "probe", "ingest", "beliefs", "speech"))
def test_no_game_and_no_table_depends_on_a_plot_a_page_or_a_notebook(name: str) -> None:
    assert not [dep for dep in STUDY[name]["deps"] if dep.startswith(("pipeline/reports", "notebooks", "figures"))]


def test_every_notebook_is_executed_by_a_study() -> None:
    assert {path for stage in STUDY.values() for path in executed(stage)} == NOTEBOOKS


def digest(path: str, made: dict[str, str]) -> str | None:
    """What a lock calls a file or folder that stages make, by path → digest of all such; None where none does.

    A folder's is that of its files' digests and paths, as DVC lists them.
    """
    within = [{"md5": md5, "relpath": file.removeprefix(f"{path}/")} for file, md5 in sorted(made.items())]
    within = [file for file in within if f"{path}/{file['relpath']}" in made]
    return made.get(path) or (f"{hashlib.md5(json.dumps(within).encode()).hexdigest()}.dir" if within else None)


@pytest.mark.slow
def test_the_locks_are_of_the_stages_as_they_are_and_each_read_what_another_made() -> None:
    """Else a stage's results are of tables that its study made anew since."""
    locked: dict[str, Any] = {}
    for path in DVC_FILES:
        locked |= yaml.load(path.with_suffix(".lock").read_bytes(), yaml.CSafeLoader)["stages"]
    assert {name.partition("@")[0] for name in locked} == STUDY.keys()
    assert not [name for name in locked if ("@" in name) != ("matrix" in STUDY[name.partition("@")[0]])]
    made = {out["path"]: out["md5"] for stage in locked.values() for out in stage["outs"]}
    told = [(name, dep["path"], dep["md5"]) for name, stage in locked.items() for dep in stage.get("deps", ())]
    assert [(name, path) for name, path, md5 in told if digest(path, made) not in (None, md5)] == []


def test_the_graph_of_the_study_leads_from_each_stage_to_those_that_read_what_it_makes() -> None:
    graph = graph_of_stages()
    assert all(re.search(rf"^  {name}\[", graph, re.MULTILINE) for name in FILES[0].keys() - {"parameters"})
    assert "  simulate --> ingest\n" in graph
    assert "  suite --> ingest\n" not in graph  # simulate lies between
