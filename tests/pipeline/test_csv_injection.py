"""What is written for reading can't be run: no formula in CSV, no command for the terminal, no SQL in a name."""

import csv
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline.__main__ import app as pipeline_app
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RuleSet
from pipeline.tables.database import make_database
from pipeline.tables.io import (
    read_table,
    to_csv_frame,
    to_frame,
    unescape_formulas,
    write_csv,
    write_table,
)
from pipeline.tables.queries import attach
from pipeline.tables.schemas.base import REJECTED
from sim.__main__ import app as sim_app

# One row a text, and what stands in the CSV.
TEXTS = [
    ("Slot 3 works.", "Slot 3 works."),
    ("=1+1", "'=1+1"),
    ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
    (" =1", " '=1"),
    ("\ufeff=1", "\ufeff'=1"),
    ("＝1", "'＝1"),
    ("it's", "it's"),
    ("a=b", "a=b"),
    ("+1.5e-3", "+1.5e-3"),
]


def back(texts: list[str | None], folder: Path) -> list[list[str]]:
    """The rows of a CSV with the texts, as any reader has them."""
    write_csv(pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)}), folder / "t.csv")
    with open(folder / "t.csv", newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_a_text_is_no_formula(text: str, shown: str, tmp_path: Path) -> None:
    assert back([text], tmp_path) == [[shown]]


ALPHABET = st.sampled_from([*"=+-@';\t\r\n ,\"a1.\x00\u3000\ufeff＝", "\u2028"])


@given(st.lists(st.none() | st.text(ALPHABET, max_size=8) | st.text(), max_size=8))
def test_a_marked_text_comes_back_as_it_was(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)})
    assert to_csv_frame(frame).select(unescape_formulas(pl.col("text")))["text"].to_list() == texts


@given(st.text(ALPHABET, max_size=8))
def test_no_cell_begins_as_a_formula(text: str) -> None:
    shown = to_csv_frame(pl.DataFrame({"text": [text]})).item()
    first = shown.strip(" \t\r\n\x00\u3000\ufeff\u2028")[:1]
    assert first not in tuple("=+-@＝") or re.fullmatch(r"[+-][\d.]+", shown)


PIECES = [*"=+-@';\n\t＝\u3000 ", "slot 3", "free", "busy", "Free:\n- 3\n- 5", ", ", "7", "Agent 2", "can't do", ". "]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(["full", "literal"]))
@example("=Free:\n- 3\n- =5", "full")
@example("@slot 3 is free; -slot 5 is busy", "literal")
def test_a_span_in_csv_has_its_text(message: str, english: str) -> None:
    rules = RuleSet("paper", english=english)
    for *_, clause, start, end in language_claims(message, 1, rules):
        cells = to_csv_frame(pl.DataFrame({"clause": [clause], "content": [message]}))
        assert cells["clause"].item() == message[start:end] == clause
        assert cells.select(unescape_formulas(pl.col("content"))).item()[start:end] == clause


def test_numbers_lists_and_truth_stay_what_they_are(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"float": [-1.5, 1e-30], "int": [-1, 2], "slots": [[-1, 2], []], "words": [["=1", "b"], ["a", "=1"]]}
    )
    write_csv(frame, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines()[1:] == ["-1.5,-1,-1;2,'=1;b", '1e-30,2,"",a;=1']


@pytest.mark.parametrize("folder", ["it's", "[red]", "'; DROP TABLE games; --"])
def test_no_name_is_sql_or_a_pattern(folder: str, tmp_path: Path) -> None:
    place = tmp_path / folder
    rejected = to_frame(REJECTED, [("=a", "b", "c")])
    write_table(rejected, REJECTED, place, csv=False)
    shutil.copy(place / "rejected.parquet", place / '"; DROP TABLE rejected; --.parquet')
    assert read_table(place, "rejected").equals(rejected)
    with attach(place) as tables:
        assert tables.sql("SELECT path FROM rejected").fetchall() == [("=a",)]
    assert len(make_database(place, place / "all.duckdb")) == 2


STEERING = "\x1b[31m[red]\u202e\x07"


@pytest.mark.parametrize(
    ("app", "words"),
    [
        (pipeline_app, ["derive", f"/absent/{STEERING}", "--out", "out"]),
        (pipeline_app, ["audit", f"/absent/{STEERING}"]),
        (sim_app, ["run", f"/absent/{STEERING}", "--team", "imap", "--out", "out"]),
        (sim_app, ["suite", f"/absent/{STEERING}", "--out", "out"]),
    ],
)
def test_a_name_does_not_steer_the_terminal(app: object, words: list[str]) -> None:
    result = CliRunner().invoke(app, words)  # type: ignore[arg-type]
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.replace("\n", "").isprintable()
