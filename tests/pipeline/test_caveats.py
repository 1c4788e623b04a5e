"""What is said of teams whose figures don't compare as they stand: all of it, once, and of the games shown."""

from pathlib import Path

import polars as pl
import pytest
from trace_builder import toy_game, write_trace

from pipeline.derive.parallel import derive
from pipeline.reports.batch.row import compute_rows
from pipeline.reports.notebook_session import Study, escape_markdown
from pipeline.statistics.caveats import caveats, mixed_teams, tasks_apart
from pipeline.tables.io import polars_schema, read_table, write_table
from pipeline.tables.schemas.base import AGENTS
from pipeline.tables.schemas.base import GAMES as GAMES_TABLE

TEAM = {"team": "own", "setting": "uniform", "condition": "standard"}
UNTOLD = (pl.lit(None, pl.Int64).alias("seed"), pl.lit("00", pl.String).alias("calendars_digest"))


def games_of(*rows: dict[str, object]) -> pl.DataFrame:
    """Games that ended, a row each, of which some cells are given."""
    usual = TEAM | {"seed": 1, "calendars_digest": "00", "stopped": False, "meetings_scheduled": 1, "optimal_cost": 1}
    listed = [usual | {"game_id": f"g{number}"} | row for number, row in enumerate(rows)]
    return pl.DataFrame(listed, schema_overrides={"setting": pl.String, "optimal_cost": pl.Int64})


def test_a_team_on_a_part_of_the_tasks_is_named() -> None:
    played = {"a": "tu", "b": "tu", "c": "t", "d": "x"}
    games = games_of(*({"team": team, "task_id": task} for team, tasks in played.items() for task in tasks))
    assert tasks_apart(games).endswith(": a (uniform), b (uniform), c (uniform), d (uniform).")
    found = tasks_apart(games.filter(pl.col("team") != "d"))
    assert "not on all of the others'" in found and found.endswith("beside each other: c (uniform).")
    unknown = games.with_columns(setting=pl.lit(None, pl.String)).filter(pl.col("team") != "d")
    assert tasks_apart(unknown).endswith(": c.")
    assert tasks_apart(games.filter(pl.col("team") < "c")) == ""
    assert tasks_apart(games.with_columns(stopped=True)) == ""


def test_all_is_said_once_of_the_games_that_are_shown_and_of_no_others(tmp_path: Path) -> None:
    games = games_of(
        *({"task_id": task} for task in "ttu"),
        {"task_id": "t", "stopped": True, "optimal_cost": None},
        {"team": "idle", "task_id": "t", "meetings_scheduled": 0, "optimal_cost": None},
        {"team": "idle", "task_id": "u", "stopped": True},
        {"condition": "blocked", "task_id": "x", "team": "far"},
    )
    said = caveats(games, tmp_path)
    assert [line.partition(": ")[0] for line in said] == [
        "standard",
        "standard",
        "own, standard, uniform",
        "idle, standard",
        "own, standard",
        "idle, standard",
    ]
    assert [line.partition(": ")[2] for line in said[2:]] == [
        "3 games, 1 to 2 of a task; each game counts, so some tasks count for more.",
        "1 game broken off, in no mean.",
        "1 game broken off, in no mean.",
        "1 game without a proven optimum, whose excess cost is in no mean.",
    ]
    assert caveats(games.filter(condition="blocked"), tmp_path) == []
    assert caveats(games.clear(), tmp_path) == []


def test_a_page_and_a_row_say_the_same_of_the_same_teams(tmp_path: Path) -> None:
    traces, tables = tmp_path / "traces", tmp_path / "tables"
    for game, team, task in (("a", "one", "t"), ("b", "two", "u")):
        write_trace(traces / f"{game}.json", toy_game(game, team=team, task_id=task).text())
    derive([traces], tables, workers=1)
    said = caveats(read_table(tables, "games"), tables)
    assert said and "one" in said[0]
    (table,) = compute_rows(tables)
    assert table.notes[-len(said) :] == said
    assert Study(tables, tmp_path, tmp_path).caveats("standard") == escape_markdown(" ".join(said))


TWO_LINE_UPS = ["one, standard: games of 2 different line-ups of agents, models or their parameters."]


@pytest.mark.parametrize("column", ["agent_type", "model", "parameters"])
@pytest.mark.parametrize(
    ("games", "told"),
    [
        ([["imap"] * 2, ["imap"] * 5], []),
        ([["imap"] * 2, ["sd"] * 2], TWO_LINE_UPS),
        ([["imap"] * 2, ["imap", "sd"]], TWO_LINE_UPS),
    ],
)
def test_a_team_of_the_same_kinds_is_one_team_for_any_number_of_agents(
    games: list[list[str]], told: list[str], column: str, tmp_path: Path
) -> None:
    rows = {
        GAMES_TABLE: [{"game_id": f"{i}", "team": "one", "condition": "standard"} for i in range(len(games))],
        AGENTS: [
            {"game_id": f"{i}", "agent": seat, column: kind}
            for i, kinds in enumerate(games)
            for seat, kind in enumerate(kinds)
        ],
    }
    for table, listed in rows.items():
        write_table(pl.DataFrame(listed, schema=polars_schema(table)), table, tmp_path, csv=False)
    assert mixed_teams(read_table(tmp_path, "games"), tmp_path) == told


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            ["15 turns, 3 retries, dm", "1 turns, 3 retries, dm"],
            [
                "one, standard: games by 2 different rules of the game (turns, retries, channels, cap).",
                "one, standard: games by other rules than the paper's: 1 turns, 3 retries, dm.",
            ],
        ),
    ],
)
def test_games_of_a_team_by_other_rules_are_told(rules: list[str | None], told: list[str], tmp_path: Path) -> None:
    games = [
        {"game_id": f"{i}", "team": "one", "condition": "standard", "game_rules": rule} for i, rule in enumerate(rules)
    ]
    write_table(pl.DataFrame(games, schema=polars_schema(GAMES_TABLE)), GAMES_TABLE, tmp_path, csv=False)
    assert mixed_teams(read_table(tmp_path, "games"), tmp_path) == told
