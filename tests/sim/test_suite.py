import csv
import hashlib
import json
import os
import re
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from sim.__main__ import app
from sim.calendar import Calendar, Errand, ScheduledMeeting
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.oracle import NotProven
from sim.tasks.suite import Solving, TaskError, checked, make_task, name_problem, read_tasks, write_tasks
from tests.sim.test_oracle import HARD
from tests.sim.worlds import entry, tiny_task

PAPER72 = Path(__file__).parents[2] / "data" / "suites" / "paper72.csv"


def published():
    with open(PAPER72, newline="") as file:
        return list(csv.DictReader(file))


def digest(calendars):
    """SHA-256 of the calendars as compact JSON with sorted keys."""
    slots = [[i and {k: v for k, v in msgspec.to_builtins(i).items() if v is not False} for i in c] for c in calendars]
    return hashlib.sha256(json.dumps(slots, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def test_the_published_tasks_regenerate_slot_for_slot():
    for listed, row in zip(read_list(PAPER72), published(), strict=True):
        task = make_task(listed)
        assert digest(c.slots for c in task.calendars) == row["calendars_sha256"], task.task_id
        assert task.optimal.cost == int(row["optimal_cost"]), task.task_id
        assert task.greedy.cost == int(row["greedy_cost"]), task.task_id
        assert task.witness.cost == int(row["witness_cost"]), task.task_id
        assert task.difficulty_score == pytest.approx(float(row["difficulty_score"])), task.task_id
        assert task.optimal.cost == sum(task.optimal.per_agent_cost), task.task_id


def test_every_assignment_of_an_unblocked_task_without_a_clash_is_feasible():
    first = make_task(read_list(PAPER72)[0])
    assert first.feasible_assignments == 16 * 15 * 14 * 13 * 12  # any two of its meetings share an agent
    assert 0 < first.optimal_assignments < first.feasible_assignments


def test_difficulty_is_the_optimum_per_participant_slot():
    task = tiny_task(num_participants=3, density=1.0, num_slots=16, num_meetings=4)
    assert task.difficulty_score == task.optimal.cost / 12
    assert task.optimal.cost > 0


def test_tasks_read_back_as_they_were_written(tmp_path):
    tasks = [tiny_task(1), tiny_task(2, "varied", errand_cost_values=(1, 100, 1000)), tiny_task(3, num_agents=4)]
    tasks.append(tiny_task(4, num_slots=12, prior_meetings=1))
    write_tasks(tasks, tmp_path / "tasks.jsonl")
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks


def test_a_task_without_speaker_orders_gets_them_from_its_seed(tmp_path):
    path, task = tmp_path / "tasks.jsonl", tiny_task(5)
    write_tasks([task], path)
    path.write_text(re.sub(r'"speaker_order":\[[\d,]*\]', '"speaker_order":[]', path.read_text()))
    assert read_tasks(path) == [task]
    path.write_text(re.sub(r',"speaker_order":\[\]', "", path.read_text()))
    assert read_tasks(path) == [task]


# One row a file that holds no tasks: its bytes, and what is said of it.
UNREADABLE = [
    (b"", "holds no task"),
    (b"{", "line 1: not a task"),
    (b'{"task_id": "a"}', "line 1: not a task .*missing required field"),
    (b'{"task_id": "\xff"}', "line 1: not a task"),
]


@pytest.mark.parametrize(("content", "problem"), UNREADABLE)
def test_a_file_without_tasks_says_where_it_fails(tmp_path, content, problem):
    path = tmp_path / "tasks.jsonl"
    path.write_bytes(content)
    with pytest.raises(TaskError, match=rf"tasks\.jsonl.*{problem}"):
        read_tasks(path)


def test_a_task_that_comes_twice_is_refused(tmp_path):
    write_tasks([tiny_task(1), tiny_task(1)], tmp_path / "tasks.jsonl")
    with pytest.raises(TaskError, match="line 2: task tiny1 comes twice"):
        read_tasks(tmp_path / "tasks.jsonl")


# Names with which a trace would lie elsewhere, nowhere, or unseen.
NAMELESS = ["../escaped", "a\\b", "", "nul\0", ".hidden", "é" * 101]


@pytest.mark.parametrize("name", NAMELESS)
def test_a_task_that_can_t_name_a_file_is_refused(tmp_path, name):
    write_tasks([tiny_task(1), msgspec.structs.replace(tiny_task(2), task_id=name)], tmp_path / "tasks.jsonl")
    with pytest.raises(TaskError, match=r"tasks\.jsonl, line 2: the task_id '.*can't name a file"):
        read_tasks(tmp_path / "tasks.jsonl")
    assert name_problem("b037_easy_5a_3p_d0p6_c1_1") is None
    assert name_problem("größer 2") is None


# What the readers of traces would refuse, when the game has been played and perhaps paid for.
TINY = tiny_task(1, num_agents=3)
FIRST, *REST = TINY.meetings
TWICE = Calendar([ScheduledMeeting(99, 1, (0,)), *[None] * (TINY.num_slots - 2), ScheduledMeeting(99, 1, (0,))])
REFUSED = [
    ({"meetings": (FIRST, msgspec.structs.replace(REST[0], id=FIRST.id), *REST[1:])}, "two meetings have one id"),
    (
        {"meetings": (msgspec.structs.replace(FIRST, participants=(0, 0, 1)), *REST)},
        "a meeting has a participant twice",
    ),
    (
        {"meetings": (msgspec.structs.replace(FIRST, speaker_order=FIRST.participants[1:]), *REST)},
        "a meeting's speakers are not its participants",
    ),
    ({"condition": "adversarial"}, "its condition is adversarial, which is a run's"),
    ({"num_slots": 0, "calendars": (Calendar([]),) * 3}, "num_slots is not from 1 to 1024"),
    ({"meetings": (), "num_meetings": 0}, "num_meetings is not from 1 to 200"),
    ({"num_participants": 3}, "num_participants is 3, but every meeting has 2"),
    ({"meetings": (msgspec.structs.replace(FIRST, id=-1), *REST)}, "a meeting's id is not from 0"),
    ({"meetings": (msgspec.structs.replace(FIRST, duration=2), *REST)}, "a meeting's duration is not 1"),
    ({"calendars": (TWICE,) * 3}, "a calendar has a meeting in two slots"),
    ({"optimal": msgspec.structs.replace(TINY.optimal, cost=-5)}, "its optimal schedule costs"),
    ({"optimal": msgspec.structs.replace(TINY.optimal, per_agent_cost=(0,))}, "its optimal schedule costs"),
    ({"greedy": msgspec.structs.replace(TINY.greedy, assignments={})}, "its greedy schedule has other meetings"),
    (
        {"witness": msgspec.structs.replace(TINY.witness, assignments=dict.fromkeys(TINY.witness.assignments, 99))},
        "its witness schedule has slots beyond the calendars",
    ),
    ({"optimal_bound": -1}, "its optimal_bound is not from 0"),
    ({"seed": 2**63}, "the seed has more than 64 bits"),
    ({"difficulty": "x" * 201}, "a name has more than 200 characters"),
    ({"calendars": (Calendar([Errand(1, 10**6 + 1)]),) * 3, "num_slots": 1}, "a cost is not from 0 to 1000000"),
]


@pytest.mark.parametrize(("more", "problem"), REFUSED)
def test_a_task_whose_traces_nobody_would_read_is_refused(tmp_path, more, problem):
    write_tasks([msgspec.structs.replace(TINY, **more)], tmp_path / "tasks.jsonl")
    with pytest.raises(TaskError, match=problem):
        read_tasks(tmp_path / "tasks.jsonl")


def test_a_task_that_lists_who_meets_may_give_any_number_beside_it(tmp_path):
    lists = tuple(m.participants for m in TINY.meetings)
    for listed, refused in ((lists, False), (lists[:1] * len(lists), True)):
        parameters = msgspec.structs.replace(TINY.parameters, participant_lists=listed)
        task = msgspec.structs.replace(TINY, parameters=parameters, num_participants=3)
        write_tasks([task], tmp_path / "tasks.jsonl")
        with pytest.raises(TaskError, match="num_participants is 3, but") if refused else nullcontext():
            read_tasks(tmp_path / "tasks.jsonl")


def test_what_is_no_file_is_no_list_of_tasks(tmp_path):
    os.mkfifo(tmp_path / "tasks.jsonl")
    with pytest.raises(TaskError, match="is no file"):
        read_tasks(tmp_path / "tasks.jsonl")


def test_a_task_that_can_t_be_generated_names_itself_and_the_rule():
    with pytest.raises(TaskError, match=r"task tiny7 can't be generated: .*'num_slots is at least 1' fails"):
        checked(make_task, entry(num_slots=0))


def test_a_task_keeps_what_is_not_proven_only_when_told_to(tmp_path):
    hard = entry(3, "varied", errand_cost_values=(1, 100, 1000), **HARD)
    with pytest.raises(NotProven, match="give more effort"):
        make_task(hard, Solving(1e-05))
    kept = make_task(hard, Solving(1e-05, keep=True))
    assert not kept.optimal_proven and kept.optimal_bound < kept.optimal.cost
    write_tasks([kept, make_task(entry())], tmp_path / "tasks.jsonl")
    assert [t.optimal_bound for t in read_tasks(tmp_path / "tasks.jsonl")] == [kept.optimal_bound, None]
    trace = play_game(Play(kept, named_teams()["imap"]))
    assert trace.config["scenario"]["optimal_bound"] == kept.optimal_bound


def test_a_task_that_can_t_be_made_is_refused_in_one_line(tmp_path):
    columns = "setting,task_id,seed,num_agents,num_participants,num_slots,num_meetings,density,difficulty\n"
    (tmp_path / "list.csv").write_text(columns + "uniform,hard,3,6,3,16,14,0.9,x\n")
    words = ["suite", str(tmp_path / "list.csv"), "--out", str(tmp_path / "t.jsonl"), "--effort", "0", "--workers", "1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and result.output.count("\n") == 1 and not (tmp_path / "t.jsonl").exists()
    assert "task hard can't be generated: an effort of 0 proves only that its optimum lies" in result.output
