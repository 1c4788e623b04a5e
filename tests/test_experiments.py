"""`dvc exp run -S NAME=VALUE`: an experiment ends well whichever parameter it changes, and what changed is told."""

import csv
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.reports.reference_study import changed_parameters, named_values
from tests.imports import ROOT

PARAMS: dict[str, Any] = named_values(yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8")))
FEW, TASKS = "data/suites/few.csv", (0, 17, 35, 36, 53, 71)  # of the paper's list: easy, medium, hard in each setting
# What can't be changed by counting.
OTHERS = {
    "suite.list": FEW,
    "adversarial.adversary": 1,
    "vps.rules": "release",
    "vps.english": "literal",
    "mixed_effects.condition": "blocked",
    "robustness.condition": "blocked",
    "robustness.rules": ["release"],
    "vps.weight_form": "log",
    "lower": "higher",
    "higher": "lower",
}


def other(name: str, value: Any) -> Any:
    """Another value that the parameter may take."""
    if name in OTHERS:
        return OTHERS[name]
    if isinstance(value, str):
        shorter = value.startswith("[") and yaml.safe_load(value)[1:]
        return shorter or OTHERS.get(value, f"{value} again")
    if isinstance(value, int):
        return value // 20 if value >= 1000 else value // 2 + 2 * (value < 2)
    return round(0.6 * value + 0.01, 4)


def override(name: str, value: Any) -> str:
    """The argument of `-S` that gives a parameter its value."""
    return f"{name}={json.dumps(value)}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone of what is committed, with a list of a few of the paper's tasks."""
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "clone"], check=True)
    with (ROOT / PARAMS["suite.list"]).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    with (tmp_path / "clone" / FEW).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *(rows[i] for i in TASKS)])
    return tmp_path / "clone"


def ran(clone: Path, *command: str) -> str:
    """What a command in the clone says that must succeed."""
    who = {f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = os.environ | who | {"PYTHONPATH": str(clone)}
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def test_every_parameter_has_another_value() -> None:
    assert not [name for name, value in PARAMS.items() if other(name, value) == value]


def test_what_is_changed_of_the_parameters_is_told_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    assert changed_parameters() == []
    (tmp_path / "params.yaml").write_text(text.replace("  prior: 0.5 ", "  prior: 0.3 "), encoding="utf-8")
    monkeypatch.setattr("pipeline.reports.reference_study.PARAMS", tmp_path / "params.yaml")
    assert changed_parameters() == ["vps.prior is 0.3, not 0.5"]


@pytest.mark.slow
def test_an_experiment_that_changes_every_parameter_plays_and_derives_anew(clone: Path) -> None:
    changed = {name: other(name, value) for name, value in PARAMS.items()}
    before = (clone / "data/results/table1.csv").read_bytes()
    values = (word for item in changed.items() for word in ("-S", override(*item)))
    assert "Running stage 'results'" in ran(clone, "dvc", "exp", "run", "results", *values)
    now = named_values(yaml.safe_load((clone / "params.yaml").read_text(encoding="utf-8")))
    assert not [name for name, value in PARAMS.items() if now[name] == value]
    assert (clone / "data/results/table1.csv").read_bytes() != before
