"""What the scripted protocols share: typed JSON messages and one method a phase (paper, Appendix G)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from random import Random
from typing import Any, Generic, TypeVar

import msgspec

from sim.agents import CHEAP_TALK, DECISION, Action, Registration, Reply, Request
from sim.calendar import Calendar, Errand
from sim.tasks.scenario import Meeting

Payload = TypeVar("Payload")


class ScriptedAgent(Generic[Payload]):
    """An agent that follows a protocol, told of each message by what it means.

    A protocol's messages are records tagged with their kind; `decoder` reads any of them. What is not a message of
    the protocol is passed over.
    """

    decoder: msgspec.json.Decoder[Payload]
    me: int
    round: int | None = None
    agreed: int | None

    def register(self, registration: Registration) -> str:
        self.me, self.game_seed = registration.agent, registration.game_seed
        self.everybody = range(registration.num_agents)
        return ""

    def act(self, request: Request) -> Reply:
        if self.round != request.round:
            self.round = request.round
            self.begin_round(request)
        if request.phase == CHEAP_TALK:
            return Reply(self.talk(request))
        return Reply(self.decide(request) if request.phase == DECISION else self.volunteer(request))

    def summary(self) -> Mapping[str, Any]:
        return {}

    def begin_round(self, request: Request) -> None:
        """Forget the round before."""

    def talk(self, request: Request) -> list[Action]:
        """Answer what came in; the initiator then takes its next step."""
        answers = [a for sender, payload in self.received(request) for a in self.answer(request, sender, payload)]
        return answers + self.lead(request) if self.leads(request) else answers

    def answer(self, request: Request, sender: int, payload: Payload) -> list[Action]:
        """Note a message, and answer it where the protocol says so."""
        raise NotImplementedError

    def lead(self, request: Request) -> list[Action]:
        """The initiator's next step."""
        raise NotImplementedError

    def decide(self, request: Request) -> list[Action]:
        """The batch that writes the meeting into the agreed slot; empty where none is, or the batch was rejected."""
        slot = self.agreed
        if slot is None or request.attempt or not 0 <= slot < len(request.calendar):
            return []
        return [*clear_errand(request.calendar, slot), schedule(request.meeting, slot)]

    def volunteer(self, request: Request) -> list[Action]:
        return []

    def own_draws(self, purpose: str, request: Request) -> Random:
        """The agent's own draws for the purpose in this round."""
        return Random(f"{purpose} of agent {self.me} in {self.game_seed}, round {request.round}")

    def leads(self, request: Request) -> bool:
        """Whether the agent is the initiator of the round's meeting."""
        return initiator(request.meeting.participants) == self.me

    def received(self, request: Request) -> Iterator[tuple[int, Payload]]:
        """(sender, payload) of each message of this protocol about the round's meeting.

        An inbox outlives its round: what is left over from an earlier meeting is passed over like any other junk.
        """
        for message in request.inbox:
            if message.meeting_id != request.meeting.id:
                continue
            try:
                yield message.sender, self.decoder.decode(message.content)
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
                continue


def dm(to: int, meeting: Meeting, payload: msgspec.Struct) -> Action:
    """A direct message of a protocol, its content JSON."""
    content = json.dumps(msgspec.to_builtins(payload, str_keys=True))
    return {"type": "dm", "to": to, "meeting_id": meeting.id, "content": content}


def initiator(participants: Sequence[int]) -> int:
    """Who leads a meeting's negotiation: the lowest participant id."""
    return min(participants)


def others(meeting: Meeting, me: int) -> list[int]:
    """The meeting's other participants, ascending."""
    return [a for a in sorted(meeting.participants) if a != me]


def schedule(meeting: Meeting, slot: int) -> Action:
    """The action that writes the meeting into the slot."""
    return {"type": "schedule", "meeting_id": meeting.id, "slot": slot}


def reschedule(item: int, from_slot: int, to_slot: int) -> Action:
    """The action that moves an item."""
    return {"type": "reschedule", "item_id": item, "from_slot": from_slot, "to_slot": to_slot}


def clear_errand(calendar: Calendar, slot: int, *taken: int) -> list[Action]:
    """The move of the errand that a meeting in the slot displaces, to the first free slot that is not `taken`; empty
    where there is no move to make."""
    errand, landing = calendar[slot], calendar.first_free_but(slot, *taken)
    if not isinstance(errand, Errand) or landing is None:
        return []
    return [reschedule(errand.errand_id, slot, landing)]


def check_ladder(ladder: Sequence[int], top: float = inf) -> None:
    """Raise ValueError where a ladder of costs is not one: from 0 on, ascending, below `top`."""
    if not ladder or list(ladder) != sorted({cost for cost in ladder if 0 <= cost < top}):
        raise ValueError(f"ladder must list ascending costs from 0 on, below {top}; got {list(ladder)}")
