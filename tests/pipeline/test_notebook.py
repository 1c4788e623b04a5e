"""Notebooks: what their sources are like, what an executed copy keeps, and what happens where a cell fails."""

import ast
import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
import without_kernel
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from trace_builder import toy_game, write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.paper.stages import comparisons, robustness
from pipeline.paper.stages.intervals import main as write_intervals
from pipeline.privacy.rules import Weighing
from pipeline.reports.notebook import IMAGE, NotebookFailed, embed_figures, execute, reproducible
from pipeline.tables.queries import write_query_results
from tests.small_study import made_once

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("[!.]*.ipynb"))
COPIES = sorted((ROOT / "figures").glob("[!.]*.ipynb"))
OF_CLAIMS = [path for path in SOURCES if ".assert_claim(" in path.read_text(encoding="utf-8")]

MACHINE = re.compile(r"/(?:home|root|tmp|work|Users|mnt|usr|var)/|[A-Z]:\\\\| at 0x[0-9a-f]{6}|site-packages")


def name(path: Path) -> str:
    return path.stem


def cells(path: Path, kind: str = "code") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == kind]


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def tagged(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in cells(path) if "parameters" in cell["metadata"].get("tags", ())]


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_source_is_stripped(path: Path) -> None:
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(path))
    assert not MACHINE.search(path.read_text(encoding="utf-8"))
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    assert set(metadata) == {"kernelspec", "language_info"}
    assert metadata["language_info"] == {"name": "python"}


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_source_begins_with_its_title_unless_that_follows_from_its_parameters(path: Path) -> None:
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    assert text(first).startswith("# ") if first["cell_type"] == "markdown" else [first] == tagged(path)
    assert len(tagged(path)) == 1
    values = [
        ast.literal_eval(line.value) for line in ast.parse(text(tagged(path)[0])).body if isinstance(line, ast.Assign)
    ]
    assert values
    assert all(isinstance(value, str | int | float) for value in values)


@pytest.mark.parametrize("path", OF_CLAIMS, ids=name)
def test_a_source_with_claims_answers_and_ends_with_its_verdicts(path: Path) -> None:
    assert text(cells(path)[-1]).rstrip().endswith("study.verdicts()")
    assert "**" in text(cells(path, "markdown")[0]) or any("study.finding(" in text(cell) for cell in cells(path)[:5])


@pytest.mark.parametrize("path", COPIES, ids=name)
def test_an_executed_copy_holds_nothing_of_its_run(path: Path) -> None:
    assert not MACHINE.search(path.read_text(encoding="utf-8"))
    outputs = [output for cell in cells(path) for output in cell["outputs"]]
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert [cell["execution_count"] for cell in cells(path)] == list(range(1, len(cells(path)) + 1))


@pytest.mark.parametrize("path", [*COPIES, *sorted((ROOT / "figures/beyond").glob("*.ipynb"))], ids=name)
def test_an_executed_copy_shows_figures_from_the_folder_beside_it(path: Path) -> None:
    shown = [output["data"] for cell in cells(path) for output in cell["outputs"] if "data" in output]
    images = [image[1] for data in shown if (image := IMAGE.fullmatch("".join(data.get("text/html", ()))))]
    assert sorted(images) == sorted(f"{path.stem}/{figure.name}" for figure in path.with_suffix("").glob("*.svg"))
    assert not [data for data in shown if "image/svg+xml" in data]


DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><title>A &lt; &quot;B&quot;</title><path d="M0 0"/></svg>'
ELSEWHERE = '<img src="https://example.org/a.svg" alt="a">'
OUTSIDE = '<img src="../n/saved_once.svg" alt="saved once">'


def with_outputs(path: Path, *shown: dict[str, str]) -> Path:
    """An executed notebook whose one cell shows these."""
    cell = new_code_cell("1", execution_count=1)  # type: ignore[no-untyped-call]
    cell.outputs = [new_output("display_data", data) for data in shown]  # type: ignore[no-untyped-call]
    path.write_text(json.dumps(new_notebook(cells=[cell])), encoding="utf-8")  # type: ignore[no-untyped-call]
    return path


@pytest.mark.slow
def test_a_figure_says_what_it_shows_where_it_is_linked_and_where_a_page_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "n").mkdir()
    (tmp_path / "n/saved_once.svg").write_text(f'<?xml version="1.0"?>\n{DRAWING}\n', encoding="utf-8")
    other = {"image/svg+xml": DRAWING.replace("M0", "M1")}
    shown = [{"image/svg+xml": DRAWING, "text/plain": "SVG"}, other, {"text/html": ELSEWHERE}, {"text/html": OUTSIDE}]
    executed = with_outputs(tmp_path / "executed.ipynb", *shown)
    copy = nbformat.reads(reproducible(executed, tmp_path / "n"), 4)  # type: ignore[no-untyped-call]
    says = 'alt="A &lt; &quot;B&quot;">'
    linked = {"text/html": f'<img src="n/saved_once.svg" {says}', "text/plain": "SVG"}
    assert [dict(output.data) for output in copy.cells[0].outputs] == [linked, *shown[1:]]
    embed_figures(copy, tmp_path)
    first, *others = [dict(output.data) for output in copy.cells[0].outputs]
    held = re.fullmatch(rf'<img src="data:image/svg\+xml;base64,(\S+)" {says}', first["text/html"])
    assert held and b64decode(held[1]).decode() == DRAWING
    assert others == shown[1:]


def notebook(path: Path, *code: str, parameters: str = 'figures = "none"') -> Path:
    """A notebook of prose, a cell of parameters, prose, and code."""
    first = new_code_cell(parameters, metadata={"tags": ["parameters"]})  # type: ignore[no-untyped-call]
    prose = [new_markdown_cell(words) for words in ("# Title", "More.")]  # type: ignore[no-untyped-call]
    found = new_notebook(cells=[prose[0], first, prose[1], *map(new_code_cell, code)])  # type: ignore[no-untyped-call]
    found.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


TALK = """import os, sys, time
print(figures, flush=True); print("aside", file=sys.stderr, flush=True); time.sleep(0.01); print({"b", "a", "c"})"""


@pytest.mark.slow
def test_two_executions_give_the_same_bytes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = notebook(tmp_path / "n.ipynb", TALK, "sorted({'b', 'a'})")
    copies = [tmp_path / name / "copy.ipynb" for name in "ab"]
    for copy in copies:
        execute(source, copy, {"figures": "here"})
    assert copies[0].read_bytes() == copies[1].read_bytes()
    assert str(tmp_path) not in copies[0].read_text(encoding="utf-8")
    assert [output["text"][0] for cell in cells(copies[0]) for output in cell["outputs"] if "text" in output][:2] == [
        "here\n",
        "aside\n",
    ]
    assert capfd.readouterr() == ("", "")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["copy.ipynb"]


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """A folder in which `python -m pipeline.reports.execute_notebook NAME` finds notebooks/NAME.ipynb."""
    (tmp_path / "notebooks").mkdir()
    return tmp_path


def run_stage(folder: Path, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pipeline.reports.execute_notebook", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_failing_cell_is_told_in_one_line_and_nothing_is_left(stage: Path) -> None:
    notebook(stage / "notebooks/n.ipynb", "x = 2", "# why\nassert x == 3, 'not\\nthree'")
    code, told = run_stage(stage, "n")
    assert (code, told) == (
        1,
        "error: notebooks/n.ipynb, cell 5, at `assert x == 3, 'not\\nthree'`: AssertionError: not\n",
    )
    assert not list((stage / "figures").glob("**/*.*"))


def test_a_parameter_that_the_notebook_lacks_is_named(tmp_path: Path) -> None:
    source = notebook(tmp_path / "n.ipynb", parameters="tables = 'x'\nfigures = 'y'")
    with pytest.raises(NotebookFailed, match=r"n.ipynb has no parameter tabels; it has tables, figures$"):
        execute(source, tmp_path / "out/copy.ipynb", {"tabels": "z"})
    assert not (tmp_path / "out").exists()


NOT_NOTEBOOKS = (
    (None, "there is no such notebook"),
    *((text, "is not a notebook") for text in ('{"a":', '{"cells": 3}')),
)


@pytest.mark.parametrize(("content", "told"), NOT_NOTEBOOKS)
def test_what_is_no_notebook_is_named(tmp_path: Path, content: str | None, told: str) -> None:
    if content is not None:
        (tmp_path / "n.ipynb").write_text(content, encoding="utf-8")
    with pytest.raises(NotebookFailed, match=rf"n.ipynb.* {told}"):
        execute(tmp_path / "n.ipynb", tmp_path / "copy.ipynb")


@pytest.mark.slow
def test_a_kernel_that_dies_is_told_in_one_line(stage: Path) -> None:
    notebook(stage / "notebooks/n.ipynb", "import os", "os._exit(3)")
    code, told = run_stage(stage, "n")
    assert (code, told.splitlines()[-1]) == (1, "error: notebooks/n.ipynb: Kernel died")


ON_A_TOY = [("20_privacy_plane", 0.5), ("00_one_game", 0.3)]


def make_toy_study(prior: float, folder: Path) -> None:
    """Tables and results of one small game, with a prior."""
    tables, results, recipe = folder / "tables", folder / "results", Recipe(csv=False, weighing=Weighing(prior=prior))
    derive([write_trace(folder / "a.json", toy_game().text())], tables, recipe, workers=1)
    write_query_results(tables, results)
    write_intervals(tables, results)
    comparisons.main(tables, results)
    robustness.main(tables, results)


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "prior"), ON_A_TOY)
def test_a_notebook_runs_on_tables_that_hold_next_to_nothing_and_on_another_prior(
    tmp_path: Path, shared_folder: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, prior: float
) -> None:
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    study = made_once(shared_folder, f"toy-{prior}", partial(make_toy_study, prior))
    places = {"tables": str(study / "tables"), "results": str(study / "results"), "figures": str(tmp_path / "figures")}
    execute(ROOT / f"notebooks/{wanted}.ipynb", tmp_path / "copy.ipynb", places)
    assert "These are not the study" in (tmp_path / "copy.ipynb").read_text(encoding="utf-8")
