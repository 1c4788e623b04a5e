"""Where a disk is full, or a file may grow no further, a command says in its last line where room is needed."""

import subprocess
import sys
from pathlib import Path

import pytest
from audit_bases import text_of

from tests.imports import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "words", [("audit", "a.json", "--out", "o"), ("database", "--tables", "t", "--out", "d.duckdb")]
)
def test_where_no_file_can_grow_the_line_says_to_make_room(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(text_of("protocol"))
    program = [sys.executable, "-m", "pipeline"]
    derive = [*program, "derive", "a.json", "--out", "t"]
    subprocess.run(derive, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True)
    limited = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", *program, *words]
    ran = subprocess.run(limited, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True)
    assert ran.returncode in (1, 4), ran.stderr
    assert ran.stderr.splitlines()[-1].endswith(
        "make room on the disk that it is written to, or raise the limit on the size of a file"
    ), ran.stderr
