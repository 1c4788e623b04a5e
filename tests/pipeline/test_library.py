"""The library for notebooks and scripts: `from pipeline import Tables`."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from trace_builder import toy_game, write_trace

from machine.errors import UserError
from pipeline import Tables
from pipeline.derive.parallel import Recipe, derive
from pipeline.reports.views.game import game_view
from pipeline.tables.database import make_database
from pipeline.tables.schemas.base import TABLES
from tests.imports import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables of a game, and its database beside it."""
    here = tmp_path_factory.mktemp("library")
    write_trace(here / "traces/a.json", toy_game().text())
    derive([here / "traces"], here / "tables", Recipe(csv=False), workers=1)
    derive([here / "traces"], here / "partitioned", Recipe(partition=True), workers=1)
    make_database(here / "tables", here / "all.duckdb")
    return here


@pytest.fixture(
    params=("tables", "partitioned", "all.duckdb", "file://tables", "file://partitioned", "file://all.duckdb")
)
def tables(request: pytest.FixtureRequest, folder: Path) -> Tables:
    """The same tables, from each kind of place."""
    protocol, _, name = request.param.rpartition("//")
    return Tables(f"{protocol}//{folder}/{name}" if protocol else folder / name)


def test_all_places_hold_the_same_tables_and_the_same_view(tables: Tables, folder: Path) -> None:
    assert tables.names == tuple(sorted(path.stem for path in (folder / "tables").glob("*.parquet")))
    for name in tables:
        assert_frame_equal(tables[name], pl.read_parquet(folder / "tables" / f"{name}.parquet"))
    (game_id,) = tables.games["game_id"]
    assert tables.game(game_id[:6]) == game_view(folder / "tables", game_id)


def test_every_column_is_documented(folder: Path) -> None:
    tables = Tables(folder / "tables")
    assert tables.columns("rounds")["column"].to_list() == tables.rounds.columns
    assert set(tables.columns()["table"]) == set(tables.names) <= set(TABLES)
    assert tables.columns()["meaning"].str.len_chars().min() > 0  # type: ignore[operator]
    assert dict(tables.rows().select("table", "rows").iter_rows())["games"] == 1
    assert set(dir(tables)) >= set(tables.names)


def test_a_query_takes_values_by_name(folder: Path) -> None:
    tables = Tables(folder / "tables")
    (game_id,) = tables.games["game_id"]
    assert tables.sql("SELECT count(*) FROM rounds WHERE game_id = $game", game=game_id).item() > 0
    assert tables.sql("SELECT count(*) FROM rounds WHERE game_id = $game", game="' OR true").item() == 0
    with pytest.raises(duckdb.Error, match="nothing_here"):
        tables.sql("FROM nothing_here")


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("README.md", "README.md holds no tables"),
        ("file://", "names no folder"),
        ("file:///no/such", "nothing at file:///no/such"),
    ],
)
def test_what_holds_no_tables_is_told(place: str, problem: str) -> None:
    with pytest.raises((FileNotFoundError, UserError, ValueError), match=problem):
        Tables(ROOT / place if place == "README.md" else place)


def test_a_file_of_another_program_is_no_database_and_nothing_is_fetched_to_open_it(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.duckdb")) as other:
        other.execute("CREATE TABLE games (game_id TEXT)")
    with pytest.raises(ValueError, match="not a valid DuckDB database file"):
        Tables(tmp_path / "x.duckdb")


@pytest.mark.slow
def test_the_package_stays_light_until_it_is_asked_for() -> None:
    count = "import sys, pipeline; print('polars' in sys.modules, hasattr(pipeline, 'nosuch')); pipeline.Tables"
    told = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout == "False False\n"
