"""The least that must be disclosed so that an initiator is sure of a slot: facts of others' slots, in bits.

The initiator knows its own calendar. A fact is "agent a's cost at slot s is ≤ c, ≥ c or = c", or "busy", which is
above every cost; it is true, and costs −log2 of its prior probability. What must hold for every calendar that the
facts allow: the chosen slot is feasible for all, and no other slot costs less than it by more than the regret. For a
least-cost slot the regret is 0; one that is not least-cost can't be certified so, and its true regret is certified
instead.

Sums bind slots only through what the others may cost at the chosen slot, U. Given U each other slot stands alone: its
lower bounds must add up to U + own cost there − own cost here − regret. So the minimum over the few values of U, of
the cheapest bounds from above at the chosen slot plus the cheapest from below elsewhere, is exact. Facts "=" are
never cheaper than the bound that is needed of them.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, log2
from typing import NamedTuple

from pipeline.beyond.leakage.priors import Prior

Front = tuple[tuple[float, float], ...]  # (bound on the sum, bits), none better than another in both


class Necessary(NamedTuple):
    """Bits that certify the slot, bits that certify it merely feasible, and by how much it misses the least cost."""

    bits: float
    feasible_bits: float
    regret: float


class Market:
    """A prior as certificates need it: the bits of each bound on one agent's slot."""

    def __init__(self, prior: Prior) -> None:
        self.costs = [inf if cost is None else float(cost) for cost in prior.states.names]
        chances = [float(p) for p in prior.probability]
        self.at_most = [-log2(sum(chances[: k + 1])) for k in range(len(chances) - 1)]
        self.at_least = [0.0] + [-log2(sum(chances[k:])) for k in range(1, len(chances))]
        self.above = lru_cache(maxsize=None)(self._above)
        self.below = lru_cache(maxsize=None)(self._below)

    def cost(self, state: int) -> float:
        """What a slot in the state costs (infinite: busy)."""
        return self.costs[state]

    def _above(self, states: tuple[int, ...]) -> Front:
        """Upper bounds on the sum of the agents' costs; none where one of them is busy."""
        found: list[tuple[float, float]] = [(0.0, 0.0)]
        for state in states:
            if self.cost(state) == inf:
                return ()
            options = [(self.costs[k], self.at_most[k]) for k in range(state, len(self.at_most))]
            found = _undominated([(u + c, b + d) for u, b in found for c, d in options], 1)
        return tuple(found)

    def _below(self, states: tuple[int, ...]) -> Front:
        """Lower bounds on the sum of the agents' costs, from none."""
        found: list[tuple[float, float]] = [(0.0, 0.0)]
        for state in states:
            options = [(self.costs[k], self.at_least[k]) for k in range(state + 1)]
            found = _undominated([(v + c, b + d) for v, b in found for c, d in options], -1)
        return tuple(found)


def _undominated(options: list[tuple[float, float]], sign: int) -> list[tuple[float, float]]:
    """The options that no other beats in bits and bound (sign 1: the smaller the better), cheapest first."""
    kept: list[tuple[float, float]] = []
    for bound, bits in sorted(options, key=lambda o: (o[1], sign * o[0])):
        if not kept or sign * bound < sign * kept[-1][0]:
            kept.append((bound, bits))
    return kept


def necessary(own: Sequence[int], others: Sequence[tuple[int, ...]], chosen: int, market: Market) -> Necessary | None:
    """What certifies the chosen slot; None where it is infeasible for a participant, so that nothing can.

    own: the initiator's state of each slot; others: of each slot the other participants' states. Where the initiator is
    busy, as it is in all meetings that it attends, nothing has to be said.
    """
    mine = [market.cost(state) for state in own]
    above = market.above(tuple(sorted(others[chosen])))
    if mine[chosen] == inf or not above:
        return None
    totals = [cost + sum(map(market.cost, states)) for cost, states in zip(mine, others, strict=True)]
    regret = totals[chosen] - min(totals)
    elsewhere = [
        (cost, market.below(tuple(sorted(states))))
        for slot, (cost, states) in enumerate(zip(mine, others, strict=True))
        if slot != chosen and cost < inf
    ]
    least = min(
        bits + sum(_cheapest(front, most + mine[chosen] - regret - cost) for cost, front in elsewhere)
        for most, bits in above
    )
    return Necessary(least, min(bits for _, bits in above), regret)


def _cheapest(front: Front, needed: float) -> float:
    """The bits of the cheapest lower bound that is at least what is needed; infinite where none is."""
    return next((bits for bound, bits in front if bound >= needed), inf)
