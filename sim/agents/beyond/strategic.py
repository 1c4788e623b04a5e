"""Strategic agents: they negotiate by a protocol on a calendar that they only claim to have, and act on the true one.

Whatever the protocol, an agent says what its calendar makes it say. A strategic agent plays the protocol's own agent,
shows it the claimed calendar (misreport.py) in CHEAP_TALK, and the true one in VOLUNTARY and DECISION.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from sim.agents import CHEAP_TALK, Agent, Message, Registration, Reply, Request
from sim.agents.beyond.misreport import Misreport, claimed
from sim.agents.imap import local_cost
from sim.agents.scripted import dm


class StrategicParameters(Misreport, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who pretends what, beside the fields of `Misreport`.

    `protocol` is the named team whose protocol everybody plays. Only the agents of `seats` pretend.
    With a deal they are a pair, and pretend in the meetings that both attend: under a pact each about itself, with
    shared calendars each about both (it counts the other's cost of a slot beside its own).
    """

    protocol: str
    seats: tuple[int, ...] = ()
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

    def register(self, registration: Registration) -> str:
        self.me = registration.agent
        return self.inner.register(registration)

    def summary(self) -> Mapping[str, Any]:
        return self.inner.summary()

    def act(self, request: Request) -> Reply:
        if request.phase != CHEAP_TALK or not self.pretends(request):
            return self.inner.act(request)
        if self.parameters.deal == "shared":
            return self.together(request)
        return self.inner.act(self.as_claimed(request, None))

    def pretends(self, request: Request) -> bool:
        """Whether the agent pretends in this meeting."""
        p = self.parameters
        if self.me not in p.seats or p.is_nothing:
            return False
        return p.deal == "none" or set(p.seats) <= set(request.meeting.participants)

    def as_claimed(self, request: Request, friend: Mapping[int, int | None] | None) -> Request:
        """The request as it would be if the claimed calendar were true."""
        return msgspec.structs.replace(request, calendar=claimed(request.calendar, self.parameters, friend))

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
