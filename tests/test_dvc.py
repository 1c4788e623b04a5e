"""The study's stages declare what they depend on, are repeated where that changed, and take every parameter."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.utils.hydra import apply_overrides

from pipeline.paper.stages import code
from pipeline.paper.stages.__main__ import progress, stages
from pipeline.reports.documents.stages import stages as graph_of_stages
from tests.imports import ROOT
from tests.walk import dvc_lines

DVC_FILES = (ROOT / "dvc.yaml", ROOT / "notebooks/beyond/dvc.yaml")
FILES: list[dict[str, Any]] = [yaml.safe_load(path.read_text(encoding="utf-8"))["stages"] for path in DVC_FILES]
STUDY: dict[str, Any] = {name: stage for stages in FILES for name, stage in stages.items()}
NOTEBOOKS = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob("[0-9]*.ipynb")}
# What a command runs; and the programs that start another one.
RUN = re.compile(r"python -m ([\w.]+)")
STARTS = {"pipeline.beyond.strategy.play": "sim"}


def programs(stage: dict[str, Any]) -> set[str]:
    """The programs of ours that a stage runs, by what follows `python -m`."""
    named = set(RUN.findall(str(stage["cmd"])))
    return named | {STARTS[name] for name in named & STARTS.keys()}


def executed(stage: dict[str, Any]) -> set[str]:
    """The notebooks that a stage executes, one for each name of its matrix."""
    listed = [dep for dep in stage["deps"] if dep.endswith(".ipynb") and "${item.name}" in dep]
    return {dep.replace("${item.name}", name) for dep in listed for name in stage["matrix"]["name"]}


@pytest.mark.parametrize("name", sorted(STUDY.keys() - {"code"}))
def test_every_stage_depends_on_the_code_of_what_it_runs(name: str) -> None:
    assert programs(STUDY[name])
    declared = {Path(dep).name.removesuffix(".txt") for dep in STUDY[name]["deps"] if dep.startswith("data/code/pip")}
    declared |= {"sim"} & {Path(dep).stem for dep in STUDY[name]["deps"]}
    assert declared == programs(STUDY[name])


@pytest.mark.parametrize("name", ("notebook", "beyond_notebook"))
def test_every_notebook_depends_on_its_own_code(name: str) -> None:
    notebook = next(dep for dep in STUDY[name]["deps"] if dep.endswith(".ipynb"))
    assert f"data/code/{notebook.removesuffix('.ipynb')}.txt" in STUDY[name]["deps"]


def test_every_notebook_is_executed_by_a_study_and_its_code_listed() -> None:
    assert {path for stage in STUDY.values() for path in executed(stage)} == NOTEBOOKS
    assert {dep for dep in STUDY["code"]["deps"] if dep.endswith(".ipynb")} == NOTEBOOKS


def test_the_code_of_every_program_that_a_stage_runs_is_listed() -> None:
    listed = {name for side in code.SIDES for name in code.programs_of(ROOT / side)}
    assert {program for stage in STUDY.values() for program in programs(stage)} <= listed


def test_a_programs_code_is_every_module_that_it_imports_and_the_queries_beside_them() -> None:
    listed = {line.split()[0] for line in code.listed(ROOT / "pipeline/beyond/worlds/stage.py")}
    assert {"pipeline/tables/io.py", "pipeline/beyond/worlds/games.sql"} <= listed
    assert not {path for path in listed if path.startswith(("sim/agents", "pipeline/reports"))}


@pytest.mark.parametrize("name", STUDY)
def test_who_looks_for_phrases_depends_on_the_lists_of_them(name: str) -> None:
    files = [code.module_file(program) for program in programs(STUDY[name])]
    looks = any(ROOT / "pipeline/behaviour/phrases.py" in code.closure(file) for file in files if file)
    assert looks is ("pipeline/behaviour/lexicons" in STUDY[name]["deps"])


@pytest.mark.parametrize(
    ("before", "after", "same"),
    (
        ("a = 1\n", "a = 1  # why\n", True),
        ("def f():\n    return 1\n", "# what\n\ndef f():\n\n    return 1\n", True),
        ("a = 1\n", "a = 2\n", False),
        ("a = '# no comment'\n", "a = '# none at all'\n", False),
        ('a = """one\n\ntwo"""\n', 'a = """one\ntwo"""\n', False),
    ),
)
def test_comments_and_blank_lines_are_no_code(before: str, after: str, same: bool) -> None:
    assert (code.without_comments(before) == code.without_comments(after)) is same


@pytest.mark.parametrize(
    ("module", "notebooks"),
    (
        ("pipeline/reports/plots/one_game.py", {"00_one_game"}),
        ("pipeline/reports/plots/heat.py", {"00_one_game", "30_behaviour", "60_explore_traces"}),
    ),
)
def test_a_plot_that_changes_repeats_the_notebooks_that_draw_it(module: str, notebooks: set[str]) -> None:
    drawn = {n for n in NOTEBOOKS if ROOT / module in code.closure(ROOT / n)}
    assert drawn == {f"notebooks/{name}.ipynb" for name in notebooks}


@pytest.mark.parametrize("name", STUDY)
def test_every_stage_says_what_it_does_in_a_full_sentence(name: str) -> None:
    sentence = STUDY[name]["desc"]
    assert sentence[0].isupper() or sentence.startswith("$")
    assert sentence.endswith(".")
    assert len(sentence.split()) > 5


def test_no_stage_of_the_one_study_is_called_like_one_of_the_other() -> None:
    assert len(STUDY) == sum(map(len, FILES))


def test_the_paper_is_reproduced_in_at_most_forty_stages() -> None:
    assert 20 < stages(["dvc.yaml"]) <= 40 < stages(["dvc.yaml", "notebooks/beyond/dvc.yaml"])


@pytest.mark.parametrize(
    ("file", "name"), (("params.yaml", "vps.prior"), ("notebooks/beyond/params.yaml", "frontier.fair_share"))
)
def test_dvc_changes_nothing_of_the_parameters_but_the_one_that_it_is_told(
    file: str, name: str, tmp_path: Path
) -> None:
    written, key = tmp_path / "params.yaml", name.rpartition(".")[2]
    before = (ROOT / file).read_text(encoding="utf-8")
    written.write_text(before, encoding="utf-8")
    apply_overrides(written, [f"{name}=0.3"])
    assert written.read_text(encoding="utf-8") == before.replace(f"  {key}: 0.5 ", f"  {key}: 0.3 ") != before


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS))
def test_a_notebook_that_is_run_by_hand_draws_where_git_sees_nothing(notebook: str) -> None:
    assert re.search(r"^figures = \"lab/", code.source(ROOT / notebook), re.MULTILINE)


def test_a_run_of_the_study_says_which_stage_of_how_many_and_drops_what_dvc_says_of_its_own_work() -> None:
    said = (
        "Stage 'suite' didn't change, skipping\n",
        "Running stage 'simulate@imap':\n",
        "> python -m sim run data/suites/standard.jsonl --team imap\n",
        "144 games played\n",
        "Updating lock file 'dvc.lock'\n",
        "\n",
        "WARNING: 'figures/70_costs' is empty.\n",
        "Running stage 'notebooks/beyond/dvc.yaml:ladder':\n",
        "ERROR: failed to reproduce 'ladder': exited with 1\n",
        "Use `dvc push` to send your updates to remote storage.\n",
    )
    assert list(progress(said, 40)) == [
        "stage 2 of 40, 0:00 min: simulate@imap",
        "  144 games played",
        "stage 3 of 40, 0:00 min: ladder",
        "  ERROR: failed to reproduce 'ladder': exited with 1",
        "2 of 40 stages ran, 1 had nothing new to do",
    ]


def test_the_graph_of_the_study_leads_from_each_stage_to_those_that_read_what_it_makes() -> None:
    graph = graph_of_stages()
    assert all(re.search(rf"^  {name}\[", graph, re.MULTILINE) for name in FILES[0].keys() - {"code"})
    assert "  simulate --> ingest\n" in graph
    assert "  suite --> ingest\n" not in graph  # simulate lies between


def test_the_walk_takes_every_line_for_dvc_of_the_readme_and_the_page_about_the_study() -> None:
    lines = {command for _, command in dvc_lines()}
    assert {"dvc exp run -S vps.prior=0.3", "dvc repro --force", "dvc metrics diff"} <= lines


@pytest.mark.slow
def test_the_quick_part_of_the_walk_ends_well() -> None:
    walk = subprocess.run([sys.executable, "-m", "tests.walk", "--quick"], cwd=ROOT, capture_output=True, text=True)
    assert walk.returncode == 0, walk.stdout + walk.stderr
