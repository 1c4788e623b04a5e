"""What is believed of a slot before anything is said, where evidence has to be derived: stated, by setting.

A slot is feasible with probability 0.5, the paper's prior. Of feasible slots three quarters hold an errand, as the
generator fills 10, 13 and 13 of 16 slots at densities 0.6, 0.8 and 1.0; its cost is drawn as the generator deals it.
"""

from functools import cache
from typing import NamedTuple

from pipeline.likelihood.states import States, Vector

FEASIBLE, FILLED = 0.5, 0.75
COSTS = {"uniform": {1: 1}, "varied": {1: 14, 100: 11, 1000: 11}}
UNKNOWN = "varied"  # the costs of a setting that is not one of these


class World(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    prior: Vector


@cache
def world(setting: str | None) -> World:
    """The world of a setting."""
    costs = COSTS.get(setting or UNKNOWN, COSTS[UNKNOWN])
    states = States(tuple(sorted(costs)))
    return World(states, states.prior(FEASIBLE, FILLED, costs))


def world_of(states: States) -> World:
    """The world of a setting with these states; its costs equally likely where no setting has just them."""
    known = next((of for of in COSTS.values() if tuple(sorted(of)) == states.costs), dict.fromkeys(states.costs, 1))
    return World(states, states.prior(FEASIBLE, FILLED if known else 0.0, known))
