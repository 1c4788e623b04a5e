"""CHEAP_TALK of a simulated speaker: the lead gathers, proposes and confirms; the others answer."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sim.agents import Request
from sim.agents.english import StyleParameters
from sim.agents.english.belief_state import IMPOSSIBLE, BeliefState
from sim.agents.english.message_planner import MessagePlanner, alternatives
from sim.agents.english.reader import Reading
from sim.agents.english.repair import Repair
from sim.agents.english.writer import GROUP, Outbox, Part

# How often a lead changes its mind before it settles for what it has.
MOST_PROPOSALS = 5


class Talk:
    """One turn of one agent: what it read, and the parts of the messages that it is about to send.

    `in_group` says whether the participants negotiate in a group chat, where each says once what all may know.
    """

    def __init__(
        self,
        parameters: StyleParameters,
        planner: MessagePlanner,
        beliefs: BeliefState,
        repair: Repair,
        stance: Random,
        in_group: bool = False,
    ) -> None:
        self.parameters, self.planner, self.beliefs, self.repair = parameters, planner, beliefs, repair
        self.stance, self.in_group = stance, in_group
        self.outbox = Outbox()

    def say(self, to: int, *parts: Part) -> None:
        """Add parts to the message to an agent, which is the group's where a participant is told in the group."""
        self.outbox.add(GROUP if self.in_group and to in self.beliefs.others else to, *parts)

    def readers(self) -> list[int]:
        """Who is told what concerns all participants: each of the others, or the group."""
        return [GROUP] if self.in_group else self.beliefs.others

    def relay(self, reader: int, wanted: Sequence[int] = ()) -> list[Part]:
        """What a third agent said, for a reader who may not have heard it: in a group all have."""
        return [] if self.in_group else self.planner.relay(self.beliefs, reader, wanted)

    def inform(self, *agents: int) -> None:
        """Note who knows where the agent stands."""
        self.beliefs.informed.update(self.beliefs.others if self.in_group else agents)

    def feels_like(self, chance: float) -> bool:
        """Whether the agent does what it does with that chance."""
        return self.stance.random() < chance

    def turn(self, request: Request, readings: Sequence[tuple[int, Reading]], insistence: dict[int, int]) -> Outbox:
        """The parts of this turn's messages, by recipient."""
        self.repair.listen(request, self.outbox, readings)
        for sender, reading in readings:
            if reading.probes:
                self.answer_probe(request, sender, reading, insistence)
        if request.meeting.participants and self.beliefs.me not in request.meeting.participants:
            self.stand_by(request, readings)
        elif self.beliefs.me == self.beliefs.lead:
            self.lead(request, readings)
        else:
            self.follow(request, readings)
        return self.outbox

    def answer_probe(self, request: Request, sender: int, reading: Reading, insistence: dict[int, int]) -> None:
        """Refuse to give a reason, or give it."""
        about = reading.probed or tuple(s for s in self.beliefs.pledged if s in self.beliefs.costs)
        self.outbox.add(sender, *self.planner.probed(request, about, insistence.get(sender, 0)))
        insistence[sender] = insistence.get(sender, 0) + 1

    def stand_by(self, request: Request, readings: Sequence[tuple[int, Reading]]) -> None:
        """A non-participant's part: it answers when it is asked where it stands."""
        for sender, reading in readings:
            if reading.asked and not reading.shift and sender not in self.outbox.parts:
                self.say(sender, *self.planner.standing(request, self.beliefs, reading.asked))

    def lead(self, request: Request, readings: Sequence[tuple[int, Reading]]) -> None:
        """The lead's part: open, ask as long as it is patient, propose, and confirm what all have accepted."""
        beliefs, left = self.beliefs, request.max_turns - request.turn
        for sender, reading in readings:
            self.note_answer(sender, reading)
        if beliefs.final is not None or not beliefs.others:
            return
        if not beliefs.informed and left > 2:
            self.open(request)
        elif beliefs.table is not None and (self.all_accept() or left <= 1 or beliefs.proposals > MOST_PROPOSALS):
            self.confirm(request, beliefs.table)
        elif self.repair.waits(request):
            return
        elif beliefs.table is None and left > 4 and (asked := self.worth_asking()):
            self.ask(asked)
        else:
            self.propose(request)

    def note_answer(self, sender: int, reading: Reading) -> None:
        """Whether a participant accepts what is on the table."""
        table = self.beliefs.table
        if table is None or reading.shift:
            return
        own_claims = [c for c in reading.claims if c.slot == table and c.target == sender]
        yes = any(c.kind in ("positive", "proposal") and c.cost is None for c in own_claims)
        if yes or (reading.agrees and not reading.claims):
            self.beliefs.accepted.setdefault(table, set()).add(sender)

    def all_accept(self) -> bool:
        """Whether every other participant has accepted the proposal, and the lead knows of nothing better."""
        beliefs = self.beliefs
        return beliefs.table is not None and set(beliefs.others) <= beliefs.accepted.get(beliefs.table, set())

    def open(self, request: Request) -> None:
        """Tell everybody where the lead stands, and ask where they do."""
        self.inform(*self.beliefs.others)
        for other in self.readers():
            self.say(other, *self.planner.topic(request), *self.planner.standing(request, self.beliefs, ()))
            self.say(other, Part("ask_open"))

    def worth_asking(self) -> list[int]:
        """The slots that might be cheaper than the best known, if those who haven't spoken of them are free."""
        beliefs = self.beliefs
        if beliefs.asked >= self.parameters.patience:
            return []
        best = beliefs.best()
        bound = beliefs.total(best, beliefs.scale.unknown) if best is not None else IMPOSSIBLE
        open_slots = [s for s in beliefs.costs if beliefs.silent(s) and beliefs.total(s, 0.0) < bound]
        cheapest = sorted(open_slots, key=lambda s: (beliefs.total(s, beliefs.scale.unknown), s))
        return cheapest[: self.parameters.slots_offered]

    def ask(self, slots: Sequence[int]) -> None:
        """Ask those who haven't spoken of the slots."""
        beliefs = self.beliefs
        beliefs.asked += 1
        for other in self.readers():
            unknown = tuple(s for s in slots if other == GROUP or beliefs.view(other, s) is None)[:4]
            if not unknown:
                continue
            self.say(other, *self.relay(other, unknown))
            self.think_aloud(other, unknown)
            self.say(other, Part("ask", unknown))

    def think_aloud(self, reader: int, slots: tuple[int, ...]) -> None:
        """Wonder what another agent will say to the slots; it claims nothing."""
        third = [a for a in self.beliefs.others if a != reader and not self.in_group]
        if third and self.feels_like(0.3 * self.parameters.sociability):
            self.say(reader, Part("hypothetical", slots, about=third[0]))

    def propose(self, request: Request) -> None:
        """Put the slot that seems best on the table, to those who haven't accepted it yet."""
        beliefs = self.beliefs
        slot = beliefs.best()
        if slot is None or self.repair.start(request, self.outbox, slot):
            return
        beliefs.proposals += 1
        beliefs.table = slot
        for other in self.readers():
            if other in beliefs.accepted.get(slot, set()):
                continue
            self.say(other, *self.relay(other, (slot,)), Part("propose", (slot,)))
            if beliefs.proposals > 1:
                self.think_aloud(other, (slot,))

    def confirm(self, request: Request, slot: int) -> None:
        """Tell everybody that the slot is settled."""
        self.beliefs.final = slot
        for other in self.readers():
            self.say(other, *self.relay(other, (slot,)), Part("confirm", (slot,)))
        self.repair.confirm(self.outbox, slot)

    def follow(self, request: Request, readings: Sequence[tuple[int, Reading]]) -> None:
        """Another participant's part: answer the lead, and tell one's peers what they may like to know."""
        beliefs = self.beliefs
        for sender, reading in readings:
            proposed = [s for s in reading.proposed if not reading.shift or s != reading.shift.to_slot]
            if proposed and (sender == beliefs.lead or beliefs.lead not in beliefs.heard_from):
                self.consider(request, sender, proposed[-1])
            elif reading.shift or (reading.probes and not reading.claims):
                continue
            elif sender == beliefs.lead:
                self.answer(request, sender, reading)
            elif reading.asks and self.feels_like(self.parameters.sociability):
                self.tell(request, sender, reading.asked)
        if beliefs.lead in beliefs.heard_from and beliefs.final is None:
            self.side_messages(request)

    def answer(self, request: Request, sender: int, reading: Reading) -> None:
        """Tell the lead where one stands on the slots that it offers or asks about."""
        if reading.agrees and not reading.claims and not reading.asks:
            return
        offered = [c.slot for c in reading.claims if c.kind != "negative" and c.target == sender]
        self.say(sender, *self.planner.topic(request), *self.relay(sender))
        self.tell(request, sender, [*reading.asked, *offered])

    def tell(self, request: Request, to: int, asked: Sequence[int]) -> None:
        """Say where one stands."""
        self.inform(to)
        self.say(to, *self.planner.standing(request, self.beliefs, asked))

    def side_messages(self, request: Request) -> None:
        """Tell the other participants where one stands, once, and what the lead said."""
        for other in self.beliefs.others:
            if other == self.beliefs.lead or other in self.beliefs.informed or self.beliefs.pledged:
                continue
            if self.feels_like(self.parameters.sociability):
                self.say(other, *self.relay(other))
                self.tell(request, other, ())
            self.inform(other)

    def consider(self, request: Request, sender: int, slot: int) -> None:
        """Accept a proposal, or resist it; a proposal that was accepted before is a confirmation."""
        beliefs, p = self.beliefs, self.parameters
        if slot >= len(request.calendar):
            return
        beliefs.table = slot
        if slot in beliefs.pledged:
            beliefs.pledged.append(slot)
            beliefs.final = slot
            if not beliefs.acknowledged and self.feels_like(p.sociability):
                beliefs.acknowledged = True
                self.say(sender, Part("ack", (slot,)))
            return
        cost = beliefs.costs.get(slot)
        if cost is None:
            self.say(sender, Part("reject", (slot,)), *self.counter(slot))
        elif cost == 0 or slot in beliefs.resisted or request.max_turns - request.turn <= 2 or self.agreeable(cost):
            self.accept(request, sender, slot, cost)
        else:
            beliefs.resisted.add(slot)
            self.say(sender, *self.resistance(request, slot, cost), *self.counter(slot))

    def agreeable(self, cost: int) -> bool:
        """Whether the agent takes a proposal that costs it something."""
        if cost >= 10 * self.beliefs.scale.low:
            return self.feels_like(self.parameters.acquiescence)
        return not self.feels_like(self.parameters.pushback)

    def accept(self, request: Request, sender: int, slot: int, cost: int) -> None:
        """Say yes, at times with what it costs, and let the other participants know."""
        beliefs = self.beliefs
        beliefs.pledged.append(slot)
        self.say(sender, Part("accept_costly" if cost else "accept", (slot,)))
        if cost and self.feels_like(0.4):
            self.say(sender, *self.planner.price(request, {slot: cost}))
        for other in () if self.in_group else beliefs.others:
            if other != sender and self.feels_like(0.6 * self.parameters.sociability):
                self.say(other, Part("accept", (slot,)))

    def resistance(self, request: Request, slot: int, cost: int) -> list[Part]:
        """Why a proposal doesn't suit: its cost in figures, or words that fit any cost."""
        if self.stance.random() < self.parameters.cost_precision:
            return [Part("cost_exact", (slot,), cost=cost)]
        return [Part("pushback", (slot,)), *self.planner.slip(request, (slot,))]

    def counter(self, slot: int) -> list[Part]:
        """What the agent would rather have, if anything."""
        better = alternatives(self.beliefs, slot)
        return [Part("counter", better)] if better else []
