"""The statistics of a small study: real games of two protocols and two styles, and toy games with gaps and repeats."""

from pathlib import Path

import polars as pl
import pytest
import yaml
from trace_builder import TraceBuilder, toy_game, write_trace

from pipeline.derive.parallel import Recipe, derive
from pipeline.paper.stages import comparisons as comparing
from pipeline.paper.stages import excess as exceeding
from pipeline.paper.stages import intervals as drawing
from pipeline.paper.stages import mixed_effects as regressing
from pipeline.paper.stages import robustness as sweeping
from pipeline.statistics.by_game import MEANS, by_game
from pipeline.tables import queries
from pipeline.tables.io import read_table
from pipeline.tables.schemas.results import RESULT_TABLES
from sim.game.game import Limits
from sim.runs.runner import jobs_for, play_chunk
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TASKS = (3, 20, 35, 39, 56, 70)  # easy, medium and hard ones, uniform and varied
TEAMS = ("imap", "dsm-private", "exact", "blunt")


WITHOUT_MEANS = {"style_effects", "models", "setup", "members", "accepted_offers", "proposed_moves"}


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    listed = read_list(ROOT / "data/suites/paper72.csv")
    jobs = jobs_for(
        [make_task(listed[i]) for i in TASKS], [named_teams()[n] for n in TEAMS], Limits(), 1, folder / "in"
    )
    play_chunk(jobs)
    for game in "abc":
        write_trace(folder / "in" / f"{game}.json", toy_game(game, task_id="t1" if game < "c" else "t2").text())
    silent = TraceBuilder("silent", task_id="t3").round(0).resolution(0, False)
    stopped = toy_game("stopped", task_id="t3")
    stopped.content["stopped"] = True
    for name, trace in (("silent", silent), ("stopped", stopped)):
        write_trace(folder / "in" / f"{name}.json", trace.text())
    derive([folder / "in"], folder / "out", Recipe(csv=False), workers=1)
    return folder / "out"


def results_of(derived: Path, folder: Path) -> Path:
    """A folder with the results of the statistical stages, and of the queries."""
    wanted = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    wanted["intervals"] |= {"resamples": 200, "level": 0.5}  # which two tasks can hold
    wanted["mixed_effects"]["draws"] = 19
    wanted["comparisons"]["draws"] = 500
    wanted["robustness"] |= {"priors": [0.2, 0.5, 0.9], "epsilons": [0.05, 0.2], "draws": 500}
    (folder / "params.yaml").write_text(yaml.safe_dump(wanted), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for stage in (drawing, comparing, regressing, sweeping, exceeding):
            stage.main(derived, folder / "results")
    queries.write_query_results(derived, folder / "results")
    return folder / "results"


@pytest.fixture(scope="module")
def study(derived: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return results_of(derived, tmp_path_factory.mktemp("run"))


def result(study: Path, name: str) -> pl.DataFrame:
    return pl.read_csv(study / f"{name}.csv", infer_schema_length=None)


def test_every_result_table_has_its_means_listed_or_has_none() -> None:
    assert {*MEANS, *WITHOUT_MEANS} == set(queries.query_names()), "list it in pipeline/statistics/by_game.py, or here"


@pytest.mark.parametrize("name", MEANS)
def test_an_interval_stands_round_every_figure_of_its_table(study: Path, name: str) -> None:
    means, table = MEANS[name], result(study, name).filter(**MEANS[name].only)
    found = result(study, "intervals").filter(table=name)
    rest = [key for key in means.key if key not in ("team", "setting", "condition")]
    compared = 0
    for row in table.iter_rows(named=True):
        part = " / ".join(str(row[key]) for key in rest if row[key] is not None)
        where = {key: row[key] for key in ("team", "setting", "condition") if key in means.key}
        of_row = found.filter(pl.col("part").fill_null("") == part, **where)
        known = {measure: float(row[measure]) for measure in means.measures if row[measure] is not None}
        assert dict(of_row.select("measure", "mean").iter_rows()) == known
        compared += len(known)
    assert compared == found.height > 0
    inside = (pl.col("low") <= pl.col("mean")) & (pl.col("mean") <= pl.col("high"))
    assert found.filter(pl.col("tasks") > 1).select(inside.all()).item()


def test_games_of_a_task_are_drawn_together(study: Path) -> None:
    row = result(study, "intervals").filter(table="table1", team="toy", measure="excess_cost").row(0, named=True)
    assert (row["games"], row["tasks"]) == (4, 3)  # the stopped game is left out
    one = result(study, "intervals").filter(table="table1", team="toy", measure="dms_per_meeting").row(0, named=True)
    assert (one["games"], one["tasks"]) == (3, 2)  # and the one that scheduled nothing
    assert (one["mean"], one["low"], one["high"]) == (4.0, 4.0, 4.0)


def test_a_table_game_by_game_adds_up_to_the_table(derived: Path) -> None:
    games = by_game("table1", derived)
    assert games["game_id"].n_unique() == games.height == read_table(derived, "games").height
    assert games.group_by("team", "setting").agg(pl.col("excess_cost").mean()).sort("team", "setting").rows() == [
        tuple(row) for row in queries.query("table1", derived).select("team", "setting", "excess_cost").iter_rows()
    ]


def test_the_paper_s_choice_of_the_sweep_is_table_1(study: Path) -> None:
    means = result(study, "robustness").filter(pl.col("changed").fill_null("") == "")
    table = result(study, "table1").filter(condition="standard")
    both = means.join(table, on=["team", "setting"])
    assert both.height == table.height == means.height
    assert (both["vps"] - both["vps_uniform_mean"]).abs().max() < 1e-8
    ends = result(study, "intervals").filter(table="table1", measure="vps_uniform_mean", condition="standard")
    same = means.join(ends, on=["team", "setting"])
    assert same.height == ends.height
    for end in ("low", "high"):
        apart = same.select((pl.col(end) - pl.col(f"{end}_right")).abs().max()).item()
        assert apart < 1e-8
        assert same[end].null_count() == same[f"{end}_right"].null_count() == 0


def test_excess_is_table_1_s_and_a_penalty_adds_failed_meetings(study: Path) -> None:
    table = result(study, "table1")
    found = result(study, "excess").pivot("measure", index=["team", "setting", "penalty"], values="mean")
    plain = found.filter(pl.col("penalty").is_null()).join(table, on=["team", "setting"])
    assert plain["excess"].to_list() == plain["excess_cost"].to_list()
    real = plain.filter(pl.col("team") != "toy")  # whose optimum is made up
    assert (real["excess_scheduled"] >= real["excess"]).all()
    assert (real["excess_scheduled"] > real["excess"]).any()
    dearest = found.filter(penalty=1000).join(plain, on=["team", "setting"])
    expected = dearest["excess_right"] + 1000 * dearest["failed_meetings_right"]
    assert dearest["excess_penalised"].to_list() == pytest.approx(expected.to_list())


def test_the_regressions_name_their_groups_and_the_games_that_they_leave_out(study: Path) -> None:
    fits = result(study, "mixed_effects")
    assert fits.select("teams", "setting", "predictor").n_unique() == fits.height
    groups = {teams: part for (teams,), part in fits.group_by("teams")}
    assert {teams: part.height for teams, part in groups.items()} == {
        "protocols": 3 * 3,
        "styles": 3 * 3,
        "others": 3,  # toy games, all of uniform costs
        "paper": 2 * 3,
    }
    assert fits.filter(pl.col("teams") != "paper", predictor="raw")["left_out"].unique().to_list() == [0]
    assert set(groups["styles"]["simulated"]) == {True}
    assert groups["others"]["note"].str.contains("team needs at least 2 levels").all()
    slopes = result(study, "mixed_effects_slopes")
    assert set(slopes.filter(teams="protocols")["team"]) == {"imap", "dsm-private"}
    assert slopes.filter(team="imap", predictor="raw", setting="varied")["slope"].to_list() == [0.0]


def test_the_paper_s_printed_means_have_a_test_and_no_fit(study: Path) -> None:
    """Its seven varied points by hand: excess and VPS of Table 1."""
    printed = result(study, "mixed_effects").filter(teams="paper")
    assert printed["n_teams"].to_list() == [7] * 6 and printed["beta"].null_count() == 6
    numbers = pl.read_csv(ROOT / "data/paper/numbers.csv", infer_schema=False)
    points = numbers.filter(source="Table 1", kind="model", setting="varied").cast({"value": pl.Float64})
    wide = points.pivot("metric", index="method", values="value")
    correlation = wide.select(pl.corr("excess_cost", "vps_uniform_mean")).item()
    row: dict[str, float] = printed.filter(setting="varied", predictor="raw").row(0, named=True)
    assert row["between_correlation"] == pytest.approx(correlation, rel=1e-7)
    assert (row["between_p"] * 5040) == pytest.approx(round(row["between_p"] * 5040), abs=1e-3)  # of 7! orders


WRITTEN = (
    *("intervals", "comparisons", "ranks", "mixed_effects", "mixed_effects_slopes", "excess"),
    *("robustness", "robustness_ranks", "robustness_flips"),
    *("english_rules", "english_rules_ranks", "english_rules_flips"),
)
UNUSUAL: dict[str, list[dict[str, object]]] = {
    "no games at all": [],
    "teams without a common task": [{"task_id": team, "team": team} for team in ("a", "b")],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", UNUSUAL)
def test_whatever_games_there_are_every_result_is_written(case: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number, config in enumerate(UNUSUAL[case]):
        write_trace(tmp_path / "in" / f"{number}.json", toy_game(f"game-{number}", **config).text())
    derive([tmp_path / "in"], tmp_path / "out", Recipe(csv=False), workers=1)
    results = results_of(tmp_path / "out", tmp_path)
    for name in WRITTEN:
        header = (results / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0]
        assert header == ",".join(RESULT_TABLES[name].names)
    games = result(results, "intervals").filter(table="table1", measure="excess_cost")
    assert games["games"].cast(pl.Int64).sum() == len(UNUSUAL[case])
    assert result(results, "ranks").filter(metric="excess_cost").height == games.height


@pytest.mark.slow
def test_intervals_of_the_study_stand_round_the_figures_of_its_tables() -> None:
    results = ROOT / "data/results"
    found = result(results, "intervals")
    assert set(found["table"]) == set(MEANS)
    for name, means in MEANS.items():
        figures = result(results, name).filter(**means.only).select(pl.col(means.measures).cast(pl.Float64))
        said = [value for column in figures for value in column.drop_nulls().to_list()]
        assert sorted(found.filter(table=name)["mean"].to_list()) == sorted(said)
