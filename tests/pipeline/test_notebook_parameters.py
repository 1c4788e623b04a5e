"""Every notebook runs with every parameter changed, and over three teams of somebody's own."""

import ast
import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import without_kernel

from pipeline.reports.batch.own_study import derive_study
from pipeline.reports.batch.pages import NOTEBOOKS, PageJob, write_pages
from sim.runs.teams import load_team
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task
from tests.small_study import TASKS, games, in_the_project, made_once

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDERS = {"tables", "results", "figures"}

# Each parameter of each notebook that is no folder, with another value: several at once where none hides another.
CONDITIONS: list[dict[str, Any]] = [{"condition": "blocked"}, {"condition": "adversarial"}, {"condition": "none"}]
CHANGED: dict[str, list[dict[str, Any]]] = {
    "00_one_game": [
        {"game_id": "of a game"},
        {"team": "sd", "task_id": "b005_hard", "round_number": 0, "english_team": "blunt"},
    ],
    "10_table1": CONDITIONS,
    "20_privacy_plane": CONDITIONS,
    "25_communication": CONDITIONS,
    "30_behaviour": CONDITIONS,
    "40_mixed_effects": [
        *({"condition": "blocked", "setting": "pooled"}, {"condition": "adversarial"}, {"condition": "none"}),
        *({"setting": "uniform", "teams": "protocols"}, {"teams": "imap, sd, exact"}),
    ],
    "45_robustness": [{"penalty": 7.5}],
    "50_adversarial": [{"listed": "data/paper/appendix_c.csv", "examples": 2}],
    "60_explore_traces": [{"where": "team = 'imap'", "place": 3}, {"order": "game_id", "round_number": 0}],
    "70_costs": [{"prices": "data/prices/litellm.yaml"}, {"own_prices": "data/teams/local.yaml"}],
    "90_where_we_differ": [{"tasks": "blocked.jsonl", "release_vps": "0.1, 0.2"}],
    "report": [{"team": "blunt", "condition": "blocked", "english": "full"}],
}
CASES = [(name, change) for name, changes in CHANGED.items() for change in changes]

OWN = {
    "lab-one": "{type: imap}, {type: imap}, {type: imap}, {type: dsm}, {type: dsm}",
    "lab-two": "{type: sd}, {type: sd}, {type: sd}, {type: dsm}, {type: dsm}",
    "lab-three": "{type: dsm, parameters: {l_max: 6}}",
}


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


def make_pages_of_own_teams(folder: Path) -> None:
    """Pages of all notebooks over the games of three teams of one's own; failures.json says which failed, and how."""
    folder.mkdir()
    for name, agents in OWN.items():
        (folder / f"{name}.yaml").write_text(f"team: {name}\nagents: [{agents}]\n", encoding="utf-8")
    listed = read_list(ROOT / "data/suites/paper72.csv")
    games(folder / "in", [make_task(listed[i]) for i in TASKS], [load_team(f"{folder / name}.yaml") for name in OWN])
    with in_the_project() as patch:
        patch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
        study = derive_study([folder / "in"], folder, lambda done, total: None)
        given = {"tables": str(study.tables), "results": str(study.results)}
        jobs = [
            PageJob(path, given | ({"team": "lab-one"} if path.stem == "report" else {}), folder / path.stem, path.stem)
            for path in sorted(NOTEBOOKS.glob("*.ipynb"))
        ]
        failures = write_pages(jobs, 1, lambda done, total: None)
    assert not study.failed
    told = {job.title: problem for job, problem in failures}
    (folder / "failures.json").write_text(json.dumps(told), encoding="utf-8")


@pytest.fixture(scope="session")
def pages_of_own_teams(shared_folder: Path) -> Path:
    return made_once(shared_folder, "own_teams", make_pages_of_own_teams)


@pytest.mark.parametrize("name", CHANGED)
def test_a_notebook_runs_over_three_teams_of_ones_own(name: str, pages_of_own_teams: Path) -> None:
    failures = json.loads((pages_of_own_teams / "failures.json").read_text(encoding="utf-8"))
    assert name not in failures, failures[name]
    html = re.sub(r"<[^>]+>", " ", (pages_of_own_teams / name).read_text(encoding="utf-8"))
    if "study.stated(" in (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"):
        assert re.search(r"18 standard games of 3 teams: lab-one, lab-three, lab-two|hold no adversarial game", html)


def test_appendix_i_is_fitted_to_teams_of_ones_own(pages_of_own_teams: Path) -> None:
    html = re.sub(r"<[^>]+>", " ", (pages_of_own_teams / "40_mixed_effects").read_text(encoding="utf-8"))
    assert re.search(r"Fitted:\s+others\s+, 18 standard games of 3 teams", html)
    assert re.search(r"Of \d fits of\s+others\s+the slope", html)


def test_claims_of_communication_say_that_they_count_direct_messages_and_whose(pages_of_own_teams: Path) -> None:
    claims = re.findall(r'assert_claim\("([^"]+)"', "".join(sources(NOTEBOOKS / "25_communication.ipynb")))
    assert len(claims) > 5
    assert not [claim for claim in claims if re.search(r"(?<!direct )[Mm]essage", claim)]
    html = re.sub(r"<[^>]+>", " ", (pages_of_own_teams / "25_communication").read_text(encoding="utf-8"))
    assert re.search(r"teams that are not\s+simulated", html)
    assert "simulated teams" not in html


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in code_cells(path)]
