"""What a round disclosed to its initiator against what it had to: a row per round."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.beyond.leakage.certificates import Market, necessary
from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.histories import Histories, Whole
from pipeline.beyond.leakage.priors import Prior

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
