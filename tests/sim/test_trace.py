import json

import msgspec
import pytest
import zstandard

from sim.game.game import Limits
from sim.game.trace import game_id, read, write
from sim.runs.play import Play, play_game, trace_path
from sim.runs.teams import load_team, named_teams
from tests.sim.worlds import tiny_task

TASK = tiny_task(3, density=1.0)


def trace_of(team="imap", task=TASK, **more):
    return play_game(Play(task, load_team(team), **more))


def test_a_written_trace_has_the_keys_of_the_paper(tmp_path):
    write(trace_of(), tmp_path / "t.json.zst")
    with open(tmp_path / "t.json.zst", "rb") as file:
        found = json.loads(zstandard.ZstdDecompressor().stream_reader(file).read())
    assert {"game_id", "config", "events", "final_state", "metrics", "started_at", "ended_at"} <= set(found)
    assert (found["started_at"], found["ended_at"]) == (None, None)  # no provider, no clock
    assert not [e for e in found["events"] if "timestamp" in e]
    state = {"total_displacement_cost", "rounds_succeeded", "rounds_failed", "consistency_violations"}
    assert state <= set(found["final_state"])
    assert {"cost_vs_optimal", "cost_vs_greedy", "fairness", "coordination_rate"} <= set(found["metrics"])


def test_a_rejected_batch_is_recorded_with_its_attempt_and_conflict():
    full = tiny_task(3, num_agents=2, num_slots=2, num_meetings=2, density=0.0)
    crowded = msgspec.structs.replace(full, meetings=(*full.meetings, msgspec.structs.replace(full.meetings[0], id=3)))
    rejected = [e.data for e in trace_of(task=crowded).events if e.type == "batch_rejected"]
    assert [r["attempt"] for r in rejected] == [0, 1, 2, 3] * 2
    assert {"conflict_description", "actions"} <= set(rejected[0])


def test_the_configuration_says_what_was_in_force():
    config = trace_of("dsm-private", limits=Limits(decision_retries=1, dm_cap=7), repeat=2).config
    expected = {
        "team": "dsm-private", "setting": "uniform", "condition": "standard", "task_id": "tiny3", "seed": 3,
        "density": 1.0, "difficulty": "easy", "repeat": 2, "decision_retries": 1, "dm_cap": 7,
        "max_turns_per_round": 15,
        "num_agents": 3, "num_slots": 6, "num_meetings": 3,
    }  # fmt: skip
    assert {k: config[k] for k in expected} == expected
    assert config["agents"][0]["parameters"]["theta_unit_cost"] == 10.0
    assert config["scenario"]["parameters"]["density"] == 1.0


def test_the_metrics_add_up():
    trace = trace_of()
    found, state = trace.metrics, trace.final_state
    assert found["realized_cost"] == sum(state["per_agent_cost"]) == state["total_displacement_cost"]
    assert found["excess_cost"] == found["realized_cost"] - TASK.optimal.cost
    assert found["meetings_scheduled"] == found["meetings_kept"] == 3
    assert found["coordination_rate"] == 1.0
    assert found["total_dms_sent"] == sum(state["per_agent_messages_sent"]) == 9
    assert found["dms_per_meeting"] == 3.0
    assert state["per_agent_excess_burden"] == [
        paid - due for paid, due in zip(state["per_agent_cost"], TASK.optimal.per_agent_cost, strict=True)
    ]


# One row another game than imap's first on TASK.
OTHERS = [
    {"team": "sd"},
    {"team": "dsm-private"},
    {"task": tiny_task(4, density=1.0)},
    {"limits": Limits(max_turns_per_round=14)},
    {"limits": Limits(dm_cap=99)},
    {"repeat": 1},
]


def test_a_game_s_id_is_made_from_task_team_configuration_and_repeat():
    ids = [trace_of().game_id, *(trace_of(**other).game_id for other in OTHERS)]
    assert len(set(ids)) == len(ids)
    assert trace_of().game_id == ids[0] == game_id(trace_of().config)


def test_repeats_of_a_scripted_game_differ_in_nothing_but_their_number():
    first, second = trace_of(), trace_of(repeat=1)
    assert (first.events, first.final_state) == (second.events, second.final_state)


@pytest.mark.parametrize("team", ["imap", "dsm-welfare"])
def test_a_trace_reads_back_as_it_was_written(tmp_path, team):
    trace = trace_of(team)
    write(trace, tmp_path / "t.json.zst")
    read_back = read(tmp_path / "t.json.zst")
    assert len(read_back.record_sha256 or "") == 64
    read_back.record_sha256 = None
    assert msgspec.json.encode(read_back) == msgspec.json.encode(trace)


def test_what_has_no_json_form_is_shown_and_the_game_is_kept(tmp_path):
    odd = trace_of()
    odd.events[0].data["odd"] = ["\ud83d", object, 10**400]
    write(odd, tmp_path / "t.json.zst")
    shown = read(tmp_path / "t.json.zst").events[0].data["odd"]
    assert shown[0] == "\\ud83d"
    assert shown[1] == "<class 'object'>"
    assert shown[2].startswith("1000")


@pytest.mark.parametrize(
    ("repeat", "by_team", "path"),
    [(0, False, "tiny3.json.zst"), (1, False, "tiny3.r1.json.zst"), (2, True, "imap/tiny3.r2.json.zst")],
)
def test_a_trace_s_place_tells_team_and_repeat(tmp_path, repeat, by_team, path):
    play = Play(TASK, named_teams()["imap"], repeat=repeat)
    assert trace_path(tmp_path, play, by_team) == tmp_path / path
