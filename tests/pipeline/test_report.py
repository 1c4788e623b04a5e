"""Reports: what they are made of, what is said where they cannot be made, and what they leave as it was."""

import re
from pathlib import Path

import pytest
import without_kernel
from click.testing import Result
from test_views_html import HOSTILE
from trace_builder import TraceBuilder, toy_game, write_trace
from typer.testing import CliRunner

from machine.output import exclusive_access
from pipeline.__main__ import app
from pipeline.reports.batch import pages
from pipeline.reports.batch.pages import NOTEBOOKS

ELSEWHERE = re.compile(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""")


def reported(traces: Path, *arguments: str) -> Result:
    """The end of `report` of traces, into the folder beside them."""
    return CliRunner().invoke(app, ["report", str(traces), "--out", str(traces.parent / "out"), *arguments])


@pytest.mark.slow
def test_a_team_of_simulated_and_other_games_has_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr(pages, "OF_THE_STUDY", "none")
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    for number in range(4):
        game = toy_game(f"game-{number}", team="mine", simulated=number % 2 == 0, task_id=f"t{number // 2}")
        write_trace(tmp_path / "traces" / f"{number}.json", game.text())
    done = reported(tmp_path / "traces", "--workers", "1")
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
    source = (NOTEBOOKS / "report.ipynb").read_text(encoding="utf-8")
    fails = source.replace("study = Study(", "assert '队' not in team, team; study = Study(")
    (tmp_path / "reports/report.ipynb").write_text(fails, encoding="utf-8")
    monkeypatch.setattr(pages, "NOTEBOOKS", tmp_path / "reports")
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    monkeypatch.setattr("pipeline.paper.stages.mixed_effects.main", lambda *folders: 1 / 0)
    done = reported(tmp_path / "traces", "--workers", "1")
    assert done.exit_code == 3, done.output
    assert "3 pages in" in done.output and "results of mixed_effects: ZeroDivisionError" in done.output
    assert "\x1b" not in done.output and "\x07" not in done.output
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert len(re.findall(r'<a href="[^"]*\.html"', index)) == 3 == len(list((tmp_path / "out").glob("*.html"))) - 1
    assert "What could not be made" in index and "ZeroDivisionError" in index and "<b>" not in index


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["--tables", "none"], "/none: derive them first (python -m pipeline derive TRACES --out DIR), or name traces"),
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
@pytest.mark.filterwarnings("ignore:Glyph 27")
def test_traces_of_ones_own_become_pages_whatever_is_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    for number, text in enumerate(HOSTILE):
        names = {name: f"{name} {text}" for name in ("team", "task_id", "difficulty")}
        if number % 2:  # else the notebooks about the standard condition and the two settings had no game
            names |= {name: f"{name} {text}" for name in ("condition", "setting")}
        trace = TraceBuilder(f"game-{number} '{text}", **names).round(0)
        trace.dm(0, 0, 1, f"Slot 1 is free {text}").resolution(0, True, a0=1, a1=1)
        write_trace(tmp_path / "traces" / f"{number}.json", trace.text())
    (tmp_path / "traces" / "broken.json").write_text("{", encoding="utf-8")
    done = reported(tmp_path / "traces", "--workers", "1")
    assert done.exit_code == 3, done.output
    pages = list((tmp_path / "out").glob("*.html"))
    assert len(pages) > len(HOSTILE) + 5
    for path in pages:
        html = path.read_text(encoding="utf-8")
        assert not re.search(r"<script\b|<img (?![^>]*src=\"data:)", html), path
        assert not ELSEWHERE.search(html), path
        assert not {"\u202e", "\x1b"} & set(html) and not re.search(r"<a[^>]*>a</a>", html), path
    first = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "What could not be made" not in first
    assert "What the auditor doubts" in first and "traces of unknown: unreadable" in first
    (tmp_path / "traces" / "broken.json").unlink()
    assert CliRunner().invoke(app, ["verify", str(tmp_path / "out")]).exit_code == 0
    pages[0].write_text("another", encoding="utf-8")
    changed = CliRunner().invoke(app, ["verify", str(tmp_path / "out")])
    assert changed.stdout == f"{tmp_path}/out: 1 of the files of report changed since: {pages[0].name}\n"
