"""The least that certifies a slot, against every set of facts."""

from itertools import product
from math import inf, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_games import BLOCKED, SETTINGS, Game

from pipeline.beyond.leakage.gains import BoundBits, Prior, cheapest_certificate, stated_prior
from pipeline.beyond.leakage.measure import by_game, leakage

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


def test_bounds_that_meet_are_cheaper_than_exact_costs() -> None:
    found = cheapest_certificate([FREE, FREE], [(FREE,), (ONE,)], 0, BoundBits(UNIFORM))
    assert found is not None
    assert found.bits == pytest.approx(1.0 - log2(0.875))  # "feasible", so 1 at most, and there at least 1; "free" is 3
    assert found.feasible_bits == pytest.approx(1.0)


def test_a_slot_that_is_dear_for_the_initiator_needs_no_words() -> None:
    found = cheapest_certificate([FREE, ONE], [(ONE,), (FREE,)], 0, BoundBits(UNIFORM))
    assert found is not None
    assert found.bits == pytest.approx(1.0)  # "feasible" there: 1 at most, and the other slot costs the initiator 1


def test_of_a_slot_that_is_not_the_cheapest_its_regret_is_certified() -> None:
    found = cheapest_certificate([ONE, FREE], [(ONE,), (FREE,)], 0, BoundBits(UNIFORM))
    assert found is not None
    assert found.regret == 2
    assert found.bits == pytest.approx(1.0)  # feasible: 2 at most


def test_of_a_slot_in_which_the_initiator_is_busy_nothing_has_to_be_said() -> None:
    told, busy = (cheapest_certificate([FREE, own], [(ONE,), (FREE,)], 0, BoundBits(TWO)) for own in (ONE, BUSY))
    assert told is not None and busy is not None
    assert busy.bits == pytest.approx(1.0) and told.bits == pytest.approx(-log2(0.375))  # "feasible"; "1 at most"


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


def test_a_round_without_a_common_slot_has_nothing_to_certify() -> None:
    row = leakage(Game([[0, 0], [0, 0]]).ended(0, {0: 0, 1: 1}).tables(), SETTINGS).rounds.row(0, named=True)
    assert not row["certifiable"] and row["necessary_bits"] is None and row["excess_bits"] is None


def test_a_lie_can_make_the_initiator_sure_but_certifies_nothing() -> None:
    game = Game([[0, 0], [BLOCKED, 0]])
    game.typed(0, 0, 1, imap="cost_request", meeting_id=1, slots=[0, 1])
    game.typed(0, 1, 0, imap="costs", meeting_id=1, costs={"0": 0, "1": None}).ended(0, {0: 0, 1: 0})
    found = leakage(game.tables(), SETTINGS)
    row = found.rounds.row(0, named=True)
    assert row["certified"] and not row["certifiable"]
    assert by_game(found, game.tables()["games"])["certified_rounds"].to_list() == [0]
