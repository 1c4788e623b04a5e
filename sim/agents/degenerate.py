"""Policies that nobody would want: they show what each metric makes of them (docs/metrics.md)."""

from __future__ import annotations

from typing import Any

from sim.agents import Action, Request
from sim.agents.imap import Imap, local_cost
from sim.agents.scripted import ScriptedAgent, clear_errand, reschedule, schedule
from sim.calendar import Calendar, Errand


class Silent(ScriptedAgent[Any]):
    """Says nothing, and schedules nothing."""

    def talk(self, request: Request) -> list[Action]:
        return []

    def decide(self, request: Request) -> list[Action]:
        return []


class RefuseIfCostly(Imap):
    """Negotiates as IMAP does, but calls every slot impossible that is not free."""

    def cost(self, calendar: Calendar, slot: int) -> int | None:
        cost = local_cost(calendar, slot)
        return cost if cost == 0 else None


class PhantomAgreement(Imap):
    """Negotiates and agrees as IMAP does, then books a free slot that is no other participant's."""

    def decide(self, request: Request) -> list[Action]:
        members = sorted(request.meeting.participants)
        own = [s for s in request.calendar.free if s % len(members) == members.index(self.me) and s != self.agreed]
        return [schedule(request.meeting, own[0])] if own else []


class AlwaysSlotZero(ScriptedAgent[Any]):
    """Says nothing, and books slot 0, whatever it has to move for that."""

    def talk(self, request: Request) -> list[Action]:
        return []

    def decide(self, request: Request) -> list[Action]:
        item, landing = request.calendar[0], request.calendar.first_free_but(0)
        if item is None:
            return [schedule(request.meeting, 0)]
        if isinstance(item, Errand):
            way = [] if item.blocked else clear_errand(request.calendar, 0)
        else:
            way = [] if landing is None else [reschedule(item.meeting_id, 0, landing)]
        return [*way, schedule(request.meeting, 0)] if way else []


POLICIES: dict[str, type[ScriptedAgent[Any]]] = {
    "silent": Silent,
    "refuse-if-costly": RefuseIfCostly,
    "phantom-agreement": PhantomAgreement,
    "always-slot-0": AlwaysSlotZero,
}
