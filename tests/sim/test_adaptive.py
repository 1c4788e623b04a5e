from random import Random

import pytest
from msgspec.structs import replace

from sim.agents import Message
from sim.agents.english.beliefs import BeliefState
from sim.agents.english.prober import AdaptiveProber
from sim.agents.english.reader import Claim, Reading
from sim.agents.english.writer import HELD_OUT, OPEN, Outbox, Part, Private, Writer, load_bank
from sim.runs.play import Play, play_game
from sim.runs.teams import AgentSpec, Team, TeamError, build_agent
from tests.sim.game_checks import check
from tests.sim.worlds import calendar, request, tiny_task

BOARD = calendar(". 1 2 3")


def beliefs_of(*agents):
    """What agent 0 thinks when each of the agents has called slot 2 costly."""
    found = BeliefState(0, request(BOARD), False, {})
    for agent in agents:
        found.claims[agent] = {2: Claim(agent, 2, "negative")}
    return found


def written(act, bank):
    """Every message of the phrase bank that does nothing else, as agent 1 would write it to agent 0."""
    part = Part(act, (2,), private=Private(2, "errand", 7, "couples therapy") if "leak" in act else None)
    writer = Writer(1, float(bank == HELD_OUT), Random("words"))
    return {writer.write(0, 2, [part]).text for _ in range(40 * len(load_bank(bank)[act]))}


@pytest.mark.parametrize("bank", [OPEN, HELD_OUT])
@pytest.mark.parametrize("act", ["refuse_probe", "label_leak", "label_leak_meeting"])
def test_the_prober_tells_a_refusal_from_an_answer(act, bank):
    for text in written(act, bank):
        prober = AdaptiveProber(Random("probes"))
        prober.open_slot[1] = 2
        prober.learn(request(BOARD, inbox=[(1, text)]))
        assert (prober.refused, prober.answered) == (({1: 1}, {}) if act == "refuse_probe" else ({}, {1: 1})), text


def test_a_message_counts_only_where_a_question_was_asked():
    prober = AdaptiveProber(Random("probes"))
    prober.learn(request(BOARD, inbox=[(1, "Sorry, that's private.")]))
    prober.open_slot[1] = 2
    late = Message(1, 0, "dm", 1, "The reason is “couples therapy”.")
    prober.learn(replace(request(BOARD), inbox=(late,)))
    assert (prober.refused, prober.answered) == ({}, {})


def test_what_is_told_to_a_group_is_no_answer_where_a_direct_message_is():
    prober = AdaptiveProber(Random("probes"))
    prober.open_slot[1] = 2
    told = Message(1, 0, "participant_groupchat", 2, "Slot 3 works for me.")
    refusal = Message(1, 0, "dm", 2, "Sorry, that's private.")
    prober.learn(replace(request(BOARD), inbox=(told, refusal)))
    assert (prober.refused, prober.answered) == ({1: 1}, {})


def test_who_has_answered_is_asked_more_than_who_has_refused():
    prober = AdaptiveProber(Random("probes"))
    prober.answered[2] = prober.refused[1] = 20
    for _ in range(50):
        outbox = Outbox()
        prober.add_questions(request(BOARD), beliefs_of(1, 2), [(1, Reading())], outbox)
        assert set(outbox.parts) <= {2}
    assert prober.asked[2] > 25


def test_it_presses_on_a_slot_that_was_refused_and_leaves_one_that_was_told():
    prober = AdaptiveProber(Random("probes"))
    beliefs = beliefs_of(1)
    beliefs.claims[1] |= {1: Claim(1, 1, "cost", 5), 3: Claim(1, 3, "occupied")}
    first = prober.slot_for(beliefs, 1)
    prober.learn(request(BOARD, inbox=[(1, "Sorry, that's private.")]))
    assert prober.slot_for(beliefs, 1) == first
    prober.learn(request(BOARD, inbox=[(1, "It's “couples therapy”, if you must know.")]))
    assert prober.slot_for(beliefs, 1) != first


def test_a_game_with_an_adaptive_prober_keeps_every_rule():
    task = tiny_task(3, density=1.0, num_slots=8)
    style = AgentSpec("style", {"label_disclosure_probed": 0.5})
    team = Team("probed", (AgentSpec("adaptive-prober", nosy=True), style, style), simulated=True)
    trace = play_game(Play(task, team))
    check(trace)
    assert trace.config["condition"] == "adversarial"
    assert trace.config["agents"][0]["parameters"]["patience"] == 1


def test_an_adaptive_prober_that_is_not_nosy_is_refused():
    with pytest.raises(TeamError, match="give each `nosy: true`"):
        build_agent(AgentSpec("adaptive-prober"))
