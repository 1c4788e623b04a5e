"""IMAP: every participant sends its cost of every slot, the initiator takes the cheapest (paper, Appendix G.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.scripted import ScriptedAgent, clear_errand, dm, others, schedule
from sim.calendar import Calendar


class CostRequest(Struct, tag_field="imap", tag="cost_request"):
    """The initiator asks for the costs of these slots."""

    meeting_id: int
    slots: list[int]


class Costs(Struct, tag_field="imap", tag="costs"):
    """What each requested slot would cost the sender; null where it is impossible."""

    meeting_id: int
    costs: dict[int, int | None]


class Decision(Struct, tag_field="imap", tag="decision"):
    """The slot that the initiator has chosen."""

    meeting_id: int
    slot: int


class Imap(ScriptedAgent[Struct]):
    """One participant of IMAP, initiator or responder as the meeting has it."""

    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(CostRequest | Costs | Decision)

    def begin_round(self, request: Request) -> None:
        self.asked = False
        self.replies: dict[int, dict[int, int | None]] = {}
        self.agreed: int | None = None

    def answer(self, request: Request, sender: int, payload: Struct) -> list[Action]:
        match payload:
            case CostRequest():
                return [dm(sender, request.meeting, self.reply(request, payload.slots))]
            case Decision():
                self.agreed = payload.slot
            case _:
                self.note(sender, payload)
        return []

    def reply(self, request: Request, slots: Sequence[int]) -> Struct:
        """The message that says what the slots cost."""
        return Costs(request.meeting.id, {s: self.cost(request.calendar, s) for s in slots})

    def note(self, sender: int, payload: Struct) -> None:
        """Keep what a responder says that its slots cost."""
        if isinstance(payload, Costs):
            self.replies[sender] = payload.costs

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: ask once, and decide when everybody has answered."""
        meeting, slots = request.meeting, list(range(len(request.calendar)))
        responders = others(meeting, self.me)
        if responders and not self.asked:
            self.asked = True
            return [dm(a, meeting, CostRequest(meeting.id, slots)) for a in responders]
        if self.agreed is not None or not set(responders) <= set(self.replies):
            return []
        own = {s: self.cost(request.calendar, s) for s in slots}
        self.agreed = cheapest_slot([own, *(self.replies[a] for a in responders)])
        if self.agreed is None:
            return []
        return [dm(a, meeting, Decision(meeting.id, self.agreed)) for a in responders]

    def cost(self, calendar: Calendar, slot: int) -> int | None:
        """What the agent calls the cost of a slot."""
        return local_cost(calendar, slot)

    def decide(self, request: Request) -> list[Action]:
        calendar, slot = request.calendar, self.agreed
        if request.attempt:
            usable = [s for s in range(len(calendar)) if self.cost(calendar, s) is not None]
            slot = usable[request.attempt] if request.attempt < len(usable) else None
        if slot is None or local_cost(calendar, slot) is None:
            return []
        return [*clear_errand(calendar, slot), schedule(request.meeting, slot)]


def local_cost(calendar: Calendar, slot: int) -> int | None:
    """What inserting a meeting costs the agent: 0 free, an errand's cost where it can go elsewhere, else None."""
    if not 0 <= slot < len(calendar):
        return None
    item = calendar[slot]
    if item is None:
        return 0
    return item.cost if calendar.movable(slot) else None


def cheapest_slot(costs: list[dict[int, int | None]]) -> int | None:
    """The slot of least total cost over all agents, the lowest of equals; None where none is possible for all."""
    totals: dict[int, int] = {}
    for slot in costs[0]:
        known = [cost for c in costs if (cost := c.get(slot)) is not None]
        if len(known) == len(costs):
            totals[slot] = sum(known)
    return min(totals, key=lambda s: (totals[s], s), default=None)
