"""Moving an earlier meeting together: its participants are asked, all agree, and each moves its own copy."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sim.agents import Action, Request
from sim.agents.english.beliefs import BeliefState
from sim.agents.english.reader import Reading, Shift
from sim.agents.english.writer import Outbox, Part
from sim.agents.parameters import StyleParameters
from sim.agents.scripted import clear_errand, reschedule
from sim.calendar import Calendar, ScheduledMeeting

# What a slot may cost at most, of what the best other one costs, for an earlier meeting to be moved out of it.
WORTHWHILE = 0.8

# How many new slots a lead suggests for an earlier meeting before it gives up.
MOST_REQUESTS = 3


class Repair:
    """One agent's dealings with earlier meetings in one round.

    `plan` is the move that it has asked for, `agreed` the moves that it has agreed to, `due` those that it will make.
    """

    def __init__(self, parameters: StyleParameters, beliefs: BeliefState, stance: Random) -> None:
        self.parameters, self.beliefs, self.stance = parameters, beliefs, stance
        self.plan: Shift | None = None
        self.members: list[int] = []
        self.yes: set[int] = set()
        self.failed = False
        self.since = 0
        self.tried: set[int] = set()
        self.agreed: set[Shift] = set()
        self.due: set[Shift] = set()

    def listen(self, request: Request, outbox: Outbox, readings: Sequence[tuple[int, Reading]]) -> None:
        """Answer requests to move a meeting, and note the answers to one's own."""
        for sender, reading in readings:
            shift = reading.shift
            if self.plan and sender in self.members and sender not in self.yes and answers(reading, self.plan):
                self.failed |= refuses(reading, self.plan)
                self.yes |= set() if refuses(reading, self.plan) else {sender}
                if self.is_agreed():
                    self.open_up(request, self.plan)
            elif shift and reading.shift_asked:
                self.consider(request, outbox, sender, shift)
            elif shift:
                self.due |= {shift} & self.agreed

    def consider(self, request: Request, outbox: Outbox, sender: int, shift: Shift) -> None:
        """Say yes where the agent holds the meeting there and its new slot costs it little; else no."""
        to, calendar = shift.to_slot, request.calendar
        if to is None:
            return
        act = "move_refuse"
        if can_move(calendar, shift, self.beliefs.scale.low) and to not in self.beliefs.pledged:
            self.agreed.add(shift)
            self.beliefs.costs[shift.from_slot] = 1
            act = "move_accept" if calendar[to] is None else "move_accept_costly"
        outbox.add(sender, Part(act, (shift.from_slot,), (to,), old=shift.meeting))

    def waits(self, request: Request) -> bool:
        """Whether a request is out and its answers may still come."""
        return bool(self.plan) and not self.failed and not self.is_agreed() and request.turn - self.since < 2

    def is_agreed(self) -> bool:
        """Whether every other participant of the earlier meeting has agreed to move it."""
        return bool(self.plan) and not self.failed and set(self.members) <= self.yes

    def start(self, request: Request, outbox: Outbox, best: int) -> bool:
        """Ask for an earlier meeting to be moved, where that would save the participants much; whether it asked."""
        willing = self.failed or (not self.plan and self.stance.random() < self.parameters.repair)
        if not willing or len(self.tried) >= MOST_REQUESTS or request.max_turns - request.turn <= 5:
            return False
        item, slot, landing = self.promising(request, best) or (None, 0, 0)
        if item is None:
            return False
        self.plan, self.since, self.failed, self.yes = Shift(item.meeting_id, slot, landing), request.turn, False, set()
        self.tried.add(landing)
        self.members = [a for a in item.participants if a != self.beliefs.me]
        for member in self.members:
            outbox.add(member, Part("move_request", (slot,), (landing,), old=item.meeting_id))
        return True

    def open_up(self, request: Request, plan: Shift) -> None:
        """Count the earlier meeting's slot as one that its participants can have for little."""
        slot, item = plan.from_slot, request.calendar[plan.from_slot]
        self.beliefs.granted |= {(member, slot) for member in self.members}
        self.beliefs.costs[slot] = item.cost if item else 0

    def promising(self, request: Request, best: int) -> tuple[ScheduledMeeting, int, int] | None:
        """An earlier meeting whose move would free a much cheaper slot, that slot, and where it may go."""
        beliefs, calendar = self.beliefs, request.calendar
        bound = WORTHWHILE * beliefs.total(best)
        for slot, item in enumerate(calendar.slots):
            if not isinstance(item, ScheduledMeeting) or slot in beliefs.costs:
                continue
            members = [a for a in item.participants if a != beliefs.me]
            views = [beliefs.view(a, slot) for a in beliefs.others if a not in members]
            price = item.cost * len(item.participants) + sum(beliefs.scale.unknown if v is None else v for v in views)
            landing = max(
                (s for s in calendar.free if s != best and s not in self.tried),
                key=lambda s: (sum(beliefs.was_free(m, s) for m in members), s),
                default=None,
            )
            if price < bound and landing is not None:
                return item, slot, landing
        return None

    def confirm(self, outbox: Outbox, slot: int) -> None:
        """Tell those who agreed to move the earlier meeting that it is on, where the settled slot needs it."""
        plan = self.plan
        if plan is None or not self.is_agreed() or plan.from_slot != slot or plan.to_slot is None:
            return
        self.due.add(plan)
        for member in self.members:
            outbox.add(member, Part("move_confirm", (plan.from_slot,), (plan.to_slot,), old=plan.meeting))

    def moves(self, calendar: Calendar, agreed: int | None) -> list[Action]:
        """The moves that the agent has promised and can make, each with that of an errand in its way.

        `agreed` is the slot that the round's own meeting is to have.
        """
        actions: list[Action] = []
        claimed = (agreed, *(s for shift in self.due for s in (shift.from_slot, shift.to_slot)))
        taken = {s for s in claimed if s is not None}
        for shift in sorted(self.due, key=lambda s: s.meeting):
            to = shift.to_slot
            if to is None or not can_move(calendar, shift, float("inf")):
                continue
            way = clear_errand(calendar, to, *sorted(taken))
            taken.update(move["to_slot"] for move in way)
            if way or calendar[to] is None:
                actions += [*way, reschedule(shift.meeting, shift.from_slot, to)]
        return actions


def answers(reading: Reading, plan: Shift) -> bool:
    """Whether a message answers a request: it names the meeting, or only says yes or no to its new slot."""
    if reading.shift and not reading.shift_asked:
        return reading.shift.meeting == plan.meeting
    return any(c.slot == plan.to_slot for c in reading.claims)


def refuses(reading: Reading, plan: Shift) -> bool:
    """Whether an answer is no."""
    return reading.refuses or any(c.slot == plan.to_slot and c.kind == "negative" for c in reading.claims)


def can_move(calendar: Calendar, shift: Shift, bound: float) -> bool:
    """Whether the calendar holds the meeting there, and its new slot is free or can be cleared for up to `bound`."""
    if shift.to_slot is None or not max(shift.from_slot, shift.to_slot) < len(calendar):
        return False
    item, other = calendar[shift.from_slot], calendar[shift.to_slot]
    held = isinstance(item, ScheduledMeeting) and item.meeting_id == shift.meeting
    return held and (other is None or (calendar.movable(shift.to_slot) and other.cost <= bound))
