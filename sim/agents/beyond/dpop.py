"""DPOP: the round as a distributed constraint optimisation problem, solved exactly with two messages a responder.

Every participant has a variable, the meeting's slot, and all must be equal: the pseudo-tree is the chain of the
participants by id, its root the lowest. Costs are added up from the leaf to the root (UTIL), where a slot is null that
anybody below can't take; the root's choice goes back down (VALUE).
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.imap import cheapest_slot, local_cost
from sim.agents.scripted import ScriptedAgent, agreed_batch, dm


class Util(Struct, tag_field="dpop", tag="util"):
    """What each slot costs the `below` together, the sender and all after it in the chain; null: impossible."""

    meeting_id: int
    below: list[int]
    costs: dict[int, int | None]


class Value(Struct, tag_field="dpop", tag="value"):
    """The slot of least total cost."""

    meeting_id: int
    slot: int


class Dpop(ScriptedAgent[Util | Value]):
    """One node of the chain."""

    decoder = msgspec.json.Decoder(Util | Value)

    def begin_round(self, request: Request) -> None:
        self.sent = False
        self.from_below: Util | None = None
        self.agreed: int | None = None

    def talk(self, request: Request) -> list[Action]:
        chain = sorted(request.meeting.participants)
        if self.me not in chain:
            return []
        place = chain.index(self.me)
        parent = chain[place - 1] if place else None
        child = chain[place + 1] if place + 1 < len(chain) else None
        actions = []
        for sender, payload in self.received(request):
            match payload:
                case Util() if sender == child and self.from_below is None:
                    self.from_below = payload
                case Value(slot=slot) if sender == parent and self.agreed is None:
                    actions += self.take(request, slot, child)
        if self.sent or (child is not None and self.from_below is None):
            return actions
        self.sent = True
        return actions + self.pass_up(request, parent, child)

    def pass_up(self, request: Request, parent: int | None, child: int | None) -> list[Action]:
        """Add the agent's own costs to those from below, and send the sums up; the root chooses."""
        meeting, calendar = request.meeting, request.calendar
        own = {s: local_cost(calendar, s) for s in range(len(calendar))}
        below = [own, *([self.from_below.costs] if self.from_below else [])]
        if parent is None:
            slot = cheapest_slot(below)
            return [] if slot is None else self.take(request, slot, child)
        sums = {s: added([costs.get(s) for costs in below]) for s in own}
        members = [a for a in sorted(meeting.participants) if a >= self.me]
        return [dm(parent, meeting, Util(meeting.id, members, sums))]

    def take(self, request: Request, slot: int, child: int | None) -> list[Action]:
        """Note the slot, and pass it down."""
        self.agreed = slot
        return [] if child is None else [dm(child, request.meeting, Value(request.meeting.id, slot))]

    def decide(self, request: Request) -> list[Action]:
        return agreed_batch(request, self.agreed)


def added(costs: list[int | None]) -> int | None:
    """The sum; None where a part is."""
    known = [c for c in costs if c is not None]
    return sum(known) if len(known) == len(costs) else None
