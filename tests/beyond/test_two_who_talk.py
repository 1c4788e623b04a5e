"""Without chance two participants tell each other more than the slot, whatever they say (docs/beyond/frontier.md)."""

from functools import cache
from itertools import product
from math import inf, log2

import pytest

CALENDARS = list(product((0.0, inf), repeat=2))  # two slots, each free or busy
Box = tuple[frozenset[int], frozenset[int]]  # which of the calendars each may still have


def slot(one: int, other: int) -> int | None:
    """IMAP's slot; None where there is none."""
    totals = [a + b for a, b in zip(CALENDARS[one], CALENDARS[other], strict=True)]
    return totals.index(min(totals)) if min(totals) < inf else None


def least_bits(feasible: float) -> tuple[float, float]:
    """What both learn together on average: at least, by whatever is said, and from the slot alone."""
    chance = [feasible ** c.count(0.0) * (1 - feasible) ** c.count(inf) for c in CALENDARS]

    def of(box: Box) -> float:
        return sum(chance[i] for i in box[0]) * sum(chance[j] for j in box[1])

    def surprise(p: float) -> float:
        return -p * log2(p) if p else 0.0

    @cache
    def least(box: Box) -> float:
        """Bits of all that is still to be said: each message splits the calendars that one of them may have."""
        if len({slot(i, j) for i, j in product(*box)}) == 1:
            return 0.0
        splits = [(part, who) for who in (0, 1) for part in parts(box[who])]
        boxes = [[(half, box[1]) if who == 0 else (box[0], half) for half in part] for part, who in splits]
        return min(sum(least(b) + surprise(of(b)) for b in two) for two in boxes) - surprise(of(box))

    everything = frozenset(range(len(CALENDARS)))
    told = [
        sum(chance[own] * surprise(sum(chance[k] for k in everything if slot(own, k) == found))
            for own in everything for found in {slot(own, k) for k in everything})
        for _ in (0, 1)
    ]  # fmt: skip
    return least((everything, everything)), sum(told)


def parts(calendars: frozenset[int]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """The ways to split a set in two."""
    first, *rest = sorted(calendars)
    chosen = (frozenset([first, *(r for r, in_ in zip(rest, bits, strict=True) if in_)])
              for bits in product((0, 1), repeat=len(rest)))  # fmt: skip
    return [(half, calendars - half) for half in chosen if half != calendars]


@pytest.mark.parametrize(("feasible", "said", "slot_alone"), [(0.5, 2.578, 1.75), (0.95, 0.613, 0.597)])
def test_without_chance_two_participants_tell_more_than_the_slot_whatever_they_say(feasible, said, slot_alone):
    assert least_bits(feasible) == pytest.approx((said, slot_alone), abs=5e-4)
