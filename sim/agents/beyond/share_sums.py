"""The arithmetic of secret shares: codes of costs, shared vectors, and values that are 0 at the cheapest slot alone.

Nothing is drawn here but from the seeds that are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import shake_256
from itertools import combinations_with_replacement, count
from typing import NamedTuple

Table = list[list[int]]


class Hiding(NamedTuple):
    """What hides the values from the dealer: the slot at each place, the total at each column of a slot's row, and of
    each slot and total a factor from 1 to p − 1, and a mask from 0."""

    places: list[int]
    columns: Table
    factors: Table
    masks: Table


class Sums(NamedTuple):
    """What a meeting's participants reckon with.

    codes: of each cost of the ladder, ascending, and last of being busy. modulus: m, above every sum of codes; a slot's
    vector has this length. prime: p, of shares and masked values. by_total: for each total of costs that there can be,
    ascending, the sums of codes that come to it.
    """

    slots: int
    codes: tuple[int, ...]
    modulus: int
    prime: int
    by_total: tuple[tuple[int, ...], ...]

    def first_vectors(self, seed: str) -> tuple[list[int], Table]:
        """First's shift of each slot, and its shares of the vectors, slots × m: all uniform."""
        vectors = stream(seed, "vectors", self.slots * self.modulus, self.prime)
        return stream(seed, "shifts", self.slots, self.modulus), rows_of(vectors, self.modulus)

    def second_vector(self, first: Sequence[int], peak: int) -> list[int]:
        """Second's share of a vector that is 1 at the peak and 0 elsewhere."""
        return [((j == peak % self.modulus) - value) % self.prime for j, value in enumerate(first)]

    def hits(self, vector: Sequence[int], opened: int) -> list[int]:
        """A share of whether the slot has each total. opened: the sum d of both who add."""
        return [sum(vector[(opened - s) % self.modulus] for s in sums) % self.prime for sums in self.by_total]

    def values(self, hits: Table, leads: bool) -> Table:
        """Shares, slots × totals, of 1 − hit + the hits before, by total and then by slot.

        Together they are 0 at the first hit, and from 1 to the number of slots + 1 elsewhere.
        """
        before, values = int(leads), [[0] * len(self.by_total) for _ in range(self.slots)]
        for total in range(len(self.by_total)):
            for slot in range(self.slots):
                values[slot][total] = (before - hits[slot][total]) % self.prime
                before += hits[slot][total]
        return values

    def hiding(self, seed: str) -> Hiding:
        """What first and second agree on to hide their values from the dealer."""
        totals = len(self.by_total)
        cells = self.slots * totals
        factors = [1 + factor for factor in stream(seed, "factors", cells, self.prime - 1)]
        masks = stream(seed, "masks", cells, self.prime)
        columns = [order(seed, f"totals of {slot}", totals) for slot in range(self.slots)]
        return Hiding(order(seed, "places", self.slots), columns, rows_of(factors, totals), rows_of(masks, totals))

    def masked(self, values: Table, hiding: Hiding, leads: bool) -> Table:
        """The values, places × totals, as the dealer may see them: each times a factor, plus a mask that cancels."""
        sign, out = 1 if leads else -1, []
        for slot in hiding.places:
            row = zip(hiding.factors[slot], values[slot], hiding.masks[slot], strict=True)
            hidden = [(factor * value + sign * mask) % self.prime for factor, value, mask in row]
            out.append([hidden[total] for total in hiding.columns[slot]])
        return out

    def place_of_zero(self, first: Table, second: Table) -> int | None:
        """The first place at which the masked values add up to 0 somewhere; None where they do nowhere."""
        pairs = enumerate(zip(first, second, strict=True))
        places = (n for n, rows in pairs if any(sum(pair) % self.prime == 0 for pair in zip(*rows, strict=True)))
        return next(places, None)


@cache
def sums_of(ladder: tuple[int, ...], parties: int, slots: int) -> Sums:
    """What so many participants reckon with, who have costs of the ladder in so many slots."""
    codes = codes_of(len(ladder) + 1, parties)
    by_total: dict[int, set[int]] = {}
    for chosen in combinations_with_replacement(range(len(ladder)), parties):
        by_total.setdefault(sum(ladder[i] for i in chosen), set()).add(sum(codes[i] for i in chosen))
    ascending = tuple(tuple(sorted(by_total[total])) for total in sorted(by_total))
    return Sums(slots, codes, parties * codes[-1] + 1, prime_above(slots + 1), ascending)


def codes_of(number: int, parties: int) -> tuple[int, ...]:
    """So many whole numbers, each the least with which any sum of one a party tells of which numbers it is."""
    codes = [0]
    while len(codes) < number:
        codes.append(next(c for c in count(codes[-1] + 1) if sums_differ((*codes, c), parties)))
    return tuple(codes)


def sums_differ(codes: Sequence[int], parties: int) -> bool:
    """Whether no two choices of one code a party, in whatever order, have the same sum."""
    sums = [sum(chosen) for chosen in combinations_with_replacement(codes, parties)]
    return len(set(sums)) == len(sums)


def prime_above(number: int) -> int:
    """The least prime above the number."""
    return next(n for n in count(number + 1) if all(n % divisor for divisor in range(2, int(n**0.5) + 1)))


def rows_of(values: Sequence[int], length: int) -> Table:
    """The values in rows of that length."""
    return [list(values[i : i + length]) for i in range(0, len(values), length)]


def stream(seed: str, name: str, length: int, modulus: int) -> list[int]:
    """Residues that those who know the seed agree on, and that look uniform to all others."""
    digits = shake_256(f"{seed}\x1f{name}".encode()).digest(8 * length)
    return [int.from_bytes(digits[i : i + 8]) % modulus for i in range(0, 8 * length, 8)]


def order(seed: str, name: str, length: int) -> list[int]:
    """The numbers from 0 in an order that those who know the seed agree on."""
    keys = stream(seed, name, length, 2**64)
    return sorted(range(length), key=keys.__getitem__)
