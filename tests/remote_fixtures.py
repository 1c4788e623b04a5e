"""A real S3 server on this machine, a bucket of it, and games to send there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sim.runs.runner import play_all
from sim.tasks.suite import write_tasks
from tests.remote import TASKS, jobs
from tests.servers import Store, s3_server


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with s3_server() as running:
        yield running


@pytest.fixture
def bucket(store: Store) -> str:
    return store.bucket()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tasks, and the traces of games on them."""
    folder = tmp_path_factory.mktemp("here")
    write_tasks(TASKS, folder / "tasks.jsonl")
    for _ in play_all(jobs(folder / "traces"), 1):
        pass
    return folder
