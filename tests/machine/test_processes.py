"""Workers that are killed, at any moment: nobody waits for them, and all work is done or it is said that it is not."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machine.processes import Crew, WorkerDied, crew
from machine.work import at_work, each, in_order
from tests.imports import ROOT

# Nothing here takes so long: who waits longer waits for ever.
LIMIT = 30.0


@pytest.fixture
def pair() -> Iterator[Crew]:
    """Two workers who wait for work."""
    with ended_in_time(), crew(2) as hired:
        assert len(list(hired.run(double, [(1,), (2,)]))) == 2
        yield hired


class ended_in_time:
    """A block that interrupts this process where it would wait for ever."""

    def __enter__(self) -> None:
        self.alarm = signal.signal(signal.SIGALRM, self.tell)
        signal.setitimer(signal.ITIMER_REAL, LIMIT)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.alarm)

    @staticmethod
    def tell(*_: object) -> None:
        raise TimeoutError("it waited for ever")


def double(number: int) -> int:
    return 2 * number


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def get_ready() -> None:
    os.environ["PREPARED"] = "yes"


def leave(folder: Path, name: str, seconds: float) -> None:
    """Leave a file, at once or later; a name of nothing is an error."""
    if not name:
        raise ValueError("it has no name")
    time.sleep(seconds)
    (folder / name).touch()


def refuse(error: BaseException) -> None:
    raise error


class Stubborn(Exception):
    """An error that cannot be made anew from its words."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} in {where}")


def ids(hired: Crew) -> list[int]:
    return [worker.process.pid or 0 for worker in hired.workers]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_with_the_index_of_their_call_for_any_number_of_workers(workers: int) -> None:
    assert sorted(each(double, range(7), workers)) == [(i, 2 * i) for i in range(7)]
    assert list(in_order(double, range(7), workers)) == [2 * i for i in range(7)]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_work_has_no_results(workers: int) -> None:
    assert list(each(double, [], workers)) == []
    with at_work(workers) as run:
        assert list(run(double, [])) == []


def test_workers_work_at_once_and_are_the_same_for_all_rounds_of_work(pair: Crew) -> None:
    began = time.monotonic()
    first = {who for _, who in pair.run(sleep, [(0.5,), (0.5,)])}
    assert time.monotonic() - began < 0.9
    assert first == {who for _, who in pair.run(sleep, [(0.2,)] * 4)} == set(ids(pair))


def test_workers_are_prepared_first_and_end_with_the_block() -> None:
    with crew(2, get_ready) as hired:
        assert {value for _, value in hired.run(os.getenv, [("PREPARED",)] * 4)} == {"yes"}
        processes = ids(hired)
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Crew]:
    with crew(2) as hired:
        yield hired


@given(pieces=st.lists(st.binary(max_size=300), max_size=9), times=st.integers(0, 2_000))
@settings(max_examples=25, deadline=None)
def test_what_comes_back_is_what_was_sent_however_large(lasting: Crew, pieces: list[bytes], times: int) -> None:
    sent = [(piece * times,) for piece in pieces]
    assert sorted(lasting.run(bytes, sent)) == [(i, piece) for i, (piece,) in enumerate(sent)]


def test_an_idle_worker_that_is_killed_keeps_nobody_waiting(pair: Crew) -> None:
    # The second is stopped while it waits for work, and killed when all the work is done and the crew is to end.
    _, idle = ids(pair)
    results = pair.run(sleep, [(0.5,), (0.0,)])
    assert next(results)[1] == idle
    os.kill(idle, signal.SIGSTOP)
    assert len(list(results)) == 1
    os.kill(idle, signal.SIGKILL)


def test_a_stopped_worker_with_nothing_to_do_keeps_nobody_waiting(pair: Crew) -> None:
    assert len(list(pair.run(sleep, [(0.0,), (0.0,)]))) == 2
    os.kill(ids(pair)[0], signal.SIGSTOP)


def test_a_worker_that_was_killed_when_idle_is_missed_when_it_is_needed(pair: Crew) -> None:
    os.kill(ids(pair)[0], signal.SIGKILL)
    pair.workers[0].process.join()
    with pytest.raises(WorkerDied):
        list(pair.run(double, [(1,), (2,)]))


def test_a_worker_that_is_killed_at_work_ends_it_when_the_others_have_done_theirs(pair: Crew, tmp_path: Path) -> None:
    first, _ = ids(pair)
    threading.Timer(0.3, os.kill, (first, signal.SIGKILL)).start()
    with pytest.raises(WorkerDied):
        list(pair.run(leave, [(tmp_path, "killed", 20.0), (tmp_path, "done", 1.0), (tmp_path, "never", 0.0)]))
    assert [path.name for path in tmp_path.iterdir()] == ["done"]


def test_a_worker_that_is_killed_halfway_through_its_answer_ends_the_work(pair: Crew) -> None:
    results = pair.run(bytes, [(1,), (50_000_000,)])
    next(results)
    # Nobody reads: the pipe is full, and the second worker stands within its answer.
    time.sleep(0.5)
    os.kill(ids(pair)[1], signal.SIGKILL)
    with pytest.raises(WorkerDied):
        next(results)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_ends_suddenly_is_told_of(pair: Crew, how: signal.Signals) -> None:
    with pytest.raises(WorkerDied):
        list(pair.run(signal.raise_signal, [(how,)]))


def test_the_first_error_ends_the_work_and_says_where_in_a_worker_it_was(pair: Crew, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it has no name") as caught:
        list(pair.run(leave, [(tmp_path, "", 0), (tmp_path, "done", 0.5), *[(tmp_path, "never", 0)] * 5]))
    assert "in leave" in caught.value.__notes__[0]
    assert [path.name for path in tmp_path.iterdir()] == ["done"]
    assert sorted(pair.run(double, [(1,), (2,)])) == [(0, 2), (1, 4)]


# One row an error that a worker raises: what comes of it here, and its words.
ERRORS = [
    (OSError(28, "No space left on device", "a.csv"), OSError, r"\[Errno 28\] No space left on device: 'a.csv'"),
    (KeyError("x"), KeyError, "x"),
    (KeyboardInterrupt(), KeyboardInterrupt, "In a worker"),
    (Stubborn("salt", "the sugar"), RuntimeError, "Stubborn: salt in the sugar"),
]


@pytest.mark.parametrize(("error", "kind", "words"), ERRORS, ids=[type(row[0]).__name__ for row in ERRORS])
def test_errors_come_back_as_they_are_or_in_their_words(
    pair: Crew, error: Exception, kind: type[Exception], words: str
) -> None:
    raising = partial(refuse, error) if not isinstance(error, Stubborn) else partial(raise_stubborn, "salt")
    with pytest.raises(kind, match=words):
        list(pair.run(raising, [()]))


def raise_stubborn(what: str) -> None:
    raise Stubborn(what, "the sugar")


def test_what_cannot_be_sent_is_an_error_on_either_side(pair: Crew) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        list(pair.run(double, [(lambda: 1,)]))
    with pytest.raises(TypeError, match="cannot pickle"):
        list(pair.run(threading.Lock, [()]))
    assert list(pair.run(double, [(1,)])) == [(0, 2)]


def test_work_that_is_broken_off_is_waited_for(pair: Crew, tmp_path: Path) -> None:
    results = pair.run(leave, [(tmp_path, "first", 0.0), (tmp_path, "second", 0.5), (tmp_path, "third", 0.5)])
    next(results)
    results.close()
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second", "third"}
    assert sorted(pair.run(double, [(1,), (2,)])) == [(0, 2), (1, 4)]


INTERRUPTED = """
import sys, time
from machine.processes import crew

if __name__ == "__main__":
    with crew(2) as hired:
        print("ready", flush=True)
        try:
            list(hired.run(time.sleep, [(60,), (60,), (60,)]))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
"""


def test_ctrl_c_ends_workers_at_work_and_idle_ones_without_a_word_of_theirs(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    run = subprocess.Popen([sys.executable, str(script)], text=True, start_new_session=True, **pipes)
    assert run.stdout
    run.stdout.readline()
    time.sleep(0.5)
    os.killpg(run.pid, signal.SIGINT)
    assert run.communicate(timeout=LIMIT) == ("interrupted\n", "")
    assert run.returncode == 0
