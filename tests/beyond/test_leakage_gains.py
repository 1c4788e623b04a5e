"""What an observer believes of a slot, against Bayes over whole calendars."""

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.beyond import params
from pipeline.beyond.leakage.gains import costs_stated, divergence, gains, stated_prior
from pipeline.privacy.protocols.states import COSTS, FEASIBLE, FILLED, States

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


def test_of_two_statements_that_cannot_both_be_true_one_is_believed() -> None:
    found = STATES.posterior(PRIOR.probability, STATES.free(), STATES.busy())
    assert found == pytest.approx([0.2, 0, 0, 0, 0.8])  # 0.125 to 0.5


def test_a_lie_gains_bits_and_loses_true_ones() -> None:
    believed = STATES.posterior(PRIOR.probability, STATES.busy())[None]
    free = np.array([0])
    found = gains(believed, PRIOR.probability, free, 2**-10)
    assert found["bits"] == pytest.approx(1.0)
    assert found["bits_true"] == pytest.approx(-10 - log2(0.125))
    assert found["feasible_bits_true"] == pytest.approx(-10 - log2(0.5))
    assert found["misled"] == 1


def test_a_lie_about_what_nobody_expects_gains_no_true_bits_either() -> None:
    rare = stated_prior(0.5, 0.75, {1: 9999, 7: 1})
    said = rare.states.posterior(rare.probability, rare.states.costing(1))[None]
    assert gains(said, rare.probability, np.array([2]), 2**-10)["bits_true"] < 0


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


def test_what_is_true_and_certain_gains_as_much_as_is_true() -> None:
    found = gains(
        STATES.posterior(PRIOR.probability, STATES.costing(100))[None], PRIOR.probability, np.array([2]), 0.001
    )
    assert found["bits"] == found["bits_true"] == pytest.approx(-log2(0.5 * 0.75 * 11 / 36))
    assert found["feasible_bits"] == found["feasible_bits_true"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("said", "possible"),
    [(0, [0]), (1, [1]), (None, [4]), (7, [1, 2, 3]), (-2, [0])],
    ids=["free", "an errand", "busy", "a cost that nobody has", "a cost below 0"],
)
def test_a_cost_says_which_states_have_it(said: float | None, possible: list[int]) -> None:
    assert np.flatnonzero(STATES.costing(said)).tolist() == possible


def test_a_belief_is_reached_from_one_half() -> None:
    even = stated_prior(0.5, 0.75, {1: 1})
    found = even.states.posterior(even.probability, even.states.believing(0.85))
    assert 1 - found[-1] == pytest.approx(0.85)
    assert found[0] / found[1] == pytest.approx(even.probability[0] / even.probability[1])


def test_costs_of_states_ascend() -> None:
    with pytest.raises(ValueError, match="ascending"):
        States((100, 1))


def test_a_prior_that_excludes_a_state_is_refused() -> None:
    with pytest.raises(ValueError, match="every state must be possible"):
        States((1,)).prior(1.0, 0.75, {1: 1})


def test_the_stated_prior_is_the_one_that_evidence_is_derived_from() -> None:
    settings = params("leakage")
    assert (settings["feasible"], settings["filled"]) == (FEASIBLE, FILLED)
    assert {setting: costs_stated(settings, setting) for setting in settings["costs"]} == COSTS
