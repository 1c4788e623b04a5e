"""Bits learnt about a calendar: the prior of its slots, and gains by slot, by pair of agents and by coalition.

Statements are frames of `observed_statements`; `likelihoods` has a row for each number of their column `content`,
a column for each state.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.protocols.states import States, Vector, posteriors

Array = NDArray[np.float64]

MEASURES = ("bits", "feasible_bits", "bits_true", "feasible_bits_true", "misled")
PAIR = ["game_id", "observer_agent", "target_agent"]
ROUND_PAIR = ["game_id", "round", "observer_agent", "target_agent"]
SECRET = [*PAIR, "slot", "spell"]
COALITION = ["game_id", "coalition", "target_agent"]


class Prior(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    probability: Vector


def stated_prior(feasible: float, filled: float, costs: Mapping[int, float]) -> Prior:
    """The prior of a setting: P(feasible), the share of feasible slots with an errand, its costs by weight."""
    states = States(tuple(sorted(costs)))
    return Prior(states, states.prior(feasible, filled, costs))


def costs_stated(settings: Mapping[str, Any], setting: str | None) -> dict[int, float] | None:
    """An errand's cost → its weight, as parameters state them for a setting; None where they do not."""
    weights = settings["costs"].get(setting)
    return None if weights is None else {int(cost): weight for cost, weight in weights.items()}


def setting_prior(setting: str | None, items: pl.DataFrame, slots: int, settings: Mapping[str, Any]) -> Prior:
    """The setting's stated prior; that of its own calendars where none is stated, or where they hold other costs.

    items: the errands of the setting's initial calendars; slots: how many slots those have in all. Their own prior
    fills as many feasible slots as are filled, with their own costs, and keeps the stated_prior P(feasible).
    """
    stated_costs = costs_stated(settings, setting)
    errands = items.filter(pl.col("item_kind") == "errand", pl.col("cost") > 0)
    if stated_costs is not None and set(errands["cost"].unique()) <= set(stated_costs):
        return stated_prior(settings["feasible"], settings["filled"], stated_costs)
    costs = dict(errands.group_by("cost").len().sort("cost").iter_rows())
    filled = errands.height / slots if slots else 0.0
    least = 1 / (2 * slots + 2)  # calendars that are full, or empty, don't make a free slot, or an errand, impossible
    return stated_prior(settings["feasible"], min(max(filled, least), 1 - least), costs or {1: 1})


def divergence(posterior: Array, prior: Array) -> Array:
    """Σ p·log2(p/π) of each row, in bits."""
    ratio = np.where(posterior > 0, posterior, prior) / prior
    return np.asarray((posterior * np.log2(ratio)).sum(axis=1))


def gains(posterior: Array, prior: Array, state: NDArray[np.int64], least: float) -> dict[str, Array]:
    """The measures of each slot: posterior rows × states, its true state's index.

    A truth counts as if it had kept at least the probability `least`, or half of what it had beforehand where that is
    less: a lie never comes to −∞ bits, nor to any above 0. One that was said to be impossible is one slot misled.
    """
    feasibility = np.stack([1 - posterior[:, -1], posterior[:, -1]], axis=1)
    before = np.array([1 - prior[-1], prior[-1]])
    truth = posterior[np.arange(len(state)), state]
    busy = (state == len(prior) - 1).astype(np.int64)
    feasibility_truth = feasibility[np.arange(len(state)), busy]
    return {
        "bits": divergence(posterior, prior),
        "feasible_bits": divergence(feasibility, before),
        "bits_true": _log_ratio(truth, prior[state], least),
        "feasible_bits_true": _log_ratio(feasibility_truth, before[busy], least),
        "misled": (truth == 0).astype(np.float64),
    }


def _log_ratio(truth: Array, before: Array, least: float) -> Array:
    """log2(p/π) of the true state, in bits; p is at least `least`, or half of π."""
    return np.asarray(np.log2(np.maximum(truth, np.minimum(least, before / 2)) / before))


def slot_gains(
    statements: pl.DataFrame, by: Sequence[str], likelihoods: Array, prior: Prior, least: float
) -> tuple[pl.DataFrame, Array]:
    """One row per group of statements that share `by`, sorted: MEASURES and `len`; and the posteriors, groups × states.

    A statement counts once in its group, whoever made it and how often. A group's statements share their true state.
    """
    distinct = statements.unique([*by, "content", "draw"], keep="first", maintain_order=True)
    distinct = distinct.sort(*by, "content", "draw")
    groups = distinct.group_by(by, maintain_order=True).agg(pl.len(), pl.first("state"))
    lengths = groups["len"].to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    posterior = posteriors(likelihoods[distinct["content"].to_numpy()], starts, prior.probability)
    measures: Mapping[str, Array] = gains(posterior, prior.probability, groups["state"].to_numpy(), least)
    return groups.drop("state").with_columns(pl.Series(n, v) for n, v in measures.items()), posterior


def summed(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The measures added up over the rows of each group, in the rows' order whatever the number of threads."""
    lists = rows.group_by(by, maintain_order=True).agg(*MEASURES, statements=pl.col("len").sum().cast(pl.Int64))
    return lists.with_columns(pl.col(MEASURES).list.sum())


def pair_gains(
    statements: pl.DataFrame, likelihoods: Array, prior: Prior, least: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per round, observer and target with a statement: the round alone, what it added, and all so far.

    And the measures of each slot of which something was said in the round, with the least and the largest cost that
    the round leaves possible (infinite: busy).
    """
    by_slot, posterior = slot_gains(statements, [*ROUND_PAIR, "slot"], likelihoods, prior, least)
    added = additions(statements, likelihoods, prior, least)
    names = {name: f"new_{name}" for name in MEASURES}
    rows = summed(by_slot, ROUND_PAIR).join(added.rename(names), on=ROUND_PAIR, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col(names.values()).fill_null(0.0)).sort(*PAIR, "round")
    so_far = (pl.col(f"new_{name}").cum_sum().over(PAIR).alias(f"total_{name}") for name in MEASURES)
    return rows.with_columns(so_far), by_slot.with_columns(_cost_bounds(posterior, prior))


def additions(statements: pl.DataFrame, likelihoods: Array, prior: Prior, least: float) -> pl.DataFrame:
    """One row per round, observer and target with something new: by how much the measures of all so far rose.

    Told of a slot's state again in a later round of one spell, an observer learns nothing.
    """
    firsts = first_statements(statements)
    changes = firsts.select(*SECRET, now="round").unique(maintain_order=True)
    known = changes.join(firsts, on=SECRET, how="inner", maintain_order="left_right").filter(
        pl.col("round") <= pl.col("now")
    )
    so_far, _ = slot_gains(known, [*SECRET, "now"], likelihoods, prior, least)
    another = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in SECRET)
    steps = so_far.with_columns(
        pl.col(name) - pl.when(another).then(0.0).otherwise(pl.col(name).shift(1)) for name in MEASURES
    )
    return summed(steps.sort(*PAIR, "now", "slot", "spell"), [*PAIR, "now"]).rename({"now": "round"}).drop("statements")


def first_statements(statements: pl.DataFrame) -> pl.DataFrame:
    """Each statement about a secret once, in the round in which it was first made."""
    key = [*SECRET, "content", "draw"]
    return statements.sort("round", maintain_order=True).unique(key, keep="first", maintain_order=True)


def _cost_bounds(posterior: Array, prior: Prior) -> list[pl.Series]:
    """least_cost and largest_cost of the states that each posterior leaves possible."""
    costs = np.array([np.inf if cost is None else float(cost) for cost in prior.states.names])
    possible = posterior > 0
    least = np.where(possible, costs, np.inf).min(axis=1)
    largest = np.where(possible, costs, -np.inf).max(axis=1)
    return [pl.Series("least_cost", least), pl.Series("largest_cost", largest)]


def coalitions(agents: int, target: int, pairs: bool) -> list[tuple[int, ...]]:
    """The coalitions against a target: all pairs of other agents (if wanted), and all other agents together."""
    others = [agent for agent in range(agents) if agent != target]
    chosen: list[tuple[int, ...]] = [*combinations(others, 2)] if pairs else []
    everybody = tuple(others)
    return chosen if everybody in chosen or not others else [*chosen, everybody]


def members(agents: int, pairs: bool) -> pl.DataFrame:
    """A row per target, coalition and member, in games of so many agents."""
    rows = [
        (agents, target, "+".join(map(str, coalition)), len(coalition), member)
        for target in range(agents)
        for coalition in coalitions(agents, target, pairs)
        for member in coalition
    ]
    columns = ("agents", "target_agent", "coalition", "members", "observer_agent")
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Int64) | {"coalition": pl.String}, orient="row")


def coalition_gains(
    statements: pl.DataFrame,
    games: pl.DataFrame,
    pairs: pl.DataFrame,
    likelihoods: Array,
    prior: Prior,
    least: float,
    pairs_up_to: int,
) -> pl.DataFrame:
    """One row per game, coalition and target of which a member was told something: the measures at the game's end.

    Beside them what its best member knows alone, and the sum over its members (`pairs`: of `pair_gains`). Pairs of
    observers are formed in games of at most `pairs_up_to` agents. What two members were told alike counts once; what
    was news to the member that was told it counts, whatever the others knew of their own meetings.
    Together they can know more than the sum: who is told "feasible" and who is told "not free" have found an errand.
    """
    sizes = games["num_agents"].unique().sort().to_list()
    roster = pl.concat([members(n, n <= pairs_up_to) for n in sizes] or [members(0, False)])
    known = games.select("game_id", agents="num_agents")
    firsts = first_statements(statements)
    sized = firsts.join(known, on="game_id", how="left", maintain_order="left")
    by_member = ["agents", "target_agent", "observer_agent"]
    pooled = sized.join(roster, on=by_member, how="inner", maintain_order="left_right")
    together, _ = slot_gains(pooled, [*COALITION, "slot", "spell"], likelihoods, prior, least)
    return _beside_members(summed(together, COALITION), known, roster, pairs).sort(COALITION)


def _beside_members(rows: pl.DataFrame, games: pl.DataFrame, roster: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The coalitions with their size, whether it is everybody, and the bits of the best member and of all of them."""
    alone = pairs.group_by(PAIR, maintain_order=True).agg(bits_alone=pl.col("total_bits").last())
    each = rows.select(COALITION).join(games, on="game_id", how="left", maintain_order="left")
    each = each.join(roster, on=["agents", "target_agent", "coalition"], how="left", maintain_order="left_right")
    each = each.join(alone, on=PAIR, how="left", maintain_order="left")
    beside = each.group_by(COALITION, maintain_order=True).agg(
        members=pl.first("members"),
        everybody=pl.first("members") == pl.first("agents") - 1,
        best_member_bits=pl.col("bits_alone").fill_null(0.0).max(),
        members_bits=pl.col("bits_alone").fill_null(0.0),
    )
    beside = beside.with_columns(pl.col("members_bits").list.sum())
    return rows.join(beside, on=COALITION, how="left", maintain_order="left")
