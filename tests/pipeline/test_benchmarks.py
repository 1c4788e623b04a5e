"""The page about speed says what was measured, beside target and bound, and what ten million games would take."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.measure import Figure, run_process
from pipeline.reports.documents.benchmarks import a_game, figure_row, machines


@pytest.mark.parametrize(
    ("figure", "row"),
    [
        (Figure("x", 0.1, "s", 0.3), ("x", "≤ 0.3 s", "0.1 s", "", "", "yes")),
        (Figure("x", 0.4, "s", 0.3, "Python", 0.2, 2.0), ("x", "≤ 0.3 s", "0.4 s", "Python: 0.2 s", "2", "**no**")),
        (Figure("x", 4, "s", "≥ 8 × another"), ("x", "≥ 8 × another", "4 s", "", "", "")),
        (Figure("x", 1234.5, "MB"), ("x", "", "1,234 MB", "", "", "")),
    ],
)
def test_a_figure_stands_beside_its_target_and_what_it_cannot_be_below(figure: Figure, row: tuple[str, ...]) -> None:
    assert figure_row(figure._asdict()) == row


def test_ten_million_games_are_worked_out_from_one(tmp_path: Path) -> None:
    measured: list[dict[str, Any]] = [Figure("trace", 8.0, "KB a game")._asdict(), Figure("x", 1.0, "s")._asdict()]
    measured.append(Figure("playing", 6.25, "ms a game")._asdict())
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps({"a": {"machine": "m", "figures": measured}, "b": {"machine": "m", "figures": []}}))
    lines = ["| trace | 8 MB | 80 GB |", "| playing | 6.25 core seconds | 17.4 core hours |"]
    assert a_game(kept).splitlines()[2:] == lines
    assert machines(kept) == "- m (a, b)"


def test_a_command_s_memory_is_that_of_all_its_processes() -> None:
    child = "import time; x = bytearray(60_000_000); time.sleep(0.4)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert 60 < run_process("python", "-c", parent).memory < 120
