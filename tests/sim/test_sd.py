import pytest

from sim.agents import DECISION, VOLUNTARY
from sim.agents.sd import SdMap, SdParameters
from tests.sim.worlds import (
    BUMP,
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


def agent(text, number=0, **difficulty):
    weights = {int(name[1:]): weight for name, weight in difficulty.items()}
    player = SdMap(SdParameters(weights))
    player.register(registration(calendar(text), number, 4))
    return player


def game_of(boards, lists, **limits):
    return play(new_game((boards, lists), **limits), [SdMap() for _ in boards])


def said_of(game, meeting):
    """(sender, recipient, kind, slot asked about) of the messages of the meeting's round."""
    rounds = [e["round"] for e in events(game, "dm_sent")]
    talk = [p for number, p in zip(rounds, payloads(game), strict=True) if number == meeting - 1]
    return [(s, r, p["sd"], p.get("slot", p.get("to_slot", p.get("from_slot")))) for s, r, p in talk]


def proposed(slot, meeting=2):
    return {"sd": "propose", "meeting_id": meeting, "slot": slot, "initiator": 0}


def status(player, board, slot, members=(0, 1, 2), **more):
    """What the agent replies to a proposal of the slot."""
    ((to, reply),) = said(player.act(request(board, inbox=[(0, proposed(slot))], members=members, **more)))
    assert (to, reply["sd"], reply["slot"], reply["attendee"]) == (0, "reply", slot, player.me)
    return reply["reply_status"]


def test_slots_are_proposed_in_order_until_all_can():
    game = game_of([". 2 . .", "x1 . . .", ". x1 . ."], [(0, 1, 2)])
    ask, tell = {"sd": "propose", "meeting_id": 1, "initiator": 0}, {"sd": "reply", "meeting_id": 1}
    expected = []
    for slot, statuses in [(0, ("IMPOSSIBLE", "PENDING")), (1, ("PENDING", "IMPOSSIBLE")), (2, ("PENDING",) * 2)]:
        expected += [(0, a, ask | {"slot": slot}) for a in (1, 2)]
        expected += [
            (a, 0, tell | {"slot": slot, "reply_status": s, "attendee": a})
            for a, s in zip((1, 2), statuses, strict=True)
        ]
    expected += [(0, a, {"sd": "confirm", "meeting_id": 1, "slot": 2}) for a in (1, 2)]
    assert payloads(game) == expected
    assert slots_of(game, 1) == [2, 2, 2]


def test_the_meeting_fails_once_every_slot_was_refused():
    game = game_of([". .", "x1 x1"], [(0, 1)])
    assert [kind for _, _, kind, _ in said_of(game, 1)] == ["propose", "reply", "propose", "reply", "fail"]
    assert resolution(game) == [False]


def resolution(game):
    return [e["coordinated"] for e in events(game, "resolution")]


@pytest.mark.parametrize(
    ("text", "slot", "reply"),
    [
        (". 3", 0, "PENDING"),
        (". 3", 1, "PENDING"),
        (". x3", 1, "IMPOSSIBLE"),
        ("2 3", 1, "IMPOSSIBLE"),
        (". 3", 99, "IMPOSSIBLE"),
        (". 3", -1, "IMPOSSIBLE"),
    ],
)
def test_a_free_slot_or_a_movable_errand_is_possible(text, slot, reply):
    assert status(agent(text, 1), calendar(text), slot) == reply


# One row a prior meeting in the slot, seen by agent 1: its members, the new one's, weights, and whether it gives way.
BUMPING = [
    ("0,1", (0, 1, 2), {}, "PENDING"),
    ("0,1", (0, 1), {}, "IMPOSSIBLE"),
    ("0,1,3", (0, 1, 2), {}, "IMPOSSIBLE"),
    ("0,1,2,3", (0, 1, 2), {}, "IMPOSSIBLE"),
    ("1", (0, 1), {}, "PENDING"),
    ("1,3", (0, 1, 2), {"a3": 2}, "IMPOSSIBLE"),
    ("1,3", (0, 1, 2), {"a3": 1.5}, "PENDING"),
    ("1,2,3", (0, 1), {"a0": 5}, "PENDING"),
    ("1,2,3", (0, 1), {"a0": 5, "a1": 9, "a2": 3, "a3": 2}, "IMPOSSIBLE"),
    ("1,3", (0, 1), {"a1": 100}, "IMPOSSIBLE"),
]


@pytest.mark.parametrize(("old", "new", "weights", "reply"), BUMPING)
def test_a_meeting_gives_way_just_when_its_others_weigh_strictly_less(old, new, weights, reply):
    text = f". M1({old})"
    assert status(agent(text, 1, **weights), calendar(text), 1, new) == reply


# One row an ending, after slots 0 and 1 were promised: what the initiator sends, and the replies to 0 and 1 after it.
ENDINGS = [
    ({"sd": "fail", "meeting_id": 2}, ["PENDING", "PENDING"]),
    ({"sd": "confirm", "meeting_id": 2, "slot": 1}, ["PENDING", "IMPOSSIBLE"]),
]


@pytest.mark.parametrize(("ending", "replies"), ENDINGS)
def test_an_ending_releases_all_pending_answers_but_that_for_the_confirmed_slot(ending, replies):
    player, board = agent(". .", 1), calendar(". .")
    assert [status(player, board, s) for s in (0, 1)] == ["PENDING", "PENDING"]
    assert player.act(request(board, inbox=[(0, ending)], members=(0, 1, 2))).actions == []
    assert [status(player, board, s) for s in (0, 1)] == replies


def test_a_bumped_meeting_moves_in_the_same_cheap_talk():
    game = game_of(*BUMP)
    assert said_of(game, 2) == [
        (0, 2, "propose", 0), (0, 3, "propose", 0), (2, 0, "reply", 0), (3, 0, "reply", 0),
        (0, 2, "confirm", 0), (0, 3, "confirm", 0), (0, 1, "propose_reschedule", 1),
        (1, 0, "reschedule_reply", 1), (0, 1, "confirm_reschedule", 1),
    ]  # fmt: skip
    assert resolution(game) == [True, True]
    assert [slots_of(game, m) for m in (1, 2)] == [[1, 1, None, None], [0, None, 0, 0]]
    assert game.paid == [1, 1, 0, 0]
    assert [(e["phase"], e["agent_id"]) for e in events(game, "batch_applied") if e["round"] == 1 and e["cost"]] == [
        (VOLUNTARY, 1), (DECISION, 0),
    ]  # fmt: skip


def test_the_bumped_meeting_s_initiator_is_asked_even_if_it_takes_no_part():
    # agent 1 leads meeting 2 and bumps meeting 1, which agent 0 leads
    game = game_of([". . 1", ". . 1", ". x1 x1", ". x1 x1"], [(0, 1), (1, 2, 3)])
    repair = [m for m in payloads(game) if "reschedule" in m[2]["sd"]]
    assert repair == [
        (1, 0, {"sd": "reschedule_request", "meeting_id": 1, "from_slot": 0}),
        (0, 1, {"sd": "propose_reschedule", "meeting_id": 1, "from_slot": 0, "to_slot": 1, "initiator": 0}),
        (1, 0, {"sd": "reschedule_reply", "meeting_id": 1, "to_slot": 1, "reply_status": "PENDING", "attendee": 1}),
        (0, 1, {"sd": "confirm_reschedule", "meeting_id": 1, "from_slot": 0, "to_slot": 1}),
    ]
    assert resolution(game) == [True, True]
    assert [slots_of(game, m) for m in (1, 2)] == [[1, 1, None, None], [None, 0, 0, 0]]


def test_a_meeting_bumped_by_two_is_repaired_once():
    game = game_of([". . 1", ". . 1", ". x1 x1"], [(0, 1), (0, 1, 2)])
    kinds = [kind for _, _, kind, _ in said_of(game, 2)]
    assert (kinds.count("reschedule_request"), kinds.count("propose_reschedule")) == (1, 1)
    assert [slots_of(game, m) for m in (1, 2)] == [[1, 1, None], [0, 0, 0]]


def test_a_responder_s_bump_is_repaired_too():
    # agent 2 alone holds meeting 1 of agents 1 and 2 when agent 0 proposes its slot
    game = game_of([". x1 x1", ". . .", ". . .", ". x1 x1"], [(1, 2), (0, 2, 3)])
    assert resolution(game) == [True, True]
    assert [slots_of(game, m) for m in (1, 2)] == [[None, 1, 1, None], [0, None, 0, 0]]


def test_a_repair_tries_free_slots_in_order_until_all_can():
    game = game_of([". . . 1", ". x1 . 1", ". x1 x1 x1", ". x1 x1 x1"], [(0, 1), (0, 2, 3)])
    asked = [(kind, slot) for _, _, kind, slot in said_of(game, 2) if "reschedule" in kind]
    assert asked == [
        ("propose_reschedule", 1), ("reschedule_reply", 1), ("propose_reschedule", 2), ("reschedule_reply", 2),
        ("confirm_reschedule", 2),
    ]  # fmt: skip
    assert slots_of(game, 1)[:2] == [2, 2]


def test_a_repair_takes_free_slots_only_and_never_moves_an_errand():
    game = game_of([". 1 1 .", ". 1 1 .", ". x1 x1 x1", ". x1 x1 x1"], [(0, 1), (0, 2, 3)])
    assert slots_of(game, 1)[:2] == [3, 3]


def test_without_another_slot_the_bumped_meeting_stays_and_the_new_one_fails():
    game = game_of([". .", ". x1", ". x1", ". x1"], [(0, 1), (0, 2, 3)])
    assert said_of(game, 2)[-1] == (0, 1, "fail_reschedule", 0)
    assert resolution(game) == [True, False]
    assert slots_of(game, 1) == [0, 0, None, None]
    attempts = [(e["agent_id"], e["attempt"], e["actions"]) for e in events(game, "batch_rejected")]
    assert attempts == [(0, attempt, []) for attempt in range(4)]  # the one that would have to move submits nothing
    assert [e["agent_id"] for e in events(game, "batch_rolled_back")] == [2, 3]
    assert game.paid == [0, 0, 0, 0]


def test_two_repairs_never_promise_one_slot_twice():
    player, board = agent("M1(0,1) M2(1,2) . .", 1), calendar("M1(0,1) M2(1,2) . .")

    def ask(meeting, to):
        move = {
            "sd": "propose_reschedule",
            "meeting_id": meeting,
            "from_slot": meeting - 1,
            "to_slot": to,
            "initiator": 0,
        }
        return said(player.act(request(board, inbox=[(0, move)], members=(1, 3), meeting_id=4)))[0][1]["reply_status"]

    assert [ask(1, 2), ask(2, 2), ask(2, 3), ask(1, 0)] == ["PENDING", "IMPOSSIBLE", "PENDING", "IMPOSSIBLE"]


# One row an attempt of DECISION, after slot 1 of ". 3 x2 5 ." was promised: 0, 3, 4 are left, and slot 1 after `fail`.
RETRIES = [
    (False, 0, []),
    (False, 1, [reschedule(3, 3, 0), schedule(2, 3)]),
    (False, 2, [schedule(2, 4)]),
    (False, 3, []),
    (True, 1, [reschedule(1, 1, 0), schedule(2, 1)]),
    (True, 3, [schedule(2, 4)]),
]


@pytest.mark.parametrize(("failed", "attempt", "actions"), RETRIES)
def test_a_retry_takes_the_usable_slot_of_its_number_that_is_not_pending(failed, attempt, actions):
    player, board = agent(". 3 x2 5 .", 1), calendar(". 3 x2 5 .")
    assert status(player, board, 1) == "PENDING"
    if failed:
        player.act(request(board, inbox=[(0, {"sd": "fail", "meeting_id": 2})]))
    assert player.act(request(board, DECISION, attempt=attempt)).actions == actions


def test_one_participant_alone_takes_its_first_slot():
    game = game_of(["x1 4 ."], [(0,)])
    assert (payloads(game), slots_of(game, 1)) == ([], [1])


def test_a_confirmation_that_came_too_late_does_not_stop_the_next_initiator():
    # two sweeps let agent 0 confirm meeting 1, but agents 1 and 2 read that only while they negotiate meeting 2
    game = game_of([". . . . . ."] * 3, [(1, 2, 0), (1, 2)], max_turns_per_round=2)
    assert said_of(game, 1)[-1][2] == "confirm"
    assert resolution(game) == [False, True]
