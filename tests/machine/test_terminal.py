"""What the command line refuses before a command begins."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sim.tasks.suite import write_tasks
from tests.imports import ROOT
from tests.sim.worlds import tiny_task

LATIN = os.fsdecode(b"caf\xe9")
PIPES: Any = {"capture_output": True, "text": True}


def test_tables_into_a_name_that_is_no_utf_8_are_refused_in_a_line_and_games_are_not(tmp_path: Path) -> None:
    write_tasks([tiny_task(1)], tmp_path / "tasks.jsonl")

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", *words]
        return subprocess.run(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, **PIPES)

    assert ran("sim", "run", "tasks.jsonl", "--team", "imap", "--out", LATIN).returncode == 0
    assert ran("pipeline", "audit", LATIN).returncode == 0
    refused = ran("pipeline", "audit", LATIN, f"--out={LATIN}/audit")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1) and "is no UTF-8; name other" in refused.stderr
    assert not (tmp_path / LATIN / "audit").exists()
