"""Games with liars, played anew here: what the tables say of them is what a plain replay of their traces says."""

import json
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pipeline.beyond.strategy.outcomes import (
    DIFFERENCE,
    TABLES,
    bits_about,
    effects,
    gain,
    measures,
    outcomes,
    probers,
    queried,
)
from pipeline.beyond.strategy.play import (
    Lie,
    liar_team,
    liars,
    read_name,
    reported_lies,
    response_lies,
    tasks_of,
)
from pipeline.beyond.strategy.responses import costs_of, envelope, gain_at, gains, lies_of, priced, responses
from pipeline.beyond.tables import write_team
from pipeline.derive.parallel import Recipe, derive
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import conform
from pipeline.traces.sources import find_sources, read_texts
from sim.__main__ import app

FEW = Resampling(resamples=50, seed="few")
LIST = """setting,task_id,seed,num_agents,num_participants,num_slots,num_meetings,density,difficulty
uniform,u1,11,3,2,6,3,0.6,easy
uniform,u2,12,3,2,6,3,0.6,easy
varied,v1,13,3,2,6,3,1.0,hard
"""
PRICES = {"uniform": 1, "varied": 1000}
PLAYED = {
    Lie("dsm-welfare", "tenfold", (0,)): {"factor": 10},
    Lie("dsm-welfare", "busy", (1,)): {"busy": 0.5},
    Lie("imap", "shared", (0, 2)): {"deal": "shared", "factor": 10},
}


def run(*words: str) -> None:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of derived tables of truthful games and of games with liars, and the traces of the latter."""
    base = tmp_path_factory.mktemp("strategy")
    (base / "list.csv").write_text(LIST)
    run("suite", str(base / "list.csv"), "--out", str(base / "tasks.jsonl"), "--workers", "1")
    teams = [str(write_team(liar_team(lie, how), base / "teams")) for lie, how in PLAYED.items()]
    for name, chosen in (("lied", teams), ("true", ["dsm-welfare", "imap"])):
        named = [word for team in chosen for word in ("--team", team)]
        run("run", str(base / "tasks.jsonl"), *named, "--out", str(base / f"{name}.jsonl.zst"), "--workers", "1")
        derive([base / f"{name}.jsonl.zst"], base / name, Recipe(csv=False), workers=1)
    return {"lied": base / "lied", "true": base / "true", "traces": base / "lied.jsonl.zst"}


@pytest.fixture(scope="module")
def told(played: dict[str, Path]) -> pl.DataFrame:
    some = ["imap", "imap.shared.0-2"]
    settings = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text())["leakage"]
    frames = [
        queried(folder, "agents").join(bits_about(folder, some, settings), on=["game_id", "agent"], how="left")
        for folder in (played["lied"], played["true"])
    ]
    return conform(outcomes(*frames), TABLES["strategy_outcomes"])


def traces(path: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(text) for source in find_sources([path]) for _, text in read_texts(source)]


def points_of(trace: dict[str, Any]) -> list[int]:
    """Each agent's balance, from the rewards of the decisions as they were sent."""
    balance = [0] * trace["config"]["num_agents"]
    for event in trace["events"]:
        if event["type"] == "dm_sent" and (reward := json.loads(event["data"]["content"]).get("reward")):
            paid = reward["scoring_cost"] - reward["reward"]
            balance[event["data"]["from_agent"]] += paid
            balance[event["data"]["to_agent"]] -= paid
    return balance


def test_costs_points_and_missed_meetings_are_those_of_the_traces(played: dict[str, Path]) -> None:
    found = {(r["game_id"], r["agent"]): r for r in queried(played["lied"], "agents").iter_rows(named=True)}
    seen = 0
    for trace in traces(played["traces"]):
        failed = [
            e["data"]["meeting_id"]
            for e in trace["events"]
            if e["type"] == "resolution" and not e["data"]["coordinated"]
        ]
        members = {m["id"]: m["participants"] for m in trace["config"]["scenario"]["meetings"]}
        for agent, points in enumerate(points_of(trace)):
            row = found[trace["game_id"], agent]
            assert row["cost"] == trace["final_state"]["per_agent_cost"][agent]
            assert row["points"] == points
            assert row["missed"] == sum(agent in members[m] for m in failed)
            assert row["failed"] == len(failed)
            seen += points != 0
    assert seen > 4


def test_each_game_with_liars_stands_beside_the_truthful_one(told: pl.DataFrame, played: dict[str, Path]) -> None:
    true = {
        (r["team"], r["task_id"], r["agent"]): r["cost"]
        for r in queried(played["true"], "agents").iter_rows(named=True)
    }
    assert told.height == len(PLAYED) * 3
    for row in told.iter_rows(named=True):
        seats = [int(s) for s in row["seats"].split("-")]
        costs = [true[row["protocol"], row["task_id"], a] for a in range(3)]
        assert row["own_cost_truthful"] == sum(costs[a] for a in seats)
        assert row["others_cost_truthful"] == sum(costs) - sum(costs[a] for a in seats)
        assert row["liars"] == len(seats)


def test_only_slots_that_were_possible_count_as_denied(told: pl.DataFrame) -> None:
    assert told.filter(lie="busy")["denied"].sum() > 0
    assert told.filter(lie="tenfold")["denied"].sum() == told["denied_truthful"].sum() == 0


def test_a_game_without_its_truthful_one_is_refused(played: dict[str, Path]) -> None:
    frames = [
        queried(played[k], "agents").with_columns(pl.lit(None, pl.Float64).alias(c) for c in ("bits", "bits_true"))
        for k in ("lied", "true")
    ]
    with pytest.raises(ValueError, match="has no truthful game of its protocol on its task"):
        outcomes(frames[0], frames[1].filter(pl.col("team") != "imap"))


def test_effects_of_all_seats_are_the_means_over_games(told: pl.DataFrame) -> None:
    found = conform(effects(told, PRICES, FEW), TABLES["strategy_effects"])
    assert set(found["measure"]) == set(measures(PRICES))
    row = found.filter(protocol="dsm-welfare", lie="tenfold", setting="uniform", seats="all", measure="gain").row(
        0, named=True
    )
    games = told.filter(lie="tenfold", setting="uniform")
    assert row["mean"] == (games["own_cost_truthful"] - games["own_cost"]).mean()
    assert (row["games"], row["low"], row["high"]) == (2, None, None)  # two tasks hold no 95 %


def a_game(lie: str, task: str, seats: str, gained: int, missed: int = 0, **more: Any) -> dict[str, Any]:
    known = {"protocol": "imap", "lie": lie, "seats": seats, "task_id": task, "setting": "uniform", "liars": 1}
    costs = {"own_cost": 50 - gained, "own_cost_truthful": 50, "own_missed": missed, "own_missed_truthful": 0}
    return known | costs | more


def test_a_missed_meeting_is_priced_and_a_pair_counts_by_head() -> None:
    games = pl.DataFrame([a_game("a", "t", "0", 8, 3, liars=2)])
    assert games.select(gain()).item() == 4
    assert games.select(gain({"uniform": 2})).item() == 1


@settings(max_examples=30)
@given(
    st.dictionaries(st.sampled_from("abcde"), st.tuples(st.integers(-5, 9), st.integers(-2, 4)), max_size=5),
    st.integers(0, 999).map(lambda n: n / 37),
)
def test_the_envelope_names_the_best_lie_at_every_price(lines: dict[str, tuple[float, float]], price: float) -> None:
    spans = envelope(lines)
    assert spans[0].low == 0 and all(a.high == b.low for a, b in pairwise(spans)) and spans[-1].high == inf
    chosen = next(span.lie for span in spans if span.low <= price < span.high)
    worth = {lie: g - price * m for lie, (g, m) in {"truth": (0, 0), **lines}.items()}
    assert worth[chosen] == pytest.approx(max(worth.values()))


def costs(lie: str, task: str, cost: list[int], missed: list[int], seat: int = 1) -> dict[str, Any]:
    here = {"protocol": "imap", "setting": "uniform", "lie": lie, "seat": seat, "task_id": task}
    return here | {"cost": cost, "missed": missed}


def test_a_lie_is_chosen_on_one_suite_and_its_gain_reported_on_the_other() -> None:
    true = [costs("truth", f"t{i}", [5, 4, 5], [0, 0, 0], 0) for i in range(4)]
    liar = [costs("refuses", f"t{i}", [5, 0, 5], [0, 2, 1]) for i in range(4)]
    chosen = gains(pl.DataFrame([*true, *liar, *(costs("keeps", f"t{i}", [9, 1, 5], [0, 0, 0]) for i in range(4))]))
    other = gains(pl.DataFrame([*true, *liar, *(costs("keeps", f"t{i}", [9, 3, 5], [0, 0, 0]) for i in range(4))]))
    found = conform(
        priced(chosen, other, ["keeps", "refuses"], {"uniform": [0, 3]}, 50, FEW), TABLES["strategy_prices"]
    )
    assert found.select("price", "lie", "gain", "saved").rows() == [
        (0.0, "refuses", 4.0, 1.0),
        (3.0, "keeps", 1.0, 0.25),
    ]
    rows = conform(responses(chosen, other, ["keeps", "refuses"], FEW), TABLES["strategy_responses"]).sort("lie")
    assert rows.select("lie", "search_gain", "best_from", "best_to", "gain", "harm", "break_even").rows() == [
        ("keeps", 3.0, 0.5, None, 1.0, 4.0, None),
        ("refuses", 4.0, 0.0, 0.5, 4.0, 0.0, 2.0),
    ]
    assert gain_at(other.clear(), 1.0, 50, FEW)["gain"] == 0


def test_costs_and_failures_are_read_from_the_traces_themselves(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(LIST)
    run("suite", str(tmp_path / "list.csv"), "--out", str(tmp_path / "tasks.jsonl"), "--workers", "1")
    part = tasks_of(tmp_path / "tasks.jsonl", "varied", tmp_path / "varied.jsonl")
    liars_ = [Lie("sd", "truth", (0,)), Lie("sd", "truth-refuses-0", (1,))]
    teams = [write_team(liar_team(lie, {"refuses": 0} if lie.seats == (1,) else {}), tmp_path) for lie in liars_]
    words = [word for team in teams for word in ("--team", str(team))]
    run("run", str(part), *words, "--out", str(tmp_path / "played.jsonl.zst"), "--workers", "1")
    found = costs_of(tmp_path / "played.jsonl.zst")
    assert found["task_id"].to_list() == ["v1", "v1"]
    for trace, row in zip(traces(tmp_path / "played.jsonl.zst"), found.iter_rows(named=True), strict=True):
        assert row["cost"] == trace["final_state"]["per_agent_cost"]
        assert sum(row["missed"]) == 2 * trace["final_state"]["rounds_failed"]
    assert gains(found)["own_truthful"].to_list() == gains(found)["gain"].to_list() != [0.0]


def test_the_search_pairs_every_claim_with_every_act_that_does_something() -> None:
    p = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text())["strategy"]
    space = p["responses"]
    names = {setting: [name for name, _ in lies_of(space, setting)] for setting in ("uniform", "varied")}
    assert {setting: len(n) for setting, n in names.items()} == {"uniform": 10, "varied": 18}
    assert "truth-stands" not in names["varied"] and "truth-refuses-1" in names["varied"]
    assert len(list(response_lies(space, "uniform"))) == 5 * (1 + 10 * 2)
    chosen = {(protocol, "uniform"): ["thousandfold", "truth"] for protocol in space["protocols"]}
    reported = [
        lie.lie for lie, _ in reported_lies(space, "uniform", chosen, p["seats"]) if lie.protocol == "dsm-private"
    ]
    assert reported == ["truth", *["thousandfold"] * 5, *["half-busy-stands"] * 5, *["three-quarters-busy-stands"] * 5]


def test_a_team_s_name_tells_its_lie() -> None:
    p = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text())["strategy"]
    every = [lie for lie, _ in liars(p)]
    assert [read_name(lie.team) for lie in every] == every
    assert len({lie.team for lie in every}) == len(every) == 4 * (3 * 5 + 1 * 5)


def test_probers_are_compared_task_by_task() -> None:
    counts = {("fixed", "t1"): (1, 0), ("adaptive", "t1"): (3, 2), ("fixed", "t2"): (0, 1), ("adaptive", "t2"): (1, 1)}
    rows = [(f"candid.{who}", task, r, n, n) for (who, task), both in counts.items() for r, n in enumerate(both)]
    games = pl.DataFrame(rows, schema=["team", "task_id", "repeat", "induced", "labels"], orient="row")
    games = games.with_columns(games=1, messages=50, questions=10)
    found = conform(probers(games, FEW), TABLES["strategy_probers"])
    value = {(r["prober"], r["measure"]): r["mean"] for r in found.iter_rows(named=True)}
    assert value["adaptive", "induced leaks per 1000 messages"] == 7000 / 200
    assert value["fixed", "labels learnt per 100 questions"] == 2 * 100 / 40
    assert value[DIFFERENCE, "labels learnt a game"] == ((5 - 1) + (2 - 1)) / 4
