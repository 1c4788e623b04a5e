"""What a command writes: whole or not at all, and never in place of what it did not make."""

import json
import shutil
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machine.errors import UserError
from machine.manifests import any_manifest, manifest_path
from machine.output import check_room, exclusive_access, staged, staged_files, write_atomically
from machine.stores import list_files, open_file


class Killed(BaseException):
    """Ends a run as a kill does: nothing is tidied up."""


@pytest.fixture(params=["folder", "memory"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A folder of this machine, or at a URL."""
    return tmp_path / "out" if request.param == "folder" else f"memory://{uuid4().hex}/out"


def make(target: Path | str, files: dict[str, str], keep: set[str] = frozenset(), command: str = "derive") -> None:  # type: ignore[assignment]
    """Run a command that writes these files."""
    with staged(target, command) as work:
        work.made_from, work.keep = {"traces": "0"}, set(keep)
        for name, text in files.items():
            (work.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (work.folder / name).write_text(text)


def put(target: Path | str, name: str, text: str) -> None:
    """Let somebody write a file there."""
    write_atomically(target / name if isinstance(target, Path) else f"{target}/{name}", [text.encode()])


def found(target: Path | str) -> dict[str, str]:
    """What is there, but for manifests."""
    if isinstance(target, Path):
        named = {p.relative_to(target).as_posix(): p.read_text() for p in target.rglob("*") if p.is_file()}
    else:
        try:
            named = {url.removeprefix(f"{target}/"): open_file(url).read().decode() for url, _ in list_files(target)}
        except FileNotFoundError:
            named = {}
    return {name: text for name, text in named.items() if not name.endswith(".manifest.json")}


def test_of_files_of_an_earlier_run_those_go_that_are_not_written_anew_or_kept(target: Path | str) -> None:
    make(target, {"a.csv": "1", "games/team=x/0.parquet": "1", "kept.csv": "1", "same.csv": "1"})
    put(target, "games/team=x/notes.txt", "mine")
    make(target, {"a.csv": "2", "games.csv": "2", "same.csv": "1"}, keep={"kept.csv", "never.csv"})
    wanted = {"a.csv": "2", "games.csv": "2", "kept.csv": "1", "same.csv": "1", "games/team=x/notes.txt": "mine"}
    assert found(target) == wanted


def test_a_file_that_the_command_did_not_make_is_in_the_way_before_anything_is_written(target: Path | str) -> None:
    put(target, "b/c.csv", "mine")
    with pytest.raises(UserError, match=r"b/c.csv is not an output of `derive`; move it away or name another folder"):
        make(target, {"a.csv": "1", "b/c.csv": "1"})
    assert found(target) == {"b/c.csv": "mine"}


@pytest.mark.parametrize(("there", "named"), [("a.csv/x", "a.csv"), ("b", "b/c.csv")])
def test_a_folder_for_a_file_and_a_file_for_a_folder_are_in_the_way(there: str, named: str, tmp_path: Path) -> None:
    put(tmp_path, there, "mine")
    with pytest.raises(UserError, match="is not an output"):
        make(tmp_path, {named: "1"})
    assert found(tmp_path) == {there: "mine"}


def test_a_file_that_was_changed_since_is_in_the_way_and_stays(tmp_path: Path) -> None:
    make(tmp_path, {"a.csv": "1", "b.csv": "1"})
    put(tmp_path, "a.csv", "edited")
    with pytest.raises(UserError, match=r"a\.csv was changed since `derive` wrote it; move it away"):
        make(tmp_path, {"a.csv": "2"})
    make(tmp_path, {"b.csv": "2"})
    assert found(tmp_path) == {"a.csv": "edited", "b.csv": "2"}


def test_a_run_that_fails_leaves_all_as_it_was(target: Path | str, tmp_path: Path) -> None:
    for before in ({}, {"a.csv": "1"}):
        if before:
            make(target, before)
        with pytest.raises(OSError, match="no room"), staged(target, "derive", scratch=tmp_path / "scratch") as work:
            (work.folder / "a.csv").write_text("half")
            raise OSError("no room")
        assert found(target) == before
    assert not (tmp_path / "scratch").exists()


def killed_while_moving(target: Path, files: dict[str, str], after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed when it has moved some of its files."""
    moved, replace, rmtree = [0], Path.replace, shutil.rmtree

    def move(path: Path, to: Path) -> Path:
        if not path.name.startswith("."):
            if moved[0] == after:
                raise Killed
            moved[0] += 1
        return replace(path, to)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "replace", move)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        make(target, files)
    assert rmtree is shutil.rmtree


@pytest.mark.parametrize("after", [0, 1, 2])
def test_what_a_killed_run_left_is_known_and_the_next_makes_it_good(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"a.csv": "1", "b.csv": "1", "old.csv": "1"})
    put(tmp_path, "mine.csv", "mine")
    killed_while_moving(tmp_path, {"a.csv": "2", "b.csv": "2", "c.csv": "2"}, after, monkeypatch)
    told = any_manifest(manifest_path(tmp_path, "derive"))
    assert told.unfinished == "a run of derive did not finish; run it again"
    make(tmp_path, {"a.csv": "3", "c.csv": "3"})
    assert found(tmp_path).items() >= {"a.csv": "3", "c.csv": "3", "mine.csv": "mine"}.items()
    assert not {"b.csv", "old.csv"} & found(tmp_path).keys()
    assert any_manifest(manifest_path(tmp_path, "derive")).unfinished == ""


def test_a_manifest_that_is_none_is_somebody_s_file(tmp_path: Path) -> None:
    put(tmp_path, "derive.manifest.json", "notes")
    with pytest.raises(UserError, match="is no manifest of `derive`"):
        make(tmp_path, {"a.csv": "1"})
    assert found(tmp_path) == {} and (tmp_path / "derive.manifest.json").read_text() == "notes"


def test_the_folder_in_which_a_killed_run_worked_goes_with_the_next_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = (".derive-mine/x", f".derive-{'0' * 32}/x", ".parts-a/x", ".unfinished/x", ".trial", ".a.csv.1.tmp")
    for name in others:
        put(tmp_path, name, "mine")
    with monkeypatch.context() as patch, pytest.raises(Killed), staged(tmp_path, "derive") as work:
        (work.folder / "a.csv").write_text("half")
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        patch.setattr("machine.output.any_manifest", lambda _: None)
        raise Killed
    assert work.folder.exists() and any_manifest(manifest_path(tmp_path, "derive")).unfinished
    make(tmp_path, {"a.csv": "1"})
    assert found(tmp_path) == dict.fromkeys(others, "mine") | {"a.csv": "1"}


def test_a_manifest_that_names_a_folder_of_others_takes_nothing_along(tmp_path: Path) -> None:
    put(tmp_path, "thesis/a.tex", "mine")
    manifest_path(tmp_path, "derive").write_text(json.dumps({"files": {}, "made_from": {}, "staging": "thesis"}))
    with pytest.raises(UserError, match="is no manifest of `derive`"):
        make(tmp_path, {"a.csv": "1"})
    assert found(tmp_path) == {"thesis/a.tex": "mine"}


def test_two_runs_into_one_folder_do_not_mix(tmp_path: Path) -> None:
    with exclusive_access(tmp_path / "out"):
        with pytest.raises(UserError, match="out: another run is writing there; wait for its end"):
            make(tmp_path / "out", {"a.csv": "1"})
        make(tmp_path / "other", {"a.csv": "1"})
    make(tmp_path / "out", {"a.csv": "1"})


def test_files_whose_owner_is_known_are_replaced_without_a_manifest(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", "1")
    with staged_files(tmp_path) as work:
        (work.folder / "a.csv").write_text("2")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"] and found(tmp_path) == {"a.csv": "2"}


def test_an_atomic_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_atomically(tmp_path / "new/a.csv", iter([b"half", 1]))  # type: ignore[list-item]
    assert found(tmp_path) == {}
    write_atomically(tmp_path / f"{'x' * 250}.csv", iter([b"who", b"le"]))
    check_room(tmp_path)
    assert list(found(tmp_path).values()) == ["whole"]


names = st.sampled_from(["a", "b", "c/d", "c/e", "f"])
files = st.dictionaries(names, st.sampled_from("12"), max_size=4)
steps = st.lists(st.tuples(st.sampled_from(["derive", "audit", "somebody"]), files), max_size=6)


@given(steps)
@settings(max_examples=30)
def test_whatever_is_run_every_file_is_of_whoever_wrote_it_last_and_none_of_others_is_lost(
    history: list[tuple[str, dict[str, str]]],
) -> None:
    import tempfile

    owner: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as place:
        target = Path(place, "out")
        for who, written in history:
            if who == "somebody":
                for name, text in written.items():
                    if name not in owner or owner[name][0] == "somebody":
                        put(target, name, text)
                        owner[name] = (who, text)
                continue
            free = all(owner.get(name, (who, ""))[0] == who for name in written)
            if not free:
                with pytest.raises(UserError):
                    make(target, written, command=who)
                continue
            make(target, written, command=who)
            owner = {name: row for name, row in owner.items() if row[0] != who}
            owner |= {name: (who, text) for name, text in written.items()}
        assert found(target) == {name: text for name, (_, text) in owner.items()}
