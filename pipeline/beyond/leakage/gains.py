"""Bits learnt about a calendar: by slot, pair of agents and coalition; and what would have had to be disclosed.

Statements are frames of `observed_statements`; `likelihoods` has a row for each number of their column `content`,
a column for each state. What had to be disclosed is the cheapest certificate of a slot, and the floor below any proof.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import inf, log2
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.leakage.statements import Calendars, Histories, Integers, calendars
from pipeline.beyond.leakage.views import least_probability, totals_of
from pipeline.privacy.protocols.states import States, Vector, posteriors
from pipeline.statistics.resampling import Array

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
