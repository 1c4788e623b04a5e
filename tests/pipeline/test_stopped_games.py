"""Games that were broken off: counted where a result says so, and in none of its means."""

from pathlib import Path

import polars as pl
import pytest
from test_behaviour_results import talkative
from test_study_statistics import results_of
from trace_builder import CALENDARS, TraceBuilder, toy_game, write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.paper.ledger.measures import open_tables
from pipeline.reports.notebook_session import Study
from pipeline.statistics.by_game import by_game
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.table_intervals import table_intervals
from pipeline.tables.io import read_table
from pipeline.tables.queries import attach, query, query_names

pytestmark = pytest.mark.slow

COUNTED = "games_stopped"


def broken_off(trace: TraceBuilder, game_id: str, task_id: str) -> TraceBuilder:
    """The game under another name and task, with a failed round and much talk at the end, and stopped there."""
    trace.content["game_id"] = game_id
    trace.content["config"] |= {"task_id": task_id}
    trace.content["stopped"] = True
    last = sum(event["type"] == "round_start" for event in trace.content["events"])
    trace.round(last)
    for number in range(3):
        trace.dm(
            last, number, (number + 1) % 3, "Agent 2 is free in slot 3, I confirm. No, sorry, my errand can't move."
        )
    return trace.resolution(last, False)


def whole_games() -> list[TraceBuilder]:
    toys = [
        toy_game(f"toy-{n}", difficulty="easy").dm(1, 2, 1, "Agreed.").rendered(0, 0, CALENDARS[0]) for n in range(2)
    ]
    return [*map(talkative, range(4)), *toys]


def stopped_games() -> list[TraceBuilder]:
    """Each of the whole games broken off, once on their task and once on a task that nobody plays to its end."""
    return [
        broken_off(game, f"stopped-{task}-{number}", task)
        for task in ("t1", "t9")
        for number, game in enumerate(whole_games())
    ]


def derived(folder: Path, games: list[TraceBuilder]) -> Path:
    for number, game in enumerate(games):
        write_trace(folder / "in" / f"{number}.json", game.text())
    derive([folder / "in"], folder / "out", Recipe(csv=False), workers=1)
    return folder / "out"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return derived(tmp_path_factory.mktemp("whole"), whole_games())


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return derived(tmp_path_factory.mktemp("mixed"), [*whole_games(), *stopped_games()])


@pytest.mark.parametrize("name", query_names())
def test_a_stopped_game_changes_no_result(name: str, whole: Path, mixed: Path) -> None:
    assert query(name, mixed).drop(COUNTED, strict=False).equals(query(name, whole).drop(COUNTED, strict=False))
    assert query(name, whole).height > 0


@pytest.mark.slow
def test_a_stopped_game_changes_no_statistic(whole: Path, mixed: Path, tmp_path: Path) -> None:
    folders = []
    for tables in (whole, mixed):
        (tmp_path / tables.parent.name).mkdir()
        folders.append(results_of(tables, tmp_path / tables.parent.name))
    of_whole, of_mixed = ({path.name: pl.read_csv(path) for path in folder.glob("*.csv")} for folder in folders)
    assert set(of_whole) == set(of_mixed)
    changed = [
        n
        for n, t in of_whole.items()
        if not t.drop(COUNTED, strict=False).equals(of_mixed[n].drop(COUNTED, strict=False))
    ]
    assert changed == []


def test_the_ledger_reads_games_that_ended(whole: Path, mixed: Path) -> None:
    with open_tables(whole) as of_whole, open_tables(mixed) as of_mixed:
        for name in ("models", "table2", "patterns", "leaks", "stance"):
            assert of_mixed.sql(f"FROM {name}").fetchall() == of_whole.sql(f"FROM {name}").fetchall()


def test_table_1_counts_the_games_that_were_stopped(mixed: Path) -> None:
    counts = query("table1", mixed).select("team", "games", COUNTED)
    assert counts.rows() == [("style0", 2, 4), ("style1", 2, 4), ("toy", 2, 4)]
    assert by_game("table1", mixed)[COUNTED].sum() == 12


@pytest.mark.slow
def test_a_team_without_a_whole_game_has_a_row_in_table_1_alone(tmp_path: Path) -> None:
    tables = derived(tmp_path, [broken_off(toy_game("a"), "stopped", "t1")])
    row = query("table1", tables).row(0, named=True)
    assert (row["games"], row[COUNTED], row["coordination_rate_pct"]) == (0, 1, None)
    assert [name for name in query_names() if query(name, tables).height] == ["table1", "table1_by_difficulty"]
    assert table_intervals(tables, Resampling(50, 0.95, "intervals")).is_empty()


def test_every_table_leaves_out_stopped_games_and_all_of_them_have_a_schema(mixed: Path, tmp_path: Path) -> None:
    with attach(mixed) as connection:
        for path in mixed.glob("*.parquet"):
            table = read_table(mixed, path.stem)
            assert connection.sql(f"FROM all_games.{path.stem}").pl().equals(table)
            if "game_id" in table.columns:
                kept = table.filter(~pl.col("game_id").str.starts_with("stopped"))
                assert connection.sql(f"FROM {path.stem}").pl().equals(kept)
    study = Study(mixed, tmp_path, tmp_path)
    counts = study.sql("SELECT (SELECT count(*) FROM games), (SELECT count(*) FROM all_games.games)")
    assert counts.row(0) == (6, 18)
