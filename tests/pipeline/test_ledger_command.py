"""`python -m pipeline ledger`: it ends with 1 when a reproduction is lost, and reads any folder of tables."""

from pathlib import Path

import polars as pl
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.paper.ledger.build import read_ledger
from pipeline.paper.ledger.command import missing_reproductions

ROOT = Path(__file__).parents[2]


def study(folder: Path, verdict: str) -> None:
    """A folder with a ledger of one figure that must be reproduced."""
    (folder / "data/paper").mkdir(parents=True)
    (folder / "data/results").mkdir()
    key = "section 4,uniform,IMAP,excess_cost"
    (folder / "data/paper/reproduced.csv").write_text(f"source,setting,method,metric\n{key}\n", encoding="utf-8")
    head = "source,setting,method,metric,published,ours,verdict,by_construction,computed_by,note"
    (folder / "data/results/ledger.csv").write_text(f"{head}\n{key},0.92,0.93,{verdict},,x.sql,\n", encoding="utf-8")


@pytest.mark.parametrize(("verdict", "code"), [("reproduced", 0), ("contradicted", 1), ("not played here", 1)])
def test_a_lost_reproduction_ends_the_command_with_1(
    verdict: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study(tmp_path, verdict)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["ledger", "--all"])
    assert result.exit_code == code
    line = "lost: excess_cost of IMAP (uniform, section 4) is 0.92 in the paper, 0.93 here\n"
    assert result.stderr == (line if code else "")
    assert "excess_cost" in result.stdout


def test_a_required_figure_without_a_row_is_lost(tmp_path: Path) -> None:
    study(tmp_path, "reproduced")
    required = pl.DataFrame([("gone", "a", "b", "c")], schema=["source", "setting", "method", "metric"], orient="row")
    written = read_ledger(tmp_path / "data/results/ledger.csv")
    assert missing_reproductions(written, required).select("metric", "verdict").rows() == [("c", None)]


def test_whose_tables_they_are_need_not_have_played_the_protocols(tmp_path: Path) -> None:
    study(tmp_path, "not played here")
    written = read_ledger(tmp_path / "data/results/ledger.csv")
    assert missing_reproductions(written, written, anybody=True).is_empty()
    assert missing_reproductions(written, written).height == 1


def test_the_command_reads_any_folder_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trace(tmp_path / "a.json", toy_game(team="imap").text())
    parallel.derive([tmp_path / "a.json"], tmp_path / "out", workers=1)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, ["ledger", "--tables", str(tmp_path / "out")])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "not played here" in result.stdout
    assert "IMAP is not compared: team imap played 1 of 72 tasks" in result.stdout


def test_a_folder_without_all_tables_is_bad_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["ledger", "--tables", str(tmp_path)])
    assert (result.exit_code, "derive them first" in result.stderr) == (2, True)
    pl.DataFrame({"game_id": ["a"]}).write_parquet(tmp_path / "games.parquet")
    result = CliRunner().invoke(app, ["ledger", "--tables", str(tmp_path)])
    assert (result.exit_code, "derive it anew" in result.stderr) == (2, True)
