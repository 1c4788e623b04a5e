from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.beyond.secure import MODULUS, Secure, SecureParameters, factor, mask, masked
from sim.agents.imap import Imap
from tests.sim.worlds import calendar, new_game, payloads, play, registration, request, slots_of

PARTIES = (1, 3, 4)
COST = st.sampled_from([0, 1, 100, 1000])


def game_of(boards, lists, **parameters):
    return play(new_game((boards, lists)), [Secure(SecureParameters(**parameters)) for _ in boards])


@given(seed=st.text(max_size=5), level=st.integers(0, 20), slot=st.integers(0, 15))
def test_masks_of_all_parties_cancel(seed, level, slot):
    assert sum(mask(seed, level, slot, a, PARTIES) for a in PARTIES) % MODULUS == 0
    assert 1 <= factor(seed, level, slot) < MODULUS


@given(costs=st.tuples(COST, COST, COST), asked=COST, seed=st.text(max_size=5))
def test_what_the_parties_send_adds_up_to_the_factor_times_how_far_the_sum_is_from_the_total(costs, asked, seed):
    sent = [masked(seed, (2, asked), 7, cost, agent, PARTIES) for agent, cost in zip(PARTIES, costs, strict=True)]
    assert sum(sent) % MODULUS == factor(seed, 2, 7) * (sum(costs) - asked) % MODULUS
    assert (sum(sent) % MODULUS == 0) == (sum(costs) == asked)


def test_a_masked_value_looks_the_same_whatever_the_cost():
    """Over the masks' draws each cost gives residues that fill the range evenly: a tenth in each tenth."""
    for cost in (0, 1000):
        values = [masked(str(n), (0, 0), 0, cost, 3, PARTIES) for n in range(4000)]
        tenths = [sum(v * 10 // MODULUS == t for v in values) for t in range(10)]
        assert all(320 < n < 480 for n in tenths)


BOARDS = [". 1 . 1 .", ". . 100 . 1", "1 . . x1 .", ". . . . .", "1 1 1 1 ."]


def test_the_outsider_tests_and_nobody_is_told_a_cost_or_a_sum():
    sent = payloads(game_of(BOARDS, [(0, 1, 2)], at_once=1))
    assert [(s, to, p["secure"]) for s, to, p in sent if p["secure"] in ("key", "found", "decision")] == [
        (0, 1, "key"),
        (0, 2, "key"),
        (3, 0, "found"),
        (0, 1, "decision"),
        (0, 2, "decision"),
    ]
    assert {to for _, to, p in sent if p["secure"] == "masked"} == {3}
    small = [v for _, _, p in sent if p["secure"] == "masked" for row in p["values"] for v in row if v < 10**6]
    assert small == []


def test_totals_are_asked_until_one_occurs():
    game = game_of(["1 1 .", "1 1 .", "x1 . x1", ". . ."], [(0, 1, 2)], at_once=1)
    asked = [p["totals"] for s, _, p in payloads(game) if p["secure"] == "masked" and s == 0]
    assert asked == [[0], [1], [2]]
    assert slots_of(game, 1)[:3] == [1, 1, 1]


def test_where_everybody_takes_part_nobody_can_test_and_nothing_is_said():
    game = game_of([". .", ". ."], [(0, 1)])
    assert (payloads(game), slots_of(game, 1)) == ([], [None, None])


def test_where_no_slot_is_possible_for_all_the_initiator_is_told_so():
    game = game_of(["x1 .", ". x1", ". ."], [(0, 1)], at_once=10)
    (found,) = [p for _, _, p in payloads(game) if p["secure"] == "found"]
    assert (found["level"], found["places"], slots_of(game, 1)[:2]) == (None, [], [None, None])


BOARD = st.lists(st.sampled_from([".", ".", "1", "100", "1000", "x1"]), min_size=5, max_size=5).map(" ".join)


@settings(max_examples=40)
@given(boards=st.lists(BOARD, min_size=4, max_size=4), at_once=st.sampled_from([4, 20]))
def test_secure_sums_decide_for_the_very_slot_that_imap_decides_for(boards, at_once):
    secret = game_of(boards, [(0, 1, 2)], at_once=at_once)
    asked = play(new_game((boards, [(0, 1, 2)])), [Imap() for _ in boards])
    assert decided(secret, "secure") == decided(asked, "imap")


def decided(game, protocol):
    """The slots that were announced."""
    return [p["slot"] for _, _, p in payloads(game) if p[protocol] == "decision"]


def test_an_order_that_leaves_a_slot_out_is_refused():
    player = Secure()
    player.register(registration(calendar(". ."), 1, 4))
    key = {"secure": "key", "meeting_id": 2, "tester": 3, "seed": "s", "orders": [[0, 0]] * 20}
    assert player.act(request(calendar(". ."), inbox=[(0, key)])).actions == []


def test_the_secret_order_is_drawn_anew_for_each_total():
    (key, *_) = [p for _, _, p in payloads(game_of(BOARDS, [(0, 1, 2)])) if p["secure"] == "key"]
    assert len({tuple(order) for order in key["orders"]}) > len(key["orders"]) / 2
    assert all(sorted(order) == list(range(5)) for order in key["orders"])
