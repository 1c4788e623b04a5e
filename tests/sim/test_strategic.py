import json
from functools import cache

import pytest

from sim.agents import CHEAP_TALK, DECISION
from sim.agents.beyond.strategic import Misreport, claimed
from sim.agents.imap import local_cost
from sim.runs.play import Play, play_game
from sim.runs.teams import AgentSpec, Team, TeamError, build_agent, named_teams
from tests.sim.game_checks import check
from tests.sim.worlds import (
    BUMP,
    calendar,
    events,
    new_game,
    payloads,
    play,
    registration,
    request,
    said,
    tiny_task,
    written,
)

PROTOCOLS = ("imap", "sd", "dsm-welfare", "dsm-private", "poll")
LIES = (
    {"factor": 10},
    {"busy": 0.5},
    {"busy": 1.0, "factor": 3},
    {"deal": "pact", "factor": 10},
    {"deal": "shared", "busy": 0.5},
    {"busy": 0.75, "stands": True},
    {"deal": "shared", "busy": 0.5, "stands": True},
)


def spec(protocol="imap", seats=(0,), **lie):
    return AgentSpec("strategic", {"protocol": protocol, "seats": list(seats), **lie})


def team_of(*given, **lie):
    return Team("liars", (spec(*given, **lie),))


# One row a pretence: the true calendar, what is claimed, and the calendar that is claimed.
CLAIMS = [
    ("3 . 1 M1(0,1) x2", {"factor": 10}, "30 . 10 M1(0,1) x2"),
    ("3 . 1", {"factor": 1.5}, "5 . 2"),  # halves are rounded up
    ("3 . 1", {"offset": 4}, "7 . 5"),  # what is free stays so
    ("3 . 1 9", {"busy": 0.5}, "x3 . 1 x9"),
    ("1 1 . 1", {"busy": 0.5}, "x1 x1 . 1"),  # of equals the first
    ("3 . 9", {"busy": 1.0}, "x3 . x9"),  # one free slot stays
    ("3 1", {"factor": 10}, "3 1"),  # with nothing free an errand is impossible anyway
]


@pytest.mark.parametrize(("true", "lie", "expected"), CLAIMS)
def test_a_claimed_calendar_is_dearer_or_busier_in_what_is_possible(true, lie, expected):
    assert written(claimed(calendar(true), Misreport(**lie))) == expected


def test_a_friend_s_costs_count_beside_one_s_own():
    found = claimed(calendar("3 . . 1"), Misreport(factor=10), {0: 1, 1: 2, 2: 0, 3: None})
    assert written(found) == "40 20 . 10"


@pytest.mark.parametrize("lie", LIES[:3])
def test_what_a_liar_claims_costs_at_least_the_truth(lie):
    true = calendar("3 . 1 M1(0,1) x2 100 .")
    told = claimed(true, Misreport(**lie))
    for slot in range(len(true)):
        before, after = local_cost(true, slot), local_cost(told, slot)
        assert after is None or (before is not None and after >= before)


def test_a_liar_speaks_of_its_claimed_calendar_and_acts_on_its_true_one():
    board = calendar("3 . 1", 1)
    agent = build_agent(spec(seats=(1,), factor=10))
    agent.register(registration(board, 1))
    asked = request(board, CHEAP_TALK, [(0, {"imap": "cost_request", "meeting_id": 2, "slots": [0, 1, 2]})])
    assert said(agent.act(asked))[0][1]["costs"] == {"0": 30, "1": 0, "2": 10}
    agent.act(request(board, CHEAP_TALK, [(0, {"imap": "decision", "meeting_id": 2, "slot": 2})]))
    moved, _ = agent.act(request(board, DECISION)).actions
    assert (moved["item_id"], moved["from_slot"], moved["to_slot"]) == (board[2].errand_id, 2, 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_team_whose_lies_claim_the_truth_plays_the_protocol_s_game(protocol):
    task = tiny_task(4, "varied", errand_cost_values=(1, 100, 1000), num_meetings=4, num_slots=8)
    truthful = play_game(Play(task, named_teams().get(protocol, Team("poll", (AgentSpec("poll"),)))))
    pretending = play_game(Play(task, team_of(protocol, (0, 1))))
    assert pretending.events == truthful.events


@cache
def crowded_tasks():
    sizes = {"density": 1.0, "num_agents": 4, "num_participants": 3, "num_meetings": 4, "num_slots": 8}
    return [tiny_task(seed, **sizes) for seed in (3, 5)]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_game_with_liars_keeps_every_rule(protocol, lie):
    for task in crowded_tasks():
        check(play_game(Play(task, team_of(protocol, (0, 2) if "deal" in lie else (1,), **lie))))


# Slot 0 alone is possible for all. Agent 1 pays 9 there.
NARROW = ([". x1 x1", "9 . x1", ". x1 x1"], [(0, 1, 2)])


def narrow(protocol="imap", **lie):
    return play(new_game(NARROW), [build_agent(spec(protocol, (1,), **lie)) for _ in NARROW[0]])


@pytest.mark.parametrize(("most", "paid"), [(8, [0, 0, 0]), (9, [0, 9, 0])])
def test_a_liar_that_refuses_what_costs_too_much_lets_the_meeting_fail_and_nobody_pays(most, paid):
    game = narrow(refuses=most)
    assert (game.paid, len(game.failed)) == (paid, int(most < 9))


def test_who_is_asked_to_move_a_meeting_of_its_own_may_refuse_that_too():
    moved, refused = (
        play(new_game(BUMP), [build_agent(spec("sd", (1,), refuses=most)) for _ in BUMP[0]]) for most in (1, 0)
    )
    assert (moved.paid[1], len(moved.coordinated)) == (1, 2)
    assert (refused.paid[1], len(refused.coordinated)) == (0, 1)


# Agents 0 and 1 meet agent 2. Together slot 0 costs them least; it is dearest for agent 2.
FRIENDS = (["1 9 9 .", "1 9 . 9", "30 . 9 9"], [(0, 1, 2)])


def liars(**lie):
    return [build_agent(spec(seats=(0, 1), **lie)) for _ in FRIENDS[0]]


def test_two_with_a_deal_tell_each_other_their_costs_once_and_then_speak_for_both():
    game = play(new_game(FRIENDS), liars(factor=10, deal="shared"))
    deals = [(sender, to, p["costs"]) for sender, to, p in payloads(game) if p.get("deal") == "calendar"]
    assert sorted(deals) == [
        (0, 1, {"0": 1, "1": 9, "2": 9, "3": 0}),
        (1, 0, {"0": 1, "1": 9, "2": 0, "3": 9}),
    ]
    told = next(p["costs"] for sender, _, p in payloads(game) if p.get("imap") == "costs" and sender == 1)
    assert told == {"0": 20, "1": 180, "2": 0, "3": 90}  # slot 2 costs the friend 9, but one free slot must stay


def test_the_deal_moves_the_meeting_to_where_the_third_pays():
    truthful = play(new_game(FRIENDS), [build_agent(spec()) for _ in FRIENDS[0]])
    dealt = play(new_game(FRIENDS), liars(factor=10, deal="shared"))
    assert sum(truthful.paid[:2]) > sum(dealt.paid[:2])
    assert dealt.paid[2] > truthful.paid[2]


def test_a_pact_holds_only_where_both_attend():
    world = (FRIENDS[0], [(0, 2), (0, 1, 2)])
    game = play(new_game(world), liars(factor=10, deal="pact"))
    asked = [e for e in events(game, "dm_sent") if '"costs"' in e["content"] and e["from_agent"] == 1]
    assert [json.loads(e["content"])["costs"]["0"] for e in asked] == [10]
    assert not [p for *_, p in payloads(game) if "deal" in p]


WRONG = [
    ({"protocol": "candid"}, "can't play 'candid'; they play one of: imap, sd,"),
    ({"protocol": "imap", "factor": 0.5}, "a parameter of an agent of type strategic is wrong"),
    (
        {"protocol": "imap", "seat": [1]},
        "have no parameter seat; they have: factor, offset, busy, protocol, seats, stands",
    ),
    ({}, "a parameter of an agent of type strategic is wrong: Object missing required field `protocol`"),
]


@pytest.mark.parametrize(("parameters", "problem"), WRONG)
def test_a_strategic_agent_that_can_t_be_says_why(parameters, problem):
    with pytest.raises(TeamError, match=problem):
        build_agent(AgentSpec("strategic", parameters))
