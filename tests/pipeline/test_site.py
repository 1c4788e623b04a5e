"""The site says what the tables say, stays light, and is made anew only where a game has changed."""

import json
import re
from pathlib import Path

import polars as pl
import pytest
from site_games import HOSTILE, NAME, REASONING, build, site_tables
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.reports.measures import OWN, SCRIPT
from pipeline.reports.site.build import Origins, SiteCounts
from pipeline.reports.site.figures import figures, read_metrics
from pipeline.reports.site.leaderboard import reported_rows
from pipeline.reports.site.pages import STATIC, page_name
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.table_intervals import table_intervals
from pipeline.tables import io
from pipeline.tables.schemas.base import TABLES
from tests.site_pages import page_data

ROOT = Path(__file__).parents[2]
RESAMPLING = Resampling(resamples=50, seed="intervals")
PAGE_BYTES = 2_000_000


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_tables(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def site(tables: Path) -> Path:
    out = tables.parent / "site"
    build(Origins(tables, numbers=ROOT / "data/paper/numbers.csv"), out, RESAMPLING, workers=1)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_game_has_a_page_and_its_data(site: Path, tables: Path) -> None:
    names = {page_name(game) for game in pl.read_parquet(tables / "games.parquet")["game_id"]}
    assert {path.stem for path in (site / "games").glob("*.html")} == names
    assert {path.stem for path in (site / "games").glob("*.js")} == names
    assert len(page_data(site / "data/games-0.js")["rows"]) == len(names) == 14


@pytest.mark.slow
def test_the_leaderboard_has_the_study_s_own_intervals(tables: Path) -> None:
    keys = [metric.key for metric in read_metrics()]
    ours = figures(tables, keys, RESAMPLING).filter(difficulty="all", density="all", setting="varied")
    theirs = table_intervals(tables, RESAMPLING).filter(table="table1", setting="varied")
    both = ours.join(theirs, left_on=["team", "condition", "metric"], right_on=["team", "condition", "measure"])
    assert both.height == theirs.height > 10
    for name in ("mean", "low", "high", "games", "tasks"):
        assert both[name].to_list() == both[f"{name}_right"].to_list()


@pytest.mark.slow
def test_a_team_that_shares_no_task_has_no_rank_and_is_named_beside_one_that_scheduled_nothing(tmp_path: Path) -> None:
    teams = (("a", "t1"), ("b", "t1"), ("alone", "t2"))
    for team, task in teams:
        write_trace(tmp_path / f"in/{team}.json", toy_game(team, team=team, task_id=task, setting="varied").text())
    done = CliRunner().invoke(app, ["site", str(tmp_path / "in"), "--out", str(tmp_path / "site"), "--workers", "1"])
    assert done.exit_code == 0, done.output
    board = pl.read_csv(tmp_path / "site/data/leaderboard.csv").filter(metric="excess_cost", density="all")
    ranked = board.filter(pl.col("rank_low").is_not_null())
    assert set(ranked["team"]) == {"a", "b"}
    text = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "standard: Rows compare where they are on the same tasks;" in text
    assert "a (varied), alone (varied), b (varied)." in text


def test_simulated_teams_are_marked_wherever_they_stand(site: Path) -> None:
    rows = page_data(site / "data/leaderboard.js")["rows"]
    assert {row["team"]: row["kind"] for row in rows}["beta"] == "simulated"
    assert "simulated</span>" in (site / "games/beta-t1-varied.html").read_text().split("<footer")[0]
    assert "simulated</span>" not in (site / "games/alpha-t1-varied.html").read_text().split("<footer")[0]
    listed = page_data(site / "data/games-0.js")
    beta = listed["names"]["team"].index("beta")
    assert all(row[8] & 1 for row in listed["rows"] if row[1] == beta)


def test_the_paper_s_rows_are_as_printed() -> None:
    rows = {
        (row["team"], row["setting"], row["condition"]): row for row in reported_rows(ROOT / "data/paper/numbers.csv")
    }
    assert rows["Claude Sonnet 4.6", "uniform", "standard"]["values"]["excess_cost"] == "1.14"
    assert rows["Gemini 3.1 Pro", "varied", "blocked"]["values"]["coordination_rate_pct"] == "97.2"
    assert rows["Claude Sonnet 4.6", "uniform", "standard"]["values"][SCRIPT] == "1.47"
    assert not any(OWN in row["values"] for row in rows.values())  # of another scale


def test_the_column_of_the_tables_reading_is_called_by_it_and_has_no_row_of_the_paper(tmp_path: Path) -> None:
    tables = site_tables(tmp_path)
    summary = pl.read_parquet(tables / "game_summary.parquet").with_columns(english=pl.lit("literal"))
    summary.write_parquet(tables / "game_summary.parquet")
    build(Origins(tables, numbers=ROOT / "data/paper/numbers.csv"), tmp_path / "site", RESAMPLING, workers=1)
    board = page_data(tmp_path / "site/data/leaderboard.js")
    labels = {metric["key"]: metric["label"] for metric in board["metrics"]}
    assert labels[SCRIPT] == "Privacy loss, script"
    assert "careful reader" not in labels[OWN] and "literal" in labels[OWN]
    own = [metric["key"] for metric in board["metrics"]].index(OWN)
    assert {row["values"][own] for row in board["reported"]} == {None}


def test_private_reasoning_is_in_the_data_of_its_game_alone(site: Path) -> None:
    thoughts = page_data(site / "games/thinker.js")["rounds"][0]["thoughts"]
    assert [(agent, phase, text) for _, phase, agent, text, _ in thoughts] == [
        (0, "CHEAP_TALK", REASONING),
        (1, "DECISION", "Slot 1 it is."),
    ]


def test_no_hostile_name_reaches_a_page_unescaped(site: Path) -> None:
    name = page_name("../../<hostile>")
    assert re.fullmatch(r"[0-9a-f]{32}", name)
    page = (site / "games" / f"{name}.html").read_text()
    assert NAME not in page
    assert "&lt;b onmouseover" in page
    assert not re.search(r"<script>", page)


def test_a_page_stays_light_and_says_what_it_leaves_out(site: Path) -> None:
    messages = page_data(site / "games" / f"{page_name('../../<hostile>')}.js")["rounds"][0]["messages"]
    texts = [(message[6], message[7]) for message in messages]
    assert texts[: len(HOSTILE)] == [(text, 0) for text in HOSTILE]
    assert all(len(text) == 100_000 and left > 800_000 for text, left in texts[len(HOSTILE) : len(HOSTILE) + 2])
    assert max(path.stat().st_size for path in site.rglob("*") if path.suffix != ".csv") < PAGE_BYTES


def test_nothing_that_data_says_is_read_as_html() -> None:
    acting = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc")
    for path in STATIC.glob("*.js"):
        assert not acting.search(path.read_text(encoding="utf-8")), path.name


@pytest.mark.slow
def test_a_second_run_makes_only_what_has_changed(tables: Path, site: Path, tmp_path: Path) -> None:
    origins = Origins(tables)
    assert build(origins, tmp_path / "out", RESAMPLING, workers=1) == SiteCounts(14, 14, 0)
    before = contents(tmp_path / "out")
    assert build(origins, tmp_path / "out", RESAMPLING, workers=1) == SiteCounts(14, 0, 0)
    assert contents(tmp_path / "out") == before
    changed = tmp_path / "tables"
    for name in TABLES:
        frame = pl.read_parquet(tables / f"{name}.parquet")
        if name == "messages":
            later = pl.when(pl.col("game_id") == "beta-t2-varied").then(7)
            frame = frame.with_columns(turn=later.otherwise("turn"))
        if "game_id" in frame.columns:
            frame = frame.filter(pl.col("game_id") != "thinker")
        io.write_table(frame, TABLES[name], changed, csv=False)
    assert build(Origins(changed), tmp_path / "out", RESAMPLING, workers=1) == SiteCounts(13, 1, 1)
    assert not (tmp_path / "out/games/thinker.html").exists()
    assert "thinker" not in (tmp_path / "out/data/games-0.js").read_text()


def test_the_command_shows_a_user_s_own_traces(tables: Path, tmp_path: Path) -> None:
    (tables.parent / "in" / "broken.json").write_text("{")
    done = CliRunner().invoke(
        app, ["site", str(tables.parent / "in"), "--out", str(tmp_path / "mine"), "--workers", "1"]
    )
    (tables.parent / "in" / "broken.json").unlink()
    assert done.exit_code == 3, done.output
    assert "14 games" in done.output
    assert "rejected" in done.output
    assert (tmp_path / "mine/games/thinker.html").is_file()


def test_reports_notebooks_and_the_book_come_along_and_go_again(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/alpha.standard.html").write_text("<p>a report</p>", encoding="utf-8")
    (tmp_path / "notebooks").mkdir()
    cells = [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": "**Shown**<script>no()</script>"}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notebooks/10_table1.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (tmp_path / "book").mkdir()
    (tmp_path / "book/index.html").write_text("<p>the book</p>", encoding="utf-8")
    beside = Origins(tables, None, None, *(tmp_path / name for name in ("reports", "notebooks", "book")))
    build(beside, tmp_path / "out", RESAMPLING, workers=1)
    board = page_data(tmp_path / "out/data/leaderboard.js")
    assert {row["team"]: row["report"] for row in board["rows"]}["alpha"] == "reports/alpha.standard.html"
    assert board["notebooks"] == {"10_table1": "notebooks/10_table1.html"}
    page = (tmp_path / "out/notebooks/10_table1.html").read_text(encoding="utf-8")
    assert "<strong>Shown</strong>" in page
    assert "<script>no()" not in page
    assert (tmp_path / "out/book/index.html").read_text(encoding="utf-8") == "<p>the book</p>"
    assert 'href="book/index.html"' in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    build(Origins(tables), tmp_path / "out", RESAMPLING, workers=1)
    assert not (tmp_path / "out/notebooks").exists() and not (tmp_path / "out/reports").exists()
    assert "book/" not in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert not (tmp_path / "out/book").exists()
