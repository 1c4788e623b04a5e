"""Tables in folders by team and condition: DuckDB and Polars read them without holding them, and find the same rows."""

from pathlib import Path
from urllib.parse import unquote

import duckdb
import polars as pl
import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.reports.notebook_session import Study
from pipeline.tables.hive import BY
from pipeline.tables.io import read_table
from pipeline.tables.schemas.base import REJECTED, TABLES

pytestmark = pytest.mark.slow

TEAMS = ("imap", "a/b=c d%2F", "Zwölf", "zwölf")
# A table without rows has no folder.
INTENDED = ("agent_parameters", "intents", "intended_statements", "intended_labels", "truth")
EMPTY = ("calls", "thoughts", "labels_known", "decisions", "leaks", *INTENDED)
PARTED = [name for name in TABLES if name not in (*EMPTY, REJECTED.name)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The tables of games of three teams and two conditions: in a file each, and in folders."""
    folder = tmp_path_factory.mktemp("partitions")
    for number in range(12):
        game = toy_game(f"game-{number:02d}")
        game.content["config"] |= {"team": TEAMS[number % 4], "condition": ("standard", "blocked")[number // 4 % 2]}
        write_trace(folder / "traces" / f"{number}.json.zst", game.text())
    for out, partition in (("flat", False), ("parted", True)):
        parallel.derive([folder / "traces"], folder / out, parallel.Recipe(partition=partition), workers=1)
    return folder / "flat", folder / "parted"


def with_places(flat: Path, name: str) -> pl.DataFrame:
    """A table as it is without folders, and the team and condition of each row's game."""
    frame = read_table(flat, name)
    games = read_table(flat, "games").select("game_id", *BY)
    return frame.drop(BY, strict=False).join(games, on="game_id", how="left").sort(TABLES[name].key)


@pytest.mark.parametrize("name", PARTED)
def test_polars_reads_the_same_rows_as_they_come(name: str, folders: tuple[Path, Path]) -> None:
    flat, parted = folders
    wanted = with_places(flat, name)
    scan = pl.scan_parquet(parted / name / "**/*.parquet", hive_partitioning=True)
    found = scan.select(wanted.columns).collect(engine="streaming").sort(TABLES[name].key)
    assert found.equals(wanted)


@pytest.mark.parametrize("name", PARTED)
def test_duckdb_reads_the_same_rows(name: str, folders: tuple[Path, Path]) -> None:
    flat, parted = folders
    wanted = with_places(flat, name)
    with duckdb.connect(config={"threads": 1, "memory_limit": "64MB"}) as database:
        rows = database.sql(f"FROM read_parquet('{parted / name}/**/*.parquet', hive_partitioning = true)")
        assert rows.pl().select(wanted.columns).sort(TABLES[name].key).equals(wanted)


def test_a_query_for_a_team_opens_its_folders_alone(folders: tuple[Path, Path]) -> None:
    flat, parted = folders
    # The first file tells the columns; all others but the team's could be anything.
    first, *others = sorted((parted / "messages").iterdir())
    for path in (path for folder in others for path in folder.rglob("*.parquet")):
        path.write_bytes(b"what nobody opens")
    scan = pl.scan_parquet(parted / "messages" / "**/*.parquet", hive_partitioning=True)
    team = unquote(first.name.removeprefix("team="))
    rows = scan.filter(pl.col("team") == team).select(pl.len()).collect().item()
    assert rows == with_places(flat, "messages").filter(team=team).height > 0


def test_names_that_a_disk_does_not_take_end_the_work_with_a_line(tmp_path: Path) -> None:
    write_trace(tmp_path / "traces" / "0.json", toy_game(team="队" * 200).text())
    words = ["derive", str(tmp_path / "traces"), "--out", str(tmp_path / "out"), "--partition"]
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1) and "File name too long" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["row", "PARTED"],
        ["report", "--tables", "PARTED", "--out", "new"],
        ["site", "--tables", "PARTED", "--out", "new"],
        ["figures", "--tables", "PARTED", "--out", "new"],
        ["export", "new", "--tables", "PARTED"],
        ["database", "--tables", "PARTED"],
        ["ledger", "--tables", "PARTED"],
        ["judge", "PARTED", "--model", "x/y", "--out", "new", "--sample", "1"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_takes_no_partitions_says_so(
    words: list[str], folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parted").symlink_to(folders[1])
    told = CliRunner().invoke(app, [word.replace("PARTED", "parted") for word in words])
    assert told.exit_code == 2 and "in partitions, which `sql`, `show` and `Tables` read" in " ".join(
        told.output.split()
    )
    assert not (tmp_path / "new").exists()


def test_a_notebook_says_so_too(folders: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="in partitions, which `sql`, `show` and `Tables` read"):
        Study(folders[1], tmp_path, tmp_path)
