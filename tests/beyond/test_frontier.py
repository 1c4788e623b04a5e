"""The frontier's arithmetic against brute force, and the claim of domination on a small world."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.beyond.frontier import (
    LEAKAGE,
    TABLES,
    beside_dsm,
    domination,
    draws,
    gaps_to_frontier,
    hypervolume,
    hypervolumes,
    literal_bits_a_meeting,
    pareto,
    points,
    teams_of,
    undominated,
    with_views,
    write_teams,
)
from pipeline.statistics.pareto import pareto_frontier
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import conform
from sim.runs.teams import build_agent, read_team

RESAMPLING = Resampling(resamples=60, level=0.95, seed="test")
PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8)


@given(places=PLACES)
def test_who_is_undominated_is_who_the_study_s_frontier_keeps(places):
    x, y = (np.array([[p[i]] for p in places], dtype=float) for i in (0, 1))
    kept = {p for p, on in zip(places, undominated(x, y)[:, 0], strict=True) if on}
    frame = pl.DataFrame(places, schema=["x", "y"], orient="row")
    assert kept == set(pareto_frontier(frame, "x", "y").rows())


@given(places=PLACES)
def test_hypervolume_is_the_share_of_cells_that_some_point_dominates(places):
    cells = 4
    beaten = sum(any(x <= i and y <= j for x, y in places) for i in range(cells) for j in range(cells))
    x, y = (np.array([p[i] / cells for p in places]) for i in (0, 1))
    assert hypervolume(x, y) == pytest.approx(beaten / cells**2)


def test_tasks_on_which_a_protocol_is_below_and_above_dsm_are_those_that_both_have_a_value_of() -> None:
    values = {"dsm-welfare": [5.0, 5.0, 5.0, None], "other": [4.0, 5.0, 6.0, 1.0], "less": [4.0, 4.0, None, 9.0]}
    rows = [
        (team, "varied", f"task {number}", "bits", value or 0.0, float(value is not None))
        for team, of_team in values.items()
        for number, value in enumerate(of_team)
    ]
    lines = pl.DataFrame(rows, ["team", "setting", "task_id", "measure", "numerator", "denominator"], orient="row")
    counts = beside_dsm(lines, ["team", "measure"]).sort("team")
    assert counts.rows() == [("dsm-welfare", "bits", 0, 0), ("less", "bits", 2, 0), ("other", "bits", 1, 1)]


def games(**teams):
    """Games of two tasks a setting: (excess, leakage) of each task by team; every leakage measure alike."""
    rows = [
        {"team": team.replace("_", "-"), "simulated": False, "setting": setting, "task_id": f"t{i}",
         "excess_cost": float(x), **dict.fromkeys((*LEAKAGE, "coalition_bits"), float(y)), "dms_per_meeting": 6.0,
         "coordination_rate_pct": 100.0}
        for team, values in teams.items() for setting in ("uniform", "varied") for i, (x, y) in enumerate(values)
    ]  # fmt: skip
    return pl.DataFrame(rows)


BASE = {"imap": [(1, 4), (3, 4)], "better": [(1, 1), (3, 2)], "cheap": [(0, 9), (0, 9)], "worse": [(2, 1), (4, 1)]}


def test_domination_compares_the_same_tasks_and_asks_for_less_than_half():
    found = draws(games(**BASE).filter(setting="uniform"), ["excess_cost", *LEAKAGE], RESAMPLING)
    rows = {(r["team"], r["measure"]): r for r in domination("uniform", found, "imap", 0.5, 0.95).iter_rows(named=True)}
    assert rows["better", "excess_cost"]["largest_difference"] == 0
    assert rows["better", "excess_cost"]["holds_surely"]
    assert rows["better", "bits"]["share"] == pytest.approx(3 / 8)
    assert (rows["better", "bits"]["share_low"], rows["better", "bits"]["share_high"]) == pytest.approx((0.25, 0.5))
    assert (rows["better", "bits"]["holds"], rows["better", "bits"]["holds_surely"]) == (True, False)
    assert not rows["worse", "excess_cost"]["holds"]
    assert not rows["imap", "bits"]["holds"]


def test_frequencies_and_volumes_come_from_draws_of_tasks():
    found = draws(games(**BASE).filter(setting="uniform"), ["excess_cost", *LEAKAGE], RESAMPLING)
    rows = pareto("uniform", found, dict.fromkeys(found.teams, True) | {"cheap": False}).filter(measure="bits")
    on = dict(rows.select("team", "on_frontier").iter_rows())
    assert on == {"imap": False, "better": True, "cheap": False, "worse": True}
    assert rows.filter(team="cheap")["frequency"].item() == 0
    worst = {"excess_cost": {"uniform": 5}, "leakage": dict.fromkeys(LEAKAGE, 10)}
    sets = {"paper": ["imap"], "all": list(found.teams)}
    gained = hypervolumes("uniform", found, sets, worst, 0.95).filter(measure="bits")
    value = dict(gained.select("protocols", "volume").iter_rows())
    assert value["gain"] == pytest.approx(value["all"] - value["paper"])
    assert value["gain"] > 0


def test_every_team_must_have_played_every_task():
    missing = games(**BASE).filter(setting="uniform")[1:]
    with pytest.raises(ValueError, match="every task"):
        draws(missing, ["excess_cost"], RESAMPLING)


def test_others_are_placed_by_who_beats_them():
    able = pl.DataFrame(
        {"team": ["a", "b"], "setting": ["uniform"] * 2, "excess_cost": [1.0, 3.0], "vps_uniform_mean": [2.0, 1.0]}
    )
    other = {
        "team": ["x", "y"],
        "setting": ["uniform"] * 2,
        "kind": ["simulated"] * 2,
        "coordination_rate_pct": [100.0] * 2,
    }
    others = pl.DataFrame(other | {"excess_cost": [2.0, 0.5], "vps_uniform_mean": [3.0, 0.5]})
    found = gaps_to_frontier(others, able, ["vps_uniform_mean", "bits"])
    assert found["measure"].to_list() == ["vps_uniform_mean"] * 2
    assert found["dominated_by"].to_list() == [["a"], []]
    assert found["factor"].to_list() == [1.5, None]
    assert found["least_excess"].to_list() == [1.0, None]


def test_who_is_beaten_by_trust_alone_is_said_apart():
    able = pl.DataFrame({"team": ["a", "secure-1"], "setting": ["u"] * 2, "excess_cost": [1.0] * 2, "bits": [3.0, 1.0]})
    other = {"team": "x", "setting": "u", "kind": "simulated", "coordination_rate_pct": 100.0, "excess_cost": 1.0}
    found = gaps_to_frontier(pl.DataFrame([other | {"bits": 2.0}]), able, ["bits"]).row(0, named=True)
    assert (found["dominated_by"], found["dominated_with_outsider"]) == ([], ["secure-1"])


def test_views_stand_beside_the_means_of_who_has_any():
    means = pl.DataFrame({"team": ["imap", "chatty", "secure"], "setting": ["u"] * 3})
    told = pl.DataFrame(
        [("published", "u", "stated", "imap", "everybody", "bits", 60.0),
         ("published", "u", "other tasks", "imap", "everybody", "bits", 50.0)],
        schema=["suite", "setting", "prior", "team", "role", "measure", "mean"], orient="row")  # fmt: skip
    games = pl.DataFrame({"game_id": ["a", "b"], "team": ["chatty", "imap"], "setting": ["u"] * 2, "rounds": [2, 2],
                          "simulated": [True, False], "condition": ["standard"] * 2})  # fmt: skip
    leaked = pl.DataFrame({"game_id": ["a", "a", "b"], "bits": [3.0, 5.0, 9.0]})
    found = with_views(means, told, literal_bits_a_meeting(leaked, games))
    assert found["view_bits"].to_list() == [60.0, 4.0, None]


PROTOCOLS = {"secure": {"1": {"at_once": 1}}, "poll": {"0": {"ladder": [0]}}}


def test_each_setting_of_a_protocol_is_a_team_that_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.beyond.params", lambda _: {"protocols": PROTOCOLS, "held_out": ["poll-0"]})
    write_teams(tmp_path / "teams")
    teams = {path.name: read_team(path) for path in sorted((tmp_path / "teams").iterdir())}
    assert [team.team for team in teams.values()] == ["poll-0", "secure-1"]
    assert [build_agent(team.agents[0]).parameters for team in teams.values()]
    assert [path.name for path in (tmp_path / "teams_densities").iterdir()] == ["poll-0.yaml"]


@pytest.mark.slow
def test_tables_can_be_made_of_any_protocols():
    ours = teams_of(PROTOCOLS)
    played = games(**BASE, secure_1=[(1, 1), (2, 1)], poll_0=[(1, 2), (3, 2)])
    found = points(played, ours, RESAMPLING)
    parts = [draws(played.filter(setting=s), ["excess_cost", *LEAKAGE], RESAMPLING) for s in ("uniform", "varied")]
    able = dict.fromkeys(parts[0].teams, True)
    edge = pl.concat([pareto(s, part, able) for s, part in zip(("uniform", "varied"), parts, strict=True)])
    told = pl.concat(
        [domination(s, part, "imap", 0.5, 0.95) for s, part in zip(("uniform", "varied"), parts, strict=True)]
    )
    for frame, name in [(found, "points"), (edge, "pareto"), (told, "domination")]:
        assert conform(frame, TABLES[f"frontier_{name}"]).height
    assert found.filter(team="poll-0", measure="bits").select("protocol", "parameter").row(0) == ("poll", "0")
