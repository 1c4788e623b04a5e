"""Simulated negotiators: they read the English they are sent, write English, and bargain by a few named parameters.

They imitate a manner of talking, no model. A direction in their results that follows from a parameter is so by
construction. They use what their agent is told, and nothing else of the game.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

from sim.agents import CHEAP_TALK, DECISION, Action, Registration, Reply, Request
from sim.agents.english.beliefs import BeliefState, Memory
from sim.agents.english.prober import AdaptiveProber, Prober
from sim.agents.english.reader import Reading, read
from sim.agents.english.repair import Repair
from sim.agents.english.talk import Talk
from sim.agents.english.writer import EVERYBODY, GROUP, Outbox, Part, Writer
from sim.agents.parameters import StyleParameters
from sim.agents.scripted import reschedule, schedule
from sim.calendar import ScheduledMeeting, item_id

# What a speaker thinks aloud in a reply that is cut off: it tells nobody anything.
MUSING = "Let me go over what everyone has written so far, and see how it fits what I have in mind. "


TO_PARTICIPANTS, TO_ALL = "participant_groupchat", "all_groupchat"

STREAMS = ("words", "costs", "gossip", "labels", "stance", "courtesy", "commitments", "moves", "cuts", "probes")


class Style:
    """One simulated speaker. A `nosy` one also probes the others for what their slots hold.

    It has draws of its own for each of its purposes, `STREAMS`.
    """

    asks_as: type[Prober] = Prober

    def __init__(self, parameters: StyleParameters, nosy: bool = False) -> None:
        self.parameters, self.nosy = parameters, nosy

    def register(self, registration: Registration) -> str:
        self.me, self.channels = registration.agent, registration.channels
        named = f"style:{registration.game_seed}:{self.me}"
        self.streams = {purpose: Random(f"{named}:{purpose}") for purpose in STREAMS}
        self.writer = Writer(self.me, self.parameters.held_out, self.streams["words"])
        self.prober = self.asks_as(self.streams["probes"]) if self.nosy else None
        self.insistence: dict[int, int] = {}
        self.memory: Memory = {}
        self.round: int | None = None
        return ""

    def act(self, request: Request) -> Reply:
        if self.round != request.round:
            self.begin_round(request)
        if request.phase == CHEAP_TALK:
            return self.talk(request)
        promised = self.repair.moves(request.calendar, self.beliefs.agreement())
        if request.phase == DECISION:
            return self.answered(self.batch(request, promised), self.cut)
        return self.answered(promised, self.is_cut())

    def summary(self) -> Mapping[str, Any]:
        return {}

    def begin_round(self, request: Request) -> None:
        """Forget the round before. What is drawn once a round is drawn here."""
        self.round = request.round
        self.bold = self.streams["moves"].random() < self.parameters.unilateral
        self.cut = self.is_cut()
        self.beliefs = BeliefState(self.me, request, self.bold, self.memory)
        self.repair = Repair(self.parameters, self.beliefs, self.streams["stance"])

    def is_cut(self) -> bool:
        """Whether the reply is cut off before its actions."""
        return self.streams["cuts"].random() < self.parameters.truncation

    def talk(self, request: Request) -> Reply:
        """Read, negotiate, and write."""
        readings = self.understood(request)
        in_group = self.me in self.beliefs.members and self.group_chat
        talk = Talk(self.parameters, self.beliefs, self.repair, self.streams, request, in_group)
        outbox = talk.turn(readings, self.insistence)
        if self.prober:
            self.prober.add_questions(request, self.beliefs, readings, outbox)
        actions, intents = self.written(request, outbox)
        return self.answered(actions, self.is_cut(), intents)

    def understood(self, request: Request) -> list[tuple[int, Reading]]:
        """The inbox, read; of messages about an earlier meeting only that they came."""
        readings = []
        for message in request.inbox:
            if message.meeting_id == request.meeting.id:
                reading = read(message.content, message.sender, self.me, len(request.calendar))
                if message.channel == TO_ALL and not self.is_meant(request, reading):
                    continue
                self.beliefs.take(message.sender, reading)
                readings.append((message.sender, reading))
        return readings

    def is_meant(self, request: Request, reading: Reading) -> bool:
        """Whether what was said to all agents is for this one: it takes part, or holds the meeting that is to move."""
        if reading.shift:
            return request.calendar.slot_of_meeting(reading.shift.meeting) is not None
        return self.me in self.beliefs.members

    @property
    def group_chat(self) -> bool:
        """Whether the participants negotiate in a group chat: in their own, or where no direct messages are allowed."""
        return TO_PARTICIPANTS in self.channels or "dm" not in self.channels

    def written(self, request: Request, outbox: Outbox) -> tuple[list[Action], list[dict[str, Any]]]:
        """The messages of a turn, those to groups first, then to recipients ascending, and what they say."""
        actions, intents = [], []
        drafts = gathered(outbox.parts) if TO_ALL in self.channels else outbox.parts
        for to, drafted in sorted(drafts.items()):
            way = self.way_to(to)
            if way is None:
                continue
            written = self.writer.write(to, request.meeting.id, self.polite(to, drafted))
            actions.append(way | {"meeting_id": request.meeting.id, "content": written.text})
            intents.append(written.intent)
        return actions, intents

    def way_to(self, to: int) -> Action | None:
        """The channel, and the recipient of a direct message, by which a reader is reached; None where none is open."""
        if to >= 0 and "dm" in self.channels:
            return {"type": "dm", "to": to}
        members = self.beliefs.members
        if TO_PARTICIPANTS in self.channels and (to == GROUP or {to, self.me} <= set(members)):
            return {"type": TO_PARTICIPANTS}
        return {"type": TO_ALL} if TO_ALL in self.channels else None

    def polite(self, to: int, parts: Sequence[Part]) -> list[Part]:
        """The parts, now and then with a greeting or a courtesy around them; at most one of each way to say a thing."""
        draws, sociability = self.streams["courtesy"], self.parameters.sociability
        chosen = list(dict.fromkeys(parts))
        if to >= 0 and to not in self.beliefs.greeted:
            self.beliefs.greeted.add(to)
            if draws.random() < 0.6 * sociability:
                chosen.insert(0, Part("greet"))
        if draws.random() < 0.3 * sociability:
            chosen.append(Part("smalltalk"))
        return chosen

    def answered(self, actions: Sequence[Action], cut: bool, intents: Sequence[dict[str, Any]] = ()) -> Reply:
        """The reply; where it is cut off, what is left of it is no actions."""
        if cut:
            whole = json.dumps({"thinking": MUSING * 2, "actions": list(actions)})
            length = self.streams["cuts"].randrange(40, len(MUSING) * 2)
            return Reply(actions=[], text=whole[:length])
        return Reply(actions=list(actions), intent=list(intents) if intents else None)

    def batch(self, request: Request, promised: Sequence[Action]) -> list[Action]:
        """The batch for this attempt: the agreed slot first, then the agent's cheapest ones."""
        slots = [*self.first_choice(request.attempt), *self.beliefs.own_best(len(request.calendar))]
        batches = (self.placed(request, slot, promised) for slot in dict.fromkeys(slots))
        return next(islice(filter(None, batches), request.attempt, None), [])

    def first_choice(self, attempt: int) -> list[int]:
        """The slot that the agent commits to: the agreed one, or, where it is careless, one that was talked of."""
        agreed, draws = self.beliefs.agreement(), self.streams["commitments"]
        if attempt == 0 and draws.random() >= self.parameters.reliability:
            other = [s for s in self.beliefs.own_best(4) if s != agreed]
            return [draws.choice(other)] if other else []
        return [] if agreed is None else [agreed]

    def placed(self, request: Request, slot: int, promised: Sequence[Action]) -> list[Action]:
        """The moves that were promised, what makes way for the meeting, and the meeting; empty where it can't be.

        What makes way goes to the free slot that suits the others least, and so is missed least.
        """
        calendar, taken = request.calendar, {a["to_slot"] for a in promised}
        if not 0 <= slot < len(calendar) or slot in taken:
            return []
        item, planned = calendar[slot], [*promised, schedule(request.meeting, slot)]
        if item is None or slot in {a["from_slot"] for a in promised}:
            return planned
        free = [s for s in calendar.free if s not in taken]
        if not free or not (calendar.movable(slot) or (self.bold and isinstance(item, ScheduledMeeting))):
            return []
        landing = self.beliefs.cheapest(free)[-1]
        return [*planned[:-1], reschedule(item_id(item), slot, landing), planned[-1]]


class AdaptiveStyle(Style):
    """A simulated speaker who probes, and adapts to who answers."""

    asks_as = AdaptiveProber


def gathered(drafts: Mapping[int, list[Part]]) -> dict[int, list[Part]]:
    """The drafts; what several agents are asked or told about moving an earlier meeting goes to everybody, once."""
    moves = {to: parts for to, parts in drafts.items() if all(p.act.startswith("move_") for p in parts)}
    shared = next(iter(moves.values()), [])
    if len(moves) < 2 or any(parts != shared for parts in moves.values()):
        return dict(drafts)
    return {EVERYBODY: shared} | {to: parts for to, parts in drafts.items() if to not in moves}
