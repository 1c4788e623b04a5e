"""What a simulated speaker makes of one round: its own costs, and what it has read of the others'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median_low

from msgspec import Struct

from sim.agents import Request
from sim.agents.english.reader import EASY, HEAVY, Claim, Reading
from sim.calendar import Calendar, Errand, ScheduledMeeting

# Worse than any cost, yet a number: where everything seems impossible, the least impossible is still found.
IMPOSSIBLE = 1e6


# What each agent last said of each slot, whatever the round.
Memory = dict[int, dict[int, Claim]]


class Scale(Struct, frozen=True):
    """What vague words are worth to an agent, in cost units: the small, middle and large costs of its own errands.

    `unknown` is what it expects of a slot that nobody spoke of: the mean of its own.
    """

    low: float
    mid: float
    high: float
    unknown: float

    def worth(self, claim: Claim) -> float:
        """The cost that a claim stands for."""
        if claim.kind == "negative":
            return IMPOSSIBLE
        if claim.kind == "positive":
            return 0.0 if claim.cost is None else float(claim.cost)
        if claim.cost is not None:
            return float(claim.cost)
        if claim.kind == "proposal" or claim.weight == EASY:
            return self.low
        return self.high if claim.weight == HEAVY else self.mid


def scale_of(calendar: Calendar) -> Scale:
    """The scale by the agent's own calendar; all it can compare with."""
    costs = [i.cost for i in calendar.slots if isinstance(i, Errand)] or [1]
    spread = [i.cost if i else 0 for i in calendar.slots] or [0]
    return Scale(min(costs), median_low(costs), max(costs), sum(spread) / len(spread))


def own_costs(calendar: Calendar, bold: bool) -> dict[int, int]:
    """What each possible slot would cost the agent.

    A slot is possible when it is free, or when its errand has another slot to go to; so is a meeting's, for an agent
    that is `bold` enough to move it without asking.
    """
    costs = {}
    for slot, item in enumerate(calendar.slots):
        if item is None:
            costs[slot] = 0
        elif calendar.movable(slot) or (bold and isinstance(item, ScheduledMeeting) and calendar.free):
            costs[slot] = item.cost
    return costs


def says_less(claim: Claim, before: Claim) -> bool:
    """Whether a claim adds nothing to an earlier one: a slot that is proposed or accepted still costs what it cost."""
    agrees = claim.kind == "proposal" or (claim.kind == "positive" and claim.cost is None)
    return agrees and before.kind != "proposal"


class BeliefState:
    """One agent in one round: what it knows, what it has promised, and where the negotiation stands."""

    def __init__(self, me: int, request: Request, bold: bool, memory: Memory) -> None:
        members = request.meeting.participants
        self.me = me
        self.members = members
        self.lead = (request.meeting.speaker_order or tuple(sorted(members)) or (me,))[0]
        self.others = [a for a in sorted(members) if a != me]
        self.scale = scale_of(request.calendar)
        self.costs = own_costs(request.calendar, bold)
        self.memory = memory
        self.claims: dict[int, dict[int, Claim]] = {}
        self.granted: set[tuple[int, int]] = set()
        self.hearsay: dict[int, dict[int, Claim]] = {}
        self.totals: dict[tuple[int, float], float] = {}
        self.ranking: list[int] = []
        self.heard_from: set[int] = set()
        self.informed: set[int] = set()
        self.greeted: set[int] = set()
        self.gossiped: set[tuple[int, int, bool]] = set()
        self.accepted: dict[int, set[int]] = {}
        self.pledged: list[int] = []
        self.resisted: set[int] = set()
        self.table: int | None = None
        self.final: int | None = None
        self.proposals = 0
        self.asked = 0
        self.acknowledged = False

    def take(self, sender: int, reading: Reading) -> None:
        """Remember what a message says of its sender and of others."""
        self.heard_from.add(sender)
        self.reckon_anew()
        for claim in reading.claims:
            # What a meeting that may move stands in the way of is the meeting's affair.
            if reading.shift and claim.kind == "occupied":
                continue
            known = self.claims if claim.target == sender else self.hearsay
            self.memory.setdefault(claim.target, {})[claim.slot] = claim
            before = known.setdefault(claim.target, {}).get(claim.slot)
            if before is None or not says_less(claim, before):
                known[claim.target][claim.slot] = claim

    def view(self, agent: int, slot: int) -> float | None:
        """What the slot costs another agent, by its own words or else by others'; None where nobody spoke of it."""
        if (agent, slot) in self.granted:
            return self.scale.low
        claim = self.claims.get(agent, {}).get(slot) or self.hearsay.get(agent, {}).get(slot)
        return None if claim is None else self.scale.worth(claim)

    def total(self, slot: int, unknown: float) -> float:
        """What the slot seems to cost all participants, `unknown` for each that hasn't spoken of it."""
        cost = self.totals.get((slot, unknown))
        if cost is None:
            views = [self.view(a, slot) for a in self.others]
            cost = self.costs.get(slot, IMPOSSIBLE) + sum(unknown if v is None else v for v in views)
            self.totals[slot, unknown] = cost
        return cost

    def reprice(self, slot: int, cost: int) -> None:
        """Count the slot as one that can be had at this cost."""
        self.costs[slot] = cost
        self.reckon_anew()

    def reckon_anew(self) -> None:
        """Forget what was reckoned from the claims before."""
        self.totals.clear()
        self.ranking = []

    def best(self, unknown: float | None = None, but: Iterable[int] = ()) -> int | None:
        """The slot that seems cheapest to all, the lowest of equals; None for an agent that has none itself."""
        worth = self.scale.unknown if unknown is None else unknown
        skipped = set(but)
        slots = [s for s in self.costs if s not in skipped]
        return min(slots, key=lambda s: (self.total(s, worth), s), default=None)

    def own_best(self, number: int, but: Iterable[int] = ()) -> list[int]:
        """The agent's own cheapest slots, cheapest first; of equals those that the others seem to like."""
        if not self.ranking:
            key = self.scale.unknown
            self.ranking = sorted(self.costs, key=lambda s: (self.costs[s], self.total(s, key), s))
        skipped = set(but)
        return [s for s in self.ranking if s not in skipped][:number]

    def silent(self, slot: int) -> list[int]:
        """The other participants who haven't said a word about the slot."""
        return [a for a in self.others if self.view(a, slot) is None]

    def was_free(self, agent: int, slot: int) -> bool:
        """Whether the agent was last heard to be free there, in this round or an earlier one."""
        claim = self.memory.get(agent, {}).get(slot)
        return claim is not None and claim.kind == "positive" and claim.cost is None

    def agreement(self, fallback: Sequence[int] = ()) -> int | None:
        """The slot that the agent believes is agreed, or would be the likeliest to be."""
        for slot in (self.final, *reversed(self.pledged), self.table, *fallback):
            if slot is not None:
                return slot
        return self.best()
