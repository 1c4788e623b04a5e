"""Bits learnt about a calendar: posteriors under a prior, by pair, by observer and by coalition."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.protocols.states import States, Vector, posteriors


class Prior(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    probability: Vector


def stated(feasible: float, filled: float, costs: Mapping[int, float]) -> Prior:
    """The prior of a setting: P(feasible), the share of feasible slots with an errand, its costs by weight."""
    states = States(tuple(sorted(costs)))
    return Prior(states, states.prior(feasible, filled, costs))


def prior_of(setting: str | None, items: pl.DataFrame, slots: int, settings: Mapping[str, Any]) -> Prior:
    """The setting's stated prior; that of its own calendars where none is stated, or where they hold other costs.

    items: the errands of the setting's initial calendars; slots: how many slots those have in all. Their own prior
    fills as many feasible slots as are filled, with their own costs, and keeps the stated P(feasible).
    """
    known = settings["costs"].get(setting)
    errands = items.filter(pl.col("item_kind") == "errand", pl.col("cost") > 0)
    if known is not None and set(errands["cost"].unique()) <= set(known):
        return stated(settings["feasible"], settings["filled"], known)
    costs = dict(errands.group_by("cost").len().sort("cost").iter_rows())
    filled = errands.height / slots if slots else 0.0
    least = 1 / (2 * slots + 2)  # calendars that are full, or empty, don't make a free slot, or an errand, impossible
    return stated(settings["feasible"], min(max(filled, least), 1 - least), costs or {1: 1})


Array = NDArray[np.float64]
MEASURES = ("bits", "feasible_bits", "bits_true", "feasible_bits_true", "misled")


def divergence(posterior: Array, prior: Array) -> Array:
    """Σ p·log2(p/π) of each row, in bits."""
    ratio = np.where(posterior > 0, posterior, prior) / prior
    return np.asarray((posterior * np.log2(ratio)).sum(axis=1))


def gains(posterior: Array, prior: Array, state: NDArray[np.int64], least: float) -> dict[str, Array]:
    """The measures of each slot: posterior rows × states, its true state's index.

    A truth counts as if it had kept at least the probability `least`, or half of what it had beforehand where that is
    less: a lie never comes to −∞ bits, nor to any above 0. One that was said to be impossible is one slot misled.
    """
    sure = np.stack([1 - posterior[:, -1], posterior[:, -1]], axis=1)
    before = np.array([1 - prior[-1], prior[-1]])
    of_truth = posterior[np.arange(len(state)), state]
    busy = (state == len(prior) - 1).astype(np.int64)
    of_feasibility = sure[np.arange(len(state)), busy]
    return {
        "bits": divergence(posterior, prior),
        "feasible_bits": divergence(sure, before),
        "bits_true": _towards(of_truth, prior[state], least),
        "feasible_bits_true": _towards(of_feasibility, before[busy], least),
        "misled": (of_truth == 0).astype(np.float64),
    }


def _towards(truth: Array, before: Array, least: float) -> Array:
    """log2(p/π) of the truth, in bits."""
    return np.asarray(np.log2(np.maximum(truth, np.minimum(least, before / 2)) / before))


def of_slots(
    facts: pl.DataFrame, by: Sequence[str], likelihoods: Array, prior: Prior, least: float
) -> tuple[pl.DataFrame, Array]:
    """One row per group of facts that share `by`, sorted, with its measures; and the posteriors, groups × states.

    A fact counts once in its group, whoever said it and how often. A group's facts share their true state.
    """
    distinct = facts.unique([*by, "content", "draw"], keep="first", maintain_order=True)
    distinct = distinct.sort(*by, "content", "draw")
    groups = distinct.group_by(by, maintain_order=True).agg(pl.len(), pl.first("state"))
    lengths = groups["len"].to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    found = posteriors(likelihoods[distinct["content"].to_numpy()], starts, prior.probability)
    measures: Mapping[str, Array] = gains(found, prior.probability, groups["state"].to_numpy(), least)
    return groups.drop("state").with_columns(pl.Series(n, v) for n, v in measures.items()), found


def summed(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The measures added up over the rows of each group, in the rows' order whatever the number of threads."""
    lists = rows.group_by(by, maintain_order=True).agg(*MEASURES, statements=pl.col("len").sum().cast(pl.Int64))
    return lists.with_columns(pl.col(MEASURES).list.sum())


PAIR = ["game_id", "observer_agent", "target_agent"]
ROUND_PAIR = ["game_id", "round", "observer_agent", "target_agent"]
SECRET = [*PAIR, "slot", "spell"]


def leaked(facts: pl.DataFrame, likelihoods: Array, prior: Prior, least: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per round, observer and target with a statement: the round alone, what it added, and all so far.

    And the measures of each slot of which something was said in the round, with the least and the largest cost that
    the round leaves possible (infinite: busy).
    """
    of_round, posterior = of_slots(facts, [*ROUND_PAIR, "slot"], likelihoods, prior, least)
    added = additions(facts, likelihoods, prior, least)
    names = {name: f"new_{name}" for name in MEASURES}
    rows = summed(of_round, ROUND_PAIR).join(added.rename(names), on=ROUND_PAIR, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col(names.values()).fill_null(0.0)).sort(*PAIR, "round")
    so_far = (pl.col(f"new_{name}").cum_sum().over(PAIR).alias(f"total_{name}") for name in MEASURES)
    return rows.with_columns(so_far), of_round.with_columns(_bounds(posterior, prior))


def additions(facts: pl.DataFrame, likelihoods: Array, prior: Prior, least: float) -> pl.DataFrame:
    """One row per round, observer and target with something new: by how much the measures of all so far rose.

    Told of a slot's state again in a later round of one spell, an observer learns nothing.
    """
    firsts = first_told(facts, SECRET)
    changes = firsts.select(*SECRET, now="round").unique(maintain_order=True)
    known = changes.join(firsts, on=SECRET, how="inner", maintain_order="left_right").filter(
        pl.col("round") <= pl.col("now")
    )
    so_far, _ = of_slots(known, [*SECRET, "now"], likelihoods, prior, least)
    another = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in SECRET)
    steps = so_far.with_columns(
        pl.col(name) - pl.when(another).then(0.0).otherwise(pl.col(name).shift(1)) for name in MEASURES
    )
    return summed(steps.sort(*PAIR, "now", "slot", "spell"), [*PAIR, "now"]).rename({"now": "round"}).drop("statements")


def first_told(facts: pl.DataFrame, secret: Sequence[str]) -> pl.DataFrame:
    """The facts of each secret, each once, in the round in which it was first told."""
    return facts.sort("round", maintain_order=True).unique(
        [*secret, "content", "draw"], keep="first", maintain_order=True
    )


def _bounds(posterior: Array, prior: Prior) -> list[pl.Series]:
    import numpy as np

    costs = np.array([np.inf if cost is None else float(cost) for cost in prior.states.names])
    possible = posterior > 0
    least = np.where(possible, costs, np.inf).min(axis=1)
    largest = np.where(possible, costs, -np.inf).max(axis=1)
    return [pl.Series("least_cost", least), pl.Series("largest_cost", largest)]


COALITION = ["game_id", "coalition", "target_agent"]


def coalitions(agents: int, target: int, pairs: bool) -> list[tuple[int, ...]]:
    """The coalitions against a target: all pairs of other agents (if wanted), and all other agents together."""
    others = [agent for agent in range(agents) if agent != target]
    found: list[tuple[int, ...]] = [*combinations(others, 2)] if pairs else []
    everybody = tuple(others)
    return found if everybody in found or not others else [*found, everybody]


def members(agents: int, pairs: bool) -> pl.DataFrame:
    """A row per target, coalition and member."""
    rows = [
        (agents, target, "+".join(map(str, coalition)), len(coalition), member)
        for target in range(agents)
        for coalition in coalitions(agents, target, pairs)
        for member in coalition
    ]
    columns = ("agents", "target_agent", "coalition", "members", "observer_agent")
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Int64) | {"coalition": pl.String}, orient="row")


def pooled(
    facts: pl.DataFrame,
    games: pl.DataFrame,
    pairs: pl.DataFrame,
    likelihoods: Array,
    prior: Prior,
    least: float,
    pairs_up_to: int,
) -> pl.DataFrame:
    """One row per game, coalition and target of which a member was told something: the measures at the game's end.

    Beside them what its best member knows alone, and the sum over its members (`pairs`: a row per round, observer and
    target). Pairs are formed in games of at most `pairs_up_to` agents. What two members were told alike counts once;
    what was news to the member that was told it counts, whatever the others knew of their own meetings.
    Together they can know more than the sum: who is told "feasible" and who is told "not free" have found an errand.
    """
    sizes = games["num_agents"].unique().sort().to_list()
    found = pl.concat([members(n, n <= pairs_up_to) for n in sizes] or [members(0, False)])
    known = games.select("game_id", agents="num_agents")
    firsts = first_told(facts, ["game_id", "observer_agent", "target_agent", "slot", "spell"])
    told = firsts.join(known, on="game_id", how="left", maintain_order="left")
    told = told.join(found, on=["agents", "target_agent", "observer_agent"], how="inner", maintain_order="left_right")
    together, _ = of_slots(told, [*COALITION, "slot", "spell"], likelihoods, prior, least)
    return _beside_members(summed(together, COALITION), known, found, pairs).sort(COALITION)


def _beside_members(rows: pl.DataFrame, games: pl.DataFrame, found: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The coalitions with their size, whether it is everybody, and the bits of the best member and of all of them."""
    alone = pairs.group_by("game_id", "observer_agent", "target_agent", maintain_order=True).agg(
        bits_alone=pl.col("total_bits").last()
    )
    each = rows.select(COALITION).join(games, on="game_id", how="left", maintain_order="left")
    each = each.join(found, on=["agents", "target_agent", "coalition"], how="left", maintain_order="left_right")
    each = each.join(alone, on=["game_id", "observer_agent", "target_agent"], how="left", maintain_order="left")
    beside = each.group_by(COALITION, maintain_order=True).agg(
        members=pl.first("members"),
        everybody=pl.first("members") == pl.first("agents") - 1,
        best_member_bits=pl.col("bits_alone").fill_null(0.0).max(),
        members_bits=pl.col("bits_alone").fill_null(0.0),
    )
    beside = beside.with_columns(pl.col("members_bits").list.sum())
    return rows.join(beside, on=COALITION, how="left", maintain_order="left")
