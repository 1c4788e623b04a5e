"""Every notebook runs with every parameter changed."""

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import without_kernel

from pipeline.reports.batch.pages import NOTEBOOKS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDERS = {"tables", "results", "figures"}

# Each parameter of each notebook that is no folder, with another value: several at once where none hides another.
CHANGED: dict[str, list[dict[str, Any]]] = {
    "00_one_game": [
        {"game_id": "of a game"},
        {"team": "sd", "task_id": "b005_hard", "round_number": 0, "english_team": "blunt"},
    ],
    "10_table1": [{"condition": "adversarial"}],
    "20_privacy_plane": [{"condition": "none"}],
    "25_communication": [{"condition": "blocked"}],
    "30_behaviour": [{"condition": "adversarial"}],
    "40_mixed_effects": [
        {"condition": "blocked", "setting": "pooled", "teams": "imap, sd, exact"},
    ],
    "45_robustness": [{"penalty": 7.5}],
    "50_adversarial": [{"listed": "data/paper/appendix_c.csv", "examples": 2}],
    "60_explore_traces": [{"where": "team = 'imap'", "place": 3, "order": "game_id", "round_number": 0}],
    "70_costs": [{"prices": "data/prices/litellm.yaml", "own_prices": "data/teams/local.yaml"}],
    "90_where_we_differ": [{"tasks": "blocked.jsonl", "release_vps": "0.1, 0.2"}],
    "report": [{"team": "blunt", "condition": "blocked", "english": "full"}],
}
CASES = [(name, change) for name, changes in CHANGED.items() for change in changes]


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
    sources = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert {path.stem for path in sources} == CHANGED.keys()
    for path in sources:
        assert parameters(path).keys() - FOLDERS == {name for change in CHANGED[path.stem] for name in change}


@pytest.mark.parametrize(("name", "change"), CASES, ids=[f"{name}-{json.dumps(change)}" for name, change in CASES])
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


def test_teams_that_tie_but_for_rounding_stand_on_the_frontier_together(small_study: Path, tmp_path: Path) -> None:
    results = shutil.copytree(small_study / "results", tmp_path / "results")
    alike = {"excess_cost": 0.0, "vps_uniform_mean": 1.68775, "vps_cost_mean": 2.0, "vps_uniform_all_pairs_mean": 1.0}
    table1 = pl.read_csv(results / "table1.csv").with_columns(
        pl.lit(value).alias(name) for name, value in alike.items()
    )
    tied = table1.with_columns(pl.col("vps_uniform_mean") + pl.col("team").eq("sd") * 3e-16)
    assert tied["vps_uniform_mean"].n_unique() == 2
    tied.write_csv(results / "table1.csv")
    folders = {"tables": str(small_study / "tables"), "results": str(results), "figures": str(tmp_path)}
    without_kernel.execute_raw(NOTEBOOKS / "20_privacy_plane.ipynb", tmp_path / "n.ipynb", folders, [])


def test_the_order_of_the_paper_s_four_protocols_is_not_told_of_two(small_study: Path, tmp_path: Path) -> None:
    """Nor that of teams on so few tasks that none could change places beyond chance."""
    folders = {"tables": small_study / "tables", "results": small_study / "results", "figures": tmp_path}
    given = {key: str(folder) for key, folder in folders.items()}
    without_kernel.execute_raw(NOTEBOOKS / "45_robustness.ipynb", tmp_path / "n.ipynb", given, [])
    (shown,) = code_cells(tmp_path / "n.ipynb")[-1]["outputs"]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in "".join(shown["data"]["text/html"]).split("</tr>")]
    orders = {row[0]: row[3] for row in rows if row and "the order of" in row[0]}
    assert len(orders) == 4 and set(orders.values()) == {"–"}
