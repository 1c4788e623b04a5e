"""What commands wrote is whole and belongs together, or `verify` says what does not."""

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from os import mkfifo
from pathlib import Path

import duckdb
import pytest
import without_kernel
from audit_bases import text_of
from click.testing import Result
from typer.testing import CliRunner
from zstandard import compress, decompress

from machine.manifests import any_manifest, manifest_path
from pipeline.__main__ import app
from pipeline.derive.verify import verified
from pipeline.reports.batch.own_study import write_results
from pipeline.reports.library import Tables
from pipeline.reports.notebook_session import Study
from sim.__main__ import app as sim
from sim.tasks.suite import write_tasks
from tests.imports import ROOT
from tests.sim.worlds import tiny_task

pytestmark = pytest.mark.slow


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces, and what three commands make of them."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "traces").mkdir()
    (folder / "traces" / "a.json.gz").write_bytes(gzip.compress(text_of("protocol")))
    (folder / "traces" / "b.jsonl").write_bytes(text_of("spoken") + b"\n")
    assert run("derive", folder / "traces", "--out", folder / "tables", "--workers", 1).exit_code == 0
    assert run("audit", folder / "traces", "--out", folder / "audit", "--workers", 1).exit_code == 0
    assert run("database", "--tables", folder / "tables", "--out", folder / "all.duckdb").exit_code == 0
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path) -> Path:
    """A copy of those, which a test may change."""
    return shutil.copytree(made, tmp_path / "study")


def test_what_was_written_and_left_alone_is_whole_also_elsewhere(study: Path) -> None:
    done = run("verify", study)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("3 manifests of ") and done.stderr.endswith(" files, 2 traces; all is whole\n")
    moved = study.rename(study.with_name("moved"))
    assert run("verify", moved).exit_code == 0
    assert run("verify", moved / "tables").exit_code == 0


def test_what_commands_write_beside_traces_and_tables_is_no_trace_and_no_stray(study: Path) -> None:
    licensed = ("--license", ROOT / "LICENSE")
    assert run("export", study / "tables" / "dataset", "--tables", study / "tables", *licensed).exit_code == 0
    write_tasks([tiny_task(1)], study / "tasks.jsonl")
    (study / "trace.schema.json").write_bytes(Path("docs/trace.schema.json").read_bytes())
    for words in (("audit", study), ("row", study / "tables"), ("derive", study, "--out", study / "again")):
        done = run(*words, "--workers", 1)
        assert done.exit_code == 0 and "rejected" not in done.stderr.replace("0 traces rejected", ""), done.output
    done = run("verify", study)
    assert (done.exit_code, done.stdout) == (0, "") and done.stderr.startswith("5 manifests of ")
    (study / "tables" / "dataset" / "data" / "games.parquet").write_bytes(b"")
    (study / "tables" / "stray.parquet").write_bytes(b"")
    told = run("verify", study).stdout
    assert f"all.duckdb does not hold {study}/tables/stray.parquet as it is now" in told
    assert "1 of the files of export changed since: data/games.parquet\n" in told
    assert told.endswith("/tables: 1 tables that derive did not write: stray.parquet\n")


def change_trace(study: Path) -> None:
    text = text_of("protocol").replace(b'"seed":5', b'"seed":6')
    (study / "traces" / "a.json.gz").write_bytes(gzip.compress(text))


def add_trace(study: Path) -> None:
    (study / "traces" / "c.json").write_bytes(text_of("scripted"))


def derive_again(study: Path) -> None:
    run("derive", study / "traces" / "b.jsonl", "--out", study / "tables", "--workers", 1)


CHANGES: tuple[tuple[Callable[[Path], object], tuple[str, ...]], ...] = (
    (
        lambda s: (s / "tables" / "games.csv").write_bytes(b""),
        ("/tables: 1 of the files of derive changed since: games",),
    ),
    (lambda s: (s / "tables" / "games.csv").unlink(), ("/tables: 1 of the files of derive missing: games.csv",)),
    (lambda s: (s / "all.duckdb").write_bytes(b"x"), (": 1 of the files of all.duckdb changed since: all.duckdb",)),
    (change_trace, ("a.json.gz: the trace was changed since", "/tables: derive was made from other traces")),
    (add_trace, ("/audit: audit was made from other traces", "/tables: derive was made from other traces")),
    (derive_again, ("all.duckdb does not hold ",)),
    (lambda s: (s / "audit" / "audit.manifest.json").write_text("[]"), ("audit.manifest.json: not a manifest",)),
)


@pytest.mark.parametrize(("change", "told"), CHANGES)
def test_what_is_changed_lost_or_of_another_run_is_told(
    change: Callable[[Path], object], told: tuple[str, ...], study: Path
) -> None:
    change(study)
    done = run("verify", study)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert all(any(part in line for line in lines) for part in told), lines


def test_a_site_is_whole_and_of_the_traces_beside_it(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.json").write_bytes(text_of("protocol"))
    assert run("site", tmp_path / "traces", "--out", tmp_path / "site", "--workers", 1).exit_code == 0
    assert run("verify", tmp_path).exit_code == 0
    page = next((tmp_path / "site" / "games").glob("*.html"))
    page.write_text("another page")
    add_trace(tmp_path)
    changed, other = run("verify", tmp_path).stdout.splitlines()
    assert changed.endswith(f"1 of the files of site changed since: games/{page.name}")
    assert other.endswith("site was made from other traces than those of any folder here, or from a part of one")


@pytest.fixture(scope="module")
def with_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a game, and their results."""
    folder = tmp_path_factory.mktemp("with_results")
    (folder / "a.json").write_bytes(text_of("protocol"))
    assert run("derive", folder / "a.json", "--out", folder / "tables", "--workers", 1).exit_code == 0
    write_results(folder / "tables", folder / "results")
    return folder


# One row a command that writes to a folder, a file there that it would write, and one that it would not.
WRITERS = [
    (("derive", "a.json"), "agents.csv", "games/notes.txt"),
    (
        ("derive", "a.json", "--partition"),
        "games/team=dsm-welfare/condition=standard/00000000.parquet",
        "games.parquet",
    ),
    (("audit", "a.json"), "audit.csv", "mine.csv"),
    (("site", "a.json"), "index.html", "games/mine.html"),
    (("report", "a.json"), "index.html", "results/mine.csv"),
    (("figures", "20_privacy_plane", "--tables", "made/tables", "--results", "made/results"), "figures.tex", "a.tex"),
    (("export", "--tables", "made/tables", "--license", "a.json"), "README.md", "data/mine.parquet"),
    (("database", "--tables", "made/tables"), "all.duckdb", "mine.duckdb"),
]


@pytest.mark.parametrize(("words", "own", "other"), WRITERS, ids=[row[0][0] for row in WRITERS])
def test_files_of_others_survive_a_command_and_are_not_replaced(
    words: tuple[str, ...], own: str, other: str, with_results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    monkeypatch.setattr("pipeline.reports.batch.pages.OF_THE_STUDY", "none")
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_bytes(text_of("protocol"))
    if "made/tables" in words:
        shutil.copytree(with_results, "made")
    place = {"export": ("out",), "database": ("--out", "out/all.duckdb")}.get(words[0], ("--out", "out"))
    hidden = [f".{words[0]}-mine/x", ".parts-mine/x", ".unfinished/x", ".trial", ".a.csv.99999.tmp"]
    for name in (other, own, *hidden):
        Path("out", name).parent.mkdir(parents=True, exist_ok=True)
        Path("out", name).write_text("mine", encoding="utf-8")
    refused = run(*words, *place)
    assert refused.exit_code == 2, refused.output
    assert refused.stderr.endswith(f"{own} is not an output of `{words[0]}`; move it away or name another folder\n")
    Path("out", own).unlink()
    for _ in range(2):
        assert run(*words, *place).exit_code in (0, 3)
        assert Path("out", own).is_file()
        assert {Path("out", name).read_text() for name in (other, *hidden)} == {"mine"}
    Path("out", own).write_text("edited")
    assert f"{own} was changed since `{words[0]}` wrote it" in run(*words, *place).stderr
    assert Path("out", own).read_text() == "edited"


def test_a_database_that_was_written_to_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_bytes(text_of("protocol"))
    assert run("derive", "a.json", "--out", "tables", "--workers", 1).exit_code == 0
    make = ("database", "--tables", "tables", "--out", "all.duckdb")
    assert run(*make).exit_code == run(*make).exit_code == 0
    with duckdb.connect("all.duckdb") as database:
        database.sql("CREATE VIEW mine AS FROM games")
    done = run(*make)
    assert done.exit_code == 2 and "all.duckdb was changed since `database` wrote it" in " ".join(done.stderr.split())
    with duckdb.connect("all.duckdb") as database:
        assert len(database.sql("FROM mine").fetchall()) == 1


def play(tasks: int, out: Path, *more: str, code: int = 0) -> None:
    """Play tiny tasks of so many seeds into the folder."""
    listed = out.with_name("tasks.jsonl")
    write_tasks([tiny_task(seed) for seed in range(tasks)], listed)
    words = ["run", str(listed), "--team", "imap", "--out", str(out), "--workers", "1", *more]
    assert CliRunner().invoke(sim, words).exit_code == code


def test_a_run_s_folder_says_which_of_its_traces_are_lost_or_another_s(tmp_path: Path) -> None:
    out = tmp_path / "traces"
    play(2, out)
    assert run("derive", out, "--out", tmp_path / "tables", "--workers", 1).exit_code == 0  # no manifest is a trace
    done = run("verify", tmp_path)
    assert (done.exit_code, done.stderr.rpartition(", ")[2]) == (0, "2 traces; all is whole\n")
    first, second = sorted(out.glob("*.zst"))
    first.write_bytes(second.read_bytes())
    play(3, out, "--resume", "--overwrite")
    assert run("verify", out).exit_code == 0  # what was another's is played again
    first.unlink()
    assert run("verify", out).stdout == f"{out}: 1 of the files of run missing: {first.name}\n"


def test_a_resumed_run_does_not_vouch_for_what_was_changed_meanwhile(tmp_path: Path) -> None:
    out = tmp_path / "traces"
    play(1, out)
    kept = next(out.glob("*.zst"))
    kept.write_bytes(compress(decompress(kept.read_bytes()).replace(b'"penalty":0', b'"penalty":1') + b" "))
    play(2, out, "--resume")
    assert f"1 of the files of run changed since: {kept.name}" in run("verify", out).stdout


def unfinish(folder: Path, command: str) -> None:
    """Leave what a run of the command leaves that is killed while it moves its files."""
    manifest = any_manifest(manifest_path(folder, command))
    folder.mkdir(exist_ok=True)
    manifest.path.write_text(replace(manifest, finished=False, before=manifest.files).text)


@pytest.mark.parametrize(("place", "command"), [("tables", "derive"), ("", "all.duckdb"), ("rep", "report")])
def test_a_run_that_was_killed_is_told(place: str, command: str, study: Path) -> None:
    unfinish(study / place, command)
    assert run("verify", study).stdout == f"{study / place}: a run of {command} did not finish; run it again\n"


def test_tables_of_which_some_are_of_a_killed_derivation_are_not_taken(study: Path) -> None:
    database = ("database", "--tables", study / "tables", "--out", study / "x.duckdb")
    unfinish(study / "tables", "derive")
    for words in (database, ("row", study / "tables"), ("sql", "FROM games", study / "tables")):
        done = run(*words)
        told = " ".join(done.stderr.split())
        assert done.exit_code == 2 and "a run of derive did not finish; run it again" in told, told
    with pytest.raises(OSError, match="a run of derive did not finish"):
        Tables(f"file://{study}/tables")
    with pytest.raises(FileNotFoundError, match="a run of derive did not finish"):
        Study(study / "tables", study / "results", study)
    assert not list(study.glob("*x.duckdb*"))


def test_what_a_killed_run_left_in_hidden_folders_is_in_no_line(study: Path) -> None:
    hidden = study / "tables/.derive-abc/files"
    hidden.mkdir(parents=True)
    (hidden / "derive.manifest.json").write_text(json.dumps({"files": {"gone.csv": ""}, "made_from": {}}))
    assert run("verify", study).exit_code == 0


def test_a_folder_with_nothing_to_verify_is_bad_usage(tmp_path: Path) -> None:
    assert run("verify", tmp_path).exit_code == 2
    assert run("verify", tmp_path / "none").exit_code == 2


def test_a_trace_is_known_by_its_fields_wherever_they_stand(tmp_path: Path) -> None:
    raw = json.loads(text_of("protocol"))
    raw["metrics"]["fairness"] = 0.5
    (tmp_path / "sorted.json").write_text(json.dumps(raw, sort_keys=True))
    assert run("verify", tmp_path).stdout == f"{tmp_path}/sorted.json: the trace was changed since it was written\n"


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_plain_trace_that_is_damaged_is_told(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text_of("protocol")[:-1])
    done = run("verify", tmp_path)
    assert (done.exit_code, len(done.stdout.splitlines())) == (1, 1) and done.stdout.startswith(f"{tmp_path}/{name}")


@pytest.mark.parametrize(
    ("name", "text"), [("notes.json", b'{"note": "mine"}'), (".ipynb_checkpoints/a.json", text_of("scripted"))]
)
def test_tables_are_of_the_traces_beside_what_is_none(name: str, text: bytes, tmp_path: Path) -> None:
    traces, derive = tmp_path / "traces", ("derive", tmp_path / "traces", "--out", tmp_path / "tables", "--workers", 1)
    (traces / name).parent.mkdir(parents=True)
    (traces / "a.json").write_bytes(text_of("protocol"))
    (traces / name).write_bytes(text)
    assert run(*derive).exit_code in (0, 3)
    assert run("verify", tmp_path).stdout == ""
    (traces / "b.json").write_bytes(text_of("spoken"))
    assert "derive was made from other traces" in run("verify", tmp_path).stdout


def test_a_schema_and_what_is_hidden_are_no_traces(tmp_path: Path) -> None:
    fields = b'"properties": {"game_id": {}, "events": {}}}'
    (tmp_path / "trace.schema.json").write_bytes(b'{"$schema": "https://json-schema.org/", ' + fields)
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "a.json.gz").write_bytes(b"no trace")
    assert verified(tmp_path) == ([], "")


def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(text_of("protocol"))
    mkfifo(tmp_path / "pipe.json.zst")
    (tmp_path / "link.jsonl").symlink_to("nowhere")
    derived = run("derive", tmp_path / "good.json", "--out", tmp_path / "tables", "--workers", 1)
    assert derived.exit_code == 0
    told = run("verify", tmp_path)
    assert (told.exit_code, sorted(line.partition(":")[0] for line in told.stdout.splitlines())) == (
        1,
        [f"{tmp_path}/link.jsonl", f"{tmp_path}/pipe.json.zst"],
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 200_000, "not a manifest"),
        ('{"files": {"/etc/passwd": ""}, "made_from": {}}', "names files outside its folder"),
    ],
)
def test_a_manifest_that_is_none_is_a_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "derive.manifest.json").write_text(text)
    done = run("verify", tmp_path)
    assert (done.exit_code, done.stdout.count("\n"), told in done.stdout) == (1, 1, True)


def test_tables_of_an_earlier_run_do_not_stand_beside_those_in_another_form(tmp_path: Path) -> None:
    for number, base in enumerate(("protocol", "spoken")):
        (tmp_path / f"{number}.json").write_bytes(text_of(base))
    out, words = tmp_path / "tables", ("--out", tmp_path / "tables", "--workers", 1)
    assert run("derive", tmp_path / "0.json", *words).exit_code == 0
    assert run("derive", tmp_path / "1.json", *words, "--partition").exit_code == 0
    assert not list(out.glob("games.*")) and (out / "games").is_dir()
    database = run("database", "--tables", out, "--out", tmp_path / "all.duckdb")
    assert database.exit_code == 2 and "partitions" in database.output
    (out / "games.parquet").write_bytes(b"of somebody else")
    assert run("verify", out).stdout == f"{out}: 1 tables that derive did not write: games.parquet\n"
    assert run("derive", tmp_path / "0.json", *words).exit_code == 2
    (out / "games.parquet").unlink()
    assert run("derive", tmp_path / "0.json", *words).exit_code == 0
    assert (out / "games.parquet").is_file() and not (out / "games").exists()
    assert run("verify", out).exit_code == 0


def test_traces_alone_are_verified_by_their_digests(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(text_of("protocol"))
    (tmp_path / "public.json").write_bytes(text_of("public"))
    for name, text in (
        ("empty.json", b""),
        ("array.json", b'[1, {"game_id": 2}]'),
        ("lines.jsonl", b'{"a": 1}\n\n"b"\n'),
    ):
        (tmp_path / name).write_bytes(text)
    done = run("verify", tmp_path)
    assert (done.exit_code, done.stderr) == (0, "0 manifests of 0 files, 2 traces (1 without a digest); all is whole\n")


def test_a_manifest_from_elsewhere_takes_no_file_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.reports.notebook.execute_raw", without_kernel.execute_raw)
    monkeypatch.setattr("pipeline.reports.batch.pages.OF_THE_STUDY", "none")
    (tmp_path / "a.json").write_bytes(text_of("protocol"))
    for command, name in (("derive", "thesis.tex"), ("report", "mine.html")):
        (tmp_path / name).write_text("mine", encoding="utf-8")
        told = {"files": {name: "0"}, "made_from": {}}
        (tmp_path / f"{command}.manifest.json").write_text(json.dumps(told), encoding="utf-8")
        assert run(command, tmp_path / "a.json", "--out", tmp_path, "--workers", 1).exit_code in (0, 3)
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_tables_at_an_address_are_of_one_derivation(study: Path) -> None:
    place = f"file://{study / 'tables'}"
    assert run("sql", "SELECT 1 AS one FROM games", place).exit_code == 0
    assert run("derive", study / "traces" / "b.jsonl", "--out", study / "other", "--workers", 1).exit_code == 0
    (study / "other" / "rounds.parquet").replace(study / "tables" / "rounds.parquet")
    done = run("sql", "SELECT 1 AS one FROM games", place)
    assert done.exit_code == 1 and "rounds.parquet is not what derive wrote last" in done.stderr
