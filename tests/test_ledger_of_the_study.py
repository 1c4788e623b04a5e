"""The ledger that is committed: no reproduction is lost, and each row says what it rests on.

That it is the ledger of the results is what dvc.lock says, which `make check` asks.
"""

from pathlib import Path

import polars as pl
import pytest

from pipeline.paper.figures import figure_rows
from pipeline.paper.ledger.build import KEY, VERDICTS, read_ledger, read_paper
from pipeline.paper.ledger.printed import missing_reproductions, read_required, reproduced_figures
from pipeline.paper.statements.checks import (
    BY_CONSTRUCTION,
    DENIED,
    EXACT,
    NEEDS_TRACES,
    STATEMENT_VERDICTS,
    read_statement_rows,
    read_statements,
)
from pipeline.reports.documents.paper import read_exhibits

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "data/results"
LEDGER = read_ledger(RESULTS / "ledger.csv")
STATEMENTS = read_statement_rows(RESULTS / "statements.csv")
PAPER = read_paper(ROOT / "data/paper")
PAPER_FILES = ROOT / "data/paper"
KNOWN = (
    "order-is-the-same-under-both-weights",
    "dsm-sits-between",
    "tasks-are-independent",
    "costs-are-drawn",
    "density-is-the-share-filled",
)
REQUIRED = read_required(ROOT / "data/paper/reproduced.csv")


def test_no_reproduction_is_lost() -> None:
    assert missing_reproductions(LEDGER, REQUIRED).rows() == []


def test_every_figure_that_is_reproduced_is_required() -> None:
    assert REQUIRED.select(KEY).rows() == reproduced_figures(LEDGER).rows()


def test_every_statement_has_a_row_and_a_verdict_that_is_explained() -> None:
    declared = {statement.id for statement in read_statements(PAPER_FILES / "statements.yaml")}
    assert STATEMENTS["id"].is_unique().all()
    assert declared <= set(STATEMENTS["id"])
    assert set(STATEMENTS["verdict"]) <= set(STATEMENT_VERDICTS)
    text = " ".join((ROOT / "data/README.md").read_text(encoding="utf-8").split())
    assert [verdict for verdict in STATEMENT_VERDICTS if f"`{verdict}`" not in text] == []


def test_every_verdict_on_a_statement_prints_its_test() -> None:
    tested = STATEMENTS.filter(pl.col("verdict") != NEEDS_TRACES)
    assert tested.filter(pl.col("evidence") != BY_CONSTRUCTION).height >= 80
    assert tested.filter((pl.col("test") == "") | (pl.col("found") == "") | (pl.col("computed_by") == "")).is_empty()
    assert tested["n"].min() > 0  # type: ignore[operator]
    assert [path for path in tested["computed_by"].unique() if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("statement", KNOWN)
def test_what_exact_games_are_known_to_refute_has_that_verdict(statement: str) -> None:
    assert STATEMENTS.filter(id=statement)["verdict"].to_list() == [DENIED[EXACT]]


def test_every_figure_of_the_paper_has_one_row() -> None:
    keys = LEDGER.select(KEY).rows()
    assert len(set(keys)) == len(keys)
    assert sorted(keys) == sorted(PAPER.numbers.select(KEY).rows())


def test_every_row_says_what_computes_ours() -> None:
    assert LEDGER.filter(computed_by="").select(KEY).rows() == []
    assert [path for path in LEDGER["computed_by"].unique() if not (ROOT / path).is_file()] == []


def test_every_verdict_prints_its_test() -> None:
    undecided = LEDGER.filter(pl.col("verdict").is_in(["needs model traces", "not played here"]))
    said = LEDGER.filter((pl.col("test") != "") | (pl.col("note") == "nothing here says so"))
    assert said.height + undecided.height == LEDGER.height


def test_every_verdict_is_explained_and_none_is_new() -> None:
    assert set(LEDGER["verdict"]) <= set(VERDICTS)
    text = (ROOT / "data/README.md").read_text(encoding="utf-8")
    assert [verdict for verdict in VERDICTS if f"`{verdict}`" not in text] == []


def test_a_model_s_own_row_of_table_1_has_no_stand_in() -> None:
    own = LEDGER.filter(source="Table 1")
    assert own.height == 84
    assert set(own["verdict"]) == {"needs model traces"}


def test_each_figure_belongs_to_one_direction_at_most() -> None:
    for figure in figure_rows(PAPER.numbers):
        covering = [direction.query for direction in PAPER.directions if direction.covers(figure)]
        assert len(covering) <= (figure.kind == "model"), figure


@pytest.mark.parametrize("exhibit", read_exhibits(ROOT / "data/paper/exhibits.csv"), ids=lambda e: e.name)
def test_what_an_exhibit_names_is_there(exhibit) -> None:  # type: ignore[no-untyped-def]
    assert [str(path) for path in exhibit.paths().values() if not (ROOT / path).is_file()] == []
