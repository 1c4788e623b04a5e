"""What a notebook has at hand, on the study's own tables and on somebody else's."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import yaml
from trace_builder import toy_game, write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.reports.notebook_session import INTERVAL, ROOT, ClaimFailed, Study
from pipeline.reports.reference_study import fingerprint, is_reference, make_reference
from pipeline.tables.io import write_csv
from pipeline.tables.queries import write_query_results


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables and results of two toy games, and the marks that make them the study's own."""
    folder = tmp_path_factory.mktemp("study")
    for game in "ab":
        write_trace(folder / "in" / f"{game}.json", toy_game(game).text())
    derive([folder / "in"], folder / "tables", Recipe(csv=False), workers=1)
    write_query_results(folder / "tables", folder / "results")
    make_reference(folder / "tables", folder / "reference.json")
    return folder


@pytest.fixture
def theirs(made: Path, tmp_path: Path) -> Study:
    """Somebody else's tables."""
    return Study(made / "tables", made / "results", tmp_path / "figures", reference=tmp_path / "none")


@pytest.fixture
def ours(made: Path, tmp_path: Path) -> Study:
    """The study's own tables."""
    return Study(made / "tables", made / "results", tmp_path / "figures", reference=made / "reference.json")


def lacks(study: Study) -> bool:
    """A condition that asks for a team which the toy games do not have."""
    return bool(study.sql("SELECT excess_cost FROM games WHERE team = 'imap'").item() > 0)


CONDITIONS: tuple[tuple[Callable[[Study], object], bool | None], ...] = (
    (lambda _: True, True),
    (lambda _: 0, False),
    (lambda _: None, None),
    (lambda _: lambda: 2 > 1, True),
    (lambda _: lambda: {}["imap"] > 1, None),
    (lambda _: lambda: None, None),
    (lambda _: lambda: max([]) > 1, None),
    (lambda _: lambda: pl.Series([None], dtype=pl.Float64).max() > 1, None),  # type: ignore[operator]
    (lambda study: lambda: lacks(study), None),
    (lambda study: lambda: study.result("table1")["no_such_column"].max(), None),
)


@pytest.mark.parametrize(("condition", "verdict"), CONDITIONS)
def test_elsewhere_a_claim_gives_a_verdict_and_no_error(
    theirs: Study, condition: Callable[[Study], object], verdict: bool | None
) -> None:
    theirs.assert_claim("c", condition(theirs), source="section 4")
    theirs.assert_deviation("d", condition(theirs), source="section 4")
    assert theirs.verdicts()["holds"].to_list() == [verdict, verdict]


def test_on_the_studys_own_tables_a_claim_that_fails_is_an_error(ours: Study) -> None:
    ours.assert_claim("IMAP is cheap", True, source="section 4")
    with pytest.raises(ClaimFailed, match=r"IMAP is dear \(section 5\)"):
        ours.assert_claim("IMAP is dear", False, source="section 5")
    with pytest.raises(ClaimFailed):
        ours.assert_claim("IMAP is there", None, source="section 5")
    with pytest.raises(KeyError):
        ours.assert_claim("IMAP is there", lambda: {}["imap"], source="section 5")


def test_on_the_studys_own_tables_a_difference_that_went_away_is_an_error(ours: Study) -> None:
    ours.assert_deviation("fairness falls", False, source="section 4")
    for holds in (True, None):
        with pytest.raises(ClaimFailed, match=r"now holds, .* fairness falls \(section 4\)"):
            ours.assert_deviation("fairness falls", holds, source="section 4")


def test_verdicts_stand_in_the_order_of_the_claims(theirs: Study) -> None:
    theirs.assert_claim("second in the alphabet", True, source="section 4")
    theirs.assert_claim("first", 0, source="section 5", about="simulated teams", by_construction=True)
    theirs.assert_deviation("by us", True, source="section 6")
    assert theirs.verdicts().rows() == [
        ("second in the alphabet", "section 4", "protocols", True, False),
        ("first", "section 5", "simulated teams", False, True),
        ("by us", "section 6", "simulated teams", True, False),
    ]


def test_no_claims_are_a_table_without_rows(theirs: Study) -> None:
    assert theirs.verdicts().columns == ["claim", "source", "about", "holds", "by_construction"]


def test_the_studys_own_games_are_known_by_their_games_and_parameters(made: Path, tmp_path: Path) -> None:
    tables, reference, params = made / "tables", made / "reference.json", tmp_path / "params.yaml"
    wanted = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    params.write_text("# another comment\n" + yaml.safe_dump(wanted, sort_keys=True), encoding="utf-8")
    assert is_reference(tables, reference, params)
    wanted["vps"]["prior"] = 0.4
    params.write_text(yaml.safe_dump(wanted), encoding="utf-8")
    assert not is_reference(tables, reference, params)
    assert not is_reference(tables, tmp_path / "none")


def test_another_game_makes_another_study(made: Path, tmp_path: Path) -> None:
    write_trace(tmp_path / "in" / "c.json", toy_game("c").text())
    derive([tmp_path / "in"], tmp_path / "tables", Recipe(csv=False), workers=1)
    theirs, ours = fingerprint(tmp_path / "tables"), fingerprint(made / "tables")
    assert (theirs["params"] == ours["params"], theirs["games"] == ours["games"]) == (True, False)


def test_a_result_without_values_still_has_its_types(theirs: Study, tmp_path: Path) -> None:
    table1, leaks = theirs.result("table1"), theirs.result("leaks")
    assert table1["vps_uniform_mean"].dtype == pl.Float64
    write_csv(table1.clear(), tmp_path / "table1.csv")
    theirs.results = tmp_path
    assert theirs.result("table1").schema == table1.schema
    assert leaks.schema["leaked_share"] == pl.Float64


def test_a_result_that_nobody_made_is_missing(theirs: Study) -> None:
    assert theirs.has("table1")
    assert not theirs.has("ranks")
    with pytest.raises(FileNotFoundError):
        theirs.result("ranks")


def test_without_intervals_there_are_none(theirs: Study) -> None:
    found = theirs.intervals("table1")
    assert (found.height, dict(found.schema)) == (0, INTERVAL)


def test_intervals_are_those_of_the_table_asked_for(theirs: Study, tmp_path: Path) -> None:
    part = {"table": ["table1", "volume"], "team": ["toy", "toy"], "setting": ["uniform"] * 2, "part": ["", "all"]}
    numbers = {"mean": [1.0, 2.0], "low": [0.5, None], "high": [2.0, None], "games": [2, 2], "tasks": [1, 1]}
    rest = {"condition": ["standard"] * 2, "measure": ["excess_cost", "fairness"], "simulated": [False] * 2}
    write_csv(pl.DataFrame(part | rest | numbers), tmp_path / "intervals.csv")
    theirs.results = tmp_path
    row = theirs.intervals("table1").row(0, named=True)
    assert (row["part"], row["measure"], row["low"]) == (None, "excess_cost", 0.5)
    assert theirs.intervals("volume")["part"].to_list() == ["all"]


def test_intervals_of_a_notebook_are_drawn_as_those_of_the_results(theirs: Study) -> None:
    wanted = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))["intervals"]
    assert vars(theirs.resampling()) == wanted


def test_the_papers_figures_are_numbers(theirs: Study) -> None:
    found = theirs.paper("section 4, Baselines").filter(method="IMAP", setting="varied", metric="excess_cost")
    assert (found["value"].item(), found["decimals"].item()) == (20.28, 2)
    assert theirs.paper("Table 99").is_empty()


def test_nothing_to_draw_is_said_and_leaves_no_file(theirs: Study) -> None:
    assert "Nothing to draw" in str(theirs.figure(None, "empty").data)  # type: ignore[no-untyped-call]
    assert not theirs.figures.exists()


def test_relative_paths_are_the_projects_where_there_is_nothing_here(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    assert Study("tables", "results", "figures").tables == Path("tables")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=f"no tables in {ROOT}"):
        Study("no/such/tables", "results", "figures")
