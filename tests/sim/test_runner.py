import msgspec
import pytest

from sim.game.game import Limits
from sim.game.trace import read, write
from sim.runs.existing import decide
from sim.runs.runner import jobs_for, play_all
from sim.runs.teams import load_team
from tests.sim.worlds import tiny_task

TASKS = [tiny_task(seed) for seed in range(5)]


def jobs(folder, *teams, tasks=TASKS, repeats=1, limits=Limits()):
    return jobs_for(tasks, [load_team(t) for t in teams], limits, repeats, folder)


def played(jobs, workers=1):
    """The number of games played, once all of them are."""
    return sum(play_all(jobs, workers))


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_one_worker_and_two_write_the_same_bytes(tmp_path):
    counts = [played(jobs(tmp_path / str(n), "imap", "dsm-private"), n) for n in (1, 2)]
    assert counts == [10, 10]
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    assert len(contents(tmp_path / "1")) == 10


def test_several_teams_get_a_folder_each(tmp_path):
    played(jobs(tmp_path, "imap", "sd", tasks=TASKS[:1]))
    assert sorted(contents(tmp_path)) == ["imap/tiny0.json.zst", "sd/tiny0.json.zst"]


def test_repeats_after_the_first_get_a_suffix(tmp_path):
    played(jobs(tmp_path, "imap", tasks=TASKS[:1], repeats=3))
    assert sorted(contents(tmp_path)) == ["tiny0.json.zst", "tiny0.r1.json.zst", "tiny0.r2.json.zst"]
    assert len({read(p).game_id for p in tmp_path.iterdir()}) == 3


def is_finished(job):
    """Whether the job's file holds the finished trace of just this game."""
    return not decide(job, job.path.parent, resume=True, overwrite=True).is_played


# One row a job whose file holds imap's first game on the first task: what differs.
DIFFERENT = [
    {"team": "sd"},
    {"team": "dsm-private"},
    {"task": tiny_task(0, density=0.7)},
    {"task": msgspec.structs.replace(tiny_task(1), task_id="tiny0")},
    {"limits": Limits(max_turns_per_round=3)},
    {"repeats": 2},
]


@pytest.mark.parametrize("other", DIFFERENT)
def test_the_trace_of_another_game_does_not_count(tmp_path, other):
    (first,) = jobs(tmp_path, "imap", tasks=TASKS[:1])
    played([first])
    job = jobs(
        tmp_path,
        other.get("team", "imap"),
        tasks=[other.get("task", TASKS[0])],
        limits=other.get("limits", Limits()),
        repeats=other.get("repeats", 1),
    )[-1]
    assert not is_finished(msgspec.structs.replace(job, path=first.path))


@pytest.mark.parametrize("content", [b"", b"{}", b"junk", b"\x28\xb5\x2f\xfd"])
def test_a_file_that_is_no_trace_does_not_count(tmp_path, content):
    (job,) = jobs(tmp_path, "imap", tasks=TASKS[:1])
    job.path.write_bytes(content)
    assert not is_finished(job)


def test_a_damaged_trace_does_not_count(tmp_path):
    (job,) = jobs(tmp_path, "imap", tasks=TASKS[:1])
    played([job])
    whole = job.path.read_bytes()
    for cut in range(0, len(whole), 40):
        job.path.write_bytes(whole[:cut])
        assert not is_finished(job)
        job.path.write_bytes(whole[:cut] + b"\xff\xff\xff" + whole[cut + 3 :])
        is_finished(job)  # whatever it finds, it doesn't fail


def test_a_stopped_game_does_not_count(tmp_path):
    (job,) = jobs(tmp_path, "imap", tasks=TASKS[:1])
    played([job])
    trace = read(job.path)
    trace.stopped, trace.stop_cause = True, "the provider went away"
    write(trace, job.path)
    assert not is_finished(job)
