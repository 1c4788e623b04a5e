"""A lab's bad week: every failure that passes, a quota and an outage, and no game lost, changed or paid twice."""

import threading
import time

import msgspec
import pytest

from sim.tasks.suite import write_tasks
from tests.sim.stub import read_fault, stub
from tests.sim.test_provider_runs import events, run, still, traces
from tests.sim.worlds import tiny_task

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("planted_key"),
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict class 'ChatCompletionReasoningItem'"),
    pytest.mark.filterwarnings("ignore:coroutine '.*' was never awaited"),
]

GAMES = 72
# What passes when asked again: refusals, failures, answers that break off or hold nothing.
PASSING = (
    *("429:0.02", "429-date:0.002", "503:0.02", "529:0.02", "500:0.02", "reset:0.02", "no-json:0.02", "drip:0.005"),
    *("cut-body:0.04", "no-choices:0.04", "empty:0.02"),
)
PACE = {"retries": None, "retry_for": 120.0, "timeout": 1.5, "backoff": 0.05}
# What a bad day may change of a trace: times, ids, and what went wrong before each answer.
BAD_DAY = {"failed_attempts", "charged_attempts"}


def without(value, names):
    if isinstance(value, dict):
        return {k: without(v, names) for k, v in value.items() if k not in names}
    return [without(v, names) for v in value] if isinstance(value, list) else value


def storm(server, over):
    """An outage of three seconds and a quota for three more, a second after the run began; nothing else goes wrong
    then, as an answer that stays unusable is given up after three that were charged for."""
    bad = server.options
    for faults, seconds in [((), 1.0), (("503",), 3.0), (("429:0.7",), 3.0)]:
        if faults:
            server.options = msgspec.structs.replace(bad, faults=tuple(map(read_fault, faults)), stubborn=True)
        over.wait(seconds)
    server.options = bad


def test_a_week_of_failures_loses_changes_and_pays_for_nothing_twice(tmp_path):
    write_tasks([tiny_task(seed, num_meetings=2) for seed in range(GAMES)], tmp_path / "tasks.jsonl")
    with stub() as server:
        assert run(tmp_path, server, out="good").exit_code == 0
        questions = server.requests
    over = threading.Event()
    with stub(*PASSING, arrivals=1) as server:
        weather = threading.Thread(target=storm, args=(server, over))
        weather.start()
        began = time.monotonic()
        result = run(tmp_path, server, "--cache", str(tmp_path / "answers"), out="bad", **PACE)
        over.set()
        weather.join()
    print(f"{questions} questions, {server.requests} requests, {time.monotonic() - began:.1f} s")
    assert result.exit_code == 0, result.stderr
    assert f"{GAMES} games played" in result.stdout
    good, bad = traces(tmp_path, "good"), traces(tmp_path, "bad")
    assert len(bad) == GAMES and not any(t.stopped for t in bad)
    for a, b in zip(good, bad, strict=True):
        assert without(still(events(a)), BAD_DAY) == without(still(events(b)), BAD_DAY)
    # Each question has one answer that is kept: whatever else was asked is a failure on record.
    assert len(list((tmp_path / "answers").rglob("*.json"))) == questions
    failures = (tmp_path / "bad" / "failures.jsonl").read_text().splitlines()
    assert len(failures) > 100
