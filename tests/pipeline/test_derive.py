"""From files to tables: every way in gives the same rows, in the same bytes."""

import json
import random
from pathlib import Path

import polars as pl
import pytest
from test_rows import whole_game
from trace_builder import TraceBuilder, toy_game, write_trace
from typer.testing import CliRunner

from machine.output import write_manifest
from pipeline.__main__ import app
from pipeline.derive import parallel, rows
from pipeline.privacy.recorded import recorded_reading
from pipeline.privacy.rules import ENGLISH_VERSIONS
from pipeline.tables.io import read_table
from pipeline.tables.schemas.base import ROOMS, TABLES
from pipeline.traces.ingest import ingest
from pipeline.traces.sources import find_sources
from pipeline.traces.trace import TraceError, decode_trace

GAMES = [f"game-{number:02d}" for number in range(7)]


def folder_of_games(folder: Path, order: list[str] = GAMES) -> Path:
    for place, game in enumerate(order):
        write_trace(folder / f"{place}.json.zst", toy_game(game).text())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def without_paths(folder: Path) -> dict[str, pl.DataFrame]:
    return {name: read_table(folder, name).drop("trace_path", strict=False) for name in TABLES if name != "rejected"}


@pytest.mark.slow
def test_two_runs_and_two_workers_write_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "BYTES_A_WORKER", 1)
    folder_of_games(tmp_path / "traces")
    monkeypatch.chdir(tmp_path)
    for out, workers in (("one", 1), ("again", 1), ("two", 2)):
        assert parallel.derive([Path("traces")], tmp_path / out, workers=workers).games == len(GAMES)
    assert contents(tmp_path / "one") == contents(tmp_path / "again") == contents(tmp_path / "two")


def test_a_table_has_all_games_in_the_order_of_its_key(tmp_path: Path) -> None:
    shuffled = random.Random(1).sample(GAMES, len(GAMES))
    parallel.derive([folder_of_games(tmp_path / "in", shuffled)], tmp_path / "out", workers=1)
    assert read_table(tmp_path / "out", "games")["game_id"].to_list() == GAMES


FORMS = ("t.json.gz", "t.json.zst", "t.jsonl", "t.jsonl.gz", "t.jsonl.zst")


def rows_of_form(name: str, folder: Path) -> dict[str, pl.DataFrame]:
    text = toy_game().text()
    write_trace(folder / "in" / name, text + b"\n\n" if "jsonl" in name else text)
    assert parallel.derive([folder / "in"], folder / "out", parallel.Recipe(csv=False), workers=1).games == 1
    return without_paths(folder / "out")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    return rows_of_form("t.json", tmp_path_factory.mktemp("plain"))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_file_gives_the_same_rows(name: str, plain: dict[str, pl.DataFrame], tmp_path: Path) -> None:
    other = rows_of_form(name, tmp_path)
    assert all(plain[table].equals(other[table]) for table in plain)


def test_the_traces_of_a_pack_are_called_by_their_lines(tmp_path: Path) -> None:
    pack = write_trace(tmp_path / "p.jsonl.zst", b"\n".join([toy_game("a").text(), b"oops", toy_game("b").text()]))
    derived = parallel.derive([pack], tmp_path / "out", workers=1)
    assert read_table(tmp_path / "out", "games")["trace_path"].to_list() == [f"{pack}#1", f"{pack}#3"]
    assert [(r.path, r.reason.split(":")[0]) for r in derived.rejected] == [(f"{pack}#2", "not JSON")]


def test_files_named_twice_are_read_once(tmp_path: Path) -> None:
    folder = folder_of_games(tmp_path / "in")
    assert len(find_sources([folder, folder / "0.json.zst", tmp_path / "in" / ".." / "in"])) == len(GAMES)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_of_two_traces_of_one_game_the_first_counts(workers: int, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_trace(tmp_path / "in" / f"{name}.json", toy_game().text())
    derived = parallel.derive([tmp_path / "in"], tmp_path / "out", workers=workers)
    assert [Path(r.path).name for r in derived.rejected] == ["b.json"]
    assert read_table(tmp_path / "out", "messages").height == 4
    assert read_table(tmp_path / "out", "belief_evidence").height == 5


DAMAGED = {
    "empty.json": b"",
    "empty.json.zst": b"",
    "x.json": b"{",
    "x.json.gz": b"not gzip",
    "x.json.zst": b"not zstd",
    "x.jsonl.zst": b"not zstd",
}


def test_what_cannot_be_read_is_told_and_the_rest_is_written(tmp_path: Path) -> None:
    folder = folder_of_games(tmp_path / "in")
    for name, damage in DAMAGED.items():
        (folder / name).write_bytes(damage)
    result = CliRunner().invoke(app, ["derive", str(folder), "--out", str(tmp_path / "out"), "--workers", "1"])
    assert result.exit_code == 3
    assert [name for name in DAMAGED if f"rejected {folder / name}: " not in result.stderr] == []
    assert read_table(tmp_path / "out", "rejected")["path"].to_list() == [str(folder / name) for name in DAMAGED]
    assert read_table(tmp_path / "out", "games").height == len(GAMES)


def test_all_read_is_exit_code_0(tmp_path: Path) -> None:
    folder = folder_of_games(tmp_path / "in")
    arguments = ["derive", str(folder), "--out", str(tmp_path / "out"), "--rules", "release", "--workers", "1"]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stdout) == (0, "")
    files = {f"{t}.{e}" for t in TABLES for e in ("csv", "parquet")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*files, "derive.manifest.json"}


READINGS = (
    ([], ("paper", "full")),
    (["--english", "release"], ("paper", "release")),
    (["--rules", "release"], ("release", "release")),
    (["--rules", "release", "--english", "literal"], ("release", "literal")),
)


@pytest.mark.parametrize(("options", "reading"), READINGS)
def test_messages_are_read_as_told(options: list[str], reading: tuple[str, str], tmp_path: Path) -> None:
    write_trace(tmp_path / "in/x.json", toy_game().text())
    arguments = ["derive", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--workers", "1", *options]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert recorded_reading(tmp_path / "out") == (*reading, ENGLISH_VERSIONS[reading[1]])


MISUSES = (
    ["derive", "nowhere", "--out", "o"],
    ["derive", ".", "--out", "o", "--rules", "x"],
)


@pytest.mark.parametrize("arguments", MISUSES)
def test_bad_usage_is_exit_code_2(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, arguments).exit_code == 2


UNFIT = (
    (["--tables", "games,vps"], "--tables: there is no table 'vps'; known: games, rounds,"),
    (["--partition", "--format", "csv"], "--format: partitions are of Parquet"),
)


@pytest.mark.parametrize(("options", "problem"), UNFIT)
def test_what_is_asked_for_and_cannot_be_made_is_told_before_anything_is_read(
    options: list[str], problem: str, tmp_path: Path
) -> None:
    result = CliRunner().invoke(app, ["derive", str(tmp_path), "--out", str(tmp_path / "o"), *options])
    assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr
    assert not (tmp_path / "o").exists()


CHOICES = (
    (["--format", "csv"], {f"{table}.csv" for table in TABLES}),
    (
        ["--tables", "privacy, stance", "--tables", "leaks", "--format", "parquet"],
        {f"{table}.parquet" for table in ("games", "rejected", "stance", "leaks", *ROOMS["privacy"])},
    ),
)


@pytest.mark.parametrize(("options", "files"), CHOICES)
def test_what_is_asked_for_stands_alone_beside_files_that_are_no_tables(
    options: list[str], files: set[str], tmp_path: Path
) -> None:
    earlier, others = ("truth.csv", "calls/team=a/condition=b/part.parquet"), ("notes.csv", "mine.parquet")
    for name in (*earlier, *others):
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).touch()
    write_manifest(tmp_path / "out", "derive", [tmp_path / "out" / name for name in earlier], {})
    trace = write_trace(tmp_path / "a.json", toy_game().text())
    arguments = ["derive", str(trace), "--out", str(tmp_path / "out"), "--workers", "1", *options]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*files, *others, "derive.manifest.json"}


def made(text: bytes, recipe: parallel.Recipe) -> dict[str, pl.DataFrame]:
    return parallel.derive_frames(ingest(decode_trace(text), "a.json", recipe.made), recipe)[0]


def test_a_table_that_is_made_alone_is_as_among_all() -> None:
    text = whole_game().text()
    whole = made(text, parallel.Recipe())
    for name in set(TABLES) - {"rejected"}:
        alone = made(text, parallel.Recipe(tables=(name,)))
        assert alone.keys() == {name, "games"}
        assert all(alone[table].equals(whole[table]) for table in alone), name


def test_nothing_is_made_that_no_table_asked_for_needs() -> None:
    speech = parallel.Recipe(tables=("stance", "leaks", "patterns")).made
    assert speech.isdisjoint({*ROOMS["privacy"], "calendars", "items", "intents"})
    assert parallel.Recipe(tables=("game_summary",)).made.isdisjoint({*ROOMS["behaviour"], "vps_by_source", "moves"})
    assert parallel.Recipe(tables=()).made == {"games"}


UNREADABLE = (
    toy_game().rendered(1, 1, "Slot 0: ?"),
    toy_game(scenario={"optimal": {"cost": 1, "per_agent_cost": [1], "assignments": {}}}),
)


@pytest.mark.parametrize("trace", UNREADABLE, ids=("calendar", "burdens"))
def test_a_trace_is_refused_whichever_tables_are_asked_for(trace: TraceBuilder) -> None:
    for tables in (parallel.Recipe.tables, ("stance",)):
        with pytest.raises(TraceError):
            made(trace.text(), parallel.Recipe(tables=tables))


def test_a_folder_without_traces_is_bad_usage(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["derive", str(tmp_path), "--out", str(tmp_path / "o")]).exit_code == 2


def test_lists_and_booleans_are_readable_in_csv(tmp_path: Path) -> None:
    parallel.derive([write_trace(tmp_path / "a.json", toy_game().text())], tmp_path / "out", workers=1)
    rounds = (tmp_path / "out" / "rounds.csv").read_text().splitlines()
    assert rounds[1].startswith("game-1,0,1,0;1,True,0,3,4,0,0;0,")


def test_a_line_separator_in_a_message_does_not_split_a_pack(tmp_path: Path) -> None:
    text = json.dumps(toy_game().dm(1, 1, 2, "one\u2028two").content, ensure_ascii=False).encode()
    assert parallel.derive([write_trace(tmp_path / "a.jsonl", text)], tmp_path / "out", workers=1).games == 1
