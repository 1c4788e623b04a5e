"""k-bit and randomised-response IMAP, and DSM with logarithmic scores."""

from math import exp, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.beyond.coarse import (
    KBitImap,
    KBitParameters,
    LogDsm,
    LogDsmParameters,
    NoisyImap,
    NoisyParameters,
    grid,
    truth_of,
)
from sim.agents.dsm import WELFARE, Dsm
from sim.agents.imap import Imap
from tests.sim.worlds import TRIO, calendars, new_game, payloads, play, registration, request, slots_of

BOARD = st.lists(st.sampled_from([".", ".", "1", "100", "1000", "x1"]), min_size=5, max_size=5).map(" ".join)
BOARDS = st.lists(BOARD, min_size=3, max_size=3)


def game_of(boards, lists, make):
    return play(new_game((boards, lists)), [make() for _ in boards])


@pytest.mark.parametrize(
    ("bits", "bounds"),
    [(0, []), (1, [1000]), (2, [0, 31, 1000]), (3, [0, 2, 9, 31, 99, 315, 1000])],
)
def test_a_grid_has_a_level_for_every_code_but_one(bits, bounds):
    found = grid(bits, 1000)
    assert len(found) == max(0, 2**bits - 1)
    assert [abs(a - b) <= 1 for a, b in zip(found, bounds, strict=True)] == [True] * len(bounds)


def test_an_answer_of_two_bits_says_free_cheap_dear_or_impossible():
    game = game_of(*TRIO, lambda: KBitImap(KBitParameters(bits=2)))
    answers = [(s, p["levels"]) for s, _, p in payloads(game) if p["imap"] == "levels"]
    assert answers == [(1, {"0": 1, "1": 0, "2": 0, "3": 1}), (2, {"0": 0, "1": 0, "2": 1, "3": None})]
    assert slots_of(game, 1) == [1, 1, 1]


@settings(max_examples=40)
@given(boards=BOARDS)
def test_bits_that_tell_all_costs_apart_decide_for_the_slot_of_imap(boards):
    found = [
        [p["slot"] for _, _, p in payloads(game_of(boards, [(0, 1, 2)], make)) if p["imap"] == "decision"]
        for make in (lambda: KBitImap(KBitParameters(bits=8)), Imap)
    ]
    assert found[0] == found[1]


@given(epsilon=st.floats(0, 20), symbols=st.integers(2, 9))
def test_the_most_that_an_answer_s_odds_can_tell_is_epsilon(epsilon, symbols):
    truth = truth_of(epsilon, symbols)
    lie = (1 - truth) / (symbols - 1)
    assert isclose(truth, lie * exp(epsilon), rel_tol=1e-6)


def test_randomised_answers_are_as_true_as_stated():
    player = NoisyImap(NoisyParameters(epsilon=1.5))
    boards = calendars(["." + " x1" * 3999])
    player.register(registration(boards[0]))
    player.begin_round(request(boards[0]))
    answers = [player.noisy(boards[0], slot) for slot in range(4000)]
    counts = [answers.count(symbol) / 4000 for symbol in (None, 0, 1, 2, 3)]
    assert abs(counts[0] - truth_of(1.5, 5)) < 0.03
    assert all(abs(share - (1 - truth_of(1.5, 5)) / 4) < 0.03 for share in counts[1:])


def test_an_offer_that_somebody_refuses_is_followed_by_the_next():
    game = game_of(["x1 . .", ". x1 .", ". . ."], [(0, 1, 2)], lambda: NoisyImap(NoisyParameters(epsilon=0)))
    offers = [p["slot"] for _, to, p in payloads(game) if p["imap"] == "offer" and to == 1]
    assert set(offers) <= {1, 2}
    assert offers[-1] == 2
    assert slots_of(game, 1) == [2, 2, 2]


@pytest.mark.parametrize(
    ("points", "scores"), [(3, {None: 0, 0: 11, 1: 10, 100: 4, 1000: 1}), (4, {None: 0, 1: 9, 100: 2, 1000: 1})]
)
def test_a_logarithmic_score_tells_large_costs_apart(points, scores):
    parameters = LogDsmParameters(per_tenfold=points)
    assert {cost: parameters.score(cost) for cost in scores} == scores


def test_logarithmic_scores_are_messages_of_their_own_kind_and_avoid_the_dearest_slot():
    boards = ["1000 100 x1 .", ". . . x1", ". . . x1"]
    game = game_of(boards, [(0, 1, 2)], lambda: LogDsm(LogDsmParameters()))
    assert {p["dsm"] for _, _, p in payloads(game)} == {"proposals", "log_scores", "decision"}
    assert slots_of(game, 1) == [1, 1, 1]
    assert slots_of(game_of(boards, [(0, 1, 2)], lambda: Dsm(WELFARE)), 1) == [0, 0, 0]
