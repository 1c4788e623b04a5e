"""Reports: pages that open without a network, and on which nothing that an agent wrote does anything."""

import re
from errno import EIO, ENOSPC
from pathlib import Path
from tempfile import gettempdir

import polars as pl
import pytest
from click.testing import Result
from test_views_html import HOSTILE
from trace_builder import TraceBuilder, toy_game, write_trace
from typer import Exit
from typer.testing import CliRunner

from machine.files import exclusive_access
from pipeline.__main__ import app
from pipeline.reports.batch import command, own_study
from pipeline.reports.batch.pages import (
    PageJob,
    file_name,
    harmless,
    html_page,
    notebook_html,
    notebook_page,
    notebook_title,
    write_page,
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
    "<iframe src='https://example.org'></iframe>",
    "<form action='https://example.org'><input></form>",
    "<base href='https://example.org'>",
    "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
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


def test_tables_keep_their_looks(tmp_path: Path) -> None:
    looks = "<style>td {color: red}</style>"
    html = notebook_html(executed(tmp_path, {"text/html": f"<div>{looks}<table><tr><td>1</td></tr></table></div>"}))
    assert looks in html and "<td>1</td>" in html


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


def reported(traces: Path, *arguments: str) -> Result:
    """The end of `report` of traces, into the folder beside them."""
    return CliRunner().invoke(app, ["report", str(traces), "--out", str(traces.parent / "out"), *arguments])


@pytest.mark.slow
def test_a_team_of_simulated_and_other_games_has_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr(command, "OF_THE_STUDY", "none")
    for number in range(4):
        game = toy_game(f"game-{number}", team="mine", simulated=number % 2 == 0, task_id=f"t{number // 2}")
        write_trace(tmp_path / "traces" / f"{number}.json", game.text())
    done = reported(tmp_path / "traces")
    assert done.exit_code == 0, done.output
    html = (tmp_path / "out/mine.standard.html").read_text(encoding="utf-8")
    assert "mine (simulated in part), standard" in html and "4 games" in html
    assert ">uniform<" in html and ">simulated<" in html
    assert "mine (simulated in part), standard" in (tmp_path / "out/index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_cannot_be_made_is_listed_and_all_else_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    hurt = "\x1b]0;title\x07<b>队/"
    for number, team in enumerate(("a/b", "a-b", hurt, "x" * 200)):
        write_trace(tmp_path / "traces" / f"{number}.json", toy_game(f"game-{number}", team=team).text())
    (tmp_path / "reports").mkdir()
    source = (command.NOTEBOOKS / "report.ipynb").read_text(encoding="utf-8")
    fails = source.replace("study = Study(", "assert '队' not in team, team; study = Study(")
    (tmp_path / "reports/report.ipynb").write_text(fails, encoding="utf-8")
    monkeypatch.setattr(command, "NOTEBOOKS", tmp_path / "reports")
    monkeypatch.setattr("pipeline.paper.stages.mixed_effects.main", lambda *folders: 1 / 0)
    done = reported(tmp_path / "traces")
    assert done.exit_code == 3, done.output
    assert "3 pages in" in done.output and "results of mixed_effects: ZeroDivisionError" in done.output
    assert "\x1b" not in done.output and "\x07" not in done.output
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert index.count("<a href=") == 3 == len(list((tmp_path / "out").glob("*.html"))) - 1
    assert "What could not be made" in index and "ZeroDivisionError" in index and "<b>" not in index


@pytest.mark.slow
def test_a_message_that_is_no_offer_does_not_end_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr(own_study, "TABLE_STAGES", ("results", "intervals", "excess"))
    game = toy_game(team="<meta http-equiv=refresh content=0>").dm(1, 1, 2, {"dsm": "offer", "round": "abc"})
    write_trace(tmp_path / "traces/0.json", game.text())
    study = own_study.derive_study([tmp_path / "traces"], tmp_path, lambda done, total: None)
    job = PageJob(
        command.NOTEBOOKS / "90_where_we_differ.ipynb",
        {"tables": str(study.tables), "results": str(study.results)},
        tmp_path / "page.html",
        "Where we differ",
    )
    assert write_page(job) is None
    assert "<meta http-equiv=refresh" not in job.target.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_written_is_a_line(tmp_path: Path) -> None:
    job = PageJob(Path("notebooks/none.ipynb"), {}, tmp_path / ("x" * 300), "A team")
    assert "File name too long" in str(write_page(job))


def test_two_reports_do_not_write_to_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    write_trace(tmp_path / "traces/0.json", toy_game().text())
    with exclusive_access(tmp_path / "out"):
        done = reported(tmp_path / "traces")
    assert done.exit_code == 2 and "another run is writing there" in " ".join(done.output.split())
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("content", [None, "{"])
def test_where_no_trace_can_be_read_nothing_is_made_and_nothing_replaced(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces").mkdir()
    if content:
        (tmp_path / "traces/broken.json").write_text(content, encoding="utf-8")
    done = reported(tmp_path / "traces")
    assert done.exit_code == 2 and "that can be read" in done.output
    assert ("rejected" in done.output) == bool(content)
    assert not (tmp_path / "out").exists()
    (tmp_path / "out/tables").mkdir(parents=True)
    (tmp_path / "out/tables/games.parquet").write_bytes(b"good")
    (tmp_path / "out/index.html").write_text("good", encoding="utf-8")
    assert reported(tmp_path / "traces").exit_code == 2
    left = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert left == {"games.parquet": b"good", "index.html": b"good"}


def test_what_a_killed_report_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / own_study.UNFINISHED / "tables"
    left.mkdir(parents=True)
    with own_study.unfinished_folder(tmp_path) as folder:
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "told"), [("a/page.html", "make room in a/page.html"), (None, gettempdir())])
def test_where_there_is_no_room_the_place_is_named(
    name: str | None, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(ENOSPC, "No space left on device", name)
    assert isinstance(command.without_room(full, tmp_path), Exit)
    assert told in capsys.readouterr().err
    other = OSError(EIO, "Input/output error")
    assert command.without_room(other, tmp_path) is other


def test_a_page_is_listed_under_its_notebooks_title(tmp_path: Path) -> None:
    assert notebook_title(command.NOTEBOOKS / "70_costs.ipynb") == "What it costs to ask (Appendix K)"
    (tmp_path / "mine.ipynb").write_text('{"cells": []}', encoding="utf-8")
    assert notebook_title(tmp_path / "mine.ipynb") == "mine"


def test_no_error_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("tables", "results"):
        (tmp_path / folder).mkdir()
    (tmp_path / "results/intervals.csv").touch()
    games = {"team": ["\x1b]0;team\x07"], "condition": ["\x1b[2Jstandard"], "simulated": [False]}
    pl.DataFrame(games).write_parquet(tmp_path / "tables/games.parquet")
    places = ["--tables", "tables", "--results", "results"]
    for wrong in (["--team", "x"], ["--condition", "\x1b[31mx"], ["--team", "\x1b[31m"]):
        done = CliRunner().invoke(app, ["report", *places, *wrong])
        assert done.exit_code == 2 and "there are" in done.output
        assert not set("\x1b\x07") & set(done.output)
    done = CliRunner().invoke(app, ["report", "\x1b[31mnowhere"])
    assert done.exit_code == 2 and "\x1b" not in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["--tables", "none"], "/none; run `make repro`, or name traces"),
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
