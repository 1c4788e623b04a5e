"""What a whole view of secret shares tells: one participant the slot, any two of three all that the third holds."""

from hashlib import shake_256

import numpy as np

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.observed_statements import View
from pipeline.beyond.leakage.sum_views import lowest_cheapest_probability, totals_of
from pipeline.privacy.protocols.states import States

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
        found = [value - r for value, r in zip(shifted[second], shares["dealt"]["shifts"], strict=True)]
    else:
        r1 = _residues(shares["seed"]["seed"], "shifts", view.slots, length)
        found = [value - r for value, r in zip(shifted[first], r1, strict=True)]
    if view.hidden() == [dealer]:
        vectors = shares["dealt"]["vectors"]
        prime = next(p for p in range(view.slots + 2, 3 * view.slots + 4) if all(p % d for d in range(2, p)))
        own = _residues(shares["seed"]["seed"], "vectors", view.slots * length, prime)
        peaks = [next(j for j in range(length) if (own[s * length + j] + v[j]) % prime) for s, v in enumerate(vectors)]
        found = [r + q - peak for r, q, peak in zip(r1, shares["dealt"]["shifts"], peaks, strict=True)]
    return [codes.index(code % length) for code in found]


def _residues(seed: str, name: str, length: int, modulus: int) -> list[int]:
    """What secret shares draw from a seed."""
    digits = shake_256(f"{seed}\x1f{name}".encode()).digest(8 * length)
    return [int.from_bytes(digits[i : i + 8]) % modulus for i in range(0, 8 * length, 8)]
