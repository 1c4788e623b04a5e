"""SD-MAP: one slot at a time, yes or no, and the harder meeting bumps the easier (paper, Appendix G.2).

A slot that an agent called PENDING is kept for the meeting until it hears `confirm`, which keeps the confirmed slot
only, or `fail`, which keeps none.

A bumped meeting is repaired in the same cheap talk: its own initiator looks for another slot that is free for all of
its participants. If it finds none, those who would have to move submit an empty batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.scripted import ScriptedAgent, clear_errand, dm, initiator, others, reschedule, schedule
from sim.calendar import Calendar, ScheduledMeeting

PENDING, IMPOSSIBLE = "PENDING", "IMPOSSIBLE"


class SdParameters(Struct, frozen=True):
    """`difficulty` weighs each agent in the scheduling difficulty of a meeting; an agent not named weighs 1."""

    difficulty: Mapping[int, float] = {}


class Propose(Struct, tag_field="sd", tag="propose"):
    """The initiator asks whether the slot is possible."""

    meeting_id: int
    slot: int
    initiator: int


class SlotReply(Struct, tag_field="sd", tag="reply"):
    """Whether the proposed slot is possible for the attendee: PENDING or IMPOSSIBLE."""

    meeting_id: int
    slot: int
    reply_status: str
    attendee: int


class Confirm(Struct, tag_field="sd", tag="confirm"):
    """Everybody can: the slot is agreed."""

    meeting_id: int
    slot: int


class Fail(Struct, tag_field="sd", tag="fail"):
    """No slot is possible for all."""

    meeting_id: int


class RescheduleRequest(Struct, tag_field="sd", tag="reschedule_request"):
    """A bumped meeting must leave the slot; sent to its initiator."""

    meeting_id: int
    from_slot: int


class ProposeReschedule(Struct, tag_field="sd", tag="propose_reschedule"):
    """The bumped meeting's initiator asks whether it may move to the slot."""

    meeting_id: int
    from_slot: int
    to_slot: int
    initiator: int


class RescheduleReply(Struct, tag_field="sd", tag="reschedule_reply"):
    """Whether the attendee can move the bumped meeting there: PENDING or IMPOSSIBLE."""

    meeting_id: int
    to_slot: int
    reply_status: str
    attendee: int


class ConfirmReschedule(Struct, tag_field="sd", tag="confirm_reschedule"):
    """Everybody can: the bumped meeting moves."""

    meeting_id: int
    from_slot: int
    to_slot: int


class FailReschedule(Struct, tag_field="sd", tag="fail_reschedule"):
    """The bumped meeting finds no other slot and stays."""

    meeting_id: int
    from_slot: int


Payload = (
    Propose
    | SlotReply
    | Confirm
    | Fail
    | RescheduleRequest
    | ProposeReschedule
    | RescheduleReply
    | ConfirmReschedule
    | FailReschedule
)


class Search(Struct):
    """The slots that an initiator proposes to those who are `asked`, one after the other, until all of them can."""

    asked: list[int]
    untried: list[int]
    slot: int | None = None
    answers: dict[int, bool] = {}
    over: bool = False

    def step(self) -> tuple[Literal["wait", "propose", "confirm", "fail"], int]:
        """What is to be done now, and with which slot (-1 where it waits or fails)."""
        if self.over or (self.slot is not None and not set(self.asked) <= set(self.answers)):
            return "wait", -1
        if self.slot is not None and all(self.answers[a] for a in self.asked):
            self.over = True
            return "confirm", self.slot
        if not self.untried:
            self.over = True
            return "fail", -1
        self.slot, self.answers = self.untried.pop(0), {}
        return ("propose", self.slot) if self.asked else self.step()


class Repair(Search, kw_only=True):
    """The search of a bumped meeting's initiator for another slot."""

    meeting_id: int
    from_slot: int


class SdMap(ScriptedAgent[Payload]):
    """One agent of SD-MAP: initiator or responder of the meeting, and perhaps initiator of a bumped one."""

    decoder = msgspec.json.Decoder(Payload)

    def __init__(self, parameters: SdParameters = SdParameters()) -> None:
        self.parameters = parameters

    def begin_round(self, request: Request) -> None:
        self.search: Search | None = None
        self.pending: set[int] = set()
        self.agreed: int | None = None
        self.repairs: dict[int, Repair] = {}
        self.repaired: dict[int, tuple[int, int]] = {}

    def talk(self, request: Request) -> list[Action]:
        actions = [a for sender, payload in self.received(request) for a in self.answer(request, sender, payload)]
        if self.leads(request) and self.agreed is None:
            actions += self.lead(request)
        return actions + [a for repair in self.repairs.values() for a in self.lead_repair(request, repair)]

    def answer(self, request: Request, sender: int, payload: Payload) -> list[Action]:
        """What a received message makes the agent note, and send."""
        meeting = request.meeting
        match payload:
            case Propose(slot=slot):
                can = slot not in self.pending and self.available(request, slot)
                self.pending |= {slot} if can else set()
                return [dm(sender, meeting, SlotReply(meeting.id, slot, PENDING if can else IMPOSSIBLE, self.me))]
            case SlotReply(slot=slot) if self.search and slot == self.search.slot:
                self.search.answers[sender] = payload.reply_status == PENDING
            case Confirm(slot=slot):
                self.pending &= {slot}
                return self.agree(request, slot)
            case Fail():
                self.pending.clear()
            case RescheduleRequest():
                self.begin_repair(request, payload.meeting_id, payload.from_slot)
            case ProposeReschedule(meeting_id=bumped, to_slot=slot):
                can = slot in request.calendar.free and slot not in self.taken()
                self.pending |= {slot} if can else set()
                return [dm(sender, meeting, RescheduleReply(bumped, slot, PENDING if can else IMPOSSIBLE, self.me))]
            case RescheduleReply(meeting_id=bumped, to_slot=slot) if bumped in self.repairs:
                if slot == self.repairs[bumped].slot:
                    self.repairs[bumped].answers[sender] = payload.reply_status == PENDING
            case ConfirmReschedule():
                self.repaired[payload.meeting_id] = (payload.from_slot, payload.to_slot)
        return []

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: propose the next slot, confirm the first that all can, or fail."""
        meeting = request.meeting
        if self.search is None:
            slots = [s for s in range(len(request.calendar)) if self.available(request, s)]
            self.search = Search(others(meeting, self.me), slots)
        payload: Propose | Confirm | Fail
        match self.search.step():
            case "propose", slot:
                payload = Propose(meeting.id, slot, self.me)
            case "confirm", slot:
                payload = Confirm(meeting.id, slot)
            case "fail", _:
                payload = Fail(meeting.id)
            case _:
                return []
        told = [dm(a, meeting, payload) for a in self.search.asked]
        return told + self.agree(request, payload.slot) if isinstance(payload, Confirm) else told

    def agree(self, request: Request, slot: int) -> list[Action]:
        """Note the agreed slot; where it bumps a meeting, ask that meeting's initiator for a repair."""
        if not 0 <= slot < len(request.calendar):
            return []
        self.agreed = slot
        bumped = request.calendar[slot]
        if not isinstance(bumped, ScheduledMeeting):
            return []
        if initiator(bumped.participants) == self.me:
            self.begin_repair(request, bumped.meeting_id, slot)
            return []
        ask = RescheduleRequest(bumped.meeting_id, slot)
        return [dm(initiator(bumped.participants), request.meeting, ask)]

    def begin_repair(self, request: Request, bumped: int, from_slot: int) -> None:
        """Start the search, once, for a free slot that the bumped meeting could take."""
        item = request.calendar[from_slot] if 0 <= from_slot < len(request.calendar) else None
        if bumped not in self.repairs and isinstance(item, ScheduledMeeting) and item.meeting_id == bumped:
            free = [s for s in request.calendar.free if s not in self.taken()]
            asked = [a for a in sorted(item.participants) if a != self.me]
            self.repairs[bumped] = Repair(asked, free, meeting_id=bumped, from_slot=from_slot)

    def lead_repair(self, request: Request, repair: Repair) -> list[Action]:
        """The bumped meeting's initiator: propose its free slots in turn, confirm the first that all can, or fail."""
        bumped, leaves = repair.meeting_id, repair.from_slot
        payload: ProposeReschedule | ConfirmReschedule | FailReschedule
        match repair.step():
            case "propose", slot:
                payload = ProposeReschedule(bumped, leaves, slot, self.me)
            case "confirm", slot:
                payload = ConfirmReschedule(bumped, leaves, slot)
                self.repaired[bumped] = (leaves, slot)
            case "fail", _:
                payload = FailReschedule(bumped, leaves)
            case _:
                return []
        return [dm(a, request.meeting, payload) for a in repair.asked]

    def taken(self) -> set[int]:
        """The slots that are promised to somebody in this round."""
        return self.pending | ({self.agreed} if self.agreed is not None else set())

    def available(self, request: Request, slot: int) -> bool:
        """Whether the agent could hold the new meeting there: free, a movable errand, or a meeting that it bumps."""
        if not 0 <= slot < len(request.calendar):
            return False
        item = request.calendar[slot]
        return item is None or request.calendar.movable(slot) or self.bumps(request, item)

    def bumps(self, request: Request, item: object) -> bool:
        """Whether the item is a meeting strictly easier to schedule than the round's."""
        new = request.meeting.participants
        return isinstance(item, ScheduledMeeting) and self.difficulty(item.participants) < self.difficulty(new)

    def difficulty(self, participants: tuple[int, ...]) -> float:
        """The scheduling difficulty of a meeting, seen by the agent: the weights of its other participants."""
        return sum(self.parameters.difficulty.get(a, 1) for a in participants if a != self.me)

    def decide(self, request: Request) -> list[Action]:
        calendar, slot = request.calendar, self.agreed
        if slot is not None and not self.can_clear(calendar, slot):
            return []
        if request.attempt:
            slot = usable(calendar, self.pending, request.attempt)
        if slot is None:
            return []
        return [*self.agreed_moves(calendar), *clear_errand(calendar, slot), schedule(request.meeting, slot)]

    def can_clear(self, calendar: Calendar, slot: int) -> bool:
        """Whether the slot holds no meeting, or one whose repair was confirmed."""
        item = calendar[slot]
        return not isinstance(item, ScheduledMeeting) or item.meeting_id in self.repaired

    def volunteer(self, request: Request) -> list[Action]:
        return self.agreed_moves(request.calendar)

    def agreed_moves(self, calendar: Calendar) -> list[Action]:
        """The confirmed repairs that concern the agent."""
        held = {m: move for m, move in self.repaired.items() if calendar.slot_of_meeting(m) == move[0]}
        return [reschedule(meeting, *move) for meeting, move in sorted(held.items())]


def usable(calendar: Calendar, pending: set[int], attempt: int) -> int | None:
    """The slot that a retry takes: the agent's own free or movable slots that nothing is pending for, by attempt."""
    slots = [s for s in range(len(calendar)) if s not in pending and (calendar[s] is None or calendar.movable(s))]
    return slots[attempt] if attempt < len(slots) else None
