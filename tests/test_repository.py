"""What a repository's visitors meet: the same checks, environment and citation everywhere, each said in one place."""

import json
import re
import tomllib
from typing import Any

import pytest
import yaml

from tests.imports import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
CALLING = (".ci/run", ".github/workflows/check.yml", ".devcontainer/Dockerfile", ".devcontainer/devcontainer.json")


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


def test_the_dev_container_is_made_of_what_is_there() -> None:
    folder = ROOT / ".devcontainer"
    build = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))["build"]
    assert f" AS {build['target']}\n" in (folder / build["dockerfile"]).read_text(encoding="utf-8")
    assert (folder / build["context"]).resolve() == ROOT


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (PROJECT["version"], PROJECT["license"])
