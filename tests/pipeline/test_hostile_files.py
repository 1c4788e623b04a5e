"""Files that are no good traces: each is rejected with its place or read as documented, and no other game suffers."""

import json
import os
import zipfile
from copy import copy
from pathlib import Path

import polars as pl
import pytest
from hostile import SMALL, Example
from hostile_examples import EXAMPLES, table
from trace_builder import toy_game, write_trace

from pipeline.derive import parallel
from pipeline.tables.io import read_table
from pipeline.tables.schemas.base import TABLES
from pipeline.traces import limits, sources
from pipeline.traces.ingest import ingest
from pipeline.traces.inspect_logs import TRACE, read_log
from pipeline.traces.sources import find_sources, read_texts
from pipeline.traces.trace import TraceError, decode_trace

Frames = dict[str, pl.DataFrame]
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
GOOD = ("good-a", "good-z")


def game_of(number: int) -> str:
    return f"example-{number:03d}"


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Frames, Frames]:
    """The tables of all examples among good traces, and the good traces' own."""
    folder = tmp_path_factory.mktemp("hostile")
    for game in GOOD:
        write_trace(folder / "in" / f"{game}.json.zst", toy_game(game).text())
    parallel.derive([folder / "in"], folder / "good", parallel.Recipe(csv=False), workers=1)
    for number, example in enumerate(EXAMPLES):
        (folder / "in" / game_of(number)).mkdir()
        example.make(folder / "in" / game_of(number) / example.name, game_of(number))
    with pytest.MonkeyPatch.context() as patch:
        for name, bound in SMALL.items():
            patch.setattr(limits, name, bound)
        parallel.derive([folder / "in"], folder / "all", parallel.Recipe(csv=False), workers=1)
    return tables_of(folder / "all"), tables_of(folder / "good")


def tables_of(folder: Path) -> Frames:
    return {name: read_table(folder, name) for name in TABLES}


def rows_of(frames: Frames, *games: str) -> dict[str, list[tuple[object, ...]]]:
    """The games' rows of every table, without what differs from file to file."""
    return {
        name: frame.filter(pl.col("game_id").is_in(games)).drop("game_id", "trace_path", strict=False).rows()
        for name, frame in frames.items()
        if name != "rejected"
    }


def test_the_good_games_beside_them_are_as_they_were(derived: tuple[Frames, Frames]) -> None:
    among, alone = derived
    assert rows_of(among, *GOOD) == rows_of(alone, *GOOD)
    assert alone["games"].height == len(GOOD)


@pytest.mark.parametrize(("number", "example"), tuple(enumerate(EXAMPLES)), ids=[e.what for e in EXAMPLES])
def test_a_hostile_file_does_what_is_documented(number: int, example: Example, derived: tuple[Frames, Frames]) -> None:
    among, alone = derived
    inside = pl.col("path").str.contains(f"/{game_of(number)}/", literal=True)
    rejected = among["rejected"].filter(inside)
    games = among["games"].filter(game_id=game_of(number)).height
    if example.read:
        assert (rejected.rows(), games) == ([], 1)
    else:
        found = {(path.rsplit("/", 1)[1], reason, place) for path, reason, place in rejected.rows()}
        assert (f"{example.name}{example.line}", example.reason.format(**vars(limits) | SMALL), example.place) in found
        assert games == (1 if example.line else 0)
    if example.as_usual:
        assert rows_of(among, game_of(number)) == rows_of(alone, GOOD[0])


def test_every_rejection_is_foreseen(derived: tuple[Frames, Frames]) -> None:
    reasons = derived[0]["rejected"]["reason"]
    assert not reasons.str.starts_with("cannot be derived").any()


def test_the_document_lists_the_examples() -> None:
    told = DOCUMENT.read_text(encoding="utf-8").split("<!-- examples -->\n")
    assert told[1] == table(), "python tests/pipeline/hostile_examples.py prints the table"


def test_the_document_lists_the_bounds() -> None:
    told = DOCUMENT.read_text(encoding="utf-8")
    bounds = [name for name, value in vars(limits).items() if name.isupper() and isinstance(value, int)]
    missing = [name for name in bounds if f"| `{name}` | {getattr(limits, name):,} |" not in told]
    assert missing == []


def lying_log(path: Path, size: int) -> None:
    """A log whose only member unpacks to so many bytes, and says that it has one."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * size)
    text, said = path.read_bytes(), size.to_bytes(4, "little")
    directory = text.rindex(b"PK\x01\x02")
    path.write_bytes(text[:directory] + text[directory:].replace(said, (1).to_bytes(4, "little")))


def test_a_log_is_bounded_by_what_it_holds_and_not_by_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FILE_BYTES", 100_000)
    lying_log(tmp_path / "log.eval", 3_000_001)
    with zipfile.ZipFile(tmp_path / "log.eval") as archive:
        assert archive.infolist()[0].file_size == 1
    with pytest.raises(TraceError, match="larger than the 100000 bytes"):
        list(read_log(tmp_path / "log.eval"))


SAMPLE = {"id": "a", "epoch": 1, "store": {TRACE: {"game_id": "é"}}}
GAME = b'{"game_id": "\xc3\xa9"}'
# One row a log: the epochs of its run of a and b; its samples; what is read of each place, or why not.
LOGS = {
    "whole": (1, (SAMPLE, SAMPLE | {"id": "b"}), {"1": GAME, "2": GAME}),
    "none was played": (2, (), {"0": "4 of its 4 samples are not there"}),
    "one is missing": (1, (SAMPLE,), {"1": GAME, "0": "1 of its 2 samples are not there"}),
    "one is there twice": (1, (SAMPLE, SAMPLE), {"1": GAME, "2": GAME, "0": "1 of its 2"}),
    "one is damaged": (1, ("{", SAMPLE), {"1": "no sample that can be read", "2": GAME}),
    "one has not ended": (1, (SAMPLE | {"store": {}}, SAMPLE | {"id": 2}), {"1": "holds no game", "2": GAME}),
    "one is too large": (1, (SAMPLE, SAMPLE | {"id": "b" * 2000}), {"1": GAME, "2": "larger than the 2000 bytes"}),
    "one is no text": (1, (SAMPLE | {"store": {TRACE: "\ud800"}}, "[]"), {"1": b'"\xed\xa0\x80"', "2": "no"}),
}


def header(epochs: object) -> str:
    return json.dumps({"eval": {"dataset": {"sample_ids": ["a", "b"]}, "config": {"epochs": epochs}}})


@pytest.mark.parametrize(("epochs", "samples", "told"), LOGS.values(), ids=LOGS)
def test_of_a_log_each_sample_is_read_or_refused_by_itself(
    epochs: int, samples: tuple[object, ...], told: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SAMPLE_BYTES", 2000)
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("_journal/start.json", header(epochs))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}.json", sample if isinstance(sample, str) else json.dumps(sample))
    told = told.copy()
    for place, text in list(read_log(tmp_path / "log.eval")):
        expected = told.pop(place)
        assert text == expected or (isinstance(expected, str) and expected in str(text))
    assert told == {}


@pytest.mark.parametrize("name", ["log.json", "log.json.gz", "log.json.zst"])
def test_a_log_in_json_is_read_like_an_archive(name: str, tmp_path: Path) -> None:
    samples = [SAMPLE, SAMPLE | {"id": "b", "store": {}}, "text"]
    write_trace(tmp_path / name, json.dumps({"version": 2} | json.loads(header(2)) | {"samples": samples}).encode())
    found = {path.removeprefix(str(tmp_path / name)): text for path, text in read_texts(*find_sources([tmp_path]))}
    assert found.pop("#1") == GAME
    told = {"#2": "holds no game", "#3": "no sample that can be read", "#0": "1 of its 4 samples are not there"}
    assert {place for place, words in told.items() if words in str(found[place])} == found.keys()


def test_a_log_in_json_without_samples_is_none(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text('{"version": 2, "eval": []}', encoding="utf-8")
    ((_, problem),) = read_texts(*find_sources([tmp_path]))
    assert "no log of Inspect that can be read" in str(problem)


def test_hidden_names_are_passed_over_and_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shown = ("a.json", "b/c.json.zst")
    hidden = (".Trash-1000/a.json", "b/.ipynb_checkpoints/c.json.zst", "._a.json", "__MACOSX/b/._c.json.zst")
    for name in (*shown, *hidden):
        write_trace(tmp_path / "in" / name, toy_game(name).text())
    sources._say.cache_clear()
    assert [Path(s.name) for s in find_sources([tmp_path / "in"])] == [tmp_path / "in" / name for name in shown]
    assert [s.name for s in find_sources([f"file://{tmp_path}/in"])] == [f"file://{tmp_path}/in/{n}" for n in shown]
    assert capfd.readouterr().err.count("4 hidden files or folders passed over: names that begin with a dot") == 1
    named = tmp_path / "in" / ".Trash-1000"
    assert len(find_sources([named])) == len(find_sources([named / "a.json"])) == 1


@pytest.mark.parametrize("epochs", ["x" * 9, [1], "9" * 5000])
def test_a_log_of_no_number_of_samples_is_none(epochs: object, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", header(epochs))
    with pytest.raises(TraceError, match="no log of Inspect that can be read"):
        list(read_log(tmp_path / "log.eval"))


def test_a_log_whose_members_overlap_is_none(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", header(1))
        archive.writestr("samples/1.json", json.dumps(SAMPLE) + " " * 500)
        archive.filelist += [copy(archive.filelist[1]) for _ in range(9)]
    with pytest.raises(TraceError, match="no log of Inspect that can be read"):
        list(read_log(tmp_path / "log.eval"))


def test_a_pipe_called_as_a_log_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.eval")
    with pytest.raises(TraceError, match="not a regular file"):
        list(read_log(tmp_path / "log.eval"))


def test_what_nobody_foresaw_is_a_rejection_too() -> None:
    good, bad = (ingest(decode_trace(toy_game(game).text()), f"{game}.json") for game in ("good", "bad"))
    bad["messages"] *= 2
    frames, stumbled = parallel.derive_frames({table: good[table] + bad[table] for table in good}, parallel.Recipe())
    assert [path for path, _, _ in stumbled] == ["bad.json"]
    assert frames["games"]["game_id"].to_list() == ["good"]
