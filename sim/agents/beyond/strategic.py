"""Strategic agents: they negotiate by a protocol on a calendar that they only claim to have, and may go back on it.

Whatever the protocol, an agent says what its calendar makes it say. A strategic agent plays the protocol's own agent
and shows it the claimed calendar in CHEAP_TALK. In VOLUNTARY and DECISION it shows it the true one, or stands by its
claim; and it may refuse to move what costs it too much, so that the meeting fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from sim.agents import CHEAP_TALK, Agent, Message, Registration, Reply, Request
from sim.agents.imap import local_cost
from sim.agents.scripted import dm
from sim.calendar import Calendar, Errand, Item

# The number of an errand that is only claimed: no protocol's message names it.
MADE_UP = -1


class Misreport(Struct, frozen=True, kw_only=True):
    """What is claimed of a slot that truly costs c: factor · c + offset where c > 0.

    `busy` is the share of the possible slots, dearest first and of equals the first, that are called impossible.
    """

    factor: Annotated[float, Meta(ge=1)] = 1.0
    offset: Annotated[int, Meta(ge=0)] = 0
    busy: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def is_nothing(self) -> bool:
        """Whether it claims what is true."""
        return (self.factor, self.offset, self.busy) == (1, 0, 0)


class StrategicParameters(Misreport, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who pretends what, beside the fields of `Misreport`.

    `protocol` is the named team, or the type without its parameters, that everybody plays. Only the agents of `seats`
    pretend. One that `stands` acts on the claimed calendar too. One that `refuses` submits no batch whose moves truly
    cost it more than that, whatever was agreed; null refuses none.
    With a deal they are a pair, and pretend in the meetings that both attend: under a pact each about itself, with
    shared calendars each about both (it counts the other's cost of a slot beside its own).
    """

    protocol: str
    seats: tuple[int, ...] = ()
    stands: bool = False
    refuses: Annotated[int, Meta(ge=0)] | None = None
    deal: Literal["none", "pact", "shared"] = "none"


class Deal(Struct):
    """What one of a pair tells the other at the start of a round: what each slot costs it, null where impossible."""

    deal: Literal["calendar"]
    meeting_id: int
    costs: dict[int, int | None]


class Strategic:
    """One agent of a team in which some pretend; `inner` is the protocol's own."""

    decoder = msgspec.json.Decoder(Deal)
    friend: Mapping[int, int | None] | None = None
    held: tuple[Message, ...] = ()

    def __init__(self, parameters: StrategicParameters, inner: Agent) -> None:
        self.parameters, self.inner = parameters, inner
        self.round: int | None = None
        self.refused: int | None = None  # the round of the last refusal

    def register(self, registration: Registration) -> str:
        self.me = registration.agent
        return self.inner.register(registration)

    def summary(self) -> Mapping[str, Any]:
        return self.inner.summary()

    def act(self, request: Request) -> Reply:
        if not self.pretends(request):
            return self.inner.act(request)
        if request.phase != CHEAP_TALK:
            return self.move(request)
        if self.parameters.deal == "shared":
            return self.together(request)
        return self.inner.act(self.as_claimed(request, None))

    def pretends(self, request: Request) -> bool:
        """Whether the agent pretends in this meeting."""
        p = self.parameters
        if self.me not in p.seats or (p.is_nothing and p.refuses is None):
            return False
        return p.deal == "none" or set(p.seats) <= set(request.meeting.participants)

    def as_claimed(self, request: Request, friend: Mapping[int, int | None] | None) -> Request:
        """The request as it would be if the claimed calendar were true."""
        return msgspec.structs.replace(request, calendar=claimed(request.calendar, self.parameters, friend))

    def move(self, request: Request) -> Reply:
        """The batch after the talk: of the true calendar or the claimed one, or none, at any attempt, once refused."""
        if request.attempt and self.refused == request.round:
            return Reply([])
        shown = self.as_claimed(request, self.friend) if self.parameters.stands else request
        reply = self.inner.act(shown)
        actions = [a for a in reply.actions if a.get("item_id") != MADE_UP]
        limit = self.parameters.refuses
        if limit is not None and cost_of(request.calendar, actions) > limit:
            self.refused = request.round
            return Reply([])
        return msgspec.structs.replace(reply, actions=actions)

    def together(self, request: Request) -> Reply:
        """With shared calendars: tell the friend what one's slots cost, and say nothing else until it has told."""
        deals = []
        if self.round != request.round:
            self.round, self.friend, self.held = request.round, None, ()
            deals = [self.deal_with(request, seat) for seat in self.parameters.seats if seat != self.me]
        self.held += tuple(m for m in request.inbox if not self.is_deal(request, m))
        if self.friend is None:
            return Reply(deals)
        waiting, self.held = self.held, ()
        answered = self.inner.act(self.as_claimed(msgspec.structs.replace(request, inbox=waiting), self.friend))
        return msgspec.structs.replace(answered, actions=[*deals, *answered.actions])

    def deal_with(self, request: Request, seat: int) -> dict[str, Any]:
        """The message of the deal."""
        costs = {s: local_cost(request.calendar, s) for s in range(len(request.calendar))}
        return dm(seat, request.meeting, Deal("calendar", request.meeting.id, costs))

    def is_deal(self, request: Request, message: Message) -> bool:
        """Whether the message is the friend's part of the deal about this meeting, which is then noted."""
        if message.sender not in self.parameters.seats or message.meeting_id != request.meeting.id:
            return False
        try:
            self.friend = self.decoder.decode(message.content).costs
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return False
        return True


def cost_of(calendar: Calendar, actions: Iterable[Mapping[str, Any]]) -> int:
    """What the moves among a protocol's actions cost the calendar's owner."""
    moved = [calendar[a["from_slot"]] for a in actions if a["type"] == "reschedule"]
    return sum(item.cost for item in moved if item)


def claimed(calendar: Calendar, misreport: Misreport, friend: Mapping[int, int | None] | None = None) -> Calendar:
    """The calendar that an agent with this one claims to have.

    `friend` holds what each slot costs a friend, whose costs then count beside its own. What is impossible stays so,
    meetings stay as all their participants know them, and one free slot stays free: without any, no errand could move.
    """
    counted = {s: c + ((friend or {}).get(s) or 0) for s in errands_and_free(calendar) for c in [own(calendar, s)]}
    ranked = sorted(counted, key=lambda s: (-counted[s], s))
    hidden = set(ranked[: int(misreport.busy * len(ranked))])
    slots = [
        claimed_item(item, misreport, counted[s], s in hidden) if s in counted else item
        for s, item in enumerate(calendar.slots)
    ]
    if calendar.free and None not in slots:
        slots[min(calendar.free, key=lambda s: (counted[s], s))] = None
    return Calendar(slots)


def errands_and_free(calendar: Calendar) -> list[int]:
    """The slots, ascending, that are possible for a meeting at a cost of the agent's own."""
    return [s for s in range(len(calendar)) if local_cost(calendar, s) is not None]


def own(calendar: Calendar, slot: int) -> int:
    """What a possible slot truly costs."""
    return local_cost(calendar, slot) or 0


def claimed_item(item: Item | None, misreport: Misreport, counted: int, hidden: bool) -> Item | None:
    """What is claimed to stand in a slot that truly costs `counted`."""
    number = item.errand_id if isinstance(item, Errand) else MADE_UP
    cost = int(misreport.factor * counted + 0.5) + (misreport.offset if counted else 0)
    if hidden:
        return Errand(number, cost, blocked=True)
    return Errand(number, cost) if cost else None
