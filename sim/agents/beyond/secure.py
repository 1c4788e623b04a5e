"""Secure-sum IMAP: the slot of least total cost comes out, and no cost and no other sum is told.

An outsider, the lowest agent that takes no part, does the tests; it must not collude with a participant. The initiator
gives the participants a seed and a secret order of the slots for each total that is possible. For each total, the least
first, every participant sends the outsider a vector of masked costs in that order (below). The
outsider sees at which places the sum is the total asked, but not of which slots, and tells the initiator the places of
the first total that occurs. What is told: to the outsider, how many slots have each total that was asked; to the
initiator, the least total and the slots that have it; to the other participants, the slot that is chosen. They also see
how many totals they are asked for: where each has a message of its own (`at_once` 1), that is the least one.

Where everybody takes part there is no outsider, and nothing is agreed.

The arithmetic is modulo a prime p. For a level t and a slot s the participants' values add up to ρ·(S − t), where S is
the sum of their costs and ρ is a random factor that is not 0: 0 where S = t, uniform over 1 … p − 1 where S is another.
One who can't take the slot sends a uniform value of its own, so that the sum is uniform, and 0 with probability 1 / p.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations_with_replacement

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.beyond.coarse import level_of
from sim.agents.imap import local_cost
from sim.agents.scripted import ScriptedAgent, check_ladder, dm, initiator, others

MODULUS = 2**53 - 111  # the largest prime whose residues every reader of JSON keeps exactly


class SecureParameters(Struct, frozen=True, kw_only=True):
    """`ladder` lists the costs there are; one between two counts as the higher, above all as the last. `at_once`: how
    many totals are asked with one message: with fewer the outsider learns less, and more messages are sent."""

    ladder: tuple[int, ...] = (0, 1, 100, 1000)
    at_once: int = 4

    def __post_init__(self) -> None:
        check_ladder(self.ladder)
        if self.at_once < 1:
            raise ValueError(f"at_once must be at least 1; got {self.at_once}")


class Key(Struct, tag_field="secure", tag="key"):
    """From the initiator to the other participants: the seed of all masks, and the order of slots for each total."""

    meeting_id: int
    tester: int
    seed: str
    orders: list[list[int]]


class Masked(Struct, tag_field="secure", tag="masked"):
    """From a participant to the outsider: for each of the totals, numbered from `first`, a masked value a place."""

    meeting_id: int
    parties: list[int]
    first: int
    totals: list[int]
    values: list[list[int]]


class More(Struct, tag_field="secure", tag="more"):
    """From the outsider to the participants: no such total; send the next, from number `first`."""

    meeting_id: int
    first: int


class Found(Struct, tag_field="secure", tag="found"):
    """From the outsider to the initiator: the first total that occurs and its places; null where none does."""

    meeting_id: int
    parties: list[int]
    level: int | None
    total: int | None
    places: list[int]


class Decision(Struct, tag_field="secure", tag="decision"):
    """The slot that the initiator has chosen."""

    meeting_id: int
    slot: int


class Secure(ScriptedAgent[Key | Masked | More | Found | Decision]):
    """A participant, or the outsider, as the meeting has it."""

    decoder = msgspec.json.Decoder(Key | Masked | More | Found | Decision)

    def __init__(self, parameters: SecureParameters = SecureParameters()) -> None:
        self.parameters = parameters

    def begin_round(self, request: Request) -> None:
        self.secrets = self.own_draws("secure sums", request)
        self.key: Key | None = None
        self.columns: dict[int, Masked] = {}
        self.agreed: int | None = None

    def answer(self, request: Request, sender: int, payload: Key | Masked | More | Found | Decision) -> list[Action]:
        takes_part = self.me in request.meeting.participants
        from_tester = self.key is not None and sender == self.key.tester
        match payload:
            case Key() if takes_part and self.key is None and sender == initiator(request.meeting.participants):
                return self.begin(request, payload)
            case More() if from_tester:
                return self.send(request, payload.first)
            case Masked() if not takes_part:
                return self.test(request, sender, payload)
            case Found() if self.leads(request) and from_tester:
                return self.choose(request, payload)
            case Decision() if takes_part:
                self.agreed = payload.slot
        return []

    def lead(self, request: Request) -> list[Action]:
        """The initiator's first turn: find an outsider, draw the secrets, hand them out, and send its own vector."""
        meeting, slots = request.meeting, list(range(len(request.calendar)))
        tester = next((a for a in self.everybody if a not in meeting.participants), None)
        if tester is None or self.key is not None:
            return []
        levels = totals(self.parameters.ladder, len(meeting.participants))
        orders = [self.secrets.sample(slots, len(slots)) for _ in levels]
        key = Key(meeting.id, tester, f"{self.secrets.getrandbits(128):032x}", orders)
        return [dm(a, meeting, key) for a in others(meeting, self.me)] + self.begin(request, key)

    def begin(self, request: Request, key: Key) -> list[Action]:
        """Keep the secrets, and send the first vectors. An order that is none of the calendar's slots is refused."""
        slots = list(range(len(request.calendar)))
        outside = key.tester in self.everybody and key.tester not in request.meeting.participants
        if not outside or any(sorted(order) != slots for order in key.orders):
            return []
        self.key = key
        return self.send(request, 0)

    def send(self, request: Request, first: int) -> list[Action]:
        """The masked vectors of the next totals, to the outsider."""
        assert self.key is not None
        parties = sorted(request.meeting.participants)
        levels = list(enumerate(totals(self.parameters.ladder, len(parties))))[: len(self.key.orders)]
        chosen = levels[max(0, first) :][: self.parameters.at_once]
        if not chosen:
            return []
        rows = [[self.value(request, level, slot, parties) for slot in self.key.orders[level[0]]] for level in chosen]
        sums = [total for _, total in chosen]
        return [dm(self.key.tester, request.meeting, Masked(request.meeting.id, parties, chosen[0][0], sums, rows))]

    def value(self, request: Request, level: tuple[int, int], slot: int, parties: list[int]) -> int:
        """The agent's masked value of a slot: uniform where it can't take it."""
        assert self.key is not None
        cost = local_cost(request.calendar, slot)
        if cost is None:
            return self.secrets.randrange(MODULUS)
        ladder = self.parameters.ladder
        return masked(self.key.seed, level, slot, ladder[level_of(cost, ladder)], self.me, parties)

    def test(self, request: Request, sender: int, column: Masked) -> list[Action]:
        """The outsider's part: once all vectors of some totals are there, tell who must know what they add up to."""
        meeting, parties = request.meeting, sorted(request.meeting.participants)
        if sender in parties:
            self.columns[sender] = column
        columns = list(self.columns.values())
        if set(self.columns) != set(parties) or not alike(columns):
            return []
        self.columns = {}
        for row, total in enumerate(column.totals):
            places = zeros([c.values[row] for c in columns])
            if places:
                result = Found(meeting.id, parties, column.first + row, total, places)
                return [dm(initiator(parties), meeting, result)]
        following = column.first + len(column.totals)
        if following < len(totals(self.parameters.ladder, len(parties))):
            return [dm(a, meeting, More(meeting.id, following)) for a in parties]
        return [dm(initiator(parties), meeting, Found(meeting.id, parties, None, None, []))]

    def choose(self, request: Request, result: Found) -> list[Action]:
        """The initiator's last part: the lowest slot of the least total."""
        assert self.key is not None
        meeting, level = request.meeting, result.level
        if self.agreed is not None or level is None or not 0 <= level < len(self.key.orders):
            return []
        slots = [self.key.orders[level][p] for p in result.places if 0 <= p < len(self.key.orders[level])]
        if not slots:
            return []
        self.agreed = min(slots)
        return [dm(a, meeting, Decision(meeting.id, self.agreed)) for a in others(meeting, self.me)]


def alike(columns: list[Masked]) -> bool:
    """Whether the vectors are of the same totals, and of one length."""
    shapes = {(c.first, tuple(c.totals), tuple(map(len, c.values))) for c in columns}
    return len(shapes) == 1 and all(len(c.values) == len(c.totals) for c in columns)


def totals(ladder: Sequence[int], participants: int) -> list[int]:
    """Every sum that the participants' costs can have, ascending."""
    return sorted({sum(costs) for costs in combinations_with_replacement(ladder, participants)})


def drawn(seed: str, *names: object) -> int:
    """A residue that those who know the seed agree on, and that looks uniform to all others."""
    text = "\x1f".join((seed, *map(str, names)))
    return int.from_bytes(sha256(text.encode()).digest()) % MODULUS


def factor(seed: str, level: int, slot: int) -> int:
    """ρ of the level and slot, from 1 to p − 1."""
    return 1 + drawn(seed, "factor", level, slot) % (MODULUS - 1)


def mask(seed: str, level: int, slot: int, agent: int, parties: Sequence[int]) -> int:
    """The agent's additive mask: those of all parties cancel. The first party's makes up for the others'."""
    if agent != parties[0]:
        return drawn(seed, "mask", level, slot, agent)
    return -sum(mask(seed, level, slot, other, parties) for other in parties[1:]) % MODULUS


def masked(seed: str, level: tuple[int, int], slot: int, cost: int, agent: int, parties: Sequence[int]) -> int:
    """What the agent sends of a slot's cost: ρ·cost + mask; the first party takes the total that is asked off its own.

    level: the number of the total, and the total.
    """
    number, total = level
    own = cost - total if agent == parties[0] else cost
    return (factor(seed, number, slot) * own + mask(seed, number, slot, agent, parties)) % MODULUS


def zeros(rows: Sequence[Sequence[int]]) -> list[int]:
    """The places where the parties' rows add up to 0."""
    return [place for place, values in enumerate(zip(*rows, strict=True)) if sum(values) % MODULUS == 0]
