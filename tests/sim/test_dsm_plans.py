import pytest

from sim.agents.dsm import (
    PRIVATE,
    WELFARE,
    Displacement,
    DsmParameters,
    Reward,
    ShownPlan,
    offer_size,
    offer_utility,
    own_plans,
    response,
    reward_for,
    schedulable,
)
from tests.sim.worlds import calendar

# Two prior meetings, an errand, two free slots.
BOARD = calendar("M1(0,1)=2 . M2(0,2)=3 5 .")


def plans(text, **parameters):
    """(id, slot, moves as (meeting, from, to), score) of every plan, in the order of the offer."""
    found = own_plans(calendar(text), DsmParameters(**parameters))
    moves = [tuple((d.meeting_id, d.from_slot, d.to_slot) for d in p.displacements) for p in found]
    return [(p.id, p.slot, m, p.score) for p, m in zip(found, moves, strict=True)]


@pytest.mark.parametrize(("cost", "score"), [(None, 0), (0, 11), (1, 10), (9, 2), (10, 1), (11, 1), (1000, 1)])
def test_a_score_falls_with_cost_from_11_to_1(cost, score):
    assert WELFARE.score(cost) == score


@pytest.mark.parametrize(
    ("text", "slots"),
    [(". 3 x2 M1(0,1)", [0, 1, 3]), ("2 3 M1(0,1)", []), ("x1 .", [1]), (".", [0])],
)
def test_a_slot_is_schedulable_where_what_it_holds_may_go_elsewhere(text, slots):
    assert [s for s in range(-2, 8) if schedulable(calendar(text), s)] == slots


def test_a_slot_without_a_prior_meeting_has_one_plan():
    assert plans(". 3 x2 12 .") == [(0, 0, (), 11), (4, 4, (), 11), (1, 1, (), 8), (3, 3, (), 1)]


def test_a_prior_meeting_has_a_plan_for_each_free_slot():
    assert plans("M1(0,1)=2 . M2(0,2)=3 5 .", cascade_depth=1, displacement_targets=2) == [
        (1, 1, (), 11),
        (4, 4, (), 11),
        (0, 0, ((1, 0, 1),), 9),
        (1001, 0, ((1, 0, 4),), 9),
        (2, 2, ((2, 2, 1),), 8),
        (3001, 2, ((2, 2, 4),), 8),
        (3, 3, (), 6),
    ]


def test_a_deeper_cascade_moves_a_second_meeting_on():
    found = plans("M1(0,1)=2 . M2(0,2)=3 5 .", cascade_depth=2, displacement_targets=4)
    assert [p for p in found if p[1] == 0] == [
        (0, 0, ((1, 0, 1),), 9),
        (1001, 0, ((1, 0, 4),), 9),
        (1002, 0, ((1, 0, 2), (2, 2, 1)), 6),
        (1003, 0, ((1, 0, 2), (2, 2, 4)), 6),
    ]


def test_ways_to_move_are_ordered_by_cost_before_moves_before_targets():
    text = "M1(0,1) M2(0,2)=5 M3(0,3)=0 M4(0,4)=0 ."
    found = [
        p for p in own_plans(calendar(text), DsmParameters(cascade_depth=3, displacement_targets=6)) if p.slot == 0
    ]
    ways = {p.id: [d.to_slot for d in p.displacements] for p in found}
    assert ways == {0: [4], 1001: [2, 4], 1002: [3, 4], 1003: [2, 3, 4], 1004: [3, 2, 4], 1005: [1, 4]}


@pytest.mark.parametrize(("depth", "targets"), [(0, 4), (2, 0)])
def test_no_cascade_or_no_target_leaves_prior_meetings_alone(depth, targets):
    found = plans("M1(0,1) . 3", cascade_depth=depth, displacement_targets=targets)
    assert [slot for _, slot, _, _ in found] == [1, 2]


# One row what an agent is shown of a plan: slot, its moves, cleared slots, whether it takes part, and its score.
RESPONSES = [
    ((1, [], [], True), 11),
    ((3, [], [], True), 6),
    ((0, [], [], True), 0),  # a prior meeting in the way
    ((0, [], [0], True), 0),
    ((0, [(1, 0, 4)], [], True), 9),
    ((1, [(1, 0, 4)], [], True), 9),  # a move costs wherever the new meeting goes
    ((3, [(1, 0, 4)], [], True), 4),
    ((0, [(1, 0, 3)], [], True), 0),  # onto an errand
    ((0, [(1, 0, 2)], [], True), 0),  # onto a meeting that stays
    ((0, [(1, 0, 2)], [2], True), 9),
    ((0, [(1, 0, 2), (2, 2, 1)], [], True), 6),
    ((0, [(2, 0, 1)], [], True), 0),  # another meeting stands there
    ((0, [(1, 0, 99)], [], True), 0),
    ((0, [(1, -5, 1)], [], True), 0),
    ((-1, [], [], True), 0),
    ((3, [], [], False), 11),
    ((0, [(1, 0, 4)], [], False), 9),
    ((0, [(1, 0, 3)], [], False), 0),
]


@pytest.mark.parametrize(("shown", "score"), RESPONSES)
def test_a_plan_scores_what_it_costs_on_one_s_own_calendar(shown, score):
    slot, moves, cleared, takes_part = shown
    plan = ShownPlan(slot, slot, [Displacement(*m) for m in moves], cleared)
    assert response(BOARD, plan, takes_part, WELFARE.score) == score


def test_an_errand_that_can_t_move_or_is_blocked_scores_0():
    plan = ShownPlan(0, 0, [], [])
    assert [response(calendar(t), plan, True, WELFARE.score) for t in ("3 4", "x3 .", "3 .")] == [0, 0, 8]


# Scores 11, 11, 5, 1 for two responders at a busy share of a half: p = 0.25, and for L = 1 … 4
# fail = 0.75, 0.5625, 0.421875, 0.31640625 and avg = 1, 1, 27/33, 28/44.
FAIL, AVERAGE = (0.75, 0.5625, 0.421875, 0.31640625), (1, 1, 27 / 33, 28 / 44)
SCORES = [11, 11, 5, 1]

# One row a choice of parameters and the size that has the greatest utility.
SIZES = [
    (DsmParameters(), 4),
    (DsmParameters(l_max=2), 2),
    (DsmParameters(theta_unit_cost=0.2), 3),
    (DsmParameters(theta_unit_cost=0.4), 2),
    (DsmParameters(theta_unit_cost=0.2, l_min=4), 4),
    (DsmParameters(beta=0, welfare=0), 3),
    (DsmParameters(theta_unit_cost=10), 1),
    (WELFARE, 4),
    (PRIVATE, 1),
]


@pytest.mark.parametrize(("parameters", "size"), SIZES)
def test_an_offer_has_the_size_of_greatest_utility(parameters, size):
    utilities = [
        (1 - f) * a + parameters.welfare * (1 - f) - parameters.theta_unit_cost * n - parameters.beta * f
        for n, (f, a) in enumerate(zip(FAIL, AVERAGE, strict=True), start=1)
    ]
    found = [offer_utility(n, SCORES, 2, 0.5, parameters) for n in (1, 2, 3, 4)]
    assert found == pytest.approx(utilities)
    sizes = range(parameters.l_min, min(parameters.l_max, 4) + 1)
    assert max(sizes, key=lambda n: utilities[n - 1]) == size
    assert offer_size(SCORES, 2, 0.5, parameters) == size


# One row an estimate that is kept within its bounds: responders, busy share, and the p that counts.
CLAMPED = [(1, 0.0, 0.95), (1, 1.0, 0.05), (2, 1.0, 0.01), (9, 0.5, 0.01), (0, 0.5, 0.95), (3, 0.0, 0.857375)]


@pytest.mark.parametrize(("responders", "busy", "p"), CLAMPED)
def test_the_estimated_feasibility_keeps_within_its_bounds(responders, busy, p):
    only_success = DsmParameters(beta=0, welfare=0)
    assert offer_utility(1, [11], responders, busy, only_success) == pytest.approx(p)


@pytest.mark.parametrize(("number", "l_min", "size"), [(0, 1, 0), (1, 3, 1), (2, 3, 2)])
def test_no_more_is_offered_than_there_is(number, l_min, size):
    assert offer_size([11] * number, 1, 0.5, DsmParameters(l_min=l_min, theta_unit_cost=10)) == size


# One row a responder's scores, the chosen plan, and (score, availability, flexibility, scoring cost, reward).
REWARDS = [
    ({0: 11, 1: 5, 2: 0, 3: 5}, 1, (5, 3, 11 * 4**10 + 2 * 5 * 4**4, 12, 8)),
    ({0: 11, 1: 5, 2: 0, 3: 5}, 0, (11, 3, 11 * 4**10 + 2 * 5 * 4**4, 12, 0)),
    ({0: 11, 1: 5, 2: 0, 3: 5}, 2, (0, 3, 11 * 4**10 + 2 * 5 * 4**4, 12, 0)),
    ({4: 1}, 4, (1, 1, 1, 10, 10)),
    ({4: 10, 5: 0}, 4, (10, 1, 10 * 2**9, 1, 1)),
    ({4: 10, 5: 10}, 5, (10, 2, 2 * 10 * 3**9, 2, 2)),
]


@pytest.mark.parametrize(("scores", "chosen", "expected"), REWARDS)
def test_a_reward_pays_for_what_the_chosen_plan_concedes(scores, chosen, expected):
    assert reward_for(scores, chosen) == Reward(*expected)


def test_the_presets_are_those_of_the_paper():
    assert (
        DsmParameters(
            l_min=1,
            l_max=12,
            beta=1,
            theta_unit_cost=0,
            welfare=1,
            cascade_depth=2,
            displacement_targets=4,
            max_offers=1,
        )
        == WELFARE
    )
    assert (
        DsmParameters(
            l_min=1, l_max=2, beta=0.25, theta_unit_cost=10, welfare=0.25, cascade_depth=1, displacement_targets=2
        )
        == PRIVATE
    )
