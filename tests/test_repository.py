"""What a repository's visitors meet: the same checks, environment and citation everywhere, each said in one place."""

import os
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.imports import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
CALLING = (".ci/run", ".devcontainer/Dockerfile", ".devcontainer/devcontainer.json")


@pytest.mark.parametrize("file", CALLING)
def test_what_is_made_elsewhere_can_be_made(file: str) -> None:
    called = re.findall(r"\bmake ([a-z-]+)", (ROOT / file).read_text(encoding="utf-8"))
    assert called and set(called) <= TARGETS


def test_the_workflow_runs_what_runs_before_a_change_lands() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step and "if" not in step]
    assert runs == [".ci/run"]


@pytest.mark.parametrize(
    ("file", "pattern"),
    (
        (".github/workflows/check.yml", r'python-version: "([\d.]+)"'),
        (".devcontainer/Dockerfile", r"FROM python:([\d.]+)-"),
        ("Makefile", r"command -v python(3\.\d+)"),
        ("Makefile", r"--python-version ([\d.]+)"),
        ("README.md", r"Python (3[\d.]+\d)"),
    ),
)
def test_every_place_means_the_python_that_the_lock_is_for(file: str, pattern: str) -> None:
    lowest = str(PROJECT["requires-python"]).removeprefix(">=").partition(",")[0]
    assert re.findall(pattern, (ROOT / file).read_text(encoding="utf-8")) == [lowest]


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (PROJECT["version"], PROJECT["license"])


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., tuple[int, str, list[list[str]]]]:
    """Runs a target in place of whose Python stands a program that notes what it is given. Returns the exit code, what
    is printed, and the words of each call."""
    ready, calls = tmp_path / "venv/.ready", tmp_path / "calls"
    ready.parent.mkdir()
    ready.touch()
    program = tmp_path / "bin/python"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '%s|' \"$@\" >> {calls}\necho >> {calls}\n")
    program.chmod(0o755)

    def made(*words: str) -> tuple[int, str, list[list[str]]]:
        calls.write_text("")
        env = os.environ | {"MAKEFLAGS": "", "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
        asked = ["make", "-C", str(ROOT), f"VENV={ready.parent}", *words]
        done = subprocess.run(asked, env=env, capture_output=True, text=True)
        lines = calls.read_text().splitlines()
        return done.returncode, done.stdout + done.stderr, [line.split("|")[:-1] for line in lines]

    return made


@pytest.mark.parametrize("target", ["site", "report", "figures"])
def test_folders_with_blanks_in_their_names_are_one_word_each(target: str, make: Any, tmp_path: Path) -> None:
    read = [] if target == "figures" else [f"{tmp_path}/my traces"]
    code, _, calls = make(target, "TRACES=~/my traces", "OUT=it's mine")
    assert (code, calls) == (0, [["-m", "pipeline", target, *read, "--out", "it's mine"]])
    usual = {"site": "site", "report": "reports", "figures": "print"}[target]
    assert make(target)[2] == [["-m", "pipeline", target, "--out", usual]]
