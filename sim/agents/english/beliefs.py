"""What a simulated speaker makes of one round: its own costs, and what it has read of the others'."""

from __future__ import annotations

from collections.abc import Collection, Iterable
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
        if claim.cost is not None:
            return float(claim.cost)
        if claim.kind == "positive":
            return 0.0
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
        self.me, self.members = me, members
        self.lead = (request.meeting.speaker_order or tuple(sorted(members)) or (me,))[0]
        self.others = [a for a in sorted(members) if a != me]
        self.scale = scale_of(request.calendar)
        self.costs = own_costs(request.calendar, bold)
        self.memory = memory
        self.claims: Memory = {}
        self.hearsay: Memory = {}
        self.granted: set[tuple[int, int]] = set()
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
        for claim in reading.claims:
            # What a meeting that may move stands in the way of is the meeting's affair.
            if reading.shift and claim.kind == "occupied":
                continue
            self.memory.setdefault(claim.target, {})[claim.slot] = claim
            known = (self.claims if claim.target == sender else self.hearsay).setdefault(claim.target, {})
            if claim.slot not in known or not says_less(claim, known[claim.slot]):
                known[claim.slot] = claim

    def view(self, agent: int, slot: int) -> float | None:
        """What the slot costs another agent, by its own words or else by others'; None where nobody spoke of it."""
        if (agent, slot) in self.granted:
            return self.scale.low
        claim = self.claims.get(agent, {}).get(slot) or self.hearsay.get(agent, {}).get(slot)
        return None if claim is None else self.scale.worth(claim)

    def views(self, slot: int) -> list[float | None]:
        """What the slot costs each of the other participants, as `view` has it."""
        return [self.view(a, slot) for a in self.others]

    def total(self, slot: int, unknown: float | None = None) -> float:
        """What the slot seems to cost all participants, with `unknown` (by default the scale's) for the silent."""
        default = self.scale.unknown if unknown is None else unknown
        return self.costs.get(slot, IMPOSSIBLE) + sum(default if v is None else v for v in self.views(slot))

    def cheapest(self, slots: Iterable[int]) -> list[int]:
        """The slots, those first that seem cheapest to all, the lowest of equals."""
        return sorted(slots, key=lambda s: (self.total(s), s))

    def best(self) -> int | None:
        """The slot that seems cheapest to all; None for an agent that has none itself."""
        return next(iter(self.cheapest(self.costs)), None)

    def own_best(self, number: int, but: Collection[int] = ()) -> list[int]:
        """The agent's own cheapest slots, cheapest first; of equals those that the others seem to like."""
        ranking = sorted(self.costs, key=lambda s: (self.costs[s], self.total(s), s))
        return [s for s in ranking if s not in but][:number]

    def was_free(self, agent: int, slot: int) -> bool:
        """Whether the agent was last heard to be free there, in this round or an earlier one."""
        claim = self.memory.get(agent, {}).get(slot)
        return claim is not None and claim.kind == "positive" and claim.cost is None

    def agreement(self) -> int | None:
        """The slot that the agent believes is agreed, or would be the likeliest to be."""
        likely = (self.final, *reversed(self.pledged), self.table)
        return next((slot for slot in likely if slot is not None), self.best())
