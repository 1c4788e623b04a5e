"""IMAP by secret shares: its very slot comes out, and the slot is all that any single participant is told.

No outsider is needed; three must take part, and where fewer do, nothing is agreed. The two participants with the lowest
ids add (`first`, who leads, and `second`), the one with the highest deals and reads (`dealer`).

Every cost, and being busy, has a code, so that the sum of the codes tells the total of the costs. In each slot:

1. The dealer gives first and second a random shift each, r₁ and r₂ modulo m, and shares modulo p of a vector of length
   m that is 1 at r₁ + r₂ − its own code and 0 elsewhere: two vectors that add up to it, each uniform. Any others split
   their code at random between first and second.
2. First and second tell each other their codes plus their shifts, which are uniform. With the sum d of both, the entry
   at d − S of the vector is 1 where S is the sum of all codes, and 0 for any other S: they hold shares of it.
3. They take (total, slot) pairs by total, then slot. Let z be 1 where the slot has the total, else 0. 1 − z + (the sum
   of z before) is 0 for the first pair with z = 1, the cheapest slot, and from 1 to the number of slots + 1 < p for
   all others. It is linear, so that they hold shares of it; each sends the dealer its share, times a secret factor
   that is not 0, plus a mask that cancels the other's, in a secret order of the slots and, within each, of the totals.
4. The dealer sees at most one 0, the rest uniform over 1 … p − 1, and tells first the place of the slot with the 0.
   First knows the order, and announces the slot.

What each sees beside the slot, or that there is none, is uniform whatever the calendars; the number of turns is always
the same. Any two who put together what they know learn every cost: without an outsider none could hinder that
(docs/beyond/frontier.md). Streams come from 128-bit secrets by SHAKE-256.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import shake_256
from itertools import combinations_with_replacement, count
from typing import NamedTuple

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.beyond.coarse import level_of
from sim.agents.imap import local_cost
from sim.agents.scripted import ScriptedAgent, check_ladder, dm, others

Table = list[list[int]]


class SharesParameters(Struct, frozen=True, kw_only=True):
    """`ladder` lists the costs there are; one between two counts as the higher, above all as the last."""

    ladder: tuple[int, ...] = (0, 1, 100, 1000)

    def __post_init__(self) -> None:
        check_ladder(self.ladder)


class Key(Struct, tag_field="shares", tag="key"):
    """From first to second: the seed of orders, factors and masks."""

    meeting_id: int
    seed: str


class Seed(Struct, tag_field="shares", tag="seed"):
    """From the dealer to first: the seed of its shifts and its shares of the vectors."""

    meeting_id: int
    seed: str


class Dealt(Struct, tag_field="shares", tag="dealt"):
    """From the dealer to second: a shift a slot, and its shares of the vectors, slots × m."""

    meeting_id: int
    shifts: list[int]
    vectors: Table


class Part(Struct, tag_field="shares", tag="part"):
    """From a participant who neither adds nor deals, to those who add: its part of a code a slot."""

    meeting_id: int
    values: list[int]


class Shifted(Struct, tag_field="shares", tag="shifted"):
    """Between first and second: the sum of code, parts and shift a slot."""

    meeting_id: int
    values: list[int]


class Masked(Struct, tag_field="shares", tag="masked"):
    """From first and second to the dealer: masked values, places × totals."""

    meeting_id: int
    values: Table


class Place(Struct, tag_field="shares", tag="place"):
    """From the dealer to first: the place of the slot; null where none is possible for all."""

    meeting_id: int
    place: int | None


class Decision(Struct, tag_field="shares", tag="decision"):
    """The slot that came out."""

    meeting_id: int
    slot: int


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


class Seats(NamedTuple):
    """Who does what in a meeting. rest: the participants who neither add nor deal."""

    first: int
    second: int
    dealer: int
    rest: tuple[int, ...]


class Shares(ScriptedAgent[Key | Seed | Dealt | Part | Shifted | Masked | Place | Decision]):
    """A participant: one who adds, who deals, or one of the rest."""

    decoder = msgspec.json.Decoder(Key | Seed | Dealt | Part | Shifted | Masked | Place | Decision)

    def __init__(self, parameters: SharesParameters = SharesParameters()) -> None:
        self.parameters = parameters

    def begin_round(self, request: Request) -> None:
        self.secrets = self.own_draws("secret shares", request)
        self.slots = len(request.calendar)
        self.sums = sums_of(self.parameters.ladder, len(request.meeting.participants), self.slots)
        self.seed: str | None = None
        self.dealt: tuple[list[int], Table] | None = None
        self.parts: dict[int, list[int]] = {}
        self.shifted: dict[int, list[int]] = {}
        self.masked: dict[int, Table] = {}
        self.place: int | None = None
        self.agreed: int | None = None
        self.done: set[str] = set()

    def talk(self, request: Request) -> list[Action]:
        seats = seats_of(request.meeting.participants)
        if self.me not in request.meeting.participants or seats is None:
            return []
        for sender, payload in self.received(request):
            self.note(seats, sender, payload)
        if self.me == seats.dealer:
            return self.deal(request, seats) + self.read(request, seats)
        return self.split(request, seats) if self.me in seats.rest else self.add(request, seats)

    def note(self, seats: Seats, sender: int, payload: object) -> None:
        """Keep what came from whom it should, in the shape that it should have; anything else is passed over."""
        match payload:
            case Key() if sender == seats.first and self.me == seats.second:
                self.seed = payload.seed
            case Seed() if sender == seats.dealer and self.me == seats.first:
                self.dealt = self.sums.first_vectors(payload.seed)
            case Dealt(shifts=shifts, vectors=vectors) if sender == seats.dealer and self.me == seats.second:
                if len(shifts) == self.slots and shaped(vectors, self.slots, self.sums.modulus):
                    self.dealt = shifts, vectors
            case Part(values=values) if sender in seats.rest and len(values) == self.slots:
                self.parts[sender] = values
            case Shifted(values=values) if sender in seats[:2] and len(values) == self.slots:
                self.shifted[sender] = values
            case Masked(values=values) if sender in seats[:2] and shaped(values, self.slots, len(self.sums.by_total)):
                self.masked[sender] = values
            case Place(place=int(place)) if sender == seats.dealer and 0 <= place < self.slots:
                self.place = place
            case Decision() if sender == seats.first:
                self.agreed = payload.slot

    def once(self, step: str) -> bool:
        """Whether the step is still to be done; it is then."""
        new = step not in self.done
        self.done.add(step)
        return new

    def codes(self, request: Request) -> list[int]:
        """The code of what each slot costs the agent."""
        costs, ladder = [local_cost(request.calendar, s) for s in range(self.slots)], self.parameters.ladder
        return [self.sums.codes[-1 if cost is None else level_of(cost, ladder)] for cost in costs]

    def secret(self) -> str:
        """128 bits that nobody knows."""
        return f"{self.secrets.getrandbits(128):032x}"

    def deal(self, request: Request, seats: Seats) -> list[Action]:
        """The dealer's shifts and vectors."""
        if not self.once("deal"):
            return []
        meeting, seed = request.meeting, self.secret()
        shifts, vectors = self.sums.first_vectors(seed)
        own = [self.secrets.randrange(self.sums.modulus) for _ in range(self.slots)]
        peaks = [r1 + r2 - code for r1, r2, code in zip(shifts, own, self.codes(request), strict=True)]
        left = [self.sums.second_vector(vector, peak) for vector, peak in zip(vectors, peaks, strict=True)]
        to_first, to_second = Seed(meeting.id, seed), Dealt(meeting.id, own, left)
        return [dm(seats.first, meeting, to_first), dm(seats.second, meeting, to_second)]

    def split(self, request: Request, seats: Seats) -> list[Action]:
        """The parts of one who neither adds nor deals."""
        if not self.once("split"):
            return []
        meeting, modulus = request.meeting, self.sums.modulus
        part = [self.secrets.randrange(modulus) for _ in range(self.slots)]
        rest = [(code - value) % modulus for code, value in zip(self.codes(request), part, strict=True)]
        return [dm(to, meeting, Part(meeting.id, values)) for to, values in zip(seats[:2], (part, rest), strict=True)]

    def add(self, request: Request, seats: Seats) -> list[Action]:
        """The part of first and second: share a seed, tell the other the shifted codes, send the dealer the values."""
        meeting, actions = request.meeting, []
        if self.me == seats.first and self.once("key"):
            self.seed = self.secret()
            actions.append(dm(seats.second, meeting, Key(meeting.id, self.seed)))
        if self.dealt and set(self.parts) == set(seats.rest) and self.once("shift"):
            rows = zip(self.codes(request), self.dealt[0], *self.parts.values(), strict=True)
            self.shifted[self.me] = [sum(row) % self.sums.modulus for row in rows]
            other = seats.second if self.me == seats.first else seats.first
            actions.append(dm(other, meeting, Shifted(meeting.id, self.shifted[self.me])))
        if self.dealt and self.seed and set(self.shifted) == set(seats[:2]) and self.once("mask"):
            opened = [sum(pair) % self.sums.modulus for pair in zip(*self.shifted.values(), strict=True)]
            hits = [self.sums.hits(vector, d) for vector, d in zip(self.dealt[1], opened, strict=True)]
            values = self.sums.values(hits, self.me == seats.first)
            masked = self.sums.masked(values, self.sums.hiding(self.seed), self.me == seats.first)
            actions.append(dm(seats.dealer, meeting, Masked(meeting.id, masked)))
        return actions + (self.announce(request) if self.me == seats.first else [])

    def read(self, request: Request, seats: Seats) -> list[Action]:
        """The dealer's last part: the place of the slot, once both have sent their values."""
        if set(self.masked) != set(seats[:2]) or not self.once("read"):
            return []
        place = self.sums.place_of_zero(*(self.masked[a] for a in seats[:2]))
        return [dm(seats.first, request.meeting, Place(request.meeting.id, place))]

    def announce(self, request: Request) -> list[Action]:
        """The slot at the place that first was told."""
        if self.place is None or self.seed is None or not self.once("announce"):
            return []
        self.agreed = order(self.seed, "places", self.slots)[self.place]
        meeting = request.meeting
        return [dm(a, meeting, Decision(meeting.id, self.agreed)) for a in others(meeting, self.me)]


def seats_of(participants: Sequence[int]) -> Seats | None:
    """Who does what; None where there are too few."""
    if len(participants) < 3:
        return None
    first, second, *rest, dealer = sorted(participants)
    return Seats(first, second, dealer, tuple(rest))


def shaped(table: Table, rows: int, columns: int) -> bool:
    """Whether the table has so many rows and columns."""
    return len(table) == rows and all(len(row) == columns for row in table)
