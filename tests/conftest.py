"""Hypothesis draws the same examples on every run, and minds no clock: a busy machine is slow at everything."""

import atexit
import gc
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# Collection makes modules, syntax trees and tests, all of which stay: to look for garbage among them, then or while
# tests run, takes a tenth of all time.
gc.disable()

HERE = Path(__file__).parent
# jsonschema would compile grammars of URIs, a second of each worker's CPU: no schema of ours has any.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
# Workers beside each other have a core each.
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

# What a file of tests holds if none of them would run, by what is asked for with -m: what it imports is not loaded.
WITHOUT = {"slow": r"(?s)(?!.*mark\.slow)", "not slow": r"(?ms).*^pytestmark = \[?\s*pytest\.mark\.slow\b"}


# A job in the background ignores Ctrl-C, and so would every program that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Keep a worker of the fast tests on one core, so that nothing in it starts processes for the others' cores."""
    if WORKER and config.option.markexpr == "not slow" and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(WORKER.removeprefix("gw")) % len(cores)]})


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Twice as many workers as cores for the slow tests, which wait much of their time for other programs."""
    return 2 * (os.cpu_count() or 1) if config.option.markexpr == "slow" else None


def pytest_unconfigure() -> None:
    """End workers without taking apart what they hold, which takes seconds and has DuckDB call some of it leaked."""
    gc.enable()
    if WORKER:
        atexit.register(os._exit, 0)
    else:
        gc.unfreeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a file in which every test, or none, is slow, where the others are asked for."""
    without = WITHOUT.get(config.option.markexpr)
    if not without or collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    return bool(re.match(without, collection_path.read_text(encoding="utf-8"))) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files of this folder come first: their tests take longest, and the last to run should be short.

    So do tests that call models, so that one worker of two imports LiteLLM, which takes seconds.
    """
    gc.freeze()
    gc.enable()
    items.sort(key=lambda item: item.path.parent != HERE and "planted_key" not in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is made once for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if WORKER else own


@pytest.fixture(scope="session")
def small_study(shared_folder: Path) -> Path:
    """The folder of a study in small, with `tables`, `results` and `blocked.jsonl`: one for all workers of a run."""
    from tests.small_study import made_once, make

    return made_once(shared_folder, "small", make)
