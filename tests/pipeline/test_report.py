"""Reports: pages that open without a network, and on which nothing that an agent wrote does anything."""

import re
from pathlib import Path

import pytest
from test_views_html import HOSTILE
from trace_builder import TraceBuilder, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.reports.batch.facts import escape_markdown
from pipeline.reports.batch.pages import file_name, html_page, notebook_page

ELSEWHERE = re.compile(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""")


def executed(folder: Path, output: dict[str, str]) -> Path:
    """An executed notebook with one output."""
    import nbformat

    cell = nbformat.v4.new_code_cell("answer", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("display_data", data=output)]
    path = folder / "executed.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell, nbformat.v4.new_markdown_cell("# Answer")]), path)
    return path


@pytest.mark.slow
def test_a_page_holds_all_that_it_shows(tmp_path: Path) -> None:
    html = notebook_page(executed(tmp_path, {"image/svg+xml": "<svg><path d='M0 0'/></svg>"}), "A team", "index.html")
    assert "data:image/svg+xml" in html and "<h1" in html
    assert not ELSEWHERE.search(html)
    assert "answer" not in html  # the code stays in the notebook


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_text_on_a_page_stays_text(tmp_path: Path, text: str) -> None:
    html = notebook_page(executed(tmp_path, {"text/plain": text}), text)
    assert "<script" not in html and "<img" not in html


def test_no_script_runs_on_a_page(tmp_path: Path) -> None:
    html = notebook_page(executed(tmp_path, {"text/html": "<b>1</b><script>alert(1)</script>"}), "A team")
    assert "<b>1</b>" in html and "<script" not in html
    assert "default-src 'none'" in html_page("", "A team")


@pytest.mark.parametrize("text", [*HOSTILE, "a_b *c* # d", "[x](y)", "<b>"])
def test_a_name_stands_in_markdown_as_it_is(text: str) -> None:
    assert not re.search(r"[<>*_\[\]`|\\]", escape_markdown(text))


LONG = "队" * 35
SAME_WHEN_CUT = [
    "a/b",
    "a-b",
    "a b",
    "../a-b",
    "队一/",
    "队一?",
    LONG * 9,
    LONG * 9 + "x",
    "e\u0301",
    "\u00e9",
    "~a",
    "a~b",
    ".",
]


@pytest.mark.parametrize(
    ("team", "condition", "name"),
    [
        ("imap", "standard", "imap.standard"),
        ("gpt-4.1", "standard", "gpt-4.1.standard"),
        ("队伍", "standard", "队伍.standard"),
        (LONG, "standard", f"{LONG}.standard"),
    ],
)
def test_a_page_is_called_as_its_team(team: str, condition: str, name: str) -> None:
    assert file_name(team, condition) == name


@pytest.mark.parametrize("team", [*SAME_WHEN_CUT, *HOSTILE, "../../x", "...", "", "x" * 300])
def test_a_page_gets_a_file_of_its_own_folder(team: str) -> None:
    name = file_name(team, "standard")
    assert Path(name).name == name and not name.startswith(".")
    assert len(f".{name}.html.4194304.tmp".encode()) <= 255


def test_no_two_pages_have_one_file() -> None:
    places = [(team, "standard") for team in SAME_WHEN_CUT] + [("a", "b.c"), ("a.b", "c"), ("a-b.standard", "")]
    assert len({file_name(*place) for place in places}) == len(places)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["--tables", "none"], "no tables in none"),
    ],
)
def test_bad_usage_is_told_in_a_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    done = CliRunner().invoke(app, ["report", *arguments, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert message in " ".join(done.output.replace("│", " ").split())
    assert not list(tmp_path.glob("out/*.html"))


@pytest.mark.slow
def test_traces_of_ones_own_become_pages_whatever_is_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    for number, text in enumerate(HOSTILE):
        trace = TraceBuilder(f"game-{number}", team=f"team {text}").round(0)
        trace.dm(0, 0, 1, f"Slot 1 is free {text}").resolution(0, True, a0=1, a1=1)
        write_trace(tmp_path / "traces" / f"{number}.json", trace.text())
    (tmp_path / "traces" / "broken.json").write_text("{", encoding="utf-8")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "traces"), "--out", str(tmp_path / "out")])
    assert done.exit_code == 3, done.output
    pages = list((tmp_path / "out").glob("*.html"))
    assert len(pages) > len(HOSTILE) + 5
    for path in pages:
        html = path.read_text(encoding="utf-8")
        assert not re.search(r"<script\b|<img (?![^>]*src=\"data:)", html), path
        assert not ELSEWHERE.search(html), path
