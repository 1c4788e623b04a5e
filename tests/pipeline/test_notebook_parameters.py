"""Notebooks whose parameters choose what they compute run with all of them changed."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import without_kernel

from pipeline.reports.batch.pages import NOTEBOOKS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDERS = {"tables", "results", "figures"}

# Each parameter of these notebooks that is no folder, with another value: several at once where none hides another.
CHANGED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("00_one_game", {"game_id": "of a game"}),
    ("00_one_game", {"team": "sd", "task_id": "b005_hard", "round_number": 0, "english_team": "blunt"}),
    ("40_mixed_effects", {"condition": "blocked", "setting": "pooled", "teams": "imap, sd, exact"}),
    ("60_explore_traces", {"where": "team = 'imap'", "place": 3, "order": "game_id", "round_number": 0}),
    ("90_where_we_differ", {"tasks": "blocked.jsonl", "release_vps": "0.1, 0.2"}),
    ("report", {"team": "blunt", "condition": "blocked", "english": "full"}),
)


def parameters(path: Path) -> dict[str, Any]:
    """The parameters of a notebook's source, with their values."""
    tagged = next(c for c in code_cells(path) if "parameters" in c["metadata"].get("tags", ()))
    lines = ast.parse("".join(tagged["source"])).body
    return {a.targets[0].id: ast.literal_eval(a.value) for a in lines if isinstance(a, ast.Assign)}  # type: ignore[attr-defined]


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]


def markdown(path: Path, values: dict[str, Any], executed: Path) -> str:
    """The Markdown that a notebook's cells show with these parameters."""
    without_kernel.execute_raw(path, executed, values, [])
    shown = [output.get("data", {}) for cell in code_cells(executed) for output in cell["outputs"]]
    return "\n".join("".join(data.get("text/markdown", ())) for data in shown)


def test_every_parameter_that_is_no_folder_has_another_value() -> None:
    for name in dict(CHANGED):
        changed = {parameter for other, change in CHANGED if other == name for parameter in change}
        assert parameters(NOTEBOOKS / f"{name}.ipynb").keys() - FOLDERS == changed


@pytest.mark.parametrize(("name", "change"), CHANGED)
def test_a_notebook_runs_with_a_parameter_changed(
    name: str, change: dict[str, Any], small_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the tables count as the study's own: another parameter is no other finding."""
    path = NOTEBOOKS / f"{name}.ipynb"
    if "usual=" in path.read_text(encoding="utf-8"):
        monkeypatch.setattr("pipeline.reports.notebook_session.is_reference", lambda *of: True)
    monkeypatch.chdir(ROOT)
    if "game_id" in change:
        change = {"game_id": pl.read_parquet(small_study / "tables/games.parquet")["game_id"].max()}
    if "tasks" in change:
        change = change | {"tasks": str(small_study / change["tasks"])}
    folders = {"tables": small_study / "tables", "results": small_study / "results", "figures": tmp_path}
    shown = markdown(path, {key: str(folder) for key, folder in folders.items()} | change, tmp_path / "n.ipynb")
    if "study.stated(" in path.read_text(encoding="utf-8"):
        assert re.search(r"\d+ \w+ games? of \d+ teams?|hold no \w+ game", shown)
