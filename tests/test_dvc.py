"""The study's stages declare what they depend on, are repeated where that changed, and take every parameter."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.utils.hydra import apply_overrides

from pipeline.paper.stages import code
from pipeline.paper.stages.__main__ import progress, stages
from pipeline.paper.stages.outline import bare_lines, outline, source
from pipeline.reports.batch.own_study import TABLE_STAGES
from pipeline.reports.documents.stages import stages as graph_of_stages
from tests.follow import followed
from tests.imports import ROOT
from tests.walk import dvc_lines

DVC_FILES = (ROOT / "dvc.yaml", ROOT / "notebooks/beyond/dvc.yaml")
FILES: list[dict[str, Any]] = [yaml.load(path.read_bytes(), yaml.CSafeLoader)["stages"] for path in DVC_FILES]
STUDY: dict[str, Any] = {name: stage for stages in FILES for name, stage in stages.items()}
NOTEBOOKS = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").rglob("[0-9]*.ipynb")}
RESULTS = Path("data/results")
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


def test_every_notebook_of_the_paper_depends_on_the_results_that_it_names() -> None:
    listed = set(STUDY["inputs"]["deps"])
    assert {path for path in listed if path.endswith(".ipynb")} == executed(STUDY["notebook"])
    results = {out for stage in STUDY.values() for out in map(out_path, stage["outs"]) if Path(out).parent == RESULTS}
    named = {name for path in executed(STUDY["notebook"]) for name in code.read_by(ROOT / path)}
    assert {path for path in results if path.endswith(".csv") and Path(path).stem in named} - listed == set()


def test_a_changed_parameter_or_result_changes_what_is_listed_for_a_notebook_and_a_comment_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listed = []
    for parameters, result in (("a: 1\n", "x\n"), ("a: 1 # one\n", "x\n"), ("a: 2\n", "x\n"), ("a: 1\n", "y\n")):
        Path("params.yaml").write_text(parameters, encoding="utf-8")
        Path("excess.csv").write_text(result, encoding="utf-8")
        code.list_inputs(tmp_path)
        listed.append({path.stem: path.read_text(encoding="utf-8") for path in Path("data/inputs").iterdir()})
    assert listed[0] == listed[1]
    assert {f"notebooks/{name}.ipynb" for name in listed[0]} == executed(STUDY["notebook"])
    assert not [name for name, text in listed[2].items() if text == listed[0][name]]
    changed = {name for name, text in listed[3].items() if text != listed[0][name]}
    assert "10_table1" in changed < listed[0].keys()


def test_every_notebook_of_the_paper_is_repeated_where_any_parameter_changed() -> None:
    assert STUDY["inputs"]["params"] == [{"params.yaml": None}]
    assert "data/inputs/${item.name}.txt" in STUDY["notebook"]["deps"]


def out_path(out: str | dict[str, Any]) -> str:
    return out if isinstance(out, str) else next(iter(out))


def test_the_code_of_every_program_that_a_stage_runs_is_listed() -> None:
    listed = {name for side in code.SIDES for name in code.programs_of(ROOT / side)}
    assert {program for stage in STUDY.values() for program in programs(stage)} <= listed


def test_a_programs_code_is_every_module_that_it_imports_and_the_queries_beside_them() -> None:
    listed = {line.split()[0] for line in code.listed(ROOT / "pipeline/beyond/worlds/stage.py")}
    assert {"pipeline/tables/io.py", "pipeline/beyond/worlds/games.sql"} <= listed
    assert not {path for path in listed if path.startswith(("sim/agents", "pipeline/reports"))}


@cache
def names_reached(program: Path) -> set[str]:
    """FILE:NAME of whatever a program or notebook runs of the project's code."""
    parts = ((path, name) for path, used in code.reached(program).items() for part in used for name in part.binds)
    return {f"{path.relative_to(ROOT)}:{name}" for path, name in parts}


@pytest.mark.parametrize("name", STUDY)
def test_who_looks_for_phrases_depends_on_the_lists_of_them(name: str) -> None:
    files = [code.module_file(program) for program in programs(STUDY[name])]
    looks = any("pipeline/behaviour/phrases.py:LEXICONS" in names_reached(file) for file in files if file)
    assert looks is ("pipeline/behaviour/lexicons" in STUDY[name]["deps"])


SAME = (
    ("a = 1\n", "a = 1  # why\n"),
    ("def f():\n    return 1\n", "# what\n\ndef f():\n\n    return 1\n"),
    ('def f():\n    """What."""\n    return 1\n', 'def f():\n    """Why,\n\n    and what."""\n    return 1\n'),
)
OTHER = (
    ("a = 1\n", "a = 2\n"),
    ("a = '# no comment'\n", "a = '# none at all'\n"),
    ('a = """one\n\ntwo"""\n', 'a = """one\ntwo"""\n'),
)


@pytest.mark.parametrize(("before", "after"), SAME)
def test_comments_docstrings_and_blank_lines_are_no_code(before: str, after: str) -> None:
    assert list(bare_lines(before).values()) == list(bare_lines(after).values())


@pytest.mark.parametrize(("before", "after"), OTHER)
def test_what_is_no_comment_is_code(before: str, after: str) -> None:
    assert list(bare_lines(before).values()) != list(bare_lines(after).values())


@pytest.mark.slow
@pytest.mark.parametrize("stage", sorted({*TABLE_STAGES} - {"intervals", "mixed_effects"}))  # which take long
def test_whatever_a_stage_calls_is_in_the_list_of_its_code(
    stage: str, small_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    program = import_module(f"pipeline.paper.stages.{stage}")
    with followed() as called:
        program.main(small_study / "tables", shutil.copytree(small_study / "results", tmp_path / "results"))
    listed = {str(p.relative_to(ROOT)): parts for p, parts in code.reached(Path(str(program.__file__))).items()}
    missing = [call for call in called if not any(call[2] in part.lines for part in listed.get(call[0], ()))]
    assert (missing, len(called) > 9) == ([], True)


@pytest.mark.parametrize(
    ("drawn", "notebooks"),
    (
        ("plots/one_game.py:draw_round", {"00_one_game"}),
        ("plots/heat.py:draw_beliefs", {"00_one_game", "60_explore_traces"}),
        (
            "plots/lines.py:team_lines",
            {"10_table1", "20_privacy_plane", "25_communication", "45_robustness", "beyond/20_leakage"},
        ),
        ("plots/planes.py:privacy_plane", {"20_privacy_plane"}),
        ("plots/planes.py:messages_and_excess", {"25_communication"}),
    ),
)
def test_a_plot_that_changes_repeats_the_notebooks_that_draw_it(drawn: str, notebooks: set[str]) -> None:
    found = {n for n in NOTEBOOKS if f"pipeline/reports/{drawn}" in names_reached(ROOT / n)}
    assert found == {f"notebooks/{name}.ipynb" for name in notebooks}


MODULE = """
import numpy as np
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from pipeline.tables.io import Unused
LIMIT = 3
TEAMS = {}
TEAMS["one"] = LIMIT
@TEAMS.setdefault
def added(): return hidden_by_its_own
def used(hidden_by_its_own=LIMIT):
    from pipeline.tables.io import read_table as read
    hidden_by_its_own += np.zeros(TEAMS)
    return read.cached(hidden_by_its_own)
class Row:
    field: "Annotated[Other, '^x']"
    total = total
"""


def test_a_statement_uses_what_its_own_variables_do_not_hide_and_some_take_effect_by_import(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODULE, encoding="utf-8")
    outlined = outline(tmp_path / "m.py")
    found = {(*sorted(part.binds), part.takes_effect): part.uses for part in outlined.statements}
    assert found == {
        ("LIMIT", False): set(),
        ("TEAMS", False): set(),
        (True,): {("TEAMS",), ("LIMIT",)},
        ("added", True): {("TEAMS", "setdefault"), ("hidden_by_its_own",)},
        ("used", False): {("LIMIT",), ("np", "zeros"), ("TEAMS",), ("read", "cached")},
        ("Row", False): {("Annotated",), ("Other",), ("x",), ("total",)},
    }
    assert outlined.imports["read"] == {"pipeline.tables.io.read_table"}
    assert "Unused" not in outlined.imports


@pytest.mark.parametrize("name", STUDY)
def test_every_stage_says_what_it_does_in_a_full_sentence(name: str) -> None:
    sentence = STUDY[name]["desc"]
    assert sentence[0].isupper() or sentence.startswith("$")
    assert sentence.endswith(".")
    assert len(sentence.split()) > 5


def test_no_stage_of_the_one_study_is_called_like_one_of_the_other() -> None:
    assert len(STUDY) == sum(map(len, FILES))


def test_the_paper_is_reproduced_in_at_most_forty_stages_beside_those_that_list_what_each_needs() -> None:
    assert (
        20
        < stages(["dvc.yaml"]) - len({"code", "inputs"} & STUDY.keys())
        <= 40
        < stages(["dvc.yaml", "notebooks/beyond/dvc.yaml"])
    )


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
    assert re.search(r"^figures = \"lab/", source(ROOT / notebook), re.MULTILINE)


def digest(path: str, made: dict[str, str]) -> str | None:
    """What a lock calls a file or folder that stages make, by path → digest of all such; None where none does.

    A folder's is that of its files' digests and paths, as DVC lists them.
    """
    within = [{"md5": md5, "relpath": file.removeprefix(f"{path}/")} for file, md5 in sorted(made.items())]
    within = [file for file in within if f"{path}/{file['relpath']}" in made]
    return made.get(path) or (f"{hashlib.md5(json.dumps(within).encode()).hexdigest()}.dir" if within else None)


@pytest.mark.slow
def test_the_locks_are_of_the_stages_as_they_are_and_each_read_what_another_made() -> None:
    """Else a stage's results are of tables that its study made anew since."""
    locked: dict[str, Any] = {}
    for path in DVC_FILES:
        locked |= yaml.load(path.with_suffix(".lock").read_bytes(), yaml.CSafeLoader)["stages"]
    assert {name.partition("@")[0] for name in locked} == STUDY.keys()
    assert not [name for name in locked if ("@" in name) != ("matrix" in STUDY[name.partition("@")[0]])]
    made = {out["path"]: out["md5"] for stage in locked.values() for out in stage["outs"]}
    told = [(name, dep["path"], dep["md5"]) for name, stage in locked.items() for dep in stage.get("deps", ())]
    assert [(name, path) for name, path, md5 in told if digest(path, made) not in (None, md5)] == []


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
