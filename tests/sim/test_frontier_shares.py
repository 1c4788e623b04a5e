from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.beyond.shares import Hiding, Shares, SharesParameters, codes_of, order, stream, sums_differ, sums_of
from sim.agents.imap import Imap
from tests.sim.worlds import events, new_game, payloads, play, slots_of

BUSY_ONLY = (0,)  # a ladder: who can, can at no cost


def game_of(boards, members):
    return play(new_game((boards, [members])), [Shares() for _ in boards])


def decided(game, protocol):
    """The slots that were announced, and to whom."""
    return [(to, p["slot"]) for _, to, p in payloads(game) if p[protocol] == "decision"]


TOKEN = st.sampled_from([".", "1", "100", "1000", "x1", "x1"])
BOARDS = st.lists(st.lists(TOKEN, min_size=4, max_size=4).map(" ".join), min_size=5, max_size=5)


@settings(max_examples=20)
@given(boards=BOARDS, members=st.sampled_from([(0, 1, 2), (1, 3, 4), (0, 1, 2, 4), (0, 1, 2, 3, 4)]))
def test_secret_shares_decide_for_the_very_slot_that_imap_decides_for(boards, members):
    asked = play(new_game((boards, [members])), [Imap() for _ in boards])
    assert decided(game_of(boards, members), "shares") == decided(asked, "imap")


@given(boards=BOARDS, others=BOARDS)
@settings(max_examples=8)
def test_who_writes_to_whom_in_which_turn_tells_nothing_but_whether_there_is_a_slot(boards, others):
    games = [game_of(b, (0, 1, 2)) for b in (boards, others)]
    talks = [[(e["turn"], s, to, p["shares"]) for e, (s, to, p) in zip(events(g, "dm_sent"), payloads(g), strict=True)
              if p["shares"] != "decision"] for g in games]  # fmt: skip
    assert talks[0] == talks[1]
    assert [len(decided(g, "shares")) for g in games] == [2 * (slots_of(g, 1)[0] is not None) for g in games]


def test_where_only_two_take_part_nothing_is_said():
    game = game_of([". .", ". .", ". ."], (0, 2))
    assert (payloads(game), slots_of(game, 1)[0]) == ([], None)


def test_codes_are_the_least_whose_sums_tell_what_they_are_of():
    assert codes_of(5, 3) == (0, 1, 4, 13, 32)
    assert sums_differ((0, 1, 4), 3) and not sums_differ((0, 1, 3), 3)


@settings(max_examples=20)
@given(costs=st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=12, max_size=12), seed=st.text(max_size=4))
def test_shares_add_up_to_a_zero_at_the_lowest_of_the_cheapest_and_nowhere_else(costs, seed):
    """Four slots, three participants, each holding one of the ladder's four costs or, as the fifth, being busy."""
    sums = sums_of((0, 1, 100, 1000), 3, 4)
    boards = [costs[0:4], costs[4:8], costs[8:12]]
    shifts, vectors = sums.first_vectors(seed)
    own = stream(seed, "second", 4, sums.modulus)
    held = [[sums.codes[c] for c in board] for board in boards]
    left = [sums.second_vector(v, a + b - code) for v, a, b, code in zip(vectors, shifts, own, held[2], strict=True)]
    opened = [sum(row) % sums.modulus for row in zip(held[0], shifts, held[1], own, strict=True)]
    shared = [
        sums.values([sums.hits(v, d) for v, d in zip(table, opened, strict=True)], leads)
        for table, leads in ((vectors, True), (left, False))
    ]
    whole = [[(a + b) % sums.prime for a, b in zip(*rows, strict=True)] for rows in zip(*shared, strict=True)]
    paid = [sum((0, 1, 100, 1000, 10**6)[board[slot]] for board in boards) for slot in range(4)]
    best = paid.index(min(paid)) if min(paid) < 10**6 else None
    assert [slot for slot, row in enumerate(whole) if 0 in row] == ([] if best is None else [best])
    hiding = sums.hiding(seed)
    place = sums.place_of_zero(*(sums.masked(t, hiding, leads) for t, leads in zip(shared, (True, False), strict=True)))
    assert place == (None if best is None else hiding.places.index(best))


def evenly(counted, outcomes):
    """Whether each of so many outcomes came as often."""
    return len(counted) == outcomes and len(set(counted.values())) == 1


@pytest.mark.parametrize("dealers", [0, 1])
@pytest.mark.parametrize("others", [0, 1])
def test_what_who_adds_is_dealt_and_told_is_uniform_whatever_the_others_hold(dealers, others):
    """Every draw of one slot: shifts and vector of first, shift of second; costs are none, or being busy."""
    sums = sums_of(BUSY_ONLY, 3, 1)
    m, p = sums.modulus, sums.prime
    firsts, seconds = Counter(), Counter()
    for r1, r2, *vector in product(range(m), range(m), *[range(p)] * m):
        left = sums.second_vector(vector, r1 + r2 - sums.codes[dealers])
        firsts[r1, *vector, (sums.codes[others] + r2) % m] += 1
        seconds[r2, *left, (sums.codes[others] + r1) % m] += 1
    assert (m, p) == (4, 3)
    assert evenly(firsts, m * m * p**m) and evenly(seconds, m * m * p**m)


def test_what_the_dealer_sees_is_the_same_whichever_slot_it_is():
    """Every draw of factors, masks and orders, for two slots: the values are 0 at the first slot that all can take."""
    sums, seen = sums_of(BUSY_ONLY, 3, 2), {}
    for hits in product((0, 1), repeat=2):
        shares = [sums.values([[hit] for hit in hits], True), sums.values([[0], [0]], False)]
        counted = seen[hits] = Counter()
        for places, f, g, m, n in product(([0, 1], [1, 0]), *[range(1, sums.prime)] * 2, *[range(sums.prime)] * 2):
            hiding = Hiding(places, [[0], [0]], [[f], [g]], [[m], [n]])
            tables = [sums.masked(table, hiding, leads) for table, leads in zip(shares, (True, False), strict=True)]
            counted[str(tables)] += 1
    assert seen[1, 0] == seen[0, 1] == seen[1, 1] != seen[0, 0]
    assert len(set(seen[0, 0].values())) == 1


def test_two_of_three_who_put_together_what_they_know_learn_what_the_third_holds():
    """Against collusion there is no protection, as the page on the frontier says: here of dealer and first."""
    game = game_of(["1 . 100", ". 100 x1", "1000 1 ."], (0, 1, 2))
    said = {(s, p["shares"]): p for s, _, p in payloads(game)}
    shifts, told = said[2, "dealt"]["shifts"], said[1, "shifted"]["values"]
    sums = sums_of(SharesParameters().ladder, 3, 3)
    assert [sums.codes.index((t - r) % sums.modulus) for t, r in zip(told, shifts, strict=True)] == [0, 2, 4]


def test_streams_of_different_names_and_seeds_differ_and_orders_hold_each_number_once():
    assert stream("a", "x", 8, 97) != stream("a", "y", 8, 97) != stream("b", "x", 8, 97)
    assert sorted(order("a", "x", 9)) == list(range(9))
    assert all(300 < n < 500 for n in Counter(stream("a", "x", 4000, 10)).values())
