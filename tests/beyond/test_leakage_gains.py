"""Bits of a slot against Bayes over whole calendars, and the least that certifies one against every set of facts."""

from itertools import product
from math import inf, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_games import BLOCKED, SETTINGS, Game

from pipeline.beyond import params
from pipeline.beyond.leakage.gains import (
    BoundBits,
    Prior,
    cheapest_certificate,
    costs_stated,
    divergence,
    gains,
    stated_prior,
)
from pipeline.beyond.leakage.measure import by_game, leakage
from pipeline.privacy.protocols.states import COSTS, FEASIBLE, FILLED

PRIOR = stated_prior(0.5, 0.75, {1: 14, 100: 11, 1000: 11})
STATES = PRIOR.states
SAYINGS = {
    "free": STATES.free(),
    "costs 1": STATES.costing(1),
    "costs 100": STATES.costing(100),
    "busy": STATES.busy(),
    "feasible": STATES.feasible(),
    "at most 100": STATES.at_most(100),
    "at least 100": STATES.at_least(100),
    "positive": STATES.believing(0.95),
    "occupied": STATES.believing(0.375),
}
SLOTS = 2
statements = st.lists(st.tuples(st.integers(0, SLOTS - 1), st.sampled_from(sorted(SAYINGS))), unique=True, max_size=5)


def over_calendars(said: list[tuple[int, str]], doubt: float) -> dict[tuple[int, ...], float]:
    """Whole calendar → its probability, by Bayes' rule, where every statement errs with a probability `doubt`."""
    weights = {}
    for calendar in product(range(len(STATES)), repeat=SLOTS):
        weight = float(np.prod([PRIOR.probability[state] for state in calendar]))
        for slot, what in said:
            weight *= max(SAYINGS[what][calendar[slot]], doubt)
        weights[calendar] = weight
    total = sum(weights.values())
    return {calendar: weight / total for calendar, weight in weights.items()}


@pytest.mark.slow
@given(statements)
def test_slot_by_slot_is_bayes_over_whole_calendars(said: list[tuple[int, str]]) -> None:
    doubt = 1e-12
    whole = over_calendars(said, doubt)
    posteriors = [STATES.posterior(PRIOR.probability, *(SAYINGS[w] for s, w in said if s == slot)) for slot in (0, 1)]
    for calendar, probability in whole.items():
        assert np.prod([posteriors[s][state] for s, state in enumerate(calendar)]) == pytest.approx(
            probability, abs=1e-9
        )
    gain = sum(
        p * log2(p / np.prod([PRIOR.probability[state] for state in calendar]))
        for calendar, p in whole.items()
        if p > 1e-15
    )
    by_slot = divergence(np.stack(posteriors), PRIOR.probability).sum()
    assert by_slot == pytest.approx(gain, abs=1e-7)


@given(st.permutations(sorted(SAYINGS)))
def test_no_order_of_statements_matters_even_where_they_contradict_each_other(order: list[str]) -> None:
    found = STATES.posterior(PRIOR.probability, *(SAYINGS[what] for what in order))
    assert np.allclose(found, STATES.posterior(PRIOR.probability, *(SAYINGS[what] for what in sorted(SAYINGS))))
    assert np.isfinite(found).all() and found.sum() == pytest.approx(1)


def test_a_lie_gains_bits_and_loses_true_ones() -> None:
    believed = STATES.posterior(PRIOR.probability, STATES.busy())[None]
    free = np.array([0])
    found = gains(believed, PRIOR.probability, free, 2**-10)
    assert found["bits"] == pytest.approx(1.0)
    assert found["bits_true"] == pytest.approx(-10 - log2(0.125))
    assert found["feasible_bits_true"] == pytest.approx(-10 - log2(0.5))
    assert found["misled"] == 1


@given(st.lists(st.sampled_from(sorted(SAYINGS)), unique=True, max_size=6), st.integers(0, len(STATES) - 1))
def test_bits_are_finite_and_no_truth_gains_more_than_all_that_was_unknown(said: list[str], state: int) -> None:
    found = gains(
        STATES.posterior(PRIOR.probability, *(SAYINGS[what] for what in said))[None],
        PRIOR.probability, np.array([state]), 2**-10,
    )  # fmt: skip
    assert all(np.isfinite(values).all() for values in found.values())
    assert -1e-12 <= found["feasible_bits"][0] <= found["bits"][0] + 1e-12
    assert found["bits_true"][0] <= -log2(PRIOR.probability[state]) + 1e-12
    ruled_out = any(SAYINGS[what][state] == 0 for what in said)
    assert ruled_out or not found["misled"][0]


@pytest.mark.parametrize(
    ("said", "possible"),
    [(0, [0]), (1, [1]), (None, [4]), (7, [1, 2, 3]), (-2, [0])],
    ids=["free", "an errand", "busy", "a cost that nobody has", "a cost below 0"],
)
def test_a_cost_says_which_states_have_it(said: float | None, possible: list[int]) -> None:
    assert np.flatnonzero(STATES.costing(said)).tolist() == possible


def test_the_stated_prior_is_the_one_that_evidence_is_derived_from() -> None:
    settings = params("leakage")
    assert (settings["feasible"], settings["filled"]) == (FEASIBLE, FILLED)
    assert {setting: costs_stated(settings, setting) for setting in settings["costs"]} == COSTS


UNIFORM = stated_prior(0.5, 0.75, {1: 1})
TWO = stated_prior(0.5, 0.75, {1: 2, 100: 1})
FREE, ONE, BUSY = range(3)


def facts(truth: int, prior: Prior) -> list[tuple[set[int], float]]:
    """Every true thing to say of a slot with "=", "≤", "≥", "busy", alone or together: what is left, and its bits."""
    ranges = [range(low, high + 1) for low in range(truth + 1) for high in range(truth, len(prior.states))]
    return [(set(left), -log2(sum(prior.probability[list(left)]))) for left in ranges]


def certifies(own: list[int], told: list[tuple[set[int], ...]], chosen: int, regret: float, prices: BoundBits) -> bool:
    """Whether in every calendar that is left the chosen slot is feasible and at most `regret` above any other."""
    costs = [[sum(map(prices.cost, states)) for states in product(*left)] for left in told]
    totals = [[prices.cost(mine) + cost for cost in of_slot] for mine, of_slot in zip(own, costs, strict=True)]
    worst = max(totals[chosen])
    return worst < inf and all(worst <= min(t) + regret for s, t in enumerate(totals) if s != chosen)


def by_brute_force(own: list[int], others: list[tuple[int, ...]], chosen: int, prior: Prior) -> tuple[float, float]:
    prices = BoundBits(prior)
    totals = [sum(map(prices.cost, (mine, *theirs))) for mine, theirs in zip(own, others, strict=True)]
    regret = totals[chosen] - min(totals)
    width, best, feasible = len(others[0]), inf, inf
    for chosen_facts in product(*(facts(state, prior) for theirs in others for state in theirs)):
        bits = sum(cost for _, cost in chosen_facts)
        if bits >= max(best, feasible):
            continue
        told = [tuple(left for left, _ in chosen_facts[i : i + width]) for i in range(0, len(chosen_facts), width)]
        if certifies(own, told, chosen, regret, prices):
            best = min(best, bits)
        if max(sum(map(prices.cost, states)) for states in product(*told[chosen])) < inf:
            feasible = min(feasible, bits)
    return best, feasible


def check(own: list[int], others: list[tuple[int, ...]], prior: Prior) -> None:
    for chosen in range(len(own)):
        found = cheapest_certificate(own, others, chosen, BoundBits(prior))
        if BoundBits(prior).cost(own[chosen]) == inf or any(BoundBits(prior).cost(s) == inf for s in others[chosen]):
            assert found is None
            continue
        assert found is not None
        best, feasible = by_brute_force(own, others, chosen, prior)
        assert (found.bits, found.feasible_bits) == (pytest.approx(best), pytest.approx(feasible))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=2))
def test_two_others_and_two_slots_against_every_set_of_facts(slots: list[tuple[int, int, int]]) -> None:
    check([own for own, *_ in slots], [tuple(theirs) for _, *theirs in slots], TWO)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=4))
def test_one_other_and_four_slots_against_every_set_of_facts(slots: list[tuple[int, int]]) -> None:
    check([own for own, _ in slots], [(theirs,) for _, theirs in slots], UNIFORM)


def test_a_round_holds_what_it_disclosed_against_what_it_had_to() -> None:
    game = Game([[0, 0, 0], [1, 0, BLOCKED], [0, 0, 0]])
    game.typed(0, 0, 1, imap="cost_request", meeting_id=1, slots=[0, 1, 2])
    game.typed(0, 1, 0, imap="costs", meeting_id=1, costs={"0": 1, "1": 0, "2": None})
    game.typed(0, 0, 1, imap="decision", meeting_id=1, slot=1).ended(0, {0: 1, 1: 1})
    row = leakage(game.tables(), SETTINGS).rounds.row(0, named=True)
    told = 3 - log2(0.375) + 1
    assert row["to_initiator_bits"] == pytest.approx(told) and row["disclosed_bits"] == pytest.approx(told + 1)
    least = 1.0 - 2 * log2(0.875)  # feasible there, at least 1 in both other slots
    assert row["necessary_bits"] == pytest.approx(least) and row["excess_bits"] == pytest.approx(told - least)
    assert row["certified"] and row["certified_feasible"] and row["regret"] == 0


def test_a_round_that_only_tells_of_one_slot_certifies_no_more_than_that_it_is_feasible() -> None:
    game = Game([[0, 0], [1, 0]])
    game.typed(0, 0, 1, sd="propose", meeting_id=1, slot=0, initiator=0)
    game.typed(0, 1, 0, sd="reply", meeting_id=1, slot=0, reply_status="PENDING").ended(0, {0: 0, 1: 0})
    row = leakage(game.tables(), SETTINGS).rounds.row(0, named=True)
    assert (row["certified"], row["certified_feasible"], row["regret"]) == (False, True, 1)


def test_a_lie_can_make_the_initiator_sure_but_certifies_nothing() -> None:
    game = Game([[0, 0], [BLOCKED, 0]])
    game.typed(0, 0, 1, imap="cost_request", meeting_id=1, slots=[0, 1])
    game.typed(0, 1, 0, imap="costs", meeting_id=1, costs={"0": 0, "1": None}).ended(0, {0: 0, 1: 0})
    found = leakage(game.tables(), SETTINGS)
    row = found.rounds.row(0, named=True)
    assert row["certified"] and not row["certifiable"]
    assert by_game(found, game.tables()["games"])["certified_rounds"].to_list() == [0]
