"""What would have had to be disclosed: the cheapest certificate of a slot, and the floor below any proof of it.

And what each round disclosed beside them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pipeline.beyond.leakage.gains import Array, Prior
from pipeline.beyond.leakage.statements import Calendars, Histories, Integers, calendars
from pipeline.beyond.leakage.sum_views import least_probability, totals_of
from pipeline.privacy.protocols.states import States

CERTIFICATE = {
    "game_id": pl.String,
    "round": pl.Int64,
    "initiator": pl.Int64,
    "certifiable": pl.Boolean,
    "necessary_bits": pl.Float64,
    "necessary_feasible_bits": pl.Float64,
    "floor_bits": pl.Float64,
    "regret": pl.Float64,
    "certified": pl.Boolean,
    "certified_feasible": pl.Boolean,
}
CostBounds = tuple[Array, Array]  # least and largest, flat as a history
Front = tuple[tuple[float, float], ...]  # (bound on the sum, bits), none better than another in both


class Certificate(NamedTuple):
    """Bits that certify the slot, bits that certify it merely feasible, and by how much it misses the least cost."""

    bits: float
    feasible_bits: float
    regret: float


def floor_bits(participants: Sequence[int], slot: int, beliefs: Array, truth: Array, states: States) -> float | None:
    """−log2 P(the slot is a cheapest | own calendars): no truthful proof that it is can tell its observers less.

    Of a slot that misses the least total, that it misses it by no more than it truly does. None where the slot is not
    feasible for all, so that nothing can be proven. beliefs, truth: agents × slots × states. Proof:
    docs/beyond/leakage.md.
    """
    totals, held = totals_of(beliefs[list(participants)], states)
    _, true = totals_of(truth[list(participants)], states)
    true_totals = (true * np.where(np.isfinite(totals), totals, 0.0)).sum(axis=1)
    feasible = true[:, -1] == 0
    if not feasible[slot]:
        return None
    regret = float(true_totals[slot] - true_totals[feasible].min())
    return -log2(least_probability(totals, held, slot, regret))


class BoundBits:
    """What bounds on the cost of agents' slots take under a prior, in bits."""

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
        front: list[tuple[float, float]] = [(0.0, 0.0)]
        for state in states:
            if self.cost(state) == inf:
                return ()
            options = [(self.costs[k], self.at_most[k]) for k in range(state, len(self.at_most))]
            front = _undominated([(u + c, b + d) for u, b in front for c, d in options], 1)
        return tuple(front)

    def _below(self, states: tuple[int, ...]) -> Front:
        """Lower bounds on the sum of the agents' costs, from none."""
        front: list[tuple[float, float]] = [(0.0, 0.0)]
        for state in states:
            options = [(self.costs[k], self.at_least[k]) for k in range(state + 1)]
            front = _undominated([(v + c, b + d) for v, b in front for c, d in options], -1)
        return tuple(front)


def _undominated(options: list[tuple[float, float]], sign: int) -> list[tuple[float, float]]:
    """The options that no other beats in bits and bound (sign 1: the smaller the better), cheapest first."""
    kept: list[tuple[float, float]] = []
    for bound, bits in sorted(options, key=lambda o: (o[1], sign * o[0])):
        if not kept or sign * bound < sign * kept[-1][0]:
            kept.append((bound, bits))
    return kept


def cheapest_certificate(
    own: Sequence[int], others: Sequence[tuple[int, ...]], chosen: int, prices: BoundBits
) -> Certificate | None:
    """What certifies the chosen slot; None where it is infeasible for a participant, so that nothing can.

    own: the initiator's state of each slot; others: of each slot the other participants' states. Where the initiator is
    busy, as it is in all meetings that it attends, nothing has to be said.
    """
    costs = [prices.cost(state) for state in own]
    above = prices.above(tuple(sorted(others[chosen])))
    if costs[chosen] == inf or not above:
        return None
    totals = [cost + sum(map(prices.cost, states)) for cost, states in zip(costs, others, strict=True)]
    regret = totals[chosen] - min(totals)
    elsewhere = [
        (cost, prices.below(tuple(sorted(states))))
        for slot, (cost, states) in enumerate(zip(costs, others, strict=True))
        if slot != chosen and cost < inf
    ]
    least = min(
        bits + sum(_cheapest(front, most + costs[chosen] - regret - cost) for cost, front in elsewhere)
        for most, bits in above
    )
    return Certificate(least, min(bits for _, bits in above), regret)


def _cheapest(front: Front, needed: float) -> float:
    """The bits of the cheapest lower bound that is at least what is needed; infinite where none is."""
    return next((bits for bound, bits in front if bound >= needed), inf)


def disclosures(
    rounds: pl.DataFrame, pairs: pl.DataFrame, slots: pl.DataFrame, history: Histories, prior: Prior
) -> pl.DataFrame:
    """One row per round: leaked_rounds. What certifies its slot, whether its messages do, and what was disclosed.

    rounds: that table; pairs, slots: of `pair_gains`. The initiator is the participant with the lowest id. Disclosed to
    it: the round's bits about the other participants; disclosed: the round's bits over all ordered pairs of agents.
    """
    bounds = _bounds_left(rounds, slots, history)
    rows = list(_certificates(rounds, history, bounds, prior))
    certificates = pl.DataFrame(rows, schema=CERTIFICATE, orient="row")
    initiators = certificates.select("game_id", "round", observer_agent="initiator").join(
        rounds.select("game_id", "round", "participants"), on=["game_id", "round"]
    )
    to_initiator = pairs.join(initiators, on=["game_id", "round", "observer_agent"], maintain_order="left").filter(
        pl.col("participants").list.contains(pl.col("target_agent"))
    )
    for gains, name in ((to_initiator, "to_initiator_bits"), (pairs, "disclosed_bits")):
        total = _total(gains, name)
        certificates = certificates.join(total, on=["game_id", "round"], how="left", maintain_order="left")
    return certificates.with_columns(pl.col("to_initiator_bits", "disclosed_bits").fill_null(0.0)).with_columns(
        excess_bits=pl.col("to_initiator_bits") - pl.col("necessary_bits"),
        excess_disclosed_bits=pl.col("disclosed_bits") - pl.col("necessary_bits"),
    )


def _total(pairs: pl.DataFrame, name: str) -> pl.DataFrame:
    """One row per round: the sum of its pairs' bits, under the name."""
    lists = pairs.group_by("game_id", "round", maintain_order=True).agg(pl.col("bits").alias(name))
    return lists.with_columns(pl.col(name).list.sum())


def _bounds_left(rounds: pl.DataFrame, slots: pl.DataFrame, history: Histories) -> CostBounds:
    """The costs of each slot that its round's initiator is left with: from 0 to busy where it was told nothing."""
    least, largest = np.zeros(len(history.state)), np.full(len(history.state), np.inf)
    initiators = rounds.select("game_id", "round", observer_agent=pl.col("participants").list.min())
    disclosed = slots.join(initiators, on=["game_id", "round", "observer_agent"], how="semi")
    positions = history.positions(disclosed, "target_agent")
    least[positions], largest[positions] = disclosed["least_cost"].to_numpy(), disclosed["largest_cost"].to_numpy()
    return least, largest


def _certificates(
    rounds: pl.DataFrame, history: Histories, bounds: CostBounds, prior: Prior
) -> Iterator[tuple[Any, ...]]:
    """Rows of CERTIFICATE, one per round."""
    prices, boards = BoundBits(prior), calendars(history)
    layout = {row[0]: row[1:] for row in history.layout.select("game_id", "offset", "agents", "slots").iter_rows()}
    columns = rounds.select("game_id", "round", "participants", pl.when("coordinated").then("slot"))
    for game, number, participants, chosen in columns.iter_rows():
        offset, agents, slots = layout[game]
        initiator, *others = sorted(participants)
        starts = {a: offset + (number * agents + a) * slots for a in participants}
        if chosen is None or not others:
            yield game, number, initiator, False, *[None] * 6
            continue
        own = history.state[starts[initiator] : starts[initiator] + slots].tolist()
        by_slot = list(zip(*_in_round(history.state, others, starts, slots), strict=True))
        certificate = cheapest_certificate(own, by_slot, chosen, prices)
        least, largest = (np.sum(_in_round(bound, others, starts, slots), axis=0) for bound in bounds)
        costs = np.array([prices.cost(state) for state in own])
        most = costs[chosen] + largest[chosen]
        sure = bool(most < np.inf) and bool((np.delete(costs + least, chosen) >= most).all())
        floor = _initiators_floor(boards[game], number, sorted(participants), chosen, prior)
        bits, feasible, regret = certificate or (None, None, None)
        values = bits, feasible, floor, regret
        yield game, number, initiator, certificate is not None, *values, sure, bool(most < np.inf)


def _initiators_floor(board: Calendars, number: int, members: Sequence[int], slot: int, prior: Prior) -> float | None:
    """The floor for the initiator of a round, under the stated prior."""
    states = prior.states
    beliefs = board.beliefs(number, members[:1], prior.probability, states)
    return floor_bits(members, slot, beliefs, board.truth(number, states), states)


def _in_round(flat: Array | Integers, agents: Sequence[int], starts: Mapping[int, int], slots: int) -> list[list[Any]]:
    """Agents × slots: what a flat array has of their slots in a round."""
    return [flat[starts[agent] : starts[agent] + slots].tolist() for agent in agents]
