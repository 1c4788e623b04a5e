import pytest

from sim.agents import DECISION
from sim.agents.imap import Imap, cheapest_slot, local_cost
from tests.sim.worlds import (
    TRIO,
    calendar,
    events,
    new_game,
    payloads,
    play,
    registration,
    request,
    reschedule,
    said,
    schedule,
    slots_of,
)


def agent(text, number=0):
    player = Imap()
    player.register(registration(calendar(text), number))
    return player


def game_of(boards, lists, **limits):
    return play(new_game((boards, lists), **limits), [Imap() for _ in boards])


@pytest.mark.parametrize(
    ("text", "costs"),
    [(". 3 x2 M1(0,1) 100", [0, 3, None, None, 100]), ("3 4", [None, None]), ("3 M1(0,1)", [None, None]), (".", [0])],
)
def test_a_slot_costs_its_errand_where_the_errand_can_go_elsewhere(text, costs):
    board = calendar(text)
    assert [local_cost(board, s) for s in range(len(board))] == costs


def test_costs_answer_just_the_requested_slots():
    ask = {"imap": "cost_request", "meeting_id": 2, "slots": [3, 0, 1, 99, -1]}
    board = calendar(". 3 . M1(0,1)")
    reply = agent(". 3 . M1(0,1)", 1).act(request(board, inbox=[(0, ask)]))
    costs = {"3": None, "0": 0, "1": 3, "99": None, "-1": None}
    assert said(reply) == [(0, {"imap": "costs", "meeting_id": 2, "costs": costs})]


def test_a_meeting_takes_one_request_one_answer_and_one_decision_a_responder():
    game = game_of(*TRIO)
    asked = {"imap": "cost_request", "meeting_id": 1, "slots": [0, 1, 2, 3]}
    first, second = {"0": 7, "1": 0, "2": 0, "3": 2}, {"0": 0, "1": 0, "2": 3, "3": None}
    chosen = {"imap": "decision", "meeting_id": 1, "slot": 1}
    assert payloads(game) == [
        (0, 1, asked),
        (0, 2, asked),
        (1, 0, {"imap": "costs", "meeting_id": 1, "costs": first}),
        (2, 0, {"imap": "costs", "meeting_id": 1, "costs": second}),
        (0, 1, chosen),
        (0, 2, chosen),
    ]
    assert slots_of(game, 1) == [1, 1, 1]


@pytest.mark.parametrize(
    ("costs", "slot"),
    [
        ([{0: 1, 1: 1}, {0: 1, 1: 1}], 0),
        ([{0: 5, 1: 1}, {0: 1, 1: 5}], 0),
        ([{0: 5, 1: 1}, {0: 1, 1: 4}], 1),
        ([{0: 0, 1: 9}, {0: None, 1: 9}], 1),
        ([{0: 0, 1: 0}, {1: 3}], 1),
        ([{0: None}, {0: 0}], None),
    ],
)
def test_the_cheapest_slot_is_the_lowest_of_those_that_all_can(costs, slot):
    assert cheapest_slot(costs) == slot


def test_an_earlier_meeting_is_never_moved():
    game = game_of([". .", ". x1", "x1 ."], [(0, 1), (0, 2), (0, 1)])
    assert [m.id for m in game.coordinated] == [1, 2]
    assert [m.id for m in game.failed] == [3]


def test_where_no_slot_is_possible_for_all_there_is_no_decision():
    game = game_of(["x1 . .", ". x1 x1"], [(0, 1)])
    assert {p["imap"] for _, _, p in payloads(game)} == {"cost_request", "costs"}
    first = [e for e in events(game, "batch_rejected") if e["attempt"] == 0]
    assert {e["conflict_description"] for e in first} == {"Expected exactly 1 schedule action, got 0."}
    assert slots_of(game, 1) == [None, None]


def test_one_participant_alone_decides_at_once():
    game = game_of(["2 x1 ."], [(0,)])
    assert (payloads(game), slots_of(game, 1)) == ([], [2])


# One row an attempt of DECISION: the usable slots of ". 3 x2 5 ." are 0, 1, 3, 4.
RETRIES = [
    (0, []),
    (1, [reschedule(1, 1, 0), schedule(2, 1)]),
    (2, [reschedule(3, 3, 0), schedule(2, 3)]),
    (3, [schedule(2, 4)]),
    (4, []),
]


@pytest.mark.parametrize(("attempt", "actions"), RETRIES)
def test_a_retry_takes_the_usable_slot_of_its_number(attempt, actions):
    board = calendar(". 3 x2 5 .")
    assert agent(". 3 x2 5 .").act(request(board, DECISION, attempt=attempt)).actions == actions


@pytest.mark.parametrize(("slot", "handed_in"), [(0, True), (1, True), (2, False), (3, False), (9, False)])
def test_a_slot_that_the_agent_cannot_clear_is_not_handed_in(slot, handed_in):
    board = calendar(". 3 x2 M1(0,1)")
    player = agent(". 3 x2 M1(0,1)", 1)
    player.act(request(board, inbox=[(0, {"imap": "decision", "meeting_id": 2, "slot": slot})]))
    assert bool(player.act(request(board, DECISION)).actions) == handed_in


def test_a_decision_that_came_too_late_says_nothing_of_the_next_meeting():
    # the budget of two sweeps runs out before agents 1 and 2 can read what agent 0 decided
    game = game_of([". . . ."] * 3, [(1, 2, 0), (1, 2)], max_turns_per_round=2)
    assert [p["imap"] for _, _, p in payloads(game)][:6] == ["cost_request"] * 2 + ["costs"] * 2 + ["decision"] * 2
    assert 2 in [m.id for m in game.coordinated]
