"""Simulated negotiators: they read the English they are sent, write English, and bargain by a few named parameters.

They imitate a manner of talking, no model. A direction in their results that follows from a parameter is so by
construction. They use what their agent is told, and nothing else of the game.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

from sim.agents import CHEAP_TALK, DECISION, Action, Registration, Reply, Request
from sim.agents.english import StyleParameters
from sim.agents.english.belief_state import BeliefState, Memory
from sim.agents.english.message_planner import MessagePlanner
from sim.agents.english.prober import AdaptiveProber, Prober
from sim.agents.english.reader import Reading, read
from sim.agents.english.repair import Repair
from sim.agents.english.talk import Talk
from sim.agents.english.writer import EVERYBODY, GROUP, Outbox, Part, Writer
from sim.agents.scripted import reschedule, schedule
from sim.calendar import Calendar, ScheduledMeeting, item_id

# What a speaker thinks aloud in a reply that is cut off: it tells nobody anything.
MUSING = "Let me go over what everyone has written so far, and see how it fits what I have in mind. "


class Style:
    """One simulated speaker. A `nosy` one also probes the others for what their slots hold."""

    def __init__(self, parameters: StyleParameters, nosy: bool = False) -> None:
        self.parameters, self.nosy = parameters, nosy

    def register(self, registration: Registration) -> str:
        self.me, self.channels = registration.agent, registration.channels
        p, streams = self.parameters, {name: stream(registration, name) for name in STREAMS}
        self.streams = streams
        self.writer = Writer(self.me, p.held_out, streams["words"])
        self.planner = MessagePlanner(self.me, p, streams["costs"], streams["gossip"], streams["labels"])
        self.prober = Prober(streams["probes"]) if self.nosy else None
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
        if request.phase != DECISION:
            return self.answered(promised, self.streams["cuts"].random() < self.parameters.truncation)
        batch = decide(request, self.beliefs, self.parameters, promised, self.streams["commitments"], self.bold)
        return self.answered(batch, self.cut)

    def summary(self) -> Mapping[str, Any]:
        return {}

    def begin_round(self, request: Request) -> None:
        """Forget the round before. What is drawn once a round is drawn here."""
        self.round = request.round
        self.bold = self.streams["moves"].random() < self.parameters.unilateral
        self.cut = self.streams["cuts"].random() < self.parameters.truncation
        self.beliefs = BeliefState(self.me, request, self.bold, self.memory)
        self.repair = Repair(self.parameters, self.beliefs, self.streams["stance"])

    def talk(self, request: Request) -> Reply:
        """Read, negotiate, and write."""
        readings = self.understood(request)
        in_group = self.me in self.beliefs.members and self.group_chat is not None
        talk = Talk(self.parameters, self.planner, self.beliefs, self.repair, self.streams["stance"], in_group)
        outbox = talk.turn(request, readings, self.insistence)
        if self.prober:
            self.prober.add_questions(request, self.beliefs, readings, outbox)
        actions, intents = self.written(request, outbox)
        return self.answered(actions, self.streams["cuts"].random() < self.parameters.truncation, intents)

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
    def group_chat(self) -> str | None:
        """Where the participants negotiate, if not one to one: their group chat, or all agents' where no direct
        messages are allowed either."""
        if TO_PARTICIPANTS in self.channels:
            return TO_PARTICIPANTS
        return TO_ALL if TO_ALL in self.channels and "dm" not in self.channels else None

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


TO_PARTICIPANTS, TO_ALL = "participant_groupchat", "all_groupchat"


def gathered(drafts: Mapping[int, list[Part]]) -> dict[int, list[Part]]:
    """The drafts; what several agents are asked or told about moving an earlier meeting goes to everybody, once."""
    moves = {to: parts for to, parts in drafts.items() if all(p.act.startswith("move_") for p in parts)}
    shared = next(iter(moves.values()), [])
    if len(moves) < 2 or any(parts != shared for parts in moves.values()):
        return dict(drafts)
    return {EVERYBODY: shared} | {to: parts for to, parts in drafts.items() if to not in moves}


STREAMS = ("words", "costs", "gossip", "labels", "stance", "courtesy", "commitments", "moves", "cuts", "probes")


def stream(registration: Registration, purpose: str) -> Random:
    """The agent's own draws for one purpose in one game."""
    return Random(f"style:{registration.game_seed}:{registration.agent}:{purpose}")


class AdaptiveStyle(Style):
    """A simulated speaker who probes, and adapts to who answers."""

    def register(self, registration: Registration) -> str:
        prompt = super().register(registration)
        self.prober = AdaptiveProber(self.streams["probes"])
        return prompt


def decide(
    request: Request,
    beliefs: BeliefState,
    parameters: StyleParameters,
    promised: Sequence[Action],
    draws: Random,
    bold: bool,
) -> list[Action]:
    """The batch for this attempt: the agreed slot first, then the agent's cheapest ones."""
    slots = [*first_choice(beliefs, parameters, draws, request.attempt), *beliefs.own_best(len(request.calendar))]
    batches = (placed(request, beliefs, slot, promised, bold) for slot in dict.fromkeys(slots))
    usable = (batch for batch in batches if batch)
    return next(islice(usable, request.attempt, None), [])


def first_choice(beliefs: BeliefState, parameters: StyleParameters, draws: Random, attempt: int) -> list[int]:
    """The slot that the agent commits to: the agreed one, or, where it is careless, one that was talked of."""
    agreed = beliefs.agreement()
    if attempt == 0 and draws.random() >= parameters.reliability:
        other = [s for s in beliefs.own_best(4) if s != agreed]
        return [draws.choice(other)] if other else []
    return [] if agreed is None else [agreed]


def placed(request: Request, beliefs: BeliefState, slot: int, promised: Sequence[Action], bold: bool) -> list[Action]:
    """The moves that were promised, what makes way for the meeting, and the meeting; empty where it can't be."""
    calendar, taken = request.calendar, {a["to_slot"] for a in promised}
    leaving = {a["from_slot"] for a in promised}
    if not 0 <= slot < len(calendar) or slot in taken:
        return []
    if calendar[slot] is None or slot in leaving:
        return [*promised, schedule(request.meeting, slot)]
    way = moved_away(calendar, beliefs, slot, taken, bold)
    return [*promised, *way, schedule(request.meeting, slot)] if way else []


def moved_away(calendar: Calendar, beliefs: BeliefState, slot: int, taken: Iterable[int], bold: bool) -> list[Action]:
    """The move of what the slot holds; empty where it can't be moved, or has nowhere to go."""
    item, landing = calendar[slot], landing_slot(calendar, beliefs, {slot, *taken})
    movable = calendar.movable(slot) or (bold and isinstance(item, ScheduledMeeting))
    return [reschedule(item_id(item), slot, landing)] if item and movable and landing is not None else []


def landing_slot(calendar: Calendar, beliefs: BeliefState, taken: Collection[int]) -> int | None:
    """The free slot for an item that makes way: the one that suits the others least, and so is missed least."""
    free = [s for s in calendar.free if s not in taken]
    return max(free, key=lambda s: (beliefs.total(s, beliefs.scale.unknown), s), default=None)
