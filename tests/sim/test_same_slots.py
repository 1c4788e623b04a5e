"""When polling and secure sums take IMAP's slots: worlds inside docs/beyond/same-slots.md's conditions, and outside.

Turns are the theorem's: what a meeting may need at worst.
"""

from itertools import product
from math import ceil, comb, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.beyond.poll import Poll, PollParameters
from sim.agents.beyond.secure import Secure, SecureParameters
from sim.agents.beyond.strategic import Strategic, StrategicParameters
from sim.agents.imap import Imap
from tests.sim.worlds import events, new_game, play

TOKENS = (".", ".", "1", "100", "1000", "x1")


def polling_turns(slots, responders, parameters=PollParameters()):
    """f: as many turns as polling may need for a meeting. Everybody is surveyed."""
    return max(1, parameters.patience + ceil(log2(slots))) + responders * len(parameters.ladder) + 2


def secure_turns(participants, parameters=SecureParameters()):
    """As many turns as secure sums may need for a meeting, with a ladder whose sums all differ."""
    totals = comb(participants + len(parameters.ladder) - 1, participants)
    return ceil(totals / parameters.at_once) + 3


def taken(world, agent, max_turns):
    """Where the participants hold each meeting after its round."""
    game = play(new_game(world, max_turns_per_round=max_turns), [agent() for _ in world[0]])
    return [e["per_agent_slot"] if e["coordinated"] else None for e in events(game, "resolution")]


def up_to_a_failure(slots):
    """The rounds before the first in which no slot was possible for all: there IMAP's participants guess."""
    return slots[: slots.index(None)] if None in slots else slots


@st.composite
def worlds(draw, spare=0):
    """Calendars of 2 to 4 agents with costs on the ladder, and meetings that leave `spare` agents out at least."""
    agents, slots = draw(st.integers(2 + spare, 4)), draw(st.integers(2, 7))
    boards = [" ".join(draw(st.lists(st.sampled_from(TOKENS), min_size=slots, max_size=slots))) for _ in range(agents)]
    order = st.permutations(range(agents)).flatmap(
        lambda all_: st.integers(2, agents - spare).map(lambda n: tuple(all_[:n]))
    )
    return boards, draw(st.lists(order, min_size=1, max_size=3))


PARAMETERS = st.builds(PollParameters, patience=st.integers(0, 6))


def same_slots(world, agent, enough):
    """Whether the agents take IMAP's slots, in every round that has a slot possible for all."""
    expected = up_to_a_failure(taken(world, Imap, 15))
    found = taken(world, agent, enough)
    return found[: len(expected)] == expected


@settings(max_examples=40)
@given(worlds(), PARAMETERS)
def test_polling_takes_imap_s_slots_inside_its_conditions(world, parameters):
    slots, responders = len(world[0][0].split()), max(map(len, world[1])) - 1
    assert same_slots(world, lambda: Poll(parameters), polling_turns(slots, responders, parameters))


@settings(max_examples=20)
@given(worlds(spare=1), st.integers(1, 5))
def test_secure_sums_take_imap_s_slots_inside_their_conditions(world, at_once):
    parameters = SecureParameters(at_once=at_once)
    assert same_slots(world, lambda: Secure(parameters), secure_turns(max(map(len, world[1])), parameters))


def costs(board):
    """What each slot of a written calendar costs its owner: null where impossible."""
    return [None if t == "x1" or (t != "." and "." not in board) else int(t) if t != "." else 0 for t in board]


def by_brute_force(boards):
    """The lowest slot of least total cost, where one is possible for all."""
    slots = enumerate(zip(*map(costs, boards), strict=True))
    return min(((sum(each), slot) for slot, each in slots if None not in each), default=(None, None))[1]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "slots", "turns"), [(Poll, 3, polling_turns(3, 1)), (Secure, 2, secure_turns(2))])
def test_in_every_tiny_world_of_two_agents_the_cheapest_slot_is_taken(agent, slots, turns):
    every = list(product(TOKENS[1:], repeat=slots))
    for boards in product(every, every):
        world = ([" ".join(board) for board in (*boards, "." * slots)], [(0, 1)])
        (found,) = taken(world, agent, turns)
        assert (found and found["1"]) == by_brute_force(boards), boards


# A meeting of the paper's size, 16 slots and three participants: slots 4 to 13 cost 1100, slots 0 to 3 cost 2000.
LATE = (
    [" ".join(["."] * 16), " ".join(["1000"] * 14 + ["x1", "."]), " ".join(["1000"] * 4 + ["100"] * 10 + [".", "x1"])],
    [(1, 2, 0)],
)
BETWEEN = ([". . x1", "90 80 .", ". . ."], [(0, 1)])


def named_first():
    return Poll(PollParameters(ties="named", survey=0))


def fifty_times(protocol):
    """An agent of seat 1 that says its errands cost fifty times what they do, which is no cost of the ladder."""
    return lambda: Strategic(StrategicParameters(protocol="any", seats=(1,), factor=50), protocol())


# One row a condition that fails: the world, the agents, their turns, and the agents whose slots IMAP's are.
OUTSIDE = {
    "polling, costs between two thresholds": (BETWEEN, Poll, 40, Imap),
    "polling, answers that are no costs of the ladder": (
        ([". . x1", "1000 100 ."], [(0, 1)]),
        fifty_times(Poll),
        40,
        fifty_times(Imap),
    ),
    "polling, the paper's fifteen turns": (LATE, Poll, 15, Imap),
    "polling, ties broken otherwise": ((["1 . x1", ". 1 x1"], [(0, 1)]), named_first, 40, Imap),
    "secure sums, costs between two": (BETWEEN, Secure, 40, Imap),
    "secure sums, the initiator's costs between two": ((["90 80 .", ". . x1", ". . ."], [(0, 1)]), Secure, 40, Imap),
    "secure sums, nobody outside": (([". .", ". ."], [(0, 1)]), Secure, 40, Imap),
    "secure sums, the paper's fifteen turns, one total at once": (
        (["1000 . x1 x1", "1000 x1 . x1", "1000 x1 x1 .", ". . . ."], [(0, 1, 2)]),
        lambda: Secure(SecureParameters(at_once=1)),
        15,
        Imap,
    ),
}


@pytest.mark.parametrize("broken", OUTSIDE)
def test_outside_the_conditions_slots_may_differ(broken):
    world, agent, turns, imap = OUTSIDE[broken]
    assert taken(world, agent, turns) != taken(world, imap, 15)


def test_with_the_turns_of_the_theorem_the_late_meeting_is_imap_s():
    assert polling_turns(16, 2) == 18
    assert taken(LATE, Poll, 18) == taken(LATE, Imap, 15) == [dict.fromkeys("012", 4)]
