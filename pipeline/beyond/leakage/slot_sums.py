"""Sums of several agents' costs in each slot, and which slot is the cheapest: exact, slots independent.

Frames are arrays: `totals` the possible sums, ascending, the last infinite (somebody can't); `held` slots × totals.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from pipeline.beyond.leakage.gains import Array
from pipeline.privacy.protocols.states import States


@cache
def _sums(prices: tuple[tuple[float, ...], ...]) -> tuple[Array, Array]:
    """The possible sums of one price of each list, and for each choice of prices which sum it comes to."""
    sums = np.array([sum(choice) for choice in product(*prices)])
    totals, place = np.unique(np.append(sums, np.inf), return_inverse=True)
    return totals, np.eye(len(totals))[place[:-1]]


def prices_of(states: States) -> tuple[float, ...]:
    """What each state costs, infinite where busy."""
    return tuple(np.inf if cost is None else float(cost) for cost in states.names)


def totals_of(
    beliefs: Array, states: States, prices: Sequence[tuple[float, ...]] | None = None
) -> tuple[Array, Array]:
    """(totals, held) of agents' beliefs, agents × slots × states. prices: what each agent's states count as."""
    listed = tuple(prices) if prices is not None else (prices_of(states),) * len(beliefs)
    totals, sums_to = _sums(listed)
    joint = np.ones((beliefs.shape[1], 1))
    for agent in beliefs:
        joint = (joint[:, :, None] * agent[:, None, :]).reshape(len(agent), -1)
    return totals, joint @ sums_to


def lowest_cheapest_probability(totals: Array, held: Array, chosen: int | None, among: Array | None = None) -> float:
    """P(the chosen slot is the lowest of the cheapest); None: no slot is feasible for all.

    among: a truth value of each total, of those that the least total may be.
    """
    if chosen is None:
        return float(held[:, -1].prod())
    above = _above(held)
    least = held[chosen] * above[:chosen].prod(axis=0) * (above + held)[chosen + 1 :].prod(axis=0)
    least = least[:-1] if among is None else least[:-1] * among[:-1]
    return float(least.sum())


def least_probability(totals: Array, held: Array, slot: int, regret: float = 0.0) -> float:
    """P(the slot is feasible, and its total at most `regret` above the least)."""
    at_least = np.stack([held[:, totals >= total - regret].sum(axis=1) for total in totals[:-1]], axis=1)
    at_least[slot] = held[slot, :-1]
    return float(at_least.prod(axis=0).sum())


def _above(held: Array) -> Array:
    """P(total > each), slots × totals."""
    after = np.cumsum(held[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.append(after[:, 1:], np.zeros((len(held), 1)), axis=1))
