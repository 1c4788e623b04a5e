"""Pages: they open without a network, nothing on them does anything, and no two have one name."""

import re
from pathlib import Path

import pytest
from test_views_html import HOSTILE

from pipeline.reports.batch.pages import (
    FILES,
    PageJob,
    file_name,
    harmless,
    html_page,
    notebook_html,
    notebook_page,
    write_index,
)
from pipeline.reports.notebook_session import escape_markdown

ELSEWHERE = re.compile(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""")


def executed(folder: Path, output: dict[str, str]) -> Path:
    """An executed notebook with one output."""
    import nbformat

    cell = nbformat.v4.new_code_cell("answer", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("display_data", data=output)]
    path = folder / "executed.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell, nbformat.v4.new_markdown_cell("# Answer")]), path)
    return path


@pytest.mark.parametrize(
    ("teams", "title"),
    [((), "Reports"), (("a", "a", "<b>"), "Report of a, &lt;b&gt;"), (tuple("abcde"), "Report of a, b, c and 2 more")],
)
def test_the_index_is_titled_by_its_teams_and_links_to_the_files_that_are_there(
    teams: tuple[str, ...], title: str, tmp_path: Path
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "ledger.csv").touch()
    write_index(
        [PageJob(tmp_path, {"team": team}, tmp_path / "none.html", team) for team in teams], tmp_path, files=FILES
    )
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f"<title>{title}</title>" in page and f"<h1>{title}</h1>" in page
    assert re.findall(r'<a href="([^"]*)"', page) == ["results/", "results/ledger.csv"]


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


ACTIVE = [
    '<meta http-equiv="refresh" content="0;url=https://example.org">',
    "<style>main {display: none}</style>",
    "<base href='https://example.org'>",
    "<link rel=stylesheet href='//example.org'>",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", ACTIVE)
def test_prose_does_nothing(tmp_path: Path, text: str) -> None:
    for data in ({"text/markdown": text}, {"text/markdown": f"a {text} b"}, {"text/plain": text}):
        html = notebook_html(executed(tmp_path, data))
        assert not re.search(r"<(meta|style|iframe|form|input|base|svg|link)", html, re.IGNORECASE)
        assert "&lt;" in html  # it is shown


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('<a href="https://example.org">x</a>', "<a>x</a>"),
        ('<a href="JavaScript:alert(1)">x</a>', "<a>x</a>"),
        ('<a href="#x">x</a>', '<a href="#x">x</a>'),
        ('<img src="https://example.org/x.png">', "<img>"),
        ('<b onclick="alert(1)" style="position: fixed; color: red">x</b>', '<b style="color: red;">x</b>'),
    ],
)
def test_links_images_and_looks_on_a_page(given: str, kept: str) -> None:
    assert harmless(given) == kept


@pytest.mark.slow
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
    "GPT",
    "gpt",
    "\u017f",
    "s",
    "~a",
    "a~b",
    ".",
]


@pytest.mark.parametrize("team", [*SAME_WHEN_CUT, *HOSTILE, "../../x", "...", "", "x" * 300])
def test_a_page_gets_a_file_of_its_own_folder(team: str) -> None:
    name = file_name(team, "standard")
    assert Path(name).name == name and not name.startswith(".")
    assert len(f"{name}.html".encode()) <= 255
