"""What is believed of a slot before anything is said, where evidence has to be derived: stated, by setting.

A slot is feasible with probability 0.5, the paper's prior. Of feasible slots three quarters hold an errand, as the
generator fills 10, 13 and 13 of 16 slots at densities 0.6, 0.8 and 1.0; its cost is drawn as the generator deals it.
"""

from functools import cache
from typing import NamedTuple

from pipeline.privacy.protocols.states import States, Vector

FEASIBLE, FILLED = 0.5, 0.75
COSTS = {"uniform": {1: 1}, "varied": {1: 14, 100: 11, 1000: 11}}
UNKNOWN = "varied"  # the costs of a setting that is not one of these


class SlotPrior(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    probability: Vector

    def feasible_after(self, *likelihoods: Vector) -> float:
        """P(feasible | what was said)."""
        return float(1.0 - self.states.posterior(self.probability, *likelihoods)[-1])


@cache
def slot_prior(setting: str | None) -> SlotPrior:
    """The prior of a setting."""
    costs = COSTS.get(setting or UNKNOWN, COSTS[UNKNOWN])
    states = States(tuple(sorted(costs)))
    return SlotPrior(states, states.prior(FEASIBLE, FILLED, costs))


def slot_prior_over(states: States) -> SlotPrior:
    """The prior of the setting with these states; their costs equally likely where no setting has just them."""
    costs = next((of for of in COSTS.values() if tuple(sorted(of)) == states.costs), dict.fromkeys(states.costs, 1))
    return SlotPrior(states, states.prior(FEASIBLE, FILLED if costs else 0.0, costs))
