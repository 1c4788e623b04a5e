"""A game put together from its tables shows what its agents were shown."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from pipeline.derive import parallel
from pipeline.reports.views.calendars import grid_after_round
from pipeline.reports.views.game import game_view, game_views
from sim.__main__ import app

ROOT = Path(__file__).parents[2]
TEAMS = ("imap", "sd", "dsm-welfare", "blunt")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of four teams on two of the paper's tasks, one uniform and one varied."""
    folder = tmp_path_factory.mktemp("views")
    listed = (ROOT / "data/suites/paper72.csv").read_text(encoding="utf-8").splitlines()
    (folder / "list.csv").write_text("\n".join([listed[0], listed[1], listed[-1]]) + "\n", encoding="utf-8")
    teams = [word for team in TEAMS for word in ("--team", team)]
    for arguments in (
        ["suite", str(folder / "list.csv"), "--out", str(folder / "tasks.jsonl")],
        ["run", str(folder / "tasks.jsonl"), *teams, "--out", str(folder / "traces"), "--workers", "1"],
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
    parallel.derive([folder / "traces"], folder / "tables", parallel.Recipe(csv=False), workers=1)
    return folder / "tables"


def shown(calendar: list[dict[str, Any] | None]) -> tuple[list[int], list[int], list[int]]:
    """A calendar as the table of renderings has it: costs, blocked slots, slots of meetings."""
    held = list(enumerate(calendar))
    return (
        [item["cost"] if item else 0 for item in calendar],
        [slot for slot, item in held if item and item["blocked"]],
        [slot for slot, item in held if item and item["kind"] == "meeting"],
    )


def test_every_calendar_of_a_view_is_the_one_that_its_agent_was_shown(tables: Path) -> None:
    ids = pl.read_parquet(tables / "games.parquet")["game_id"].to_list()
    rounds = {(v["game"]["game_id"], r["round"]): r for v in game_views(tables, ids) for r in v["rounds"]}
    renderings = pl.read_parquet(tables / "calendars.parquet").to_dicts()
    assert len(renderings) > 100
    for row in renderings:
        before = rounds[row["game_id"], row["round"]]["before"][row["agent"]]
        assert shown(before) == (row["costs"], row["blocked"], row["meeting_slots"])


def test_a_view_adds_up_to_its_game(tables: Path) -> None:
    for game_id in pl.read_parquet(tables / "games.parquet")["game_id"]:
        view = game_view(tables, game_id)
        assert view["rounds"][-1]["cost_so_far"] == view["game"]["realized_cost"]
        assert sum(len(r["messages"]) for r in view["rounds"]) == view["game"]["dms"]
        json.dumps(view, allow_nan=False)


def test_every_span_of_a_view_lies_in_its_message(tables: Path) -> None:
    spans = 0
    for view in game_views(tables, pl.read_parquet(tables / "games.parquet")["game_id"].to_list()):
        for message in (m for r in view["rounds"] for m in r["messages"]):
            for mark in (*message["updates"], *message["leaks"], *message["patterns"]):
                if mark["span_start"] is not None:
                    spans += 1
                    assert 0 <= mark["span_start"] < mark["span_end"] <= len(message["content"])
    assert spans > 20


def test_items_that_change_places_do_not_lose_each_other() -> None:
    item = {"kind": "errand", "id": 1, "cost": 1, "blocked": False}
    other = {**item, "id": 2}
    moves = [
        {"event_index": 5, "agent": 0, "from_slot": 0, "to_slot": 1},
        {"event_index": 5, "agent": 0, "from_slot": 1, "to_slot": 0},
    ]
    round_row = {"participants": [0], "participant_slots": [2], "meeting_id": 3}
    after = grid_after_round([[item, other, None]], moves, round_row, cost=4)
    assert after == [[other, item, {"kind": "meeting", "id": 3, "cost": 4, "blocked": False}]]
