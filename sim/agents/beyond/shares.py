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
from random import Random
from typing import NamedTuple

import msgspec
from msgspec import Struct

from sim.agents import Action, Registration, Request
from sim.agents.beyond.coarse import level_of
from sim.agents.beyond.share_sums import Table, order, sums_of
from sim.agents.imap import local_cost
from sim.agents.scripted import ScriptedAgent, agreed_batch, dm, others


class SharesParameters(Struct, frozen=True, kw_only=True):
    """`ladder` lists the costs there are; one between two counts as the higher, above all as the last."""

    ladder: tuple[int, ...] = (0, 1, 100, 1000)

    def __post_init__(self) -> None:
        if not self.ladder or list(self.ladder) != sorted({c for c in self.ladder if c >= 0}):
            raise ValueError(f"ladder must list ascending costs; got {list(self.ladder)}")


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

    def register(self, registration: Registration) -> str:
        self.stream = f"secret shares of agent {registration.agent} in {registration.game_seed}"
        return super().register(registration)

    def begin_round(self, request: Request) -> None:
        self.secrets = Random(f"{self.stream}, round {request.round}")
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

    def decide(self, request: Request) -> list[Action]:
        return agreed_batch(request, self.agreed)


def seats_of(participants: Sequence[int]) -> Seats | None:
    """Who does what; None where there are too few."""
    if len(participants) < 3:
        return None
    first, second, *rest, dealer = sorted(participants)
    return Seats(first, second, dealer, tuple(rest))


def shaped(table: Table, rows: int, columns: int) -> bool:
    """Whether the table has so many rows and columns."""
    return len(table) == rows and all(len(row) == columns for row in table)
