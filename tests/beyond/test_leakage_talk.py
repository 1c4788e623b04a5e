"""A model's talk, free and told to poll, compared by one command: what it keeps, refuses, and does about lost games."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.beyond.leakage.talk import SOME_STOPPED, main
from pipeline.tables.io import read_table
from pipeline.tables.paths import read_yaml
from sim.game.trace import write
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.suite import write_tasks
from tests.imports import ROOT
from tests.sim.stub import stub
from tests.sim.worlds import tiny_task

MODEL = "openai/stub"
POOR = "team: free\nagents:\n- type: llm\n  parameters: {model: openai/stub}\n"

# One row what stands in the folder, and why nothing is played there.
REFUSED = [
    ({"free.yaml": POOR.replace("stub", "stubborn")}, "free.yaml is of another model, or no team; name another folder"),
    ({"polling.yaml": "{"}, "polling.yaml is of another model, or no team; name another folder"),
    ({"tables/games.csv": ""}, "tables is of no such traces; name another folder"),
]


@pytest.mark.parametrize(("standing", "problem"), REFUSED)
def test_what_stands_there_of_something_else_is_refused_before_anything_is_paid(
    standing: dict[str, str], problem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in standing.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(SystemExit) as ended:
        main([MODEL, str(tmp_path)])
    assert ended.value.code == 2
    assert capfd.readouterr().err == f"error: {tmp_path}/{problem}\n"
    assert {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()} == set(standing)


@pytest.mark.parametrize(
    "words",
    [
        ["", "out"],
        ["model", ""],
        ["model", "out", "--parameters=temperature: 0}"],
        ["model", "out", "--parameters=prices: {date: 2026-02-30}"],
    ],
)
def test_what_is_missing_or_cannot_be_read_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    told = capsys.readouterr().err
    assert (ended.value.code, told.count("\n"), told[:7]) == (2, 1, "error: ")


@pytest.mark.slow
@pytest.mark.parametrize("played", [False, True])
def test_a_dry_run_ends_with_its_estimate(played: bool, tmp_path: Path) -> None:
    write_tasks([tiny_task(1)], tmp_path / "tasks.jsonl")
    if played:
        write(play_game(Play(tiny_task(1), named_teams()["imap"])), tmp_path / "traces/0.json")
    command = [sys.executable, "-m", "pipeline.beyond.leakage.talk", MODEL, str(tmp_path), "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and (tmp_path / "traces").exists() == played, done.stderr
    [last] = [line for line in done.stdout.splitlines() if line.startswith("python -m")]
    assert " sim run " in last and not (tmp_path / "tables").exists()


@pytest.mark.slow
def test_tables_that_could_not_be_replaced_are_refused_before_anything_is_paid(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/games.csv").write_text("mine")
    write_tasks([tiny_task(1)], tmp_path / "tasks.jsonl")
    play = ["sim", "run", str(tmp_path / "tasks.jsonl"), "--team", "imap", "--out", str(tmp_path / "traces")]
    subprocess.run([sys.executable, "-m", *play], check=True, capture_output=True)
    with pytest.raises(SystemExit) as ended:
        main([MODEL, str(tmp_path)])
    assert ended.value.code == 2
    assert (tmp_path / "tables/games.csv").read_text() == "mine" and not (tmp_path / "free.yaml").exists()


@pytest.mark.slow
def test_games_that_stop_for_good_leave_the_others_to_be_compared(tmp_path: Path) -> None:
    """The team and the tasks that stand there are kept; the team that does not is written."""
    write_tasks([tiny_task(seed) for seed in range(8)], tmp_path / "tasks.jsonl")
    (tmp_path / "free.yaml").write_text(POOR.replace("stub}", "stub, temperature: 1, api_base_env: OPENAI_API_BASE}"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with stub("context:0.01", stubborn=True) as server:
        given = "--parameters=temperature: 0, retries: 0, api_base_env: OPENAI_API_BASE"
        words = [MODEL, str(tmp_path), given, "--cache", str(tmp_path / "answers")]
        env = os.environ | {"OPENAI_API_BASE": server.address, "OPENAI_API_KEY": "sk-stub"}
        command = [sys.executable, "-m", "pipeline.beyond.leakage.talk", *words]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == SOME_STOPPED, done.stderr
    assert {path: path.read_bytes() for path in before} == before
    assert [line.split(" is there")[0] for line in done.stderr.splitlines() if " as it stands" in line] == [
        f"{tmp_path}/free.yaml",
        f"{tmp_path}/tasks.jsonl",
    ]
    assert read_yaml(tmp_path / "polling.yaml")["agents"] == [
        {
            "type": "llm",
            "parameters": {
                "preset": "paper",
                "temperature": 0,
                "retries": 0,
                "api_base_env": "OPENAI_API_BASE",
                "prompt_variant": "polling",
                "model": MODEL,
            },
        }
    ]
    stopped = read_table(tmp_path / "tables", "games")["stopped"]
    assert 0 < stopped.sum() < len(stopped)
    assert "context" in done.stderr and "shares are of the bits of polling" in done.stdout
