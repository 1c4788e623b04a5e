"""SD-MAP: one slot at a time, yes or no, and the harder meeting bumps the easier (paper, Appendix G.2).

A slot that an agent called PENDING is kept for the meeting until it hears `confirm`, which keeps the confirmed slot
only, or `fail`, which keeps none.

A bumped meeting is repaired in the same cheap talk: its own initiator looks for another slot that is free for all of
its participants. If it finds none, those who would have to move submit an empty batch.
"""

from __future__ import annotations

from collections.abc import Mapping

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


class Poll(Struct):
    """A question to several agents about one slot: who has answered what."""

    slot: int
    asked: list[int]
    answers: dict[int, bool] = {}

    @property
    def complete(self) -> bool:
        return set(self.asked) <= set(self.answers)

    @property
    def agreed(self) -> bool:
        return all(self.answers[a] for a in self.asked)


class Repair(Struct):
    """The search of a bumped meeting's initiator for another slot."""

    meeting: ScheduledMeeting
    from_slot: int
    untried: list[int]
    poll: Poll | None = None
    over: bool = False


class SdMap(ScriptedAgent[Payload]):
    """One agent of SD-MAP: initiator or responder of the meeting, and perhaps initiator of a bumped one."""

    decoder = msgspec.json.Decoder(Payload)

    def __init__(self, parameters: SdParameters = SdParameters()) -> None:
        self.parameters = parameters

    def begin_round(self, request: Request) -> None:
        self.untried: list[int] | None = None
        self.poll: Poll | None = None
        self.pending: set[int] = set()
        self.agreed: int | None = None
        self.repairs: dict[int, Repair] = {}
        self.repaired: dict[int, tuple[int, int]] = {}

    def talk(self, request: Request) -> list[Action]:
        actions = [a for sender, payload in self.received(request) for a in self.answer(request, sender, payload)]
        if self.leads(request):
            actions += self.lead(request)
        for repair in self.repairs.values():
            actions += self.lead_repair(request, repair)
        return actions

    def answer(self, request: Request, sender: int, payload: Payload) -> list[Action]:
        """What a received message makes the agent note, and send."""
        meeting = request.meeting
        match payload:
            case Propose(slot=slot):
                can = slot not in self.pending and self.available(request, slot)
                self.pending |= {slot} if can else set()
                return [dm(sender, meeting, SlotReply(meeting.id, slot, PENDING if can else IMPOSSIBLE, self.me))]
            case SlotReply(slot=slot) if self.poll and slot == self.poll.slot:
                self.poll.answers[sender] = payload.reply_status == PENDING
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
                poll = self.repairs[bumped].poll
                if poll and slot == poll.slot:
                    poll.answers[sender] = payload.reply_status == PENDING
            case ConfirmReschedule():
                self.repaired[payload.meeting_id] = (payload.from_slot, payload.to_slot)
        return []

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: propose the next slot, confirm the first that all can, or fail."""
        meeting, responders = request.meeting, others(request.meeting, self.me)
        if self.agreed is not None or (self.poll and not self.poll.complete):
            return []
        if self.poll and self.poll.agreed:
            slot = self.poll.slot
            return [dm(a, meeting, Confirm(meeting.id, slot)) for a in responders] + self.agree(request, slot)
        if self.untried is None:
            self.untried = [s for s in range(len(request.calendar)) if self.available(request, s)]
        elif self.poll is None:
            return []
        if not self.untried:
            self.poll = None
            return [dm(a, meeting, Fail(meeting.id)) for a in responders]
        self.poll = Poll(self.untried.pop(0), responders)
        if not responders:
            return self.lead(request)
        return [dm(a, meeting, Propose(meeting.id, self.poll.slot, self.me)) for a in responders]

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
            self.repairs[bumped] = Repair(item, from_slot, free)

    def lead_repair(self, request: Request, repair: Repair) -> list[Action]:
        """The bumped meeting's initiator: propose its free slots in turn, confirm the first that all can, or fail."""
        bumped = repair.meeting
        asked = [a for a in sorted(bumped.participants) if a != self.me]
        if repair.over or (repair.poll and not repair.poll.complete):
            return []
        if repair.poll and repair.poll.agreed:
            repair.over = True
            move = (repair.from_slot, repair.poll.slot)
            self.repaired[bumped.meeting_id] = move
            return [dm(a, request.meeting, ConfirmReschedule(bumped.meeting_id, *move)) for a in asked]
        if not repair.untried:
            repair.over = True
            return [dm(a, request.meeting, FailReschedule(bumped.meeting_id, repair.from_slot)) for a in asked]
        repair.poll = Poll(repair.untried.pop(0), asked)
        if not asked:
            return self.lead_repair(request, repair)
        ask = ProposeReschedule(bumped.meeting_id, repair.from_slot, repair.poll.slot, self.me)
        return [dm(a, request.meeting, ask) for a in asked]

    def taken(self) -> set[int]:
        """The slots that are promised to somebody in this round."""
        return self.pending | ({self.agreed} if self.agreed is not None else set())

    def available(self, request: Request, slot: int) -> bool:
        """Whether the agent could hold the new meeting there: free, a movable errand, or a meeting that it bumps."""
        calendar = request.calendar
        item = calendar[slot] if (is_there := 0 <= slot < len(calendar)) else None
        return is_there and (item is None or calendar.movable(slot) or self.bumps(request, item))

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
