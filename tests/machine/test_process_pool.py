"""Workers that are killed, at any moment: nobody waits for them, and all work is done or it is said that it is not."""

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine.process_pool import ProcessPool, WorkerDied, process_pool

from machine.cores import executor, map_ordered, map_unordered

pytestmark = pytest.mark.slow

# Nothing here takes so long, on no machine however busy: who waits longer waits for ever.
LIMIT = 120.0


@pytest.fixture
def pair() -> Iterator[ProcessPool]:
    """Two workers who wait for work."""
    with ended_in_time(), process_pool(2) as pool:
        assert len(list(pool.run(double, [(1,), (2,)]))) == 2
        yield pool


class ended_in_time:
    """A block that interrupts this process where it would wait for ever."""

    def __enter__(self) -> None:
        self.alarm = signal.signal(signal.SIGALRM, self.tell)
        # Again and again: what was interrupted waits for its workers before it ends.
        signal.setitimer(signal.ITIMER_REAL, LIMIT, 5.0)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.alarm)

    @staticmethod
    def tell(*_: object) -> None:
        # No OSError, as TimeoutError is one: a pool takes those for the death of a worker.
        raise AssertionError("it waited for ever")


def double(number: int) -> int:
    return 2 * number


def until(happened: Callable[[], bool]) -> None:
    """Wait for an event; how long it takes depends on the machine, and matters to no test."""
    end = time.monotonic() + LIMIT
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


@contextmanager
def meanwhile(act: Callable[[], None]) -> Iterator[None]:
    """A block during which somebody else acts."""
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    yield
    thread.join()


def set_prepared() -> None:
    os.environ["PREPARED"] = "yes"


def leave(file: Path, after: Path | None = None) -> int:
    """Leave a file, at once or when another is there, and tell by whom; in a folder that is none it is an error.

    That the other is waited for can be seen by a file beside it.
    """
    if after:
        awaited(after).touch()
        until(after.exists)
    file.touch()
    return os.getpid()


def awaited(file: Path) -> Path:
    return file.with_name(f"{file.name} is awaited")


def refuse(error: BaseException) -> None:
    raise error


class Stubborn(Exception):
    """An error that cannot be made anew from its words."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} in {where}")


def ids(pool: ProcessPool) -> list[int]:
    return [worker.process.pid or 0 for worker in pool.workers]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_with_the_index_of_their_call_for_any_number_of_workers(workers: int) -> None:
    assert sorted(map_unordered(double, range(7), workers)) == [(i, 2 * i) for i in range(7)]
    assert list(map_ordered(double, range(7), workers)) == [2 * i for i in range(7)]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_work_has_no_results(workers: int) -> None:
    assert list(map_unordered(double, [], workers)) == []
    with executor(workers) as run:
        assert list(run(double, [])) == []


def test_workers_work_at_once_and_are_the_same_for_all_rounds_of_work(pair: ProcessPool, tmp_path: Path) -> None:
    # Each waits for the other: one after the other they would wait for ever.
    one = tmp_path / "one"
    first = {who for _, who in pair.run(leave, [(one, awaited(one)), (tmp_path / "other", one)])}
    assert first == {who for _, who in pair.run(os.getpid, [()] * 4)} == set(ids(pair))


def test_workers_are_prepared_first_and_end_with_the_block() -> None:
    with process_pool(2, set_prepared) as pool:
        assert {value for _, value in pool.run(os.getenv, [("PREPARED",)] * 4)} == {"yes"}
        processes = ids(pool)
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.fixture(scope="module")
def lasting() -> Iterator[ProcessPool]:
    with process_pool(2) as pool:
        yield pool


@given(pieces=st.lists(st.binary(max_size=300), max_size=9), times=st.integers(0, 2_000))
@settings(max_examples=25)
def test_what_comes_back_is_what_was_sent_however_large(lasting: ProcessPool, pieces: list[bytes], times: int) -> None:
    sent = [(piece * times,) for piece in pieces]
    assert sorted(lasting.run(bytes, sent)) == [(i, piece) for i, (piece,) in enumerate(sent)]


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """Where workers leave files."""
    (tmp_path / "left").mkdir()
    return tmp_path / "left"


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """A file that workers wait for."""
    return tmp_path / "go"


def test_an_idle_worker_that_is_killed_keeps_nobody_waiting(pair: ProcessPool, left: Path, go: Path) -> None:
    # The second is stopped while it waits for work, and killed when all the work is done and the pool is to end.
    _, idle = ids(pair)
    results = pair.run(leave, [(left / "late", go), (left / "soon",)])
    assert next(results)[1] == idle
    os.kill(idle, signal.SIGSTOP)
    go.touch()
    assert len(list(results)) == 1
    os.kill(idle, signal.SIGKILL)


def test_a_stopped_worker_with_nothing_to_do_keeps_nobody_waiting(pair: ProcessPool) -> None:
    assert len(list(pair.run(double, [(1,), (2,)]))) == 2
    os.kill(ids(pair)[0], signal.SIGSTOP)


def test_a_worker_that_was_killed_when_idle_is_missed_when_it_is_needed(pair: ProcessPool) -> None:
    os.kill(ids(pair)[0], signal.SIGKILL)
    pair.workers[0].process.join()
    with pytest.raises(WorkerDied):
        list(pair.run(double, [(1,), (2,)]))


def go_when_missed(pair: ProcessPool, go: Path) -> None:
    """Let the second worker end its call when the pool has heard from the first."""
    until(awaited(go).exists)
    until(lambda: pair.workers[0].pipe not in pair.busy)
    go.touch()


def test_a_worker_that_is_killed_at_work_ends_it_when_the_others_have_done_theirs(
    pair: ProcessPool, left: Path, go: Path
) -> None:
    nothing = left.with_name("nothing")

    def kill() -> None:
        until(lambda: awaited(nothing).exists() and awaited(go).exists())
        os.kill(ids(pair)[0], signal.SIGKILL)
        go_when_missed(pair, go)

    with meanwhile(kill), pytest.raises(WorkerDied):
        list(pair.run(leave, [(left / "killed", nothing), (left / "done", go), (left / "never",)]))
    assert [path.name for path in left.iterdir()] == ["done"]


def test_a_worker_that_is_killed_halfway_through_its_answer_ends_the_work(pair: ProcessPool) -> None:
    results = pair.run(bytes, [(1,), (50_000_000,)])
    next(results)
    # Nobody reads: the pipe is full, and the second worker stands within its answer.
    assert pair.workers[1].pipe.poll(LIMIT)
    os.kill(ids(pair)[1], signal.SIGKILL)
    with pytest.raises(WorkerDied):
        next(results)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_worker_that_ends_suddenly_is_told_of(pair: ProcessPool, how: signal.Signals) -> None:
    with pytest.raises(WorkerDied):
        list(pair.run(signal.raise_signal, [(how,)]))


def test_the_first_error_ends_the_work_and_says_where_in_a_worker_it_was(
    pair: ProcessPool, left: Path, go: Path
) -> None:
    calls = [(left / "nowhere" / "x",), (left / "done", go), *[(left / "never",)] * 5]
    with meanwhile(lambda: go_when_missed(pair, go)), pytest.raises(FileNotFoundError, match="nowhere") as caught:
        list(pair.run(leave, calls))
    assert "in leave" in caught.value.__notes__[0]
    assert [path.name for path in left.iterdir()] == ["done"]
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
    pair: ProcessPool, error: Exception, kind: type[Exception], words: str
) -> None:
    raising = partial(refuse, error) if not isinstance(error, Stubborn) else partial(raise_stubborn, "salt")
    with pytest.raises(kind, match=words):
        list(pair.run(raising, [()]))


def raise_stubborn(what: str) -> None:
    raise Stubborn(what, "the sugar")


def test_what_cannot_be_sent_is_an_error_on_either_side(pair: ProcessPool) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        list(pair.run(double, [(lambda: 1,)]))
    with pytest.raises(TypeError, match="cannot pickle"):
        list(pair.run(threading.Lock, [()]))
    assert list(pair.run(double, [(1,)])) == [(0, 2)]


def test_work_that_is_broken_off_is_waited_for(pair: ProcessPool, left: Path, go: Path) -> None:
    results = pair.run(leave, [(left / "first",), (left / "second", go), (left / "third", go)])
    next(results)
    threading.Timer(0.3, go.touch).start()
    results.close()
    assert {path.name for path in left.iterdir()} == {"first", "second", "third"}
    assert sorted(pair.run(double, [(1,), (2,)])) == [(0, 2), (1, 4)]
