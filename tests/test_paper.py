"""The paper's baseline figures, from seeds to comparison, to the last printed digit."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.derive.parallel import Recipe, derive
from pipeline.paper.compare import compare, read_numbers
from pipeline.privacy.rules import RULES
from pipeline.tables.queries import query
from sim.game.game import Limits
from sim.runs.runner import jobs_for, play_chunk
from sim.runs.teams import named_teams
from sim.tasks.lists import read_list
from sim.tasks.suite import make_task

ROOT = Path(__file__).parents[1]
TEAMS = ("imap", "sd", "dsm-welfare", "dsm-private")
NUMBERS = read_numbers(ROOT / "data/paper/numbers.csv")
FIGURES = NUMBERS.filter(kind="baseline").select("method", "setting", "metric").rows()


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The traces of the four protocols on the paper's 72 tasks."""
    folder = tmp_path_factory.mktemp("traces")
    tasks = [make_task(entry) for entry in read_list(ROOT / "data/suites/paper72.csv")]
    play_chunk(jobs_for(tasks, [named_teams()[name] for name in TEAMS], Limits(), 1, folder))
    return folder


def table1(traces: Path, rules: str, out: Path) -> pl.DataFrame:
    derive([traces], out, Recipe(RULES[rules], tables=("game_summary",), csv=False), workers=1)
    return query("table1", out)


@pytest.fixture(scope="module")
def by_paper_rules(traces: Path, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return table1(traces, "paper", tmp_path_factory.mktemp("paper"))


def test_the_paper_prints_17_baseline_figures() -> None:
    assert len(FIGURES) == len(set(FIGURES)) == 17


@pytest.mark.parametrize(("method", "setting", "metric"), FIGURES)
def test_a_baseline_figure_is_equal_as_printed(
    by_paper_rules: pl.DataFrame, method: str, setting: str, metric: str
) -> None:
    row = compare(by_paper_rules, NUMBERS).row(
        by_predicate=(pl.col("method") == method) & (pl.col("setting") == setting) & (pl.col("metric") == metric),
        named=True,
    )
    assert row["ours"] == row["published"], f"ours is {row['ours_exact']}"


def test_release_rules_give_sd_map_its_lower_privacy_loss(traces: Path, tmp_path: Path) -> None:
    found = table1(traces, "release", tmp_path).filter(team="sd", condition="standard")
    assert {r["setting"]: round(r["vps_uniform_mean"], 3) for r in found.iter_rows(named=True)} == {
        "uniform": 0.745,
        "varied": 0.741,
    }


def test_the_readme_s_finding_holds(by_paper_rules: pl.DataFrame) -> None:
    varied = {row["team"]: row for row in by_paper_rules.filter(setting="varied").iter_rows(named=True)}
    assert min(varied, key=lambda team: varied[team]["vps_uniform_mean"]) == "dsm-private"
    assert min(varied, key=lambda team: varied[team]["excess_cost"]) == "imap"
    assert varied["imap"]["vps_uniform_mean"] > 5 * varied["dsm-private"]["vps_uniform_mean"]
    assert varied["dsm-private"]["excess_cost"] > 100 * varied["imap"]["excess_cost"]
