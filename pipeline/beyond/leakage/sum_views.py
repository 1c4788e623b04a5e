"""What a whole view tells where the cheapest slot is taken: IMAP, also by levels, sums in secret; and SD-MAP.

P(view | beliefs) is exact: by which calendars its agents would have let the observers see just this. A protocol's
function takes a view, what is held of every agent's slots (agents × slots × states) and the states; secrets drawn
uniformly, whatever the calendars, are left out. Sums of several agents' costs in each slot are two arrays: `totals`,
ascending, the last infinite (somebody can't), and `held`, P, slots × totals.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import shake_256
from typing import Any

import numpy as np

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.statements import Seen, View
from pipeline.privacy.protocols.states import States


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
