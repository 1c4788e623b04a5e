"""A system that opens no more files is no fault of a trace."""

import errno
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.reading.sources import find, texts


@pytest.fixture
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.json.zst", "t.jsonl.zst"])
def test_where_no_more_files_can_be_opened_no_trace_is_to_blame(
    tmp_path: Path, name: str, request: pytest.FixtureRequest
) -> None:
    (tmp_path / name).write_bytes(b"{}")
    (source,) = find([tmp_path / name])
    request.getfixturevalue("no_more_files")
    with pytest.raises(OSError) as caught:
        list(texts(source))
    assert caught.value.errno == errno.EMFILE
