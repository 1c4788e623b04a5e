"""Policies that nobody would want do what their names say."""

from sim.agents.degenerate import POLICIES
from sim.game.trace import Trace
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.sim.worlds import tiny_task

TASK = tiny_task(4, "varied", num_agents=4, num_participants=3, num_slots=8, errand_cost_values=(1, 100), density=0.7)


def game(policy: str) -> Trace:
    return play_game(Play(TASK, named_teams()[policy]))


def told(trace: Trace, kind: str) -> list[dict]:
    return [e.data for e in trace.events if e.type == kind]


def test_every_policy_is_a_named_team() -> None:
    assert set(POLICIES) <= set(named_teams())


def test_the_silent_say_and_do_nothing() -> None:
    trace = game("silent")
    assert (trace.final_state["messages"], trace.metrics["realized_cost"], trace.metrics["meetings_scheduled"]) == (
        0,
        0,
        0,
    )


def test_those_who_refuse_what_costs_never_pay_and_meet_where_all_are_free() -> None:
    trace = game("refuse-if-costly")
    assert trace.metrics["realized_cost"] == 0
    assert 0 < trace.metrics["meetings_scheduled"] < len(TASK.meetings)
    assert any('"imap": "decision"' in data["content"] for data in told(trace, "dm_sent"))


def test_phantom_agreement_is_told_and_not_kept() -> None:
    trace = game("phantom-agreement")
    decided = [data for data in told(trace, "dm_sent") if '"imap": "decision"' in data["content"]]
    slots = [[s for s in data["per_agent_slot"].values() if s is not None] for data in told(trace, "resolution")]
    assert len(decided) == len(TASK.meetings) * 2
    assert all(len(set(taken)) == len(taken) for taken in slots)
    assert (trace.metrics["realized_cost"], trace.metrics["meetings_scheduled"]) == (0, 0)


def test_slot_0_is_always_taken_whatever_it_costs() -> None:
    trace = game("always-slot-0")
    batches = [data["actions"] for data in told(trace, "batch_applied")]
    assert batches
    assert all(actions[-1]["slot"] == 0 for actions in batches)
    assert trace.final_state["messages"] == 0
