"""What a whole view tells where slots are offered in an order that tells of costs: DSM's plans, and IMAP with noise."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import ceil, exp, log10
from typing import NamedTuple

import numpy as np

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.statements import Seen, View
from pipeline.privacy.protocols.states import States

TOP_SCORE = 11
Scores = tuple[int, ...]  # of each state


class Offer(NamedTuple):
    """The slots of the offered plans that move no meeting, in order, and those that one leaves."""

    plain: tuple[int, ...]
    moved: tuple[int, ...]


def dsm_likelihood(view: View, beliefs: Array, states: States) -> float:
    """DSM with one offer: the plans that are best for the initiator, as many as pay, and the best by all scores.

    Of a plan that moves a meeting only that its slot is busy counts, and that another is chosen: with such plans a view
    can tell more than this.
    """
    scores = tuple(_score(cost, view.parameters.get("per_tenfold")) for cost in states.names)
    if view.leads:
        return _answers(view, beliefs, scores)
    first = next(view.of_kind("proposals"), None)
    if first is None:
        return float(beliefs[view.initiator, :, -1].prod()) if view.takes_part else 1.0
    offer = _offer(first)
    belief = beliefs[view.initiator]
    chance = float(np.prod([belief[slot, -1] for slot in set(offer.moved)]))
    levels, weights = _assignments(view, offer, belief, scores)
    decision = next(view.of_kind("decision"), None)
    if decision is not None and view.takes_part and decision.body["slot"] not in offer.moved:
        weights = weights * _decided(view, offer, levels, decision, beliefs, scores)
    return chance * float(weights.sum())


def _score(cost: int | None, per_tenfold: float | None) -> int:
    """The score of a cost: 11 less it, or less points for each tenfold, at least 1; 0 where it is impossible."""
    if cost is None:
        return 0
    return max(1, TOP_SCORE - (cost if per_tenfold is None else ceil(per_tenfold * log10(1 + cost))))


def _offer(message: Seen) -> Offer:
    plans = message.body["plans"]
    moved = tuple(p["slot"] for p in plans if p["displacements"] or p["cleared_slots"])
    return Offer(tuple(p["slot"] for p in plans if p["slot"] not in moved), moved)


def _answers(view: View, beliefs: Array, scores: Scores) -> float:
    """P(the scores that the initiator was told): of each slot the states that come to them."""
    own = {
        (message.recipients[0], plan["id"]): plan["slot"]
        for message in view.of_kind("proposals")
        for plan in message.body["plans"]
        if not plan["displacements"]
    }
    fits: dict[tuple[int, int], Array] = {}
    for message in view.of_kind("scores", "log_scores"):
        for plan, score in message.body["scores"].items():
            slot = own.get((message.sender, int(plan)))
            if slot is not None and message.sender in view.participants:
                same = np.array([float(of == score) for of in scores])
                fits[message.sender, slot] = fits.get((message.sender, slot), 1.0) * same
    return float(np.prod([beliefs[agent, slot] @ same for (agent, slot), same in fits.items()]))


def _assignments(view: View, offer: Offer, belief: Array, scores: Scores) -> tuple[Array, Array]:
    """The scores that the offered slots can have for the initiator, a row each, and P(row, and just this offer)."""
    levels = tuple(sorted({score for score in scores if score}, reverse=True))
    by_level = np.stack([belief[:, [s == level for s in scores]].sum(axis=1) for level in levels], axis=1)
    left = [slot for slot in range(view.slots) if slot not in offer.plain and slot not in offer.moved]
    rows, weights = [], []
    sizes: dict[tuple[int, ...], float] = {}
    for row in _descending(offer.plain, len(levels)):
        weight = float(np.prod([by_level[slot, level] for slot, level in zip(offer.plain, row, strict=True)]))
        if weight > 0:
            counts = tuple(row.count(level) for level in range(len(levels)))
            if counts not in sizes:
                sizes[counts] = _rest(view, offer, by_level, levels, left, counts)
            rows.append([levels[level] for level in row])
            weights.append(weight * sizes[counts])
    return np.array(rows).reshape(-1, len(offer.plain)), np.array(weights)


def _descending(slots: Sequence[int], levels: int, start: int = 0) -> Iterator[tuple[int, ...]]:
    """Every way to give the slots levels that never rise, ascending slots within one; a level by its place."""
    if not slots:
        yield ()
        return
    run = 1
    while run < len(slots) and slots[run] > slots[run - 1]:
        run += 1
    for level in range(start, levels):
        for length in range(1, run + 1):
            for rest in _descending(slots[length:], levels, level + 1):
                yield (level,) * length + rest


def _rest(
    view: View, offer: Offer, by_level: Array, levels: Sequence[int], left: Sequence[int], counts: tuple[int, ...]
) -> float:
    """P(the slots that were not offered are no better, and no other size of offer is)."""
    worst = max((level for level, count in enumerate(counts) if count), default=0)
    last = offer.plain[-1] if offer.plain else -1
    allowed = by_level.copy()
    allowed[:, :worst] = 0
    allowed[:last, worst] = 0
    busy = 1 - by_level.sum(axis=1)
    knobs = tuple(view.parameters.get(name, default) for name, default in KNOBS.items())
    fewest, _, beta, unit, welfare = knobs
    dear = unit > 1 + welfare + beta and len(offer.plain) == fewest  # no second plan is ever worth its cost
    if offer.moved or dear:
        return float(np.prod([busy[slot] + allowed[slot].sum() for slot in left]))
    chances: dict[tuple[int, ...], float] = {counts: 1.0}
    for slot in left:
        longer: dict[tuple[int, ...], float] = {}
        for held, chance in chances.items():
            longer[held] = longer.get(held, 0.0) + chance * busy[slot]
            for level in range(worst, len(levels)):
                if allowed[slot, level] > 0:
                    more = (*held[:level], held[level] + 1, *held[level + 1 :])
                    longer[more] = longer.get(more, 0.0) + chance * allowed[slot, level]
        chances = longer
    responders = len(view.participants) - 1
    return sum(
        chance
        for held, chance in chances.items()
        if offer_size(tuple(levels), held, view.slots, responders, knobs) == len(offer.plain)
    )


# DSM's knobs that decide how many plans are offered, and what they are where a team does not say.
KNOBS = {"l_min": 1, "l_max": 12, "beta": 1.0, "theta_unit_cost": 0.0, "welfare": 1.0}


@cache
def offer_size(
    levels: tuple[int, ...], counts: tuple[int, ...], slots: int, responders: int, knobs: tuple[float, ...]
) -> int:
    """How many plans are offered: the first size of greatest expected utility (Appendix G.3).

    levels: scores, descending; counts: how many slots the initiator could offer at each; the top one is free.
    """
    least, most, beta, unit, welfare = knobs
    ordered = [level for level, count in zip(levels, counts, strict=True) for _ in range(count)]
    free = counts[0] if levels[0] == TOP_SCORE else 0
    possible = min(max(min(max(free / slots, 0.05), 0.95) ** responders, 0.01), 0.95)

    def utility(size: int) -> float:
        fail = (1 - possible) ** size
        average = sum(ordered[:size]) / size / TOP_SCORE if size else 0.0
        return (1 - fail) * (average + welfare) - unit * size - beta * fail

    sizes = range(int(min(least, len(ordered))), int(min(most, len(ordered))) + 1)
    return max(sizes, key=lambda size: round(utility(size), 12))


def _decided(view: View, offer: Offer, levels: Array, decision: Seen, beliefs: Array, scores: Scores) -> Array:
    """P(this decision), for each row of the initiator's scores of the offered slots."""
    responders = list(view.participants[1:])
    rewarded, chosen = "reward" in decision.body, offer.plain.index(decision.body["slot"])
    held = np.array(list(product(scores, repeat=len(responders))))
    sums, can = held.sum(axis=1), held.min(axis=1) > 0
    chances = []
    for slot in offer.plain:
        joint = np.ones(1)
        for agent in responders:
            joint = np.outer(joint, beliefs[agent, slot]).ravel()
        chances.append(joint)
    likelihood = np.zeros(len(levels))
    for case in np.flatnonzero((can == rewarded) & (chances[chosen] > 0)):
        best = levels[:, chosen] + sums[case]
        chance = np.full(len(levels), chances[chosen][case])
        for plan, slot in enumerate(offer.plain):
            if plan != chosen:
                total = levels[:, plan, None] + sums[None, :]
                wins = total > best[:, None] if slot > offer.plain[chosen] else total >= best[:, None]
                beaten = ~(wins & can) if rewarded else ~wins & ~can
                chance = chance * (beaten @ chances[plan])
        likelihood += chance
    return likelihood


def noisy_likelihood(view: View, beliefs: Array, states: States) -> float:
    """IMAP with noise: each answer with the probability of its noise; slots offered by noisy totals, until all can."""
    if not view.takes_part:
        return 1.0
    answers = _Noise(view, states)
    if view.leads:
        return answers.likelihood(beliefs)
    offers = list(dict.fromkeys(m.body["slot"] for m in view.of_kind("offer")))
    decided = view.chosen() is not None
    exhausted = not decided and view.last_turn < view.max_turns - 1
    ranks = [answers.ranked(beliefs, slot) for slot in range(view.slots)]
    so_far = {-1.0: 1.0}
    for place, slot in enumerate(offers):
        last = place == len(offers) - 1
        outcome = None if last and not decided and not exhausted else last and decided
        so_far = _next_offer(so_far, ranks[slot], outcome)
    rest = [slot for slot in range(view.slots) if slot not in offers]
    return sum(
        chance * float(np.prod([ranks[s].later(np.inf if exhausted or not offers else rank) for s in rest]))
        for rank, chance in so_far.items()
    )


class _Ranks(NamedTuple):
    """One slot's possible places in the order of offers: rank, whether all can, P; and P(it is never offered)."""

    rank: Array
    all_can: Array
    chance: Array
    never: float

    def later(self, than: float) -> float:
        """P(it comes after the rank, or never)."""
        return self.never + float(self.chance[self.rank > than].sum())


def _next_offer(so_far: Mapping[float, float], ranks: _Ranks, outcome: bool | None) -> dict[float, float]:
    """P(the offers so far and this one, with its outcome), by its rank. outcome: whether all can; None: either."""
    fits = np.ones(len(ranks.rank), bool) if outcome is None else ranks.all_can == outcome
    by_rank: dict[float, float] = {}
    for rank in np.unique(ranks.rank[fits]):
        here = float(ranks.chance[fits & (ranks.rank == rank)].sum())
        before = sum(chance for earlier, chance in so_far.items() if earlier < rank)
        if here * before > 0:
            by_rank[float(rank)] = here * before
    return by_rank


class _Noise:
    """The answers of one round, and what noise makes of a state."""

    def __init__(self, view: View, states: States) -> None:
        self.view, self.states = view, states
        ladder = list(view.parameters.get("ladder", (0, 1, 100, 1000)))
        self.symbols = [*range(len(ladder)), None]
        self.price = [*ladder, view.parameters.get("impossible", 3000)]
        weight = exp(view.parameters.get("epsilon", 2.0))
        true = weight / (weight + len(ladder))
        place = [len(ladder) if c is None else sum(b < c for b in ladder[:-1]) for c in states.names]
        self.symbol_chances = np.full((len(states), len(self.symbols)), (1 - true) / len(ladder))
        self.symbol_chances[np.arange(len(states)), place] = true
        self.levels = {m.sender: m.body["levels"] for m in view.of_kind("noisy")}
        self.can = {(m.sender, m.body["slot"]): m.body["can"] for m in view.of_kind("can")}

    def symbol(self, agent: int, slot: int) -> int:
        """The place of what the agent said of the slot."""
        return self.symbols.index(self.levels[agent][str(slot)])

    def likelihood(self, beliefs: Array) -> float:
        """P(the answers that the initiator was given)."""
        chance, feasible = 1.0, self.states.feasible()
        for agent in self.levels:
            for slot in range(self.view.slots):
                held = beliefs[agent, slot] * self.symbol_chances[:, self.symbol(agent, slot)]
                can = self.can.get((agent, slot))
                chance *= float(held.sum() if can is None else held @ (feasible if can else 1 - feasible))
        return chance

    def ranked(self, beliefs: Array, slot: int) -> _Ranks:
        """Where a slot can stand in the order, by what observers know of their own answers."""
        own = beliefs[self.view.initiator, slot]
        costs = np.array([float(c) for c in self.states.names if c is not None])
        totals, can, chance = costs, np.ones(len(costs), bool), own[:-1]
        for agent in self.view.participants[1:]:
            chances = self.symbol_chances
            if agent in self.levels:  # an observer's own answer is known, and its noise tells nothing
                chances = np.ones(chances.shape) * (np.arange(len(self.symbols)) == self.symbol(agent, slot))
            joint = (beliefs[agent, slot][:, None] * chances).ravel()
            prices = np.tile(self.price, len(self.states))
            possible = np.repeat(self.states.feasible() > 0, len(self.symbols))
            totals = (totals[:, None] + prices).ravel()
            can = (can[:, None] & possible).ravel()
            chance = (chance[:, None] * joint).ravel()
        return _Ranks(totals * self.view.slots + slot, can, chance, float(own[-1]))
