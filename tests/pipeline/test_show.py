"""The commands `show` and `sql`: a game in the terminal, and the rows of a query."""

import json
import os
import re
import sys
from pathlib import Path

import polars as pl
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner, Result

from pipeline.__main__ import app
from pipeline.derive.parallel import Recipe, derive
from pipeline.reports.show import data_text, opened
from pipeline.reports.views.game import game_view


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of a game."""
    here = tmp_path_factory.mktemp("shown")
    write_trace(here / "traces/a.json", toy_game().text())
    derive([here / "traces"], here / "tables", Recipe(csv=False), workers=1)
    return here / "tables"


def called(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in arguments], env={"COLUMNS": "100"})


def game_of(tables: Path) -> str:
    return str(pl.read_parquet(tables / "games.parquet")["game_id"][0])


def test_a_game_is_drawn_message_by_message_with_beliefs_and_calendars(tables: Path) -> None:
    game_id = game_of(tables)
    view, drawn = game_view(tables, game_id), called("show", game_id[:8], tables)
    assert drawn.exit_code == 0 and game_id in drawn.output
    words = " ".join(drawn.output.split())
    for played in view["rounds"]:
        assert f"round {played['round']}: meeting M{played['meeting_id']} of agents" in words
        assert f"{played['outcome']}; cost {played['cost']}" in words
        for message in played["messages"]:
            said = " ".join((message["in_words"] or message["content"]).split())
            assert f"{message['from_agent']} → {', '.join(map(str, message['to_agents']))}: {said}" in words
    bars = re.findall(r"\d of \d  ([▁-█]+)", drawn.output)
    assert bars and {len(bar) for bar in bars} == {view["game"]["num_slots"]}
    rows = re.findall(r"(?m)^(\d) ", drawn.output)
    assert len([row for row in rows if row == "0"]) >= len(view["rounds"])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("show", "nosuch", "TABLES"), "GAME: no game nosuch"),
        (("show", "x", "nosuch"), "TABLES: no tables in nosuch"),
        (("sql", "SELECT nosuch FROM games", "TABLES"), 'QUERY: Binder Error: Referenced column "nosuch"'),
        (("sql", "FROM games", "TABLES", "--csv", "--json"), "take one of them"),
    ],
)
def test_what_cannot_be_shown_is_told(tables: Path, arguments: tuple[str, ...], problem: str) -> None:
    told = called(*(str(tables) if word == "TABLES" else word for word in arguments))
    assert told.exit_code == 2 and problem in told.output


def test_rows_of_tables_that_are_replaced_meanwhile_are_not_shown(tables: Path) -> None:
    with pytest.raises(OSError, match=r"games.parquet was replaced"), opened(str(tables)) as library:
        library.sql("FROM games")
        (tables / "games.parquet").write_bytes((tables / "games.parquet").read_bytes())


def test_a_query_is_a_table_for_people_csv_or_json(tables: Path) -> None:
    query = "SELECT team, excess_cost / 3 AS third, NULL AS none FROM games"
    row = pl.read_parquet(tables / "games.parquet").row(0, named=True)
    shown = called("sql", query, tables).output
    assert "team" in shown and f"{row['excess_cost'] / 3:.6g}" in shown and "–" in shown
    assert json.loads(called("sql", query, tables, "--json").output)[0]["team"] == row["team"]
    assert called("sql", query, tables, "--csv").output.splitlines()[0] == "team,third,none"
    wide = called("sql", "FROM games", tables).output
    assert "row 1" in wide and re.search(rf"game_id +{row['game_id']}", wide)


def test_sums_and_decimals_are_numbers_in_json(tables: Path) -> None:
    columns = "sum(excess_cost) AS s, 1.5 AS d, 170141183460469231731687303715884105727 AS h, [2.5] AS l"
    games = pl.read_parquet(tables / "games.parquet")
    (row,) = json.loads(called("sql", f"SELECT {columns} FROM games", tables, "--json").output)
    assert (row["s"], row["d"]) == (games["excess_cost"].sum(), 1.5) and row["l"] == [2.5] and isinstance(row["s"], int)
    assert row["h"] == pytest.approx(2**127)


def test_rows_for_programs_control_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    leader, follower = os.openpty()
    text = "team,said\na,\x1b[31mred\r\n"
    with open(leader, "rb"), open(follower, "w", encoding="utf-8") as terminal:
        assert data_text(text) == text
        monkeypatch.setattr(sys, "stdout", terminal)
        assert data_text(text) == "team,said\na,\\x1b[31mred\\r\n"


def test_rows_beyond_the_limit_are_counted(tables: Path) -> None:
    told = called("sql", "FROM range(7)", tables, "--rows", 5)
    assert told.exit_code == 0 and "and 2 more rows" in told.output


def test_nothing_in_a_value_controls_the_terminal(tables: Path) -> None:
    shown = called("sql", "SELECT chr(27) || '[31mred [bold]x[/bold]' AS said", tables).output
    assert "\\x1b[31mred [bold]x[/bold]" in shown and "\x1b" not in shown
