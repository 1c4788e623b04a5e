from random import Random

import pytest
from typer.testing import CliRunner

from sim.__main__ import app
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from sim.tasks import participants
from sim.tasks.bounded import solve_within
from sim.tasks.oracle import NoSchedule, NotProven, TooManyStates, count, solve
from sim.tasks.participants import draw_participants
from sim.tasks.scenario import Parameters, ScenarioError, generate
from sim.tasks.suite import Solving, make_task, read_tasks, write_tasks
from tests.sim.game_checks import check
from tests.sim.test_oracle import every_schedule, instances
from tests.sim.worlds import calendars, entry, meetings

HARD = {"num_agents": 6, "num_participants": 3, "num_slots": 16, "num_meetings": 14, "density": 0.9}


def test_with_enough_effort_the_canonical_optimum_is_found_from_any_start():
    rng = Random("starts")
    for boards, stream in instances(True, 60):
        tried = every_schedule(boards, stream)
        if tried:
            found = solve_within(boards, stream, 60, rng.choice(tried)[2])
            assert (found.best, found.proven, found.canonical) == (solve(boards, stream), True, True)


@pytest.mark.parametrize("effort", [0.0, 1e-4, 1e-3, 1e-2])
def test_whatever_the_effort_the_best_is_feasible_and_the_bound_below_the_optimum(effort):
    for boards, stream in instances(False, 40):
        tried = every_schedule(boards, stream)
        if tried:
            found = solve_within(boards, stream, effort, max(tried)[2])
            assert (found.best.cost, found.best.displaced, found.best.slots) in tried
            assert found.bound <= min(tried)[0] <= found.best.cost
            assert found.proven == (found.bound == found.best.cost)


def test_no_effort_leaves_an_optimum_unproven_and_the_same_twice():
    made = generate(Parameters(seed=3, errand_cost_values=(1, 100, 1000), **HARD))
    found = [solve_within(made.calendars, made.meetings, 1e-5, made.witness) for _ in range(2)]
    assert found[0] == found[1]
    assert not found[0].proven and not found[0].canonical and found[0].bound < found[0].best.cost


def test_a_meeting_without_a_slot_is_told():
    with pytest.raises(NoSchedule, match="meeting 1 has no possible slot"):
        solve_within(calendars(["x1 x1", ". ."]), meetings([(0, 1)]), 1, (0,))


def test_a_task_keeps_what_is_not_proven_only_when_told_to(tmp_path):
    hard = entry(3, "varied", errand_cost_values=(1, 100, 1000), **HARD)
    with pytest.raises(
        NotProven, match=r"an effort of 1e-05 proves only that its optimum lies between \d+ and \d+; give"
    ):
        make_task(hard, Solving(1e-05))
    kept = make_task(hard, Solving(1e-05, keep=True))
    assert not kept.optimal_proven and kept.optimal_bound < kept.optimal.cost
    write_tasks([kept, make_task(entry())], tmp_path / "tasks.jsonl")
    assert [t.optimal_bound for t in read_tasks(tmp_path / "tasks.jsonl")] == [kept.optimal_bound, None]
    assert (tmp_path / "tasks.jsonl").read_text().count("optimal_bound") == 1
    trace = play_game(Play(kept, named_teams()["imap"]))
    assert trace.config["scenario"]["optimal_bound"] == kept.optimal_bound


LIST = "setting,task_id,seed,num_agents,num_participants,num_slots,num_meetings,density,difficulty\n"
REFUSED = [
    (
        "uniform,big,1,101,3,16,5,0.5,x",
        "task big can't be generated: seed 1: the rule 'num_agents is at most 100' fails",
    ),
    ("uniform,long,1,5,3,2000,5,0.5,x", "the rule 'num_slots is at most 1024' fails"),
    ("uniform,many,1,5,3,16,201,0.5,x", "the rule 'num_meetings is at most 200' fails"),
    ("uniform,tight,1,5,3,4,9,0.5,x", "the rule 'every meeting has a witness slot' fails: meeting"),
    (
        "uniform,hard,3,6,3,16,14,0.9,x",
        "task hard can't be generated: an effort of 0 proves only that its optimum lies",
    ),
]


@pytest.mark.parametrize(("row", "problem"), REFUSED)
def test_a_world_that_is_too_large_is_refused_in_one_line(tmp_path, row, problem):
    (tmp_path / "list.csv").write_text(LIST + row + "\n")
    words = ["suite", str(tmp_path / "list.csv"), "--out", str(tmp_path / "t.jsonl"), "--effort", "0", "--workers", "1"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and problem in result.output and result.output.count("\n") == 1
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.parametrize(("agents", "size", "number"), [(50, 10, 50), (50, 3, 50), (35, 5, 70)])
def test_participants_of_large_worlds_rotate_and_do_not_take_long_to_draw(agents, size, number):
    lists = draw_participants(7, agents, size, number)
    taken = [sum(a in members for members in lists) for a in range(agents)]
    assert set(taken) == {size * number // agents}
    assert all(len(set(m)) == size and list(m) == sorted(m) for m in lists)
    assert lists == draw_participants(7, agents, size, number)


def test_a_search_that_is_given_up_leaves_equal_shares(monkeypatch):
    searched = draw_participants(7, 6, 3, 6)
    monkeypatch.setattr(participants, "MOST_LOOKED_AT", 119)
    given_up = draw_participants(7, 6, 3, 6)
    assert given_up != searched
    assert [sum(a in m for m in given_up) for a in range(6)] == [3] * 6


def test_a_search_that_runs_out_of_effort_finds_nothing_and_says_so():
    effort = participants.Effort(45)
    sets = [(0, 1, 2), (3, 4, 5), (0, 3, 5)] * 5
    assert participants.search_balanced(Random(1), sets, [0] * 6, 3, 6, effort) is None
    assert effort.spent


def test_too_many_meetings_are_not_counted():
    with pytest.raises(TooManyStates, match="40 meetings are too many to count"):
        count(calendars([". . . ."] * 3), meetings([(0, 1, 2)] * 40))


@pytest.mark.slow
def test_a_scenario_of_fifty_agents_is_played_by_the_rules():
    big = entry(5, num_agents=50, num_participants=3, num_slots=12, num_meetings=50, density=0.4)
    check(play_game(Play(make_task(big, Solving(5.0, keep=True)), named_teams()["dsm-private"])))


def test_a_rule_names_the_seed():
    with pytest.raises(ScenarioError, match="seed 9: the rule 'num_slots is at most 1024' fails"):
        generate(Parameters(seed=9, num_agents=2, num_participants=2, density=0.5, num_slots=5000))
