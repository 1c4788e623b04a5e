"""A team's row of Table 1: beside the protocols' and the paper's, in every format, and honest about what it covers."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from msgspec import structs
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.paper.compare import read_numbers
from pipeline.reports.batch.row import (
    PROTOCOL,
    REPORTED,
    THESE,
    as_html,
    as_json,
    as_latex,
    as_markdown,
    as_text,
    covered,
    read_rows,
)
from pipeline.reports.batch.row import row_tables as tables_of_rows
from pipeline.reports.measures import OWN, SCRIPT, Reading
from pipeline.reports.measures import TABLE1 as COLUMNS
from pipeline.tables.io import to_csv_frame
from pipeline.tables.paths import NUMBERS, PAPER_SUITE, ROOT
from pipeline.tables.queries import write_query_results
from sim.game.trace import write
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.sim.worlds import tiny_task

HURT = "<b>|a&b_"
TASKS = pl.read_csv(ROOT / PAPER_SUITE).filter(setting="uniform")["task_id"].to_list()
TEAM = {"team": HURT, "simulated": False, "setting": "uniform", "condition": "standard"}
UNTOLD = (pl.lit(None, pl.Int64).alias("seed"), pl.lit("00", pl.String).alias("calendars_digest"))
GAMES = pl.DataFrame(
    [TEAM | {"game_id": task, "task_id": task, "stopped": task == TASKS[3], "optimal_cost": 1} for task in TASKS[:4]]
).with_columns(*UNTOLD, meetings_scheduled=5)
TABLE1 = pl.DataFrame([TEAM | {"games": 3} | dict.fromkeys(COLUMNS, 1.5) | {"fairness": None}])
INTERVALS = pl.DataFrame([TEAM | {"measure": "excess_cost", "low": 1.0, "high": 2.125}])
FULL = Reading("paper", "full")
row_tables = partial(tables_of_rows, reading=FULL)


@pytest.mark.parametrize(
    ("played", "words"),
    [
        (["a", "b"], "2"),
        (["a", "x", None], "1 of 2, 2 others"),
        (["x"], "1 other"),
    ],
)
def test_a_row_says_which_of_the_suites_tasks_it_covers(played: list[str | None], words: str) -> None:
    assert covered(played, {"a", "b"}) == words


def test_a_teams_row_stands_first_with_its_interval_and_what_is_missing_is_no_figure() -> None:
    (table,) = row_tables(GAMES, TABLE1, INTERVALS)
    ours = table.rows[0]
    assert (ours.name, ours.kind, ours.tasks) == (HURT, THESE, "3 of 36")
    assert str(ours.cells["excess_cost"]) == "1.50 [1.00, 2.13]"
    assert str(ours.cells[SCRIPT]) == str(ours.cells[OWN]) == "1.50"
    assert "fairness" not in ours.cells
    names = [row.name for row in table.rows[1:]]
    assert {"IMAP", "SD-MAP", "DSM-Welfare", "DSM-Private"} < set(names) and len(names) == 11
    assert "No game with varied costs was played." in table.notes


@pytest.mark.parametrize("condition", ["standard", "adversarial"])
def test_the_paper_s_tasks_are_spoken_of_where_its_rows_are(condition: str) -> None:
    here = [frame.with_columns(condition=pl.lit(condition)) for frame in (GAMES, TABLE1, INTERVALS)]
    (table,) = row_tables(*here)
    is_printed = any(row.kind == REPORTED for row in table.rows)
    assert is_printed == (condition == "standard")
    caution = next(note for note in table.notes if note.startswith("Rows compare"))
    assert caution.endswith("; the paper's have its 36." if is_printed else "on the same tasks.")


@pytest.mark.parametrize("team", ["007", "=x", "@x", "true", "1e5"])
def test_a_team_s_name_is_text_also_where_it_looks_like_a_number_or_a_formula(team: str, tmp_path: Path) -> None:
    games, table1, intervals = (frame.with_columns(team=pl.lit(team)) for frame in (GAMES, TABLE1, INTERVALS))
    games.write_parquet(tmp_path / "games.parquet")
    for name, frame in (("table1", table1), ("intervals", intervals.with_columns(table=pl.lit("table1")))):
        to_csv_frame(frame).write_csv(tmp_path / f"{name}.csv")
    (table,) = read_rows(tmp_path, tmp_path, [team])
    assert [row.name for row in table.rows if row.kind == THESE] == [team]
    assert table.rows[0].cells["excess_cost"].low == 1.0


def test_a_name_is_text_in_every_format() -> None:
    tables = row_tables(GAMES, TABLE1, INTERVALS)
    assert HURT in as_text(tables)
    assert r"&lt;b&gt;\|a&amp;b\_ " in as_markdown(tables)
    assert r"<b>|a\&b\_ & " in as_latex(tables) and as_latex(tables).count(r"\midrule") == 3  # head and three kinds
    assert "&lt;b&gt;|a&amp;b_" in as_html(tables) and "<b>" not in as_html(tables)
    read = json.loads(as_json(tables))[0]
    assert read["rows"][0]["excess_cost"] == {"mean": 1.5, "low": 1.0, "high": 2.125}
    assert "fairness" not in read["rows"][0] and "null" not in as_json(tables)


@pytest.mark.parametrize(
    ("reading", "title"),
    [
        (FULL, "VPS, careful reader"),
        (Reading("release", "full"), "VPS, careful reader, rules release"),
        (Reading("release", "release"), "VPS, release"),
        (Reading(None, "full"), "VPS, careful reader"),
        (Reading(), "VPS, reading unknown"),
    ],
)
def test_the_column_of_the_tables_own_reading_is_called_by_it(reading: Reading, title: str) -> None:
    (table,) = row_tables(GAMES, TABLE1, INTERVALS, reading=reading)
    assert table.head[-2:] == ["VPS, script", title]
    for text in (as_text([table]), as_markdown([table]), as_latex([table]), as_html([table])):
        assert ("careful reader" in text) == (reading.english == "full")


@pytest.mark.parametrize("rules", ["paper", "release", None])
@pytest.mark.parametrize("english", ["full", "literal", "release", None])
@pytest.mark.parametrize("condition", ["standard", "blocked", "adversarial"])
def test_no_column_holds_numbers_of_two_scales(rules: str | None, english: str | None, condition: str) -> None:
    here = [frame.with_columns(condition=pl.lit(condition)) for frame in (GAMES, TABLE1, INTERVALS)]
    (table,) = row_tables(*here, reading=Reading(rules, english))
    assert not any(OWN in row.cells for row in table.rows if row.kind == REPORTED)
    assert rules == "paper" or not any(OWN in row.cells for row in table.rows if row.kind == PROTOCOL)
    printed = read_numbers(ROOT / NUMBERS).filter(metric=OWN, source="Table 1", setting="uniform")
    shown = {row.name: str(row.cells[SCRIPT]) for row in table.rows if row.kind == REPORTED and SCRIPT in row.cells}
    assert shown == (dict(printed.select("method", "value").iter_rows()) if condition == "standard" else {})


UNKNOWN_READING = "tables: reading unknown, so that no row of the paper can stand beside its VPS; name the reading"
REFUSALS = [
    (["row", "tables"], (), ""),
    (["row", "tables", "--english", "full"], (), ""),
    (["row", "in", "--english", "full"], (), "these are traces, which are read by params.yaml"),
    (["row", "tables"], ("english", "rules"), UNKNOWN_READING),
    (["row", "tables"], ("vps_release",), "does not have the columns of game_summary: derive the tables again"),
]


@pytest.mark.slow
def test_tables_of_another_or_an_unknown_reading_are_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_trace(tmp_path / "in/g.json", toy_game("g", team="mine").text())
    assert CliRunner().invoke(app, ["derive", "in", "--out", "tables", "--format", "parquet"]).exit_code == 0
    write_query_results(Path("tables"), Path("results"))
    summary = pl.read_parquet("tables/game_summary.parquet")
    summary.with_columns(english_version=pl.lit(99, pl.Int64)).write_parquet("tables/game_summary.parquet")
    done = CliRunner().invoke(app, ["row", "tables"])
    assert done.exit_code == 2 and "by version 99 of the reading full" in " ".join(done.output.split())
    two = summary.with_columns(english=pl.Series(["full", "literal"] * summary.height)[: summary.height])
    two.write_parquet("tables/game_summary.parquet")
    done = CliRunner().invoke(app, ["row", "tables", "--english", "full"])
    assert done.exit_code == 2 and "rows of several readings" in " ".join(done.output.split())
    for words, lacking, told in REFUSALS:
        summary.drop(lacking).write_parquet("tables/game_summary.parquet")
        done = CliRunner().invoke(app, words)
        assert (done.exit_code, told in done.output) == (2 if told else 0, True), (words, done.output)
        assert not told or len(done.output.splitlines()) <= 5
        assert "VPS, careful reader" in done.output or told


@pytest.mark.slow
def test_the_command_prints_rows_of_traces_and_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, setting in enumerate(("uniform", "varied")):
        write_trace(tmp_path / f"in/{number}.json", toy_game(f"g{number}", team="mine", setting=setting).text())
    done = CliRunner().invoke(app, ["row", "in"])
    assert done.exit_code == 0, done.output
    assert done.stdout.index("Table 1, uniform costs") < done.stdout.index("Table 1, varied costs")
    assert CliRunner().invoke(app, ["derive", "in", "--out", "tables"]).exit_code == 0
    assert CliRunner().invoke(app, ["row", "tables"]).stdout == done.stdout
    assert "different line-ups" not in done.stdout
    mixed = CliRunner().invoke(app, ["row", "tables", "in"])
    assert mixed.exit_code == 2 and "tables holds tables, and there are traces beside them" in mixed.output
    assert CliRunner().invoke(app, ["derive", "in", "--out", "tables", "--rules", "release"]).exit_code == 0
    other = CliRunner().invoke(app, ["row", "tables"]).stdout
    assert "VPS, release" in other and "careful reader" not in other
    for protocol in ("imap", "sd"):
        team = structs.replace(named_teams()[protocol], team="two")
        write(play_game(Play(tiny_task(len(protocol)), team)), tmp_path / f"two/{protocol}.json.zst")
    told = "two, standard: games of 2 different line-ups of agents, models or their parameters."
    assert told in CliRunner().invoke(app, ["row", "two"]).stdout
    (tmp_path / "in/broken.json").write_text("{", encoding="utf-8")
    again = CliRunner().invoke(app, ["row", "in", "--format", "json"])
    assert (again.exit_code, len(json.loads(again.stdout))) == (3, 2)
    assert "rejected in/broken.json" in again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "tables", "two"]
