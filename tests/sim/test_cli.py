import csv
import json
import subprocess
import sys

import pytest
import zstandard
from typer.testing import CliRunner

from sim.__main__ import app
from sim.game.trace import read
from sim.tasks.suite import read_tasks

LIST = """\
setting,task_id,seed,num_agents,num_participants,density,difficulty,num_slots,num_meetings
uniform,one,1,3,2,0.6,easy,8,3
varied,two,2,3,3,0.6,hard,8,2
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "list.csv").write_text(LIST)
    assert sim(tmp_path, "suite", "list.csv", "--out", "tasks.jsonl").exit_code == 0
    return tmp_path


def sim(folder, *words):
    """The result of `python -m sim` with these words; those that name a file are taken from the folder."""
    named = ("." in w or w in ("traces", "again") for w in words)
    args = [str(folder / w) if is_file else w for w, is_file in zip(words, named, strict=True)]
    return CliRunner().invoke(app, [*args, *([] if args[0] == "serve" else ["--workers", "1"])])


def files(folder):
    """Files beside the list of those that a run wrote."""
    found = (str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    return sorted(name for name in found if not name.endswith("run.manifest.json"))


def mtimes(folder):
    return {p: p.stat().st_mtime_ns for p in folder.rglob("*.zst")}


def failure(result):
    """The one line that a failed command says."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_list_becomes_tasks(folder):
    assert [(t.task_id, t.setting, t.condition) for t in read_tasks(folder / "tasks.jsonl")] == [
        ("one", "uniform", "standard"),
        ("two", "varied", "standard"),
    ]


def test_a_list_becomes_blocked_tasks(folder):
    result = sim(folder, "suite", "list.csv", "--out", "blocked.jsonl", "--blocked")
    assert result.exit_code == 0
    tasks = read_tasks(folder / "blocked.jsonl")
    assert [(t.task_id, t.condition) for t in tasks] == [("one_blocked2", "blocked"), ("two_blocked2", "blocked")]
    assert '"blocked":true' in (folder / "blocked.jsonl").read_text()


def test_a_list_is_not_replaced_by_its_tasks(folder):
    done = sim(folder, "suite", "list.csv", "--out", "../" + folder.name + "/list.csv")
    assert done.exit_code == 2 and "is there, and holds something else" in done.output
    assert (folder / "list.csv").read_text().startswith("setting,")


def test_files_of_others_beside_tasks_and_lists_survive(folder):
    mine = {folder / name: name for name in ("notes.txt", ".tasks.jsonl.7.tmp", ".trial", "old/tasks.csv")}
    for path, text in mine.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert sim(folder, "suite", "list.csv", "--out", "tasks.jsonl").exit_code == 0
    words = ("--setting", "uniform", "--shape", "2x2", "--candidates", "3", "--per-third", "1")
    out = str(folder / "new.csv")
    assert CliRunner().invoke(app, ["select", *words, "--out", out, "--workers", "1"]).exit_code == 0
    assert {path: path.read_text() for path in mine} == mine


def test_a_suite_says_how_many_tasks_lie_in_another_third_and_writes_their_own(folder):
    rows = "".join(f"uniform,t{seed},{seed},3,2,0.8,hard,8,3\n" for seed in range(3))
    (folder / "list.csv").write_text(LIST.splitlines()[0] + "\n" + rows)
    kept = sim(folder, "suite", "list.csv", "--out", "kept.jsonl")
    assert kept.stdout.splitlines()[1] == (
        "2 of them lie in another third of their cell than the list says; --difficulty paper writes its own"
    )
    assert {t.difficulty for t in read_tasks(folder / "kept.jsonl")} == {"hard"}
    own = sim(folder, "suite", "list.csv", "--out", "own.jsonl", "--difficulty", "paper")
    assert own.stdout.endswith("its own stands in the file\n")
    assert {t.difficulty for t in read_tasks(folder / "own.jsonl")} == {"easy", "medium", "hard"}
    unknown = sim(folder, "suite", "list.csv", "--out", "own.jsonl", "--difficulty", "hardest")
    assert failure(unknown) == "error: there is no difficulty by 'hardest'; known: list, paper\n"


def test_a_team_plays_every_task(folder):
    result = sim(folder, "run", "tasks.jsonl", "--team", "imap", "--out", "traces")
    assert result.stdout == f"2 games played; traces in {folder / 'traces'}\n"
    assert files(folder / "traces") == ["one.json.zst", "two.json.zst"]
    assert read(folder / "traces" / "one.json.zst").config["team"] == "imap"


def test_several_teams_play_the_first_tasks_as_often_as_asked(folder):
    teams = ("--team", "imap", "--team", "sd")
    sim(folder, "run", "tasks.jsonl", *teams, "--out", "traces", "--repeats", "2", "--limit", "1")
    names = [f"{team}/one{suffix}.json.zst" for team in ("imap", "sd") for suffix in ("", ".r1")]
    assert files(folder / "traces") == names


def test_resuming_plays_only_what_is_missing(folder):
    words = ("run", "tasks.jsonl", "--team", "imap", "--out", "traces")
    sim(folder, *words)
    kept = mtimes(folder)
    (folder / "traces" / "two.json.zst").unlink()
    result = sim(folder, *words, "--resume")
    assert result.stdout.startswith("1 games played, 1 were there already")
    now = mtimes(folder)
    assert now.keys() == kept.keys()
    assert now[folder / "traces" / "one.json.zst"] == kept[folder / "traces" / "one.json.zst"]


def test_resuming_with_another_team_keeps_none_of_the_first_s_games(folder):
    for team in ("imap", "sd"):
        sim(folder, "run", "tasks.jsonl", "--team", team, "--out", "traces", "--resume", "--overwrite")
    assert {read(p).config["team"] for p in (folder / "traces").glob("*.zst")} == {"sd"}


def test_limits_of_a_game_are_set_and_recorded(folder):
    words = ("--max-turns", "2", "--decision-retries", "0", "--dm-cap", "3")
    sim(folder, "run", "tasks.jsonl", "--team", "sd", "--out", "traces", *words)
    trace = read(folder / "traces" / "one.json.zst")
    assert [trace.config[k] for k in ("max_turns_per_round", "decision_retries", "dm_cap")] == [2, 0, 3]
    assert trace.metrics["total_dms_sent"] == 3


def test_a_selection_becomes_tasks(tmp_path):
    words = ("--setting", "varied", "--shape", "2x2", "--density", "0.6", "--candidates", "3", "--per-third", "1")
    # 0.6 and list.csv both hold a dot, but only the list is a file
    out = str(tmp_path / "list.csv")
    result = CliRunner().invoke(app, ["select", *words, "--out", out, "--workers", "1"])
    assert result.stdout == f"3 tasks of 1 cells in {out}\n"
    with open(out, newline="") as file:
        assert [row["difficulty"] for row in csv.DictReader(file)] == ["easy", "medium", "hard"]
    assert sim(tmp_path, "suite", "list.csv", "--out", "tasks.jsonl").exit_code == 0


def test_a_byte_order_mark_in_a_task_file_is_passed_over(folder):
    tasks = folder / "tasks.jsonl"
    tasks.write_bytes(b"\xef\xbb\xbf" + tasks.read_bytes())
    assert [t.task_id for t in read_tasks(tasks)] == ["one", "two"]


def packed(path):
    """The traces of a pack, one a line."""
    with open(path, "rb") as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as stream:
        return [json.loads(line) for line in stream.read().splitlines()]


def test_games_may_be_played_into_one_file(folder):
    words = ("run", "tasks.jsonl", "--team", "imap", "--team", "sd")
    sim(folder, *words, "--out", "traces")
    assert sim(folder, *words, "--out", "pack.jsonl.zst").exit_code == 0
    found = packed(folder / "pack.jsonl.zst")
    assert [(t["config"]["team"], t["config"]["task_id"]) for t in found] == [
        (team, task) for team in ("imap", "sd") for task in ("one", "two")
    ]
    assert {t["game_id"] for t in found} == {read(p).game_id for p in (folder / "traces").rglob("*.zst")}


# One row a command that can't be carried out, and what it says.
FAILURES = [
    (("run", "tasks.jsonl", "--team", "imp", "--out", "traces"), "there is no team 'imp'; known teams: imap, sd, dsm-"),
    (("run", "list.csv", "--team", "imap", "--out", "traces"), "list.csv, line 1: not a task"),
    (("run", "absent.jsonl", "--team", "imap", "--out", "traces"), "absent.jsonl: can't be read"),
    (("run", "tasks.jsonl", "--team", "imap", "--team", "imap", "--out", "traces"), "two games would both write"),
    (("run", "tasks.jsonl", "--team", "sd", "--out", "p.jsonl.zst", "--resume"), "a pack is written whole"),
    (("suite", "absent.csv", "--out", "again"), "absent.csv: can't be read as CSV"),
    (("suite", "tasks.jsonl", "--out", "again"), "the column setting is missing"),
    (("suite", "list.csv", "--out", "own.csv"), "own.csv is there, and holds something else"),
    (("select", "--setting", "uniform", "--out", "tasks.jsonl"), "tasks.jsonl is there, and holds something else"),
    (("suite", "list.csv", "--out", "games.jsonl"), "games.jsonl is there, and holds something else"),
    (("select", "--setting", "uniform", "--out", "games.csv"), "games.csv is there, and holds something else"),
    (("select", "--setting", "random", "--out", "again"), "there is no setting 'random'; known settings: uniform"),
    (("select", "--setting", "uniform", "--shape", "5by3", "--out", "again"), "the shape '5by3' is not written as"),
    (("select", "--setting", "uniform", "--shape", "2x3", "--out", "again"), "num_participants lies between"),
    (("select", "--setting", "uniform", "--per-third", "40", "--out", "again"), "a third of 100 candidates has no 40"),
]


@pytest.mark.parametrize(("words", "problem"), FAILURES)
def test_a_command_that_can_t_be_carried_out_says_why_in_one_line(folder, words, problem):
    (folder / "own.yaml").write_text("team: mine\nagents: [{type: imap}]\n")
    (folder / "own.csv").write_text(LIST)
    (folder / "games.jsonl").write_text('{"game_id": "a", "config": {"task_id": "t", "calendars": []}}\n')
    (folder / "games.csv").write_text("game_id,task_id,seed\na,t,1\n")
    before = {name: (folder / name).read_bytes() for name in files(folder)}
    assert problem in failure(sim(folder, *words))
    assert {name: (folder / name).read_bytes() for name in files(folder)} == before


# One row a line that spoils a list, and what is said of it.
SPOILED = [
    ("uniform,bad,3,3,4,0.6,easy,8,3", "task bad can't be generated: seed 3: the rule 'num_participants lies between"),
    (
        "uniform,bad,3,3,3,0.6,easy,2,3",
        "task bad can't be generated: the rule 'every meeting has a witness slot' fails",
    ),
    ("uniform,bad,x,3,3,0.6,easy,8,3", "list.csv, line 4: seed is 'x'"),
    ("uniform,one,3,3,3,0.6,easy,8,3", "the task_id one comes twice"),
]


@pytest.mark.parametrize(("line", "problem"), SPOILED)
def test_one_bad_line_fails_the_list_and_leaves_the_old_tasks(folder, line, problem):
    (folder / "list.csv").write_text(LIST + line + "\n")
    before = (folder / "tasks.jsonl").read_bytes()
    assert problem in failure(sim(folder, "suite", "list.csv", "--out", "tasks.jsonl"))
    assert (folder / "tasks.jsonl").read_bytes() == before
    assert files(folder) == ["list.csv", "tasks.jsonl"]


def test_a_missing_column_is_named(folder):
    (folder / "list.csv").write_text(LIST.replace("density", "thickness"))
    assert "the column density is missing" in failure(sim(folder, "suite", "list.csv", "--out", "again"))


def test_a_team_of_the_wrong_size_says_so(folder):
    (folder / "two.yaml").write_text("team: two\nagents: [{type: imap}, {type: sd}]\n")
    said = failure(sim(folder, "run", "tasks.jsonl", "--team", "two.yaml", "--out", "traces"))
    assert "team two lists 2 agents, the task has 3; list one, or 3" in said


def test_teams_may_come_from_files(folder):
    (folder / "mix.yaml").write_text("team: mix\nagents: [{type: imap}, {type: imap}, {type: sd}]\n")
    assert sim(folder, "run", "tasks.jsonl", "--team", "mix.yaml", "--out", "traces").exit_code == 0
    trace = read(folder / "traces" / "one.json.zst")
    assert [a["type"] for a in trace.config["agents"]] == ["imap", "imap", "sd"]


def test_an_output_that_can_t_be_written_is_one_line(folder):
    (folder / "traces").write_text("not a folder")
    assert "traces" in failure(sim(folder, "run", "tasks.jsonl", "--team", "imap", "--out", "traces"))


def test_the_command_runs_as_a_module(tmp_path):
    (tmp_path / "list.csv").write_text(LIST)
    for words in (
        ["suite", "list.csv", "--out", "tasks.jsonl"],
        ["run", "tasks.jsonl", "--team", "dsm-welfare", "--out", "traces", "--workers", "2"],
    ):
        command = [sys.executable, "-m", "sim", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")
    assert files(tmp_path / "traces") == ["one.json.zst", "two.json.zst"]
    assert json.loads((tmp_path / "tasks.jsonl").read_text().splitlines()[0])["task_id"] == "one"
