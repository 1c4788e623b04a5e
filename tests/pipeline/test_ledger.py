"""The ledger of any tables: whose games are the paper's, what equals its figures, what simulated teams stand in for."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from trace_builder import toy_game, write_trace

from pipeline.derive import parallel
from pipeline.paper.figures import Figure
from pipeline.paper.ledger.build import Paper, build_ledger, direction_verdict, read_paper
from pipeline.paper.ledger.directions import Direction, Outcomes, direction_of, outcome_of, run_directions
from pipeline.paper.ledger.facts import Fact, setup_facts
from pipeline.paper.ledger.measures import RESULTS_READ, open_results, open_tables
from pipeline.paper.ledger.outcomes import Outcome
from pipeline.tables.io import write_csv
from pipeline.tables.queries import query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Results

ROOT = Path(__file__).parents[2]
TABLES = ROOT / "data/tables"
DECLARED = read_paper(ROOT / "data/paper")
COLUMNS = ("source", "setting", "method", "kind", "metric", "value", "decimals")
# Who plays in the games below: Pro by lab and probed, Solo by alone, Twin by a and b; the others are nobody's.
MODELS = pl.DataFrame(
    {
        "method": ["Pro", "Solo", "Twin", "Feigned", "Absent"],
        "models": ["pro-preview;pro", "solo", "twin", "feigned", "absent"],
        "conditions": ["standard;adversarial", "standard", "standard", "standard", "standard"],
    }
)
BOTH = MODELS.filter(pl.col("method").is_in(["Pro", "Solo"]))
TASKS = ("section 3.3", "pooled", "suite", "setup", "tasks", "1", "0")


def speaking(*models: str, **more: Any) -> dict[str, Any]:
    return {"agents": [{"type": "llm", "parameters": {"model": model}} for model in models], **more}


TEAMS: dict[str, dict[str, Any]] = {
    "lab": speaking(*["maker/Pro-Preview"] * 3),
    "probed": speaking("other", "pro", "pro", condition="adversarial", nosy_agent_ids=[0]),
    "alone": speaking(*["solo"] * 3),
    "a": speaking(*["twin"] * 3),
    "b": speaking(*["twin"] * 3),
    "mixed": speaking("absent", "solo", "solo"),
    "later": speaking(*["maker/absent-2"] * 3),
    "acting": speaking(*["feigned"] * 3, simulated=True),
    "imap": {},
}


def derived(folder: Path, teams: dict[str, dict[str, Any]]) -> Path:
    """The tables of one game of each team."""
    for team, config in teams.items():
        game = toy_game(team, **{"team": team, "difficulty": "easy"} | config)
        write_trace(folder / "in" / f"{team}.json", game.text())
    parallel.derive([folder / "in"], folder / "out", parallel.Recipe(csv=False), workers=1)
    return folder / "out"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return derived(tmp_path_factory.mktemp("played"), TEAMS)


@pytest.fixture(scope="module")
def ours(request: pytest.FixtureRequest) -> "Iterator[Results]":
    """The study's results where it was run, as it is in no fresh clone; else those of a study in small."""
    results, tables = ROOT / "data/results", TABLES
    if not any(TABLES.glob("*.parquet")):
        small: Path = request.getfixturevalue("small_study")
        results, tables = small / "results", small / "tables"
    with open_results(results, tables) as opened:
        yield opened


@pytest.fixture(scope="module")
def tested(ours: "Results") -> Outcomes:
    return run_directions(DECLARED.directions, ours)


@pytest.fixture(scope="module")
def played(tables: Path) -> "Iterator[Results]":
    with open_tables(tables) as results:
        yield results


def paper(*figures: tuple[str, ...], models: pl.DataFrame = MODELS, tasks: tuple[str, ...] = TASKS) -> Paper:
    return Paper(pl.DataFrame([tasks, *figures], schema=COLUMNS, orient="row"), models, DECLARED.directions)


def table1(method: str, metric: str, value: str, kind: str = "model") -> tuple[str, ...]:
    return ("Table 1", "uniform", method, kind, metric, value, "2")


def verdicts(results: "Results", of: Paper) -> list[tuple[str, str, str]]:
    """Verdict, ours and note of each figure."""
    return build_ledger(results, of, [])[1:].select("verdict", "ours", "note").rows()


def test_a_model_of_the_paper_is_compared_wherever_it_played_and_another_run_contradicts_nothing(
    played: "Results",
) -> None:
    of = paper(table1("Pro", "excess_cost", "3.00"), table1("Pro", "coordination_rate_pct", "100.00"))
    assert verdicts(played, of) == [("reproduced", "3.00", ""), ("another run differs", "50.00", "")]


def test_what_nobody_played_is_neither_reproduced_nor_contradicted(played: "Results") -> None:
    of = paper(table1("Absent", "excess_cost", "3.00"), table1("SD-MAP", "excess_cost", "3.00", kind="baseline"))
    assert verdicts(played, of) == [("needs model traces", "", ""), ("not played here", "", "")]


def test_a_protocol_is_known_by_its_team(played: "Results") -> None:
    of = paper(table1("IMAP", "excess_cost", "2.99", kind="baseline"))
    assert verdicts(played, of) == [("contradicted", "3.00", "")]


def test_a_team_that_played_fewer_tasks_is_not_compared(played: "Results") -> None:
    of = paper(table1("Pro", "excess_cost", "3.00"), tasks=(*TASKS[:-2], "72", "0"))
    assert verdicts(played, of) == [("needs model traces", "", "team lab played 1 of 72 tasks")]


NOT_THE_PAPERS = (
    ("several teams play it", "Twin", "several teams play it: a, b"),
    ("it is played by simulated speakers", "Feigned", ""),
    ("it plays in a mixed team, and a later one of its name does", "Absent", ""),
)


@pytest.mark.parametrize(("method", "note"), [case[1:] for case in NOT_THE_PAPERS], ids=[c[0] for c in NOT_THE_PAPERS])
def test_a_model_is_not_compared_where(method: str, note: str, played: "Results") -> None:
    of = paper(table1(method, "excess_cost", "3.00"))
    assert verdicts(played, of) == [("needs model traces", "", note)]


POOLED = (
    ("section 4.1", "pooled", "all models", "model", "dms", "8", "0"),
    ("section 4.1", "pooled:easy", "all models", "model", "fairness", "0.00", "2"),
)


@pytest.mark.parametrize("figure", POOLED, ids=lambda f: f[4])
def test_all_models_are_compared_where_all_have_played(figure: tuple[str, ...], played: "Results") -> None:
    assert verdicts(played, paper(figure, models=BOTH)) == [("reproduced", figure[5], "")]
    assert verdicts(played, paper(figure))[0][0] in ("needs model traces", "stand-in: undecided")


def test_a_fact_of_the_set_up_is_compared_with_what_is_in_force(played: "Results", tmp_path: Path) -> None:
    given_here = tmp_path / "params.yaml"
    text = (ROOT / "params.yaml").read_text(encoding="utf-8")
    given_here.write_text(text.replace("max_turns_per_round: 15", "max_turns_per_round: 14"), encoding="utf-8")
    given = DECLARED._replace(numbers=DECLARED.numbers.filter(source="Appendix F"))
    facts = setup_facts(ROOT / "data/results", given_here, ROOT)
    changed = build_ledger(played, given, facts).filter(verdict="contradicted")
    assert changed.select("metric", "setting", "published", "ours").rows() == [
        ("max_turns_per_round", "pooled", "15", "14")
    ]


def test_a_fact_that_nothing_states_is_contradicted(played: "Results") -> None:
    assert build_ledger(played, paper(), []).select("verdict", "note").rows() == [
        ("contradicted", "nothing here says so")
    ]


def test_a_fact_that_no_game_tells_differs_by_choice(played: "Results") -> None:
    stated = [Fact("pooled", "suite", "tasks", 2, "params.yaml", "nobody can know")]
    assert build_ledger(played, paper(), stated).select("verdict", "ours", "note").rows() == [
        ("differs by choice", "2", "nobody can know")
    ]


@pytest.mark.parametrize(("tasks", "even"), [("xx", ["a", "b"]), ("xy", [])])
def test_teams_are_compared_task_by_task_where_they_play_the_same(tasks: str, even: list[str], tmp_path: Path) -> None:
    teams = {team: TEAMS["acting"] | {"task_id": task} for team, task in zip("ab", tasks, strict=True)}
    with open_tables(derived(tmp_path, teams)) as results:
        assert results.sql("SELECT team FROM even_games ORDER BY team").pl()["team"].to_list() == even


@pytest.mark.slow
def test_a_stand_in_says_that_it_is_simulated_what_makes_it_so_and_how_it_was_tested(ours: "Results") -> None:
    found = build_ledger(ours, DECLARED, [])
    stand_ins = found.filter(pl.col("verdict").str.starts_with("stand-in"))
    assert stand_ins["ours"].str.starts_with("simulated: ").all()
    assert stand_ins.filter("by_construction")["note"].str.contains("by construction: ").all()
    assert stand_ins.select("test", "statistic", "p_value", "p_holm", "n").null_count().row(0) == (0,) * 5
    others = found.filter(~pl.col("verdict").str.starts_with("stand-in"))
    assert others.select("by_construction", "statistic", "p_value").null_count().row(0) == (others.height,) * 3


def test_a_model_s_own_games_come_before_any_stand_in(played: "Results") -> None:
    standing_in = ("Table 4", "pooled", "all models", "model", "ambiguous_consensus", "2", "0")
    assert verdicts(played, paper(standing_in, models=BOTH))[0][:2] == ("reproduced", "2")
    assert verdicts(played, paper(standing_in))[0][0].startswith("stand-in")


@pytest.mark.slow
@pytest.mark.parametrize("direction", DECLARED.directions, ids=lambda d: d.query)
def test_each_direction_is_tested_on_the_study_s_simulated_teams(direction: Direction, tested: Outcomes) -> None:
    covered = [f for f in map(Figure._make, DECLARED.numbers.iter_rows()) if direction_of(f, [direction])]
    assert covered
    assert all(outcome_of(direction, figure, tested) for figure in covered)


@pytest.mark.parametrize(
    ("holds", "opposite", "p", "verdict"),
    [
        (True, False, 0.04, "stand-in: same direction"),
        (False, True, 0.04, "stand-in: opposite"),
        (True, False, 0.06, "stand-in: undecided"),
        (False, True, 0.06, "stand-in: undecided"),
        (False, False, 0.04, "stand-in: undecided"),
    ],
)
def test_a_direction_counts_beyond_chance_only(holds: bool, opposite: bool, p: float, verdict: str) -> None:
    assert direction_verdict(Outcome("", holds, opposite, "", 9, "tasks", p_value=0.001, p_holm=p)) == verdict


def test_results_and_tables_give_the_same_ledger(tables: Path, played: "Results", tmp_path: Path) -> None:
    for name in RESULTS_READ:
        write_csv(query(name, tables), tmp_path / f"{name}.csv")
    of = paper(*DECLARED.numbers.filter(pl.col("kind") != "setup").iter_rows())
    with open_results(tmp_path, tables) as results:
        assert build_ledger(results, of, []).equals(build_ledger(played, of, []))
