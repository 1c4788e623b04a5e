"""What a notebook has at hand, on the study's own tables and on somebody else's."""

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import yaml
from trace_builder import toy_game, write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.reports.notebook_session import ROOT, ClaimFailed, Study
from pipeline.reports.reference_study import fingerprint, is_reference, make_reference
from pipeline.tables.io import write_csv
from pipeline.tables.queries import write_query_results


@pytest.fixture(scope="module")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tables and results of two toy games, and the marks that make them the study's own."""
    folder = tmp_path_factory.mktemp("study")
    for game in "ab":
        write_trace(folder / "in" / f"{game}.json", toy_game(game).text())
    derive([folder / "in"], folder / "tables", Recipe(csv=False), workers=1)
    write_query_results(folder / "tables", folder / "results")
    make_reference(folder / "tables", folder / "reference.json")
    return folder


@pytest.fixture
def other_study(study_folder: Path, tmp_path: Path) -> Study:
    """Somebody else's tables."""
    return Study(study_folder / "tables", study_folder / "results", tmp_path / "figures", reference=tmp_path / "none")


@pytest.fixture
def own_study(study_folder: Path, tmp_path: Path) -> Study:
    """The study's own tables."""
    return Study(
        study_folder / "tables",
        study_folder / "results",
        tmp_path / "figures",
        reference=study_folder / "reference.json",
    )


def lacks(study: Study) -> bool:
    """A condition that asks for a team which the toy games do not have."""
    return bool(study.sql("SELECT excess_cost FROM games WHERE team = 'imap'").item() > 0)


CONDITIONS: tuple[tuple[Callable[[Study], object], bool | None], ...] = (
    (lambda _: True, True),
    (lambda _: None, None),
    (lambda _: lambda: 2 > 1, True),
    (lambda _: lambda: {}["imap"] > 1, None),
    (lambda _: lambda: max([]) > 1, None),
    (lambda study: lambda: lacks(study), None),
    (lambda study: lambda: study.result("table1")["no_such_column"].max(), None),
)


@pytest.mark.parametrize(("condition", "verdict"), CONDITIONS)
def test_elsewhere_a_claim_gives_a_verdict_and_no_error(
    other_study: Study, condition: Callable[[Study], object], verdict: bool | None
) -> None:
    other_study.assert_claim("c", condition(other_study), source="section 4")
    other_study.assert_deviation("d", condition(other_study), source="section 4")
    assert other_study.verdicts()["holds"].to_list() == [verdict, verdict]


def test_on_the_studys_own_tables_a_claim_that_fails_is_an_error(own_study: Study) -> None:
    own_study.assert_claim("IMAP is cheap", True, source="section 4")
    with pytest.raises(ClaimFailed, match=r"IMAP is dear \(section 5\)"):
        own_study.assert_claim("IMAP is dear", False, source="section 5")
    with pytest.raises(ClaimFailed):
        own_study.assert_claim("IMAP is there", None, source="section 5")
    with pytest.raises(KeyError):
        own_study.assert_claim("IMAP is there", lambda: {}["imap"], source="section 5")


def test_on_the_studys_own_tables_a_difference_that_went_away_is_an_error(own_study: Study) -> None:
    own_study.assert_deviation("fairness falls", False, source="section 4")
    for holds in (True, None):
        with pytest.raises(ClaimFailed, match=r"now holds, .* fairness falls \(section 4\)"):
            own_study.assert_deviation("fairness falls", holds, source="section 4")


@pytest.mark.parametrize(("otherwise", "told"), [("here", "here"), (lambda: {}["imap"], "")])
def test_a_finding_is_the_study_s_and_elsewhere_what_those_tables_show(
    own_study: Study, other_study: Study, otherwise: object, told: str
) -> None:
    assert own_study.finding("the study's", otherwise).data == "the study's"
    assert other_study.finding("the study's", otherwise).data == told


def test_under_parameters_of_ones_own_nothing_is_the_study_s(study_folder: Path, tmp_path: Path) -> None:
    places, reference = [study_folder / "tables", study_folder / "results", tmp_path], study_folder / "reference.json"
    assert Study(*places, reference=reference).is_reference
    assert not Study(*places, reference=reference, usual=False).is_reference


def test_who_played_is_told_in_a_sentence(own_study: Study) -> None:
    assert own_study.stated("standard", " So. ").startswith("**2 standard games of 1 team: toy.** So.")
    assert own_study.stated("blocked", "") == "**These tables hold no blocked game.**"


def test_the_studys_own_games_are_known_by_their_games_and_parameters(study_folder: Path, tmp_path: Path) -> None:
    tables, reference, params = study_folder / "tables", study_folder / "reference.json", tmp_path / "params.yaml"
    wanted = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    params.write_text("# another comment\n" + yaml.safe_dump(wanted, sort_keys=True), encoding="utf-8")
    assert is_reference(tables, reference, params)
    wanted["vps"]["prior"] = 0.4
    params.write_text(yaml.safe_dump(wanted), encoding="utf-8")
    assert not is_reference(tables, reference, params)
    assert not is_reference(tables, tmp_path / "none")


def test_another_game_makes_another_study(study_folder: Path, tmp_path: Path) -> None:
    write_trace(tmp_path / "in" / "c.json", toy_game("c").text())
    derive([tmp_path / "in"], tmp_path / "tables", Recipe(csv=False), workers=1)
    other_study, own_study = fingerprint(tmp_path / "tables"), fingerprint(study_folder / "tables")
    assert (other_study["params"] == own_study["params"], other_study["games"] == own_study["games"]) == (True, False)


def test_a_result_without_values_still_has_its_types(other_study: Study, tmp_path: Path) -> None:
    table1, leaks = other_study.result("table1"), other_study.result("leaks")
    assert table1["vps_uniform_mean"].dtype == pl.Float64
    write_csv(table1.clear(), tmp_path / "table1.csv")
    other_study.results = tmp_path
    assert other_study.result("table1").schema == table1.schema
    assert leaks.schema["leaked_share"] == pl.Float64


def test_intervals_are_those_of_the_table_asked_for(other_study: Study, tmp_path: Path) -> None:
    part = {"table": ["table1", "volume"], "team": ["toy", "toy"], "setting": ["uniform"] * 2, "part": ["", "all"]}
    numbers = {"mean": [1.0, 2.0], "low": [0.5, None], "high": [2.0, None], "games": [2, 2], "tasks": [1, 1]}
    rest = {"condition": ["standard"] * 2, "measure": ["excess_cost", "fairness"], "simulated": [False] * 2}
    write_csv(pl.DataFrame(part | rest | numbers), tmp_path / "intervals.csv")
    other_study.results = tmp_path
    row = other_study.intervals("table1").row(0, named=True)
    assert (row["part"], row["measure"], row["low"]) == (None, "excess_cost", 0.5)
    assert other_study.intervals("volume")["part"].to_list() == ["all"]


def test_a_notebook_does_not_go_on_with_tables_that_replaced_its_own(study_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(study_folder / "tables", tmp_path / "tables")
    study = Study(tmp_path / "tables", study_folder / "results", tmp_path / "figures", reference=tmp_path / "none")
    assert study.sql("FROM games").height == 2 and (study.tables / "games.parquet").is_file()
    derive([study_folder / "in" / "a.json"], tmp_path / "tables", Recipe(csv=False), workers=1)
    for read in (lambda: study.tables, lambda: study.sql("FROM games")):
        with pytest.raises(OSError, match="was replaced or written to while it was read; run it again"):
            read()
