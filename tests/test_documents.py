"""Documents: what is built of them is as its source has it, links lead somewhere, and the README is short."""

import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from pipeline.beyond.schemas import PARTS as PARTS_BEYOND
from pipeline.reports.documents.build import PARTS as PARTS_OF_THE_STUDY
from pipeline.reports.documents.build import build_texts
from pipeline.reports.documents.markdown import PART, fill_parts
from sim.runs.documents import DOCUMENTS

PARTS = (*PARTS_OF_THE_STUDY, *PARTS_BEYOND)
ROOT = Path(__file__).parents[1]
PAGES = sorted((*ROOT.glob("*.md"), ROOT / "data/README.md", *(ROOT / "docs").rglob("*.md")))
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
# Files of data/ that are no stage's alone.
KEPT = ("[glp]*/*", "teams/*", "results/*.csv", "suites/*.csv")


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("document", dict.fromkeys(part.document for part in PARTS))
def test_a_document_quotes_its_sources_as_they_are(document: str) -> None:
    text = Path(document).read_text(encoding="utf-8")
    assert text == build_texts(PARTS)[Path(document)], "run `python -m pipeline docs`"


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_a_document_of_the_simulator_is_as_the_code_has_it(document: Path) -> None:
    assert document.read_text(encoding="utf-8") == DOCUMENTS[document](), "run `python -m pipeline docs`"


def test_every_mark_has_a_function_that_builds_its_part_and_every_function_a_mark() -> None:
    marks = {(str(p.relative_to(ROOT)), m[2]) for p in PAGES for m in PART.finditer(p.read_text(encoding="utf-8"))}
    assert marks == {(part.document, part.name) for part in PARTS}


def docs(folder: Path, *words: str) -> tuple[int, str]:
    """Exit code and errors of the command, in a folder that it takes for the project."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pipeline", "docs", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr


LATE = ("README.md", "docs/language.md", "docs/styles.md", "docs/trace.schema.json")


@pytest.mark.slow
def test_one_command_names_what_is_behind_and_builds_it(tmp_path: Path) -> None:
    for path in ("docs", "data/results", "data/paper"):
        shutil.copytree(ROOT / path, tmp_path / path)
    for path in ("README.md", "data/README.md", "dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / path, tmp_path / path)
    for late in LATE:
        text = (tmp_path / late).read_text(encoding="utf-8")
        (tmp_path / late).write_text(re.sub("100|occupied|string", "another", text), encoding="utf-8")
    code, errors = docs(tmp_path, "--check")
    assert (code, errors.count("\n")) == (1, 2)  # a line a program
    assert set(re.findall(r"[\w/.-]+\.(?:md|json)\b", errors)) == set(LATE)
    assert docs(tmp_path) == (0, "")
    assert docs(tmp_path, "--check") == (0, "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file(page: Path) -> None:
    links = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_page_of_data_names_every_file_there_is() -> None:
    page = (ROOT / "data/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .*", page.partition("\n<!-- built")[0], re.MULTILINE)
    patterns = [name.replace("…", "*") for row in rows for name in re.findall(r"`([^` ]+)`", row)]
    known = [f"{pattern}*" if pattern.endswith("/") else pattern for pattern in patterns]
    kept = (path for folder in KEPT for path in (ROOT / "data").glob(folder) if path.is_file())
    files = sorted(path.relative_to(ROOT / "data").as_posix() for path in kept)
    assert [name for name in files if not any(fnmatch(name, pattern) for pattern in known)] == []


def test_the_readme_has_at_most_900_words() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_a_part_is_replaced_and_nothing_else() -> None:
    text = "a\n<!-- built: x -->\nold\n<!-- end -->\nb <!-- built: y -->\n<!-- end -->"
    assert fill_parts(text, {"x": "1\n2", "y": "3"}) == (
        "a\n<!-- built: x -->\n1\n2\n<!-- end -->\nb <!-- built: y -->\n3\n<!-- end -->"
    )
    with pytest.raises(KeyError, match="y"):
        fill_parts(text, {"x": "1"})
