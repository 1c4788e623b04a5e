"""Every protocol of the frontier plays by the rules, as an independent audit and the tables see it."""

import pytest

from sim.runs.play import Play, play_game
from sim.runs.teams import FRONTIER, AgentSpec, Team, TeamError, build_agent
from tests.sim.game_checks import check
from tests.sim.worlds import tiny_task

TASK = tiny_task(4, "varied", errand_cost_values=(1, 100, 1000), num_meetings=4, num_slots=8, num_agents=4)


@pytest.mark.parametrize("kind", FRONTIER)
def test_a_game_holds_what_every_game_must(kind):
    check(play_game(Play(TASK, Team(kind, (AgentSpec(kind),)))))


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("imap-kbit", {"bits": 9}), ("imap-kbit", {"top": 0}), ("imap-noisy", {"epsilon": -1}),
     ("imap-noisy", {"ladder": [1, 0]}), ("poll", {"ties": "highest"}), ("secure", {"at_once": 0}),
     ("dsm-log", {"l_min": 0}), ("shares", {"ladder": [1, 0]})],
)  # fmt: skip
def test_a_parameter_out_of_its_range_is_refused(kind, parameters):
    with pytest.raises(TeamError, match=f"a parameter of an agent of type {kind} is wrong"):
        build_agent(AgentSpec(kind, parameters))
