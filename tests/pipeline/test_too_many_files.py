"""A system that opens no more files is no fault of a trace."""

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline.traces.sources import find_sources, read_texts


@contextmanager
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.json.zst", "t.jsonl.zst"])
def test_where_no_more_files_can_be_opened_no_trace_is_to_blame(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"{}")
    (source,) = find_sources([tmp_path / name])
    found: list[object] = []
    with no_more_files():
        try:
            found += read_texts(source)
        except OSError as error:
            found.append(error.errno)
    assert found == [errno.EMFILE]
