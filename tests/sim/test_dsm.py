import pytest

from sim.agents import DECISION, VOLUNTARY
from sim.agents.dsm import PRIVATE, WELFARE, Dsm, DsmParameters
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
    written,
)

# Agent 0 holds meeting 1 with agent 1 and meeting 2 with agent 3; it leads a new one with agents 1 and 2.
PRIOR = "M1(0,1)=2 . M2(0,3)=3 x1"


def agent(text, number=0, parameters=WELFARE):
    player = Dsm(parameters)
    player.register(registration(calendar(text), number, 4))
    return player


def game_of(boards, lists, parameters=WELFARE, **limits):
    return play(new_game((boards, lists), **limits), [Dsm(parameters) for _ in boards])


def kinds(game):
    return [(s, r, p["dsm"]) for s, r, p in payloads(game)]


def offered(text, members=(0, 1, 2), parameters=WELFARE, **more):
    """(agent, what it sends each recipient) when agent 0 opens a meeting's negotiation."""
    player = agent(text, 0, parameters)
    return player, dict(said(player.act(request(calendar(text), members=members, meeting_id=3, **more))))


def decided(player, text, scores, members=(0, 1, 2)):
    """What the initiator sends once these (responder → plan → score) answers are in."""
    answers = [
        (a, {"dsm": "scores", "scores": {str(p): s for p, s in v.items()}, "round": 1}) for a, v in scores.items()
    ]
    return dict(said(player.act(request(calendar(text), inbox=answers, members=members, meeting_id=3))))


def test_a_meeting_takes_one_offer_one_answer_and_one_decision_a_responder():
    game = game_of([". 3", "4 .", ". ."], [(0, 1, 2)])
    offer = {
        "dsm": "proposals",
        "slots": [0, 1],
        "plans": [{"id": s, "slot": s, "displacements": [], "cleared_slots": []} for s in (0, 1)],
        "round": 1,
        "participants": [0, 1, 2],
        "displacements": {},
        "cleared_slots": {},
    }
    reward = {
        "selected_score": 11,
        "availability": 2,
        "flexibility": 7 * 3**6 + 11 * 3**10,
        "scoring_cost": 4,
        "reward": 0,
    }
    decision = {"dsm": "decision", "slot": 1, "plan_id": 1, "participants": [0, 1, 2], "displacements": []}
    free = reward | {"flexibility": 22 * 3**10, "scoring_cost": 0}
    assert payloads(game) == [
        (0, 1, offer),
        (0, 2, offer),
        (1, 0, {"dsm": "scores", "scores": {"0": 7, "1": 11}, "round": 1}),
        (2, 0, {"dsm": "scores", "scores": {"0": 11, "1": 11}, "round": 1}),
        (0, 1, decision | {"reward": reward}),
        (0, 2, decision | {"reward": free}),
    ]
    assert slots_of(game, 1) == [1, 1, 1]
    assert written(game.calendars[0]) == "3 M1(0,1,2)"


def moves(*triples):
    return [dict(zip(("meeting_id", "from_slot", "to_slot"), t, strict=True)) for t in triples]


# One row a recipient of agent 0's offer: the moves it sees and the slots that it sees cleared, by plan.
SEEN = [
    (1, {"0": [(1, 0, 1)], "1001": [(1, 0, 2)], "3001": [(1, 0, 1)]}, {"2": [2], "1001": [2], "3001": [2]}),
    (2, {}, {"0": [0], "2": [2], "1001": [0, 2], "3001": [2, 0]}),
    (3, {"2": [(2, 2, 1)], "1001": [(2, 2, 1)], "3001": [(2, 2, 0)]}, {"0": [0], "1001": [0], "3001": [0]}),
]


@pytest.mark.parametrize(("recipient", "displacements", "cleared"), SEEN)
def test_each_recipient_sees_the_moves_of_its_own_meetings_only(recipient, displacements, cleared):
    _, messages = offered(PRIOR)
    assert sorted(messages) == [1, 2, 3]  # agent 3 because an offered plan moves its meeting
    shown = messages[recipient]
    assert shown["slots"] == [1, 0, 2, 1001, 3001]  # own scores 11, 9, 8, 6, 6
    assert shown["displacements"] == {plan: moves(*triples) for plan, triples in displacements.items()}
    assert shown["cleared_slots"] == cleared
    assert {p["id"]: (p["displacements"], p["cleared_slots"]) for p in shown["plans"]} == {
        plan: (shown["displacements"].get(str(plan), []), cleared.get(str(plan), [])) for plan in shown["slots"]
    }
    assert [p["slot"] for p in shown["plans"]] == [1, 0, 2, 0, 2]


def test_nobody_is_asked_about_meetings_that_no_offered_plan_moves():
    _, messages = offered(PRIOR, parameters=PRIVATE)
    assert (sorted(messages), messages[1]["slots"]) == ([1, 2], [1])


def test_a_bystander_scores_just_the_moves_of_its_meetings():
    _, messages = offered(PRIOR)
    board = calendar(". 7 M2(0,3)=3 .")
    reply = agent(". 7 M2(0,3)=3 .", 3).act(request(board, inbox=[(0, messages[3])], members=(0, 1, 2), meeting_id=3))
    scores = {"1": 11, "0": 11, "2": 0, "1001": 0, "3001": 8}  # slot 1 holds its errand; slot 0 is free
    assert said(reply) == [(0, {"dsm": "scores", "scores": scores, "round": 1})]


# One row what agents 1, 2 and 3 answer to the plans 1, 0 and 2 (own scores 11, 9, 8; agent 3 counts for plan 2 only):
# the chosen plan, and whether its decision carries a reward.
CHOICES = [
    ({1: (5, 9, 11), 2: (7, 11, 11), 3: (11, 11, 8)}, 0, True),  # short of 33, 33, 44 by 10, 4, 6
    ({1: (5, 9, 11), 2: (7, 11, 11), 3: (11, 11, 10)}, 0, True),  # 10, 4, 4: fewer responders
    ({1: (5, 9, 11), 2: (7, 11, 11), 3: (11, 11, 11)}, 2, True),  # 10, 4, 3
    ({1: (9, 11, 1), 2: (11, 11, 1), 3: (11, 11, 1)}, 0, True),  # 2, 2: lower slot
    ({1: (9, 11, 11), 2: (11, 0, 11), 3: (11, 11, 11)}, 1, True),  # plan 0 is impossible for agent 2
    ({1: (1, 11, 11), 2: (1, 0, 11), 3: (11, 11, 0)}, 1, True),  # agent 3 can't move its meeting
    ({1: (0, 11, 1), 2: (1, 0, 0), 3: (11, 11, 1)}, 0, False),  # none for all: 21, 13, 34
]


@pytest.mark.parametrize(("answers", "plan", "rewarded"), CHOICES)
def test_the_plan_is_chosen_that_falls_least_short(answers, plan, rewarded):
    player, messages = offered(PRIOR, parameters=DsmParameters(cascade_depth=1))
    assert messages[1]["slots"] == [1, 0, 2]
    given = {a: dict(zip((1, 0, 2), scores, strict=True)) for a, scores in answers.items()}
    decisions = decided(player, PRIOR, given)
    assert sorted(decisions) == ([1, 2, 3] if plan == 2 else [1, 2])
    assert {(d["plan_id"], d["slot"], "reward" in d) for d in decisions.values()} == {(plan, plan, rewarded)}


def test_a_decision_shows_each_responder_what_its_offer_showed():
    player, _ = offered(PRIOR, parameters=DsmParameters(cascade_depth=1))
    decisions = decided(player, PRIOR, {a: {1: 1, 0: 1, 2: 11} for a in (1, 2, 3)})
    assert {a: (d["participants"], d["displacements"], d.get("cleared_slots")) for a, d in decisions.items()} == {
        1: ([0, 1, 2], [], [2]),
        2: ([0, 1, 2], [], [2]),
        3: ([], moves((2, 2, 1)), None),
    }


def test_the_initiator_waits_for_every_answer():
    player, _ = offered(PRIOR)
    every = {a: dict.fromkeys((1, 0, 2, 1001, 3001), 11) for a in (1, 2, 3)}
    assert decided(player, PRIOR, {a: every[a] for a in (1, 2)}) == {}
    assert sorted(decided(player, PRIOR, {3: every[3]})) == [1, 2]


def test_scores_out_of_range_or_of_plans_never_offered_do_not_count():
    player, _ = offered(". .", members=(0, 1))
    assert decided(player, ". .", {1: {0: 5000, 1: 11}}, (0, 1)) == {}
    assert decided(player, ". .", {1: {0: -1, 1: 11}}, (0, 1)) == {}
    found = decided(player, ". .", {1: {0: 10, 1: 9, 77: 11, -3: 11}}, (0, 1))[1]
    assert (found["plan_id"], found["reward"]["availability"], found["reward"]["reward"]) == (0, 2, 1 + 1)


@pytest.mark.parametrize(
    ("boards", "points"),
    [
        ([". x1", "4 ."], 100 + 4 - 4),  # one offer of score 7
        ([". . x1", "4 9 ."], 100 + 13 - 5),  # 7 and 2, and a bonus for the second
        ([". . x1", ". 9 ."], 100 + 9 - 0),  # a free slot earns nothing
        ([". x1 x1", "x1 . ."], 100),  # impossible: no reward is settled
    ],
)
def test_points_pay_for_scores_and_are_kept_for_the_record(boards, points):
    players = [Dsm(WELFARE), Dsm(WELFARE)]
    play(new_game((boards, [(0, 1)])), players)
    assert [p.summary() for p in players] == [{"points": points}, {"points": 100}]


def several(parameters, boards):
    """(number of the offer, plans offered) of a game's one meeting, and its decisions."""
    game = game_of(boards, [(0, 1)], parameters)
    sent = [p for _, _, p in payloads(game)]
    return [(p["round"], p["slots"]) for p in sent if p["dsm"] == "proposals"], [
        p for p in sent if p["dsm"] == "decision"
    ]


SEARCH_ON = DsmParameters(l_max=2, beta=0.25, theta_unit_cost=10.0, welfare=0.25, max_offers=0)


@pytest.mark.parametrize(("sender", "answered"), [(0, True), (2, False)])
def test_only_the_initiator_s_offers_are_scored(sender, answered):
    plan = {"id": 0, "slot": 0, "displacements": [], "cleared_slots": []}
    offer = {"dsm": "proposals", "slots": [0], "plans": [plan], "round": 1, "participants": [0, 1, 2]}
    offer |= {"displacements": {}, "cleared_slots": {}}
    assert bool(said(agent(". .", 1).act(request(calendar(". ."), inbox=[(sender, offer)])))) == answered


def test_a_published_preset_makes_one_offer_and_decides_all_the_same():
    offers, (decision,) = several(PRIVATE, [". . . .", "x1 x1 . ."])
    assert offers == [(1, [0])]
    assert (decision["slot"], "reward" in decision) == (0, False)


def test_without_a_limit_offers_go_on_until_one_suits_all():
    offers, (decision,) = several(SEARCH_ON, [". . . .", "x1 x1 . ."])
    assert offers == [(1, [0]), (2, [1]), (3, [2])]
    assert (decision["slot"], "reward" in decision) == (2, True)


def test_a_prior_meeting_moves_in_voluntary_and_in_decision():
    game = game_of(*BUMP)
    assert [slots_of(game, m) for m in (1, 2)] == [[1, 1, None, None], [0, None, 0, 0]]
    assert [e["coordinated"] for e in events(game, "resolution")] == [True, True]
    (moved,) = [e for e in events(game, "batch_applied") if e["phase"] == VOLUNTARY]
    assert (moved["agent_id"], moved["actions"]) == (1, [reschedule(1, 0, 1)])
    assert game.paid == [1, 1, 0, 0]


# One row a batch of agent 1 for meeting 3: its calendar, the agreed slot, the announced moves, and its actions.
BATCHES = [
    (". 5 . .", 1, [], [reschedule(1, 1, 0), schedule(3, 1)]),
    ("x3 . 2", 0, [], [schedule(3, 1)]),  # no longer schedulable: the first that is
    ("1 2", 0, [], []),
    (". . 2", 99, [], [schedule(3, 0)]),
    ("M2(1,3) . 2", 0, [], []),  # a meeting in the way, and no move of it agreed
    ("M2(1,3) . 2", 0, [(2, 0, 1)], [reschedule(2, 0, 1), schedule(3, 0)]),
    ("M2(1,3) M4(1,0) .", 0, [(2, 0, 1), (4, 1, 2)], [reschedule(2, 0, 1), reschedule(4, 1, 2), schedule(3, 0)]),
    # an errand leaves the slots alone that the moves need
    ("5 M2(1,3) . .", 0, [(2, 1, 2)], [reschedule(2, 1, 2), reschedule(0, 0, 3), schedule(3, 0)]),
]


@pytest.mark.parametrize(("text", "slot", "announced", "actions"), BATCHES)
def test_a_batch_clears_the_agreed_slot_by_the_agreed_moves(text, slot, announced, actions):
    player, board = agent(text, 1), calendar(text)
    decision = {"dsm": "decision", "slot": slot, "plan_id": slot, "participants": [0, 1, 2]}
    told = [(0, decision | {"displacements": moves(*announced)})]
    assert player.act(request(board, inbox=told, members=(0, 1, 2), meeting_id=3)).actions == []
    assert player.act(request(board, DECISION, members=(0, 1, 2), meeting_id=3)).actions == actions
    assert player.act(request(board, VOLUNTARY, meeting_id=3)).actions == [reschedule(*m) for m in announced]


# One row an attempt of DECISION without an agreement: slots 0, 1, 3, 4 of ". 3 x2 M1(0,1) 5" are schedulable.
RETRIES = [
    (0, []),
    (1, [reschedule(1, 1, 0), schedule(3, 1)]),
    (2, []),  # slot 3 holds a meeting, and no move of it was agreed
    (3, [reschedule(4, 4, 0), schedule(3, 4)]),
    (4, []),
]


@pytest.mark.parametrize(("attempt", "actions"), RETRIES)
def test_a_retry_takes_the_schedulable_slot_of_its_number(attempt, actions):
    text = ". 3 x2 M1(0,1) 5"
    reply = agent(text, 1).act(request(calendar(text), DECISION, attempt=attempt, meeting_id=3))
    assert reply.actions == actions
