"""What would have had to be disclosed: certificates of a slot, and what each message discloses."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pipeline.beyond.leakage.gains import Array, Prior
from pipeline.beyond.leakage.histories import Histories, Whole

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


FOUND = {
    "game_id": pl.String,
    "round": pl.Int64,
    "initiator": pl.Int64,
    "certifiable": pl.Boolean,
    "necessary_bits": pl.Float64,
    "necessary_feasible_bits": pl.Float64,
    "regret": pl.Float64,
    "certified": pl.Boolean,
    "certified_feasible": pl.Boolean,
}
Bounds = tuple[Array, Array]


def disclosures(
    rounds: pl.DataFrame, leaked: pl.DataFrame, of_slots: pl.DataFrame, past: Histories, prior: Prior
) -> pl.DataFrame:
    """One row per round: what certifies its slot, whether what was said does, and what was disclosed.

    The initiator is the participant with the lowest id. Disclosed to it: the round's bits about the other participants;
    disclosed: the round's bits over all ordered pairs of agents.
    """
    bounds = _told_bounds(rounds, of_slots, past)
    found = pl.DataFrame(list(_certified(rounds, past, bounds, Market(prior))), schema=FOUND, orient="row")
    asked = found.select("game_id", "round", observer_agent="initiator").join(
        rounds.select("game_id", "round", "participants"), on=["game_id", "round"]
    )
    to_initiator = leaked.join(asked, on=["game_id", "round", "observer_agent"], maintain_order="left").filter(
        pl.col("participants").list.contains(pl.col("target_agent"))
    )
    for rows, name in ((to_initiator, "to_initiator_bits"), (leaked, "disclosed_bits")):
        found = found.join(_total(rows, name), on=["game_id", "round"], how="left", maintain_order="left")
    return found.with_columns(pl.col("to_initiator_bits", "disclosed_bits").fill_null(0.0)).with_columns(
        excess_bits=pl.col("to_initiator_bits") - pl.col("necessary_bits"),
        excess_disclosed_bits=pl.col("disclosed_bits") - pl.col("necessary_bits"),
    )


def _total(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    sums = rows.group_by("game_id", "round", maintain_order=True).agg(pl.col("bits").alias(name))
    return sums.with_columns(pl.col(name).list.sum())


def _told_bounds(rounds: pl.DataFrame, of_slots: pl.DataFrame, past: Histories) -> Bounds:
    """Of each slot the costs that its round's initiator was left with: from 0 to busy where it was told nothing."""
    least, largest = np.zeros(len(past.state)), np.full(len(past.state), np.inf)
    asked = rounds.select("game_id", "round", observer_agent=pl.col("participants").list.min())
    heard = of_slots.join(asked, on=["game_id", "round", "observer_agent"], how="semi")
    at = past.places(heard, "target_agent")
    least[at], largest[at] = heard["least_cost"].to_numpy(), heard["largest_cost"].to_numpy()
    return least, largest


def _certified(rounds: pl.DataFrame, past: Histories, bounds: Bounds, market: Market) -> Iterator[tuple[Any, ...]]:
    layout = {row[0]: row[1:] for row in past.layout.select("game_id", "offset", "agents", "slots").iter_rows()}
    columns = rounds.select("game_id", "round", "participants", pl.when("coordinated").then("slot"))
    for game, number, participants, chosen in columns.iter_rows():
        offset, agents, slots = layout[game]
        initiator, *others = sorted(participants)
        starts = {a: offset + (number * agents + a) * slots for a in participants}
        own = past.state[starts[initiator] : starts[initiator] + slots]
        if chosen is None or not others:
            yield game, number, initiator, False, *[None] * 5
            continue
        found = necessary(own.tolist(), list(zip(*_of(past.state, others, starts, slots), strict=True)), chosen, market)
        told = [np.sum(_of(side, others, starts, slots), axis=0) for side in bounds]
        costs = np.array([market.cost(state) for state in own.tolist()])
        feasible = bool(costs[chosen] + told[1][chosen] < np.inf)
        others_cost = np.delete(costs + told[0], chosen)
        sure = feasible and bool((others_cost >= costs[chosen] + told[1][chosen]).all())
        yield game, number, initiator, found is not None, *(found or (None, None, None)), sure, feasible


def _of(flat: Array | Whole, agents: Sequence[int], starts: Mapping[int, int], slots: int) -> list[list[Any]]:
    """Agents × slots: what a flat array has of their slots in a round."""
    return [flat[starts[agent] : starts[agent] + slots].tolist() for agent in agents]
