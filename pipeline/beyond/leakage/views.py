"""What a whole view tells where a slot is taken by costs: IMAP and its variants, sums in secret, SD-MAP and DSM.

P(view | beliefs) is exact: by which calendars its agents would have let the observers see just this. A protocol's
function takes a view, what is held of every agent's slots (agents × slots × states) and the states; secrets drawn
uniformly, whatever the calendars, are left out. Sums of several agents' costs in each slot are two arrays: `totals`,
ascending, the last infinite (somebody can't), and `held`, P, slots × totals.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import shake_256
from itertools import product
from math import ceil, exp, log10
from typing import Any, NamedTuple

import numpy as np

from pipeline.beyond.leakage.statements import Seen, View
from pipeline.privacy.protocols.states import States
from pipeline.statistics.resampling import Array


@cache
def _sums(totals: tuple[float, ...], prices: tuple[float, ...]) -> tuple[tuple[float, ...], Array]:
    """The possible sums of a total and a price, and for each pair of them which sum it comes to."""
    sums, place = np.unique(np.add.outer(totals, prices), return_inverse=True)
    return tuple(sums.tolist()), np.eye(len(sums))[place.ravel()]


def prices_of(states: States) -> tuple[float, ...]:
    """What each state costs, infinite where busy."""
    return tuple(np.inf if cost is None else float(cost) for cost in states.names)


def totals_of(beliefs: Array, states: States, prices: Sequence[tuple[float, ...]] | None = None) -> tuple[Array, Array]:
    """(totals, held) of agents' beliefs, agents × slots × states. prices: what each agent's states count as."""
    listed = tuple(prices) if prices is not None else (prices_of(states),) * len(beliefs)
    totals: tuple[float, ...] = (0.0, np.inf)
    held = np.tile([1.0, 0.0], (beliefs.shape[1], 1))
    for agent, costs in zip(beliefs, listed, strict=True):
        totals, sums_to = _sums(totals, costs)
        held = (held[:, :, None] * agent[:, None, :]).reshape(len(agent), -1) @ sums_to
    return np.array(totals), held


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


def by_slot(body: Mapping[str, Any]) -> dict[int, Any]:
    """A JSON object with slots as keys."""
    return {int(slot): value for slot, value in body.items()}


def imap_likelihood(view: View, beliefs: Array, states: States) -> float:
    """IMAP: costs that were sent are known, and of all slots the lowest of the cheapest is chosen."""
    costs = dict.fromkeys(view.participants, states.names)
    return _prices_and_choice(view, beliefs, states, costs, "costs", "costs")


def kbit_likelihood(view: View, beliefs: Array, states: States) -> float:
    """IMAP by levels: of a cost its level is known, and counts; without levels responders' slots count nothing."""
    bounds = _grid(view.parameters.get("bits", 3), view.parameters.get("top", 1000))
    codes: tuple[float | None, ...] = tuple(
        None if cost is None else float(bounds[_level(cost, bounds)]) if bounds else 0.0 for cost in states.names
    )
    if bounds:
        prices = dict.fromkeys(view.participants, codes)
    else:
        nothing: tuple[float | None, ...] = (0.0,) * len(states)
        prices = {a: states.names if a == view.initiator else nothing for a in view.participants}
    return _prices_and_choice(view, beliefs, states, prices, "levels", "levels", bounds)


def _grid(bits: int, top: int) -> list[int]:
    """The bounds of 2^bits − 1 levels, 0 to top in equal steps of log(1 + cost)."""
    levels = 2**bits - 1
    return [top] * levels if levels < 2 else [round((1 + top) ** (j / (levels - 1))) - 1 for j in range(levels)]


def _level(cost: int, bounds: list[int]) -> int:
    return next((j for j, bound in enumerate(bounds) if cost <= bound), len(bounds) - 1)


def _prices_and_choice(
    view: View,
    beliefs: Array,
    states: States,
    prices: Mapping[int, tuple[float | None, ...]],
    kind: str,
    field: str,
    bounds: list[int] | None = None,
) -> float:
    """P(the prices that were sent, and the decision). prices: what each agent's states count as; None: impossible."""
    if not view.takes_part:
        return 1.0
    known, chance = beliefs.copy(), 1.0
    for message in view.of_kind(kind):
        for slot, value in by_slot(message.body[field]).items():
            sent = value if bounds is None or value is None else bounds[value] if bounds else 0.0
            fits = np.array([price == sent for price in prices[message.sender]])
            chance *= float(known[message.sender, slot] @ fits)
            known[message.sender, slot] = _conditioned(known[message.sender, slot], fits)
    counted = [tuple(np.inf if p is None else float(p) for p in prices[a]) for a in view.participants]
    totals, held = totals_of(known[list(view.participants)], states, counted)
    return chance * lowest_cheapest_probability(totals, held, view.chosen())


def _conditioned(belief: Array, fits: Array) -> Array:
    kept = belief * fits
    return kept / kept.sum() if kept.any() else kept


def sd_likelihood(view: View, beliefs: Array, states: States) -> float:
    """SD-MAP: the initiator proposes each slot that it can take, ascending, until one that all can."""
    if not view.takes_part:
        return 1.0
    can = 1 - beliefs[:, :, states.busy_state]
    proposed = list(dict.fromkeys(m.body["slot"] for m in view.of_kind("propose")))
    confirmed = next((m.body["slot"] for m in view.of_kind("confirm")), None)
    failed = confirmed is None and (next(view.of_kind("fail"), None) is not None or not proposed)
    last = view.slots if failed else max(proposed) + 1
    leads = can[view.initiator]
    chance = float(np.prod([leads[s] if s in proposed else 1 - leads[s] for s in range(last)]))
    answers = {(m.sender, m.body["slot"]): m.body["reply_status"] == "PENDING" for m in view.of_kind("reply")}
    for slot in proposed:
        chance *= _answers_chance(view, can[:, slot], slot, answers, slot == confirmed)
    return chance


def _answers_chance(
    view: View, can: Array, slot: int, answers: Mapping[tuple[int, int], bool], confirmed: bool
) -> float:
    """P(the answers to one proposal that were seen, and that all of them were yes, or not)."""
    chance, unseen, refused = 1.0, 1.0, False
    for agent in view.participants[1:]:
        answer = answers.get((agent, slot))
        if answer is None:
            unseen *= float(can[agent])
        else:
            chance *= float(can[agent]) if answer else 1 - float(can[agent])
            refused |= not answer
    if confirmed:
        return 0.0 if refused else chance * unseen
    return chance if refused else chance * (1 - unseen)


def secure_likelihood(view: View, beliefs: Array, states: States) -> float:
    """Secure sums: counts of totals to the outsider, the least total's slots to the initiator, how many totals were
    asked for and the chosen slot to all who take part. Masks and orders are uniform whatever the calendars."""
    asked = list(view.of_kind("masked"))
    if not asked:
        return 1.0
    totals, held = totals_of(beliefs[list(view.participants)], states)
    tested = asked[-1].body["totals"]
    result = next(view.of_kind("found"), None)
    if view.takes_part:
        least = _initiators_view(view, result, totals, held) if result and view.leads else None
        before = np.isin(totals, tested).astype(np.float64)
        return least if least is not None else lowest_cheapest_probability(totals, held, view.chosen(), before)
    every = sorted({total for message in asked for total in message.body["totals"]})
    counts = zero_counts(view, asked)
    return _counts_chance(totals, held, [(total, counts[total]) for total in every])


def _initiators_view(view: View, result: Seen, totals: Array, held: Array) -> float | None:
    """P(just these slots have the least total); None where no total occurred."""
    if result.body["total"] is None:
        return float(held[:, -1].prod())
    order = next(view.of_kind("key")).body["orders"][result.body["level"]]
    slots = [order[place] for place in result.body["places"]]
    have, more = totals == result.body["total"], totals > result.body["total"]
    return float(np.prod([held[s] @ (have if s in slots else more) for s in range(view.slots)]))


MODULUS = 2**53 - 111  # of the masked values


def zero_counts(view: View, asked: list[Seen]) -> dict[int, int]:
    """How many places have each total: those where the participants' masked values add up to 0."""
    rows: dict[int, list[list[int]]] = {}
    for message in asked:
        for total, values in zip(message.body["totals"], message.body["values"], strict=True):
            rows.setdefault(total, []).append(values)
    return {t: sum(sum(v) % MODULUS == 0 for v in zip(*of, strict=True)) for t, of in rows.items()}


def _counts_chance(totals: Array, held: Array, counts: list[tuple[int, int]]) -> float:
    """P(so many slots have each of these totals), slots in no order: by adding slot after slot."""
    shape = tuple(count + 1 for _, count in counts)
    columns = [int(np.searchsorted(totals, total)) for total, _ in counts]
    chance = np.zeros(shape)
    chance[(0,) * len(shape)] = 1.0
    for slot in held:
        longer = chance * (1 - slot[columns].sum())
        for axis, column in enumerate(columns):
            if shape[axis] > 1 and slot[column] > 0:
                moved = np.roll(chance, 1, axis=axis)
                moved[(slice(None),) * axis + (0,)] = 0.0
                longer = longer + slot[column] * moved
        chance = longer
    return float(chance[tuple(count for _, count in counts)])


CODES = (0, 1, 4, 13, 32, 71, 124, 218)  # of three participants' costs: any sum of three tells which they are


def shares_likelihood(view: View, beliefs: Array, states: States) -> float:
    """Secret shares, to any one participant: the slot, the lowest of the cheapest, or that there is none. To any two of
    three: all that the third holds."""
    if not view.takes_part or not view.messages:
        return 1.0
    if len(view.observers) == 1:
        return lowest_cheapest_probability(*totals_of(beliefs[list(view.participants)], states), view.chosen())
    ladder = tuple(view.parameters.get("ladder", (0, 1, 100, 1000)))
    prices = [len(ladder) if cost is None else ladder.index(cost) for cost in states.names]
    (third,) = view.hidden()
    fits = np.array([[price == held for price in prices] for held in third_costs(view, len(ladder) + 1)])
    return float((beliefs[third] * fits).sum(axis=1).prod())


def third_costs(view: View, costs: int) -> list[int]:
    """Of three participants two observers put together, slot by slot, which cost the third has, by its number."""
    first, second, dealer = view.participants
    shares = {kind: message.body for kind in ("seed", "dealt") for message in view.of_kind(kind)}
    shifted = {message.sender: message.body["values"] for message in view.of_kind("shifted")}
    codes = CODES[:costs]
    length = 3 * codes[-1] + 1
    if view.hidden() == [second]:
        coded = [value - r for value, r in zip(shifted[second], shares["dealt"]["shifts"], strict=True)]
    else:
        r1 = _residues(shares["seed"]["seed"], "shifts", view.slots, length)
        coded = [value - r for value, r in zip(shifted[first], r1, strict=True)]
    if view.hidden() == [dealer]:
        vectors = shares["dealt"]["vectors"]
        prime = next(p for p in range(view.slots + 2, 3 * view.slots + 4) if all(p % d for d in range(2, p)))
        own = _residues(shares["seed"]["seed"], "vectors", view.slots * length, prime)
        peaks = [next(j for j in range(length) if (own[s * length + j] + v[j]) % prime) for s, v in enumerate(vectors)]
        coded = [r + q - peak for r, q, peak in zip(r1, shares["dealt"]["shifts"], peaks, strict=True)]
    return [codes.index(code % length) for code in coded]


def _residues(seed: str, name: str, length: int, modulus: int) -> list[int]:
    """What secret shares draw from a seed."""
    digits = shake_256(f"{seed}\x1f{name}".encode()).digest(8 * length)
    return [int.from_bytes(digits[i : i + 8]) % modulus for i in range(0, 8 * length, 8)]


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
