"""The program `calbench`: both sides' commands under one name, also from the wheel alone, without a repository."""

import json
import os
import site
import subprocess
import sys
from pathlib import Path
from venv import create

import pytest
from typer.testing import CliRunner

from calbench import app
from pipeline.__main__ import app as pipeline
from sim.__main__ import app as sim
from tests.imports import ROOT

INVOKE = CliRunner().invoke


def names(program: object) -> set[str]:
    """The commands that a program's help lists."""
    lines = INVOKE(program, ["--help"]).stdout.partition("Commands:")[2].splitlines()  # type: ignore[arg-type]
    return {line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")}


def test_every_command_of_both_programs_is_there() -> None:
    assert names(app) >= names(sim) | names(pipeline) >= {"suite", "run", "derive", "report"}


def test_its_examples_call_it_by_its_own_name() -> None:
    for command in ("suite", "derive"):
        told = INVOKE(app, [command, "--help"]).stdout
        assert f"calbench {command} " in told and "python -m" not in told.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nosuch"], "No such command 'nosuch'"),
        (["suite", "s3://a/list.csv", "--out", "x"], "suite takes no URL"),
        (["site", "s3://a/tables"], "site takes no URL"),
    ],
)
def test_what_neither_side_takes_is_refused_in_a_line(arguments: list[str], problem: str) -> None:
    refused = INVOKE(app, arguments)
    assert refused.exit_code == 2 and problem in refused.output


def test_shells_complete_its_commands() -> None:
    words = {"_CALBENCH_COMPLETE": "complete_bash", "COMP_WORDS": "calbench le", "COMP_CWORD": "1"}
    assert INVOKE(app, [], prog_name="calbench", env=words).stdout.split() == ["ledger"]


@pytest.mark.slow
def test_the_wheel_alone_plays_derives_and_reports_in_an_empty_folder(small_study: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    calbench = installed(tmp_path)
    lines = (ROOT / "data/suites/paper72.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (empty / "list.csv").write_text("".join(lines[:2]), encoding="utf-8")
    (empty / "terms").write_text("CC BY 4.0\n", encoding="utf-8")
    said = [
        told(calbench, empty, *line.split())
        for line in (
            "suite list.csv --out tasks.jsonl",
            "run tasks.jsonl --team imap --team data/teams/local.yaml --dry-run --out traces",
            "run tasks.jsonl --team imap --team candid --out traces",
            "derive traces --out tables",
            "audit traces",
            f"report --tables {small_study}/tables --results {small_study}/results --team imap --out pages",
            "row tables --format json",
            "export dataset --tables tables --license terms",
            "sql FROM(games)SELECT(min(game_id)) tables --csv",
        )
    ]
    game = said[8].split()[-1]
    assert game in told(calbench, empty, "show", game, "tables", "--round", "0").split()
    assert "2 games to play" in said[1] and "0 errors" in said[4]
    assert "openai/simulated-negotiator" in said[1]  # the team's file is the wheel's
    (table,) = json.loads(said[6])
    assert {"candid (simulated)", "imap", "IMAP", "Gemini 3.1 Pro"} <= {row["name"] for row in table["rows"]}
    assert {path.name for path in empty.iterdir()} == {
        "dataset", "list.csv", "pages", "tables", "tasks.jsonl", "terms", "traces",
    }  # fmt: skip


def installed(folder: Path) -> Path:
    """The program `calbench` of the project's wheel, in an environment of its own that sees this one's libraries."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    create(folder / "own")
    (wheel,) = folder.glob("*.whl")
    install = ["uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(folder / "own"), str(wheel)]
    subprocess.run(install, check=True, env=without_ours())
    (libraries,) = (folder / "own/lib").glob("python*/site-packages")
    (libraries / "locked.pth").write_text("".join(f"{path}\n" for path in site.getsitepackages()))
    return folder / "own/bin/calbench"


def told(program: Path, folder: Path, *arguments: str) -> str:
    """What a command says that must succeed."""
    done = subprocess.run([program, *arguments], cwd=folder, env=without_ours(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def without_ours() -> dict[str, str]:
    """The environment in which nothing points to this repository; notebooks' templates are this installation's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return kept | {"JUPYTER_PATH": f"{sys.prefix}/share/jupyter"}
