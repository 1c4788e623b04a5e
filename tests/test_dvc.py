"""The study's stages declare what they depend on."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.imports import ROOT, closure, has_code, module_file
from tests.write_dependencies import STUDIES, notebooks

FILES: list[dict[str, Any]] = [yaml.safe_load(path.read_text(encoding="utf-8"))["stages"] for path in STUDIES]
STUDY: dict[str, Any] = {name: stage for stages in FILES for name, stage in stages.items()}


def commands(stage: dict[str, Any]) -> list[str]:
    return [stage["cmd"]] if isinstance(stage["cmd"], str) else stage["cmd"]


def modules(stage: dict[str, Any]) -> list[str]:
    """The modules of ours that a stage runs with python -m."""
    words = [command.split() for command in commands(stage)]
    named = [w[w.index("-m") + 1] for w in words if "-m" in w]
    return [f"{name}.__main__" if name in ("sim", "pipeline") else name for name in named]


def declared(stage: dict[str, Any], path: Path) -> bool:
    """Whether the path, or a folder that it lies in, is a dependency of the stage."""
    place = path.relative_to(ROOT)
    return any(str(p) in stage["deps"] for p in (place, *place.parents))


def undeclared(stage: dict[str, Any]) -> set[str]:
    needed = {f for m in modules(stage) if (file := module_file(m)) for f in closure(file)}
    needed |= {f for notebook in notebooks(stage) for f in closure(notebook) if f.suffix == ".py"}
    return {str(f.relative_to(ROOT)) for f in needed if has_code(f) and not declared(stage, f)}


@pytest.mark.parametrize("name", STUDY)
def test_every_module_that_a_stage_imports_is_a_dependency(name: str) -> None:
    assert modules(STUDY[name])
    assert undeclared(STUDY[name]) == set()


@pytest.mark.parametrize("name", STUDY)
def test_every_stage_says_what_it_does_in_a_full_sentence(name: str) -> None:
    sentence = STUDY[name]["desc"]
    assert sentence[0].isupper() or sentence.startswith("$")
    assert sentence.endswith(".")
    assert len(sentence.split()) > 5


def test_a_dependency_that_is_left_out_is_found() -> None:
    stage = STUDY["beliefs"] | {"deps": [d for d in STUDY["beliefs"]["deps"] if d != "pipeline/privacy/evidence.py"]}
    assert undeclared(stage) == {"pipeline/privacy/evidence.py"}


def test_every_notebook_is_executed_by_a_study() -> None:
    executed = {path for stage in STUDY.values() for path in notebooks(stage)}
    assert executed == set((ROOT / "notebooks").rglob("[0-9]*.ipynb"))


def test_no_stage_of_the_one_study_is_called_like_one_of_the_other() -> None:
    assert len(STUDY) == sum(map(len, FILES))


def test_the_paper_is_reproduced_in_at_most_forty_stages() -> None:
    assert sum(len(next(iter(s["matrix"].values()))) if "matrix" in s else 1 for s in FILES[0].values()) <= 40
