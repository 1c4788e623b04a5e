"""A large pack is read in pieces, by several workers: together they give what one gives who reads it whole."""

import os
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import pytest
from trace_builder import toy_game, write_trace
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.derive import parallel
from pipeline.traces import limits, sources
from pipeline.traces.sources import Replaced, Source, find_sources, read_texts, split_pack
from pipeline.traces.trace import TraceError

pytestmark = pytest.mark.slow

FORMS = ("p.jsonl", "p.jsonl.gz", "p.jsonl.zst")


def lines_of_a_pack() -> list[bytes]:
    """Games, of which one comes again, between what is no trace and what is blank."""
    games = [toy_game(f"game-{number:02d}").text() for number in range(12)]
    return [*games[:5], b"oops", b"", games[2], *games[5:], b"{", b" ", games[0]]


def pack(folder: Path, name: str, lines: Sequence[bytes]) -> Source:
    write_trace(folder / name, b"\n".join(lines) + b"\n")
    return find_sources([folder])[0]


def told(source: Source) -> list[tuple[str, bytes | str]]:
    return [(path, str(text) if isinstance(text, TraceError) else text) for path, text in read_texts(source)]


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read a little at a time: of small packs, too, not all is met at their start."""
    monkeypatch.setattr(sources, "PIECE", 1 << 10)
    monkeypatch.setattr(sources, "PACKED_PIECE", 1 << 6)


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("number", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("name", FORMS)
def test_each_line_is_in_one_piece_and_they_are_in_order(name: str, number: int, tmp_path: Path) -> None:
    source = pack(tmp_path, name, lines_of_a_pack())
    cut = split_pack(source, number)
    assert [piece.size for piece in cut] and sum(piece.size for piece in cut) == source.size
    assert list(chain.from_iterable(map(told, cut))) == told(source)


@pytest.mark.usefixtures("_small_pieces")
def test_the_lines_of_a_plain_pack_are_shared_out_evenly(tmp_path: Path) -> None:
    source = pack(tmp_path, "p.jsonl", [os.urandom(2_000).hex().encode() for _ in range(40)])
    assert all(5 <= len(told(piece)) <= 15 for piece in split_pack(source, 4))


def cut_in(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every pack be read in so many pieces, whatever its size."""
    monkeypatch.setattr(
        parallel, "split_large_packs", lambda found, _: [piece for s in found for piece in split_pack(s, number)]
    )


def derived(folder: Path, out: Path) -> tuple[parallel.Derived, dict[str, bytes]]:
    made = parallel.derive([folder], out, workers=1)
    return made, {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("damage", [b"", b"\x28\xb5\x2f\xfd cut off"])
def test_a_pack_gives_the_same_tables_in_any_number_of_pieces(
    damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = pack(tmp_path / "in", "p.jsonl.zst", lines_of_a_pack())
    with Path(source.name).open("ab") as file:
        file.write(damage)
    whole = derived(tmp_path / "in", tmp_path / "whole")
    assert len(whole[0].rejected) == 4 + bool(damage)
    for number in (2, 5):
        cut_in(number, monkeypatch)
        assert derived(tmp_path / "in", tmp_path / f"in_{number}") == whole


@pytest.mark.usefixtures("_small_pieces")
def test_a_pack_with_too_many_bad_lines_ends_at_the_same_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BAD_LINES", 3)
    pack(tmp_path / "in", "p.jsonl.zst", [*lines_of_a_pack(), *lines_of_a_pack()])
    whole = derived(tmp_path / "in", tmp_path / "whole")
    assert any("what follows was not read" in rejection.reason for rejection in whole[0].rejected)
    cut_in(6, monkeypatch)
    assert derived(tmp_path / "in", tmp_path / "out") == whole


@pytest.mark.usefixtures("_small_pieces")
def test_the_files_that_are_told_of_are_the_packs_and_not_their_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(tmp_path / "in", "p.jsonl.zst", lines_of_a_pack())
    cut_in(4, monkeypatch)
    seen: list[tuple[int, int]] = []
    parallel.derive([tmp_path / "in"], tmp_path / "out", workers=1, progress=lambda *done: seen.append(done))
    assert seen[-1] == (1, 1)


def test_only_packs_that_would_keep_the_others_waiting_are_cut() -> None:
    small, large = Source("a.jsonl.zst", 1_000), Source("b.jsonl.zst", 9_000_000)
    single = Source("c.json.zst", 9_000_000)
    assert [s.name for s in parallel.split_large_packs([small, large, single], 1)] == [
        small.name,
        large.name,
        single.name,
    ]
    cut = parallel.split_large_packs([small, large, single], 4)
    assert [s.name for s in cut] == [small.name, large.name, large.name, single.name]
    assert [(s.first, s.last) for s in cut[1:3]] == [(0, 4_500_000), (4_500_000, None)]


def replace_it(path: Path) -> None:
    """Another pack of the same size in its place."""
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def grow_it(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def cut_it(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("change", [replace_it, grow_it, cut_it, Path.unlink])
def test_a_pack_that_changes_while_it_is_read_in_pieces_gives_no_mixture(
    change: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = pack(tmp_path / "in", "p.jsonl", lines_of_a_pack())
    cut_in(3, monkeypatch)
    ended: list[int] = []

    def meanwhile(done: int, total: int) -> None:
        if not ended:
            change(Path(source.name))
        ended.append(done)

    with pytest.raises(Replaced) as told:
        parallel.derive([tmp_path / "in"], tmp_path / "out", workers=1, progress=meanwhile)
    assert str(told.value) == f"{source.name} was replaced or written to while it was read; run it again"
    assert list((tmp_path / "out").iterdir()) == []


def test_the_command_says_so_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = pack(tmp_path / "in", "p.jsonl", lines_of_a_pack())
    cut_in(2, monkeypatch)
    monkeypatch.setattr(sources, "file_version", lambda name, descriptor=None: str(descriptor))
    done = CliRunner().invoke(app, ["derive", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--workers", "1"])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert f"{source.name} was replaced or written to while it was read; run it again" in done.stderr


def test_a_pack_that_grows_while_a_piece_is_read_is_told_at_its_end(tmp_path: Path) -> None:
    source = pack(tmp_path, "p.jsonl", lines_of_a_pack())
    first, _ = split_pack(source, 2)
    reading = read_texts(first)
    next(reading)
    grow_it(Path(source.name))
    with pytest.raises(Replaced):
        list(reading)
