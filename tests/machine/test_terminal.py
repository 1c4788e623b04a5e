"""What the command line refuses before a command begins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT

LATIN = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("pipeline", "derive", "traces", "--out", LATIN), "."),
        (("pipeline", "site", "traces", "--out", "site"), LATIN),
    ],
)
def test_a_name_that_is_no_utf_8_is_refused_in_a_line(words: tuple[str, ...], place: str, tmp_path: Path) -> None:
    (tmp_path / place).mkdir(exist_ok=True)
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path / place, env=env, capture_output=True, text=True)
    assert ran.returncode == 2 and "is no UTF-8, so no file can be written there; name another" in ran.stderr
    assert [path.name for path in tmp_path.rglob("*") if path.name != LATIN] == []
