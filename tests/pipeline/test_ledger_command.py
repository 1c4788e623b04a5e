"""`python -m pipeline ledger`: it ends with 1 when a reproduction is lost, and reads any folder of tables."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from audit_bases import sealed
from audit_suites import paper_game, paper_text
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.paper.ledger.build import KEY, SCHEMA, read_ledger
from pipeline.paper.ledger.measures import open_tables, prompted_games
from pipeline.paper.ledger.printed import failed_games, ledger_of_tables, missing_reproductions
from pipeline.paper.stages import ledger as stage
from pipeline.tables.io import TABLES, polars_schema

ROOT = Path(__file__).parents[2]

TASK = "b037_easy_5a_3p_d0p6_c1_1"


def study(folder: Path, verdict: str) -> None:
    """A folder with a ledger of one figure that must be reproduced."""
    (folder / "data/paper").mkdir(parents=True)
    (folder / "data/results").mkdir()
    key = "section 4,uniform,IMAP,excess_cost"
    (folder / "data/paper/reproduced.csv").write_text(f"source,setting,method,metric\n{key}\n", encoding="utf-8")
    row = {**dict.fromkeys(SCHEMA), **dict(zip(KEY, key.split(","), strict=True))}
    row |= {"published": "0.92", "ours": "0.93", "verdict": verdict, "computed_by": "x.sql"}
    pl.DataFrame([row], schema=SCHEMA).write_csv(folder / "data/results/ledger.csv")


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


@pytest.mark.slow
def test_the_command_reads_any_folder_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, task in (("a", TASK), ("b", TASK), ("c", "b038_easy_5a_3p_d0p6_c1_2_blocked2"), ("d", "t1"), ("e", None)):
        write_trace(tmp_path / f"{name}.json", toy_game(name, team="imap", task_id=task).text())
    parallel.derive([tmp_path / f"{name}.json" for name in "abcde"], tmp_path / "tables", workers=1)
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, ["ledger", "--tables", str(tmp_path / "tables")])
    assert (result.exit_code, result.stderr.count("\n")) == (0, 3)
    assert "2 games left out, whose tasks are none of the paper's 72" in result.stderr
    assert "warning: imap, standard, uniform: 3 games, 1 to 2 of a task; each game counts" in result.stderr
    assert "not played here" in result.stdout
    assert "IMAP is not compared: team imap played 2 of 72 tasks" in result.stdout
    (tmp_path / "results").mkdir()
    stage.main(tmp_path / "results")
    assert read_ledger(tmp_path / "results/ledger.csv").equals(ledger_of_tables(tmp_path / "tables"))


@pytest.mark.parametrize(
    ("parameters", "of_the_paper"),
    [
        ({"temperature": 0.7, "tell_problems": False}, True),
        ({"prompt_variant": "polling.v1"}, False),
    ],
)
def test_games_of_a_model_that_was_asked_otherwise_are_none_of_the_papers(
    parameters: dict[str, Any], of_the_paper: bool, tmp_path: Path
) -> None:
    agents = [{"type": "llm", "parameters": {"model": "m"} | parameters}] * 3
    write_trace(tmp_path / "in/a.json", toy_game("a", agents=agents).text())
    write_trace(tmp_path / "in/b.json", toy_game("b", agents=agents, nosy_agent_ids=[0, 1, 2]).text())
    parallel.derive([tmp_path / "in"], tmp_path / "out", parallel.Recipe(csv=False), workers=1)
    assert prompted_games(tmp_path / "out") == ([] if of_the_paper else ["a"])


@pytest.mark.slow
def test_games_in_which_the_audit_found_errors_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One easy game under the name of another task gets no verdict, once it has been audited."""
    monkeypatch.chdir(ROOT)
    raw = paper_game("standard") | {"game_id": "forged"}
    raw["config"]["task_id"] = "b038_easy_5a_3p_d0p6_c1_2"
    for name, text in (("true", paper_text("standard")), ("forged", sealed(raw))):
        (tmp_path / f"{name}.json").write_bytes(text)
    run = CliRunner().invoke
    made = ["--out", str(tmp_path / "tables"), "--workers", "1"]
    assert run(app, ["derive", str(tmp_path / "true.json"), str(tmp_path / "forged.json"), *made]).exit_code == 0
    audited = run(app, ["audit", str(tmp_path), "--out", str(tmp_path / "audit"), "--workers", "1"])
    assert audited.exit_code == 1
    tables, audit = ["ledger", "--tables", str(tmp_path / "tables")], ["--audit", str(tmp_path / "audit")]
    assert "warning: no audit of these games is named" in run(app, tables).stderr
    done = run(app, [*tables, *audit])
    assert done.exit_code == 0
    assert "1 games left out, in which the audit found errors" in done.stderr
    with open_tables(tmp_path / "tables", failed_games(tmp_path / "audit", tmp_path / "tables")) as left:
        assert left.sql("SELECT task_id FROM games").fetchall() == [(TASK,)]
    rows = pl.read_parquet(tmp_path / "audit" / "audit.parquet")
    rows.with_columns(game_id=pl.lit("")).write_parquet(tmp_path / "audit" / "audit.parquet")
    assert failed_games(tmp_path / "audit", tmp_path / "tables") == {"forged"}
    # As `report` lists the tables that it makes.
    listed = (tmp_path / "tables" / "derive.manifest.json").rename(tmp_path / "report.manifest.json")
    assert failed_games(tmp_path / "audit", tmp_path / "tables") == {"forged"}
    listed.rename(tmp_path / "tables" / "derive.manifest.json")
    (tmp_path / "true.json").unlink()
    assert run(app, ["derive", str(tmp_path / "forged.json"), *made]).exit_code == 0
    other = run(app, [*tables, *audit])
    assert other.exit_code == 2 and "is of other traces" in " ".join(other.output.split())


def test_a_folder_without_all_tables_is_bad_usage(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["ledger", "--tables", str(tmp_path)])
    assert (result.exit_code, "lacks the table games: derive the tables again" in result.stderr) == (2, True)


OTHER_FORMS = {
    "a file cut off": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "a column less": lambda path: pl.read_parquet(path).drop("fairness").write_parquet(path),
}


@pytest.mark.parametrize("change", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_tables_of_another_form_are_bad_usage(change: Callable[[Path], object], tmp_path: Path) -> None:
    for name in TABLES:
        pl.DataFrame(schema=polars_schema(TABLES[name])).write_parquet(tmp_path / f"{name}.parquet")
    change(tmp_path / "games.parquet")
    for command in (["ledger", "--tables"], ["site", "--out", str(tmp_path / "site"), "--tables"]):
        result = CliRunner().invoke(app, [*command, str(tmp_path)])
        assert result.exit_code == 2 and isinstance(result.exception, SystemExit), result.output
        assert "derive the tables again" in result.stderr or "no tables in" in result.stderr
