"""The command and the stage `audit`: what they say, write and end with."""

import gzip
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from audit_bases import raw_of, sealed, text_of
from audit_suites import own_suite
from click.testing import Result
from typer.testing import CliRunner

from machine.cores import DIED
from machine.errors import UserError
from pipeline.__main__ import app
from pipeline.paper.stages.audit import main as stage
from pipeline.reports.documents.reference import section
from pipeline.tables.io import write_table
from pipeline.tables.schemas.base import AUDIT
from pipeline.traces.audit import files as audit_files
from pipeline.traces.audit.auditor import audit_trace
from pipeline.traces.audit.divergences import CODES
from tests.imports import ROOT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two true traces and a false one."""
    place = tmp_path / "traces"
    place.mkdir()
    (place / "a.json.gz").write_bytes(gzip.compress(text_of("scripted")))
    (place / "b.jsonl").write_bytes(text_of("protocol") + b"\n" + text_of("spoken") + b"\n")
    return place


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


def test_the_command_says_that_nothing_is_wrong(folder: Path) -> None:
    done = run(folder, "--workers", 1, "--suite", own_suite(folder, "scripted", "protocol", "spoken"))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "3 traces audited, 3 without a divergence, 0 errors" in done.stderr


def test_the_command_tells_each_divergence_and_fails(folder: Path, tmp_path: Path) -> None:
    raw = raw_of("scripted")
    raw["metrics"]["fairness"] = 0.5
    raw["events"][-1]["data"]["fairness"] = 0.5
    (folder / "c.json").write_bytes(sealed(raw))
    (folder / "d.json.gz").write_bytes(b"torn")
    done = run(folder, "--out", tmp_path / "out", "--suite", own_suite(folder, "scripted", "protocol", "spoken"))
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 2
    table = pl.read_csv(tmp_path / "out" / "audit.csv")
    assert table["code"].to_list() == ["wrong_metric", "unreadable"]
    assert pl.read_parquet(tmp_path / "out" / "audit.parquet").columns == list(AUDIT.names)


def test_an_audit_that_cannot_be_written_is_no_error_of_a_trace(folder: Path, tmp_path: Path) -> None:
    (folder / "c.json").write_bytes(b"torn")
    (tmp_path / "file").write_bytes(b"")
    done = run(folder, "--workers", 1, "--out", tmp_path / "file" / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("error: ") == 1
    assert run(folder, "--workers", 1).exit_code == 1


def test_a_full_disk_is_no_error_of_a_trace(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pipeline.tables.io.write_table", full)
    done = run(folder, "--workers", 1, "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (4, "")
    assert "No space left on device" in done.stderr


def test_a_process_that_dies_is_no_error_of_a_trace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dead(*_: object) -> None:
        raise UserError(DIED)

    monkeypatch.setattr(audit_files, "audit_files", dead)
    done = run(folder)
    assert (done.exit_code, done.stderr.count("a process died")) == (4, 1)


@pytest.mark.parametrize(("kinds", "more"), [(20, []), (48, ["the auditor finds more kinds of errors: 28."])])
def test_doubts_are_a_sentence_each_and_those_beyond_the_most_are_counted(kinds: int, more: list[str]) -> None:
    unreadable = audit_trace(b"{}", "t.json")
    told = audit_files.doubts([replace(unreadable, team=f"team {number:02}") for number in range(kinds)])
    assert told[0].startswith("the auditor finds errors in 1 traces of team 00: unreadable. The trace ")
    assert (len(told[:20]), told[20:]) == (20, more)


@pytest.mark.parametrize("arguments", [("no/such/folder",), (ROOT / "tests/sim",)])
def test_the_command_asks_for_traces(arguments: tuple[object, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_the_stage_sums_up_by_team_condition_and_code(folder: Path, tmp_path: Path) -> None:
    stage(folder, tmp_path / "results", [own_suite(folder, "scripted", "protocol", "spoken")])
    summary = pl.read_csv(tmp_path / "results" / "audit.csv")
    assert summary.columns == list(audit_files.SUMMARY)
    rows = summary.select("team", "condition", "audited", "code", "divergences").rows()
    assert rows == [(team, "standard", 1, "none", 0) for team in ("candid", "dsm-welfare", "scripted")]


def test_the_stage_fails_where_a_trace_has_an_error(folder: Path, tmp_path: Path) -> None:
    (folder / "c.json").write_bytes(b"{}")
    with pytest.raises(SystemExit):
        stage(folder, tmp_path / "results")
    assert "unreadable" in (tmp_path / "results" / "audit.csv").read_text()


def test_an_empty_audit_is_a_table_all_the_same(tmp_path: Path) -> None:
    assert write_table(audit_files.table([]), AUDIT, tmp_path)["rows"] == 0


def test_the_document_lists_the_table_and_every_code() -> None:
    text = (ROOT / "docs/audit.md").read_text(encoding="utf-8")
    tail = text.partition("## Codes")[2]
    listed = [line for line in tail.splitlines() if line.startswith("| `")]
    assert section(AUDIT) in text
    assert listed == [f"| `{c.name}` | {c.meaning} | {c.ours} | {c.public} |" for c in CODES.values()]
