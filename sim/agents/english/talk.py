"""CHEAP_TALK of a simulated speaker: the lead gathers, proposes and confirms; the others answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random

from sim.agents import Request
from sim.agents.english.beliefs import IMPOSSIBLE, BeliefState
from sim.agents.english.reader import Claim, Reading
from sim.agents.english.repair import Repair
from sim.agents.english.writer import GROUP, Outbox, Part, Private
from sim.agents.parameters import StyleParameters
from sim.calendar import Errand, ScheduledMeeting

# How often a lead changes its mind before it settles for what it has.
MOST_PROPOSALS = 5
# The further questions after which a speaker feels no more pressed.
MOST_INSISTENT = 2

Readings = Sequence[tuple[int, Reading]]  # who sent it, and what it says


class Talk:
    """One turn of one agent: how it negotiates, then what it chooses to say of calendars.

    Each kind of choice draws from a stream of its own. `in_group` says whether the participants negotiate in a group
    chat, where each says once what all may know. `outbox` holds the parts of the messages that it is about to send.
    """

    def __init__(
        self,
        parameters: StyleParameters,
        beliefs: BeliefState,
        repair: Repair,
        streams: Mapping[str, Random],
        request: Request,
        in_group: bool,
    ) -> None:
        self.parameters, self.beliefs, self.repair = parameters, beliefs, repair
        self.costs, self.gossip, self.labels = streams["costs"], streams["gossip"], streams["labels"]
        self.stance, self.request, self.in_group = streams["stance"], request, in_group
        self.left = request.max_turns - request.turn
        self.outbox = Outbox()

    def turn(self, readings: Readings, insistence: dict[int, int]) -> Outbox:
        """The parts of this turn's messages, by recipient; `insistence` counts each agent's probing questions."""
        self.repair.listen(self.request, self.outbox, readings)
        for sender, reading in readings:
            if reading.probes:
                about = reading.probed or tuple(s for s in self.beliefs.pledged if s in self.beliefs.costs)
                self.outbox.add(sender, *self.probed(about, insistence.get(sender, 0)))
                insistence[sender] = insistence.get(sender, 0) + 1
        if self.beliefs.me not in self.beliefs.members:
            self.stand_by(readings)
        elif self.beliefs.me == self.beliefs.lead:
            self.lead(readings)
        else:
            self.follow(readings)
        return self.outbox

    def say(self, to: int, *parts: Part) -> None:
        """Add parts to the message to an agent, which is the group's where a participant is told in the group."""
        self.outbox.add(GROUP if self.in_group and to in self.beliefs.others else to, *parts)

    def readers(self) -> list[int]:
        """Who is told what concerns all participants: each of the others, or the group."""
        return [GROUP] if self.in_group else self.beliefs.others

    def inform(self, *agents: int) -> None:
        """Note who knows where the agent stands."""
        self.beliefs.informed.update(self.beliefs.others if self.in_group else agents)

    def feels_like(self, chance: float) -> bool:
        """Whether the agent does what it does with that chance."""
        return self.stance.random() < chance

    def stand_by(self, readings: Readings) -> None:
        """A non-participant's part: it answers when it is asked where it stands."""
        for sender, reading in readings:
            if reading.asked and not reading.shift and sender not in self.outbox.parts:
                self.say(sender, *self.standing(reading.asked))

    def lead(self, readings: Readings) -> None:
        """The lead's part: open, ask as long as it is patient, propose, and confirm what all have accepted."""
        beliefs = self.beliefs
        for sender, reading in readings:
            self.note_answer(sender, reading)
        if beliefs.final is not None or not beliefs.others:
            return
        if not beliefs.informed and self.left > 2:
            self.open()
        elif beliefs.table is not None and (self.all_accept(beliefs.table) or self.left <= 1 or self.is_tired()):
            self.confirm(beliefs.table)
        elif self.repair.waits(self.request):
            return
        elif beliefs.table is None and self.left > 4 and (asked := self.worth_asking()):
            self.ask(asked)
        else:
            self.propose()

    def note_answer(self, sender: int, reading: Reading) -> None:
        """Whether a participant accepts what is on the table."""
        table = self.beliefs.table
        if table is None or reading.shift:
            return
        own_claims = [c for c in reading.claims if c.slot == table and c.target == sender]
        yes = any(c.kind in ("positive", "proposal") and c.cost is None for c in own_claims)
        if yes or (reading.agrees and not reading.claims):
            self.beliefs.accepted.setdefault(table, set()).add(sender)

    def all_accept(self, slot: int) -> bool:
        """Whether every other participant has accepted the slot."""
        return set(self.beliefs.others) <= self.beliefs.accepted.get(slot, set())

    def is_tired(self) -> bool:
        """Whether the lead has changed its mind often enough."""
        return self.beliefs.proposals > MOST_PROPOSALS

    def open(self) -> None:
        """Tell everybody where the lead stands, and ask where they do."""
        self.inform(*self.beliefs.others)
        for other in self.readers():
            self.say(other, *self.topic(), *self.standing(()), Part("ask_open"))

    def worth_asking(self) -> list[int]:
        """The slots that might be cheaper than the best known, if those who haven't spoken of them are free."""
        beliefs = self.beliefs
        if beliefs.asked >= self.parameters.patience:
            return []
        best = beliefs.best()
        bound = IMPOSSIBLE if best is None else beliefs.total(best)
        slots = [s for s in beliefs.costs if None in beliefs.views(s) and beliefs.total(s, 0.0) < bound]
        return beliefs.cheapest(slots)[: self.parameters.slots_offered]

    def ask(self, slots: Sequence[int]) -> None:
        """Ask those who haven't spoken of the slots."""
        self.beliefs.asked += 1
        for other in self.readers():
            unknown = tuple(s for s in slots if other == GROUP or self.beliefs.view(other, s) is None)[:4]
            if unknown:
                self.say(other, *self.relay(other, unknown))
                self.think_aloud(other, unknown)
                self.say(other, Part("ask", unknown))

    def think_aloud(self, reader: int, slots: tuple[int, ...]) -> None:
        """Wonder what another agent will say to the slots; it claims nothing."""
        third = [a for a in self.beliefs.others if a != reader and not self.in_group]
        if third and self.feels_like(0.3 * self.parameters.sociability):
            self.say(reader, Part("hypothetical", slots, about=third[0]))

    def propose(self) -> None:
        """Put the slot that seems best on the table, to those who haven't accepted it yet."""
        beliefs, slot = self.beliefs, self.beliefs.best()
        if slot is None or self.repair.start(self.request, self.outbox, slot):
            return
        beliefs.proposals += 1
        beliefs.table = slot
        for other in self.readers():
            if other not in beliefs.accepted.get(slot, set()):
                self.say(other, *self.relay(other, (slot,)), Part("propose", (slot,)))
                if beliefs.proposals > 1:
                    self.think_aloud(other, (slot,))

    def confirm(self, slot: int) -> None:
        """Tell everybody that the slot is settled."""
        self.beliefs.final = slot
        for other in self.readers():
            self.say(other, *self.relay(other, (slot,)), Part("confirm", (slot,)))
        self.repair.confirm(self.outbox, slot)

    def follow(self, readings: Readings) -> None:
        """Another participant's part: answer the lead, and tell one's peers what they may like to know."""
        beliefs = self.beliefs
        for sender, reading in readings:
            proposed = [s for s in reading.proposed if not reading.shift or s != reading.shift.to_slot]
            if proposed and (sender == beliefs.lead or beliefs.lead not in beliefs.heard_from):
                self.consider(sender, proposed[-1])
            elif reading.shift or (reading.probes and not reading.claims):
                continue
            elif sender == beliefs.lead:
                self.answer(sender, reading)
            elif reading.asks and self.feels_like(self.parameters.sociability):
                self.tell(sender, reading.asked)
        if beliefs.lead in beliefs.heard_from and beliefs.final is None:
            self.side_messages()

    def answer(self, sender: int, reading: Reading) -> None:
        """Tell the lead where one stands on the slots that it offers or asks about."""
        if reading.agrees and not reading.claims and not reading.asks:
            return
        offered = [c.slot for c in reading.claims if c.kind != "negative" and c.target == sender]
        self.say(sender, *self.topic(), *self.relay(sender))
        self.tell(sender, [*reading.asked, *offered])

    def tell(self, to: int, asked: Sequence[int]) -> None:
        """Say where one stands."""
        self.inform(to)
        self.say(to, *self.standing(asked))

    def side_messages(self) -> None:
        """Tell the other participants where one stands, once, and what the lead said."""
        for other in self.beliefs.others:
            if other == self.beliefs.lead or other in self.beliefs.informed or self.beliefs.pledged:
                continue
            if self.feels_like(self.parameters.sociability):
                self.say(other, *self.relay(other))
                self.tell(other, ())
            self.inform(other)

    def consider(self, sender: int, slot: int) -> None:
        """Accept a proposal, or resist it; a proposal that was accepted before is a confirmation."""
        beliefs = self.beliefs
        if slot >= len(self.request.calendar):
            return
        beliefs.table = slot
        if slot in beliefs.pledged:
            beliefs.pledged.append(slot)
            beliefs.final = slot
            if not beliefs.acknowledged and self.feels_like(self.parameters.sociability):
                beliefs.acknowledged = True
                self.say(sender, Part("ack", (slot,)))
            return
        cost = beliefs.costs.get(slot)
        if cost is None:
            self.say(sender, Part("reject", (slot,)), *self.counter(slot))
        elif cost == 0 or slot in beliefs.resisted or self.left <= 2 or self.agreeable(cost):
            self.accept(sender, slot, cost)
        else:
            beliefs.resisted.add(slot)
            self.say(sender, *self.resistance(slot, cost), *self.counter(slot))

    def agreeable(self, cost: int) -> bool:
        """Whether the agent takes a proposal that costs it something."""
        if cost >= 10 * self.beliefs.scale.low:
            return self.feels_like(self.parameters.acquiescence)
        return not self.feels_like(self.parameters.pushback)

    def accept(self, sender: int, slot: int, cost: int) -> None:
        """Say yes, at times with what it costs, and let the other participants know."""
        self.beliefs.pledged.append(slot)
        self.say(sender, Part("accept_costly" if cost else "accept", (slot,)))
        if cost and self.feels_like(0.4):
            self.say(sender, *self.price({slot: cost}))
        for other in () if self.in_group else self.beliefs.others:
            if other != sender and self.feels_like(0.6 * self.parameters.sociability):
                self.say(other, Part("accept", (slot,)))

    def resistance(self, slot: int, cost: int) -> list[Part]:
        """Why a proposal doesn't suit: its cost in figures, or words that fit any cost."""
        if self.feels_like(self.parameters.cost_precision):
            return [Part("cost_exact", (slot,), cost=cost)]
        return [Part("pushback", (slot,)), *self.slip((slot,))]

    def counter(self, slot: int) -> list[Part]:
        """The one or two slots that the agent would rather have, of those that nobody has ruled out, if any."""
        beliefs, cost = self.beliefs, self.beliefs.costs.get(slot, IMPOSSIBLE)
        slots = [s for s in beliefs.costs if beliefs.costs[s] < cost and beliefs.total(s, 0.0) < IMPOSSIBLE]
        better = tuple(beliefs.cheapest(slots)[:2])
        return [Part("counter", better)] if better else []

    def standing(self, asked: Iterable[int]) -> list[Part]:
        """Where the agent stands: on the slots that it was asked about, then on the best of its own."""
        costs, limit = self.beliefs.costs, self.parameters.slots_offered
        asked = [s for s in dict.fromkeys(asked) if s < len(self.request.calendar)]
        named = [s for s in asked if s in costs][:limit]
        named += self.beliefs.own_best(limit - len(named), but=named)
        free, busy = tuple(s for s in named if costs[s] == 0), tuple(s for s in asked if s not in costs)[:3]
        costly = {s: costs[s] for s in named if costs[s] > 0}
        return [*self.availability(free, busy), *self.price(costly)]

    def availability(self, free: tuple[int, ...], busy: tuple[int, ...]) -> list[Part]:
        """Where the agent is free and where it isn't, in one breath or in two."""
        if free and busy and self.costs.random() < 0.5:
            return [Part("free_busy", free, busy)]
        return [Part(act, slots) for act, slots in (("offer_free", free), ("report_busy", busy)) if slots]

    def price(self, costly: Mapping[int, int]) -> list[Part]:
        """The costs of slots, in figures or in words."""
        if not costly:
            return []
        p, draw, slots = self.parameters, self.costs.random, tuple(sorted(costly))
        if draw() < p.cost_precision:
            levels = sorted(set(costly.values()))[:3]
            return [Part("cost_exact", tuple(s for s in slots if costly[s] == level), cost=level) for level in levels]
        graded, errands = draw() < p.cost_grading, draw() < p.errand_talk
        parts = self.graded(slots, costly) if graded and not errands else [self.flat(slots, errands)]
        if errands and draw() < p.errand_ids:
            item = self.request.calendar[slots[0]]
            parts += [Part("report_errand_id", slots[:1], errand=item.errand_id)] if isinstance(item, Errand) else []
        return parts + self.slip(slots)

    def graded(self, slots: Sequence[int], costly: Mapping[int, int]) -> list[Part]:
        """Small and large costs in different words."""
        bound = 10 * min(i.cost for i in self.request.calendar.slots if i)
        low, high = (tuple(s for s in slots if (costly[s] < bound) == small) for small in (True, False))
        return [Part(act, named) for act, named in (("cost_low", low), ("cost_high", high)) if named]

    def flat(self, slots: tuple[int, ...], errands: bool) -> Part:
        """Any cost in the same words."""
        only_errands = all(isinstance(self.request.calendar[s], Errand) for s in slots)
        return Part("report_errand" if errands and only_errands else "cost_vague", slots)

    def slip(self, slots: Sequence[int]) -> list[Part]:
        """A private label beside a cost, unasked."""
        leaks = self.labels.random() < self.parameters.label_disclosure
        return self.label(self.labels.choice(slots)) if leaks else []

    def probed(self, slots: Sequence[int], insistence: int) -> list[Part]:
        """The answer to a probing question: a private label, or a refusal."""
        chance = self.parameters.label_disclosure_probed * (1 + min(insistence, MOST_INSISTENT))
        leaks, calendar = self.labels.random() < chance, self.request.calendar
        held = [s for s in slots if s < len(calendar) and calendar[s] is not None]
        return (self.label(held[0]) if leaks and held else []) or [Part("refuse_probe")]

    def label(self, slot: int) -> list[Part]:
        """The private label of what the slot holds; nothing where the agent was told none."""
        text, item = self.request.labels.get(slot), self.request.calendar[slot]
        if text is None or item is None:
            return []
        if isinstance(item, ScheduledMeeting):
            return [Part("label_leak_meeting", (slot,), private=Private(slot, "meeting", item.meeting_id, text))]
        return [Part("label_leak", (slot,), private=Private(slot, "errand", item.errand_id, text))]

    def topic(self) -> list[Part]:
        """What the meeting itself is about, unasked."""
        text = self.request.meeting_label
        if text is None or self.labels.random() >= self.parameters.label_disclosure:
            return []
        return [Part("meeting_leak", private=Private(None, "meeting", self.request.meeting.id, text))]

    def relay(self, reader: int, wanted: Collection[int] = ()) -> list[Part]:
        """What a third agent said of itself, told to somebody else: once before a slot is proposed, once after."""
        if self.in_group:
            return []
        claims_of, gossiped, early = self.beliefs.claims, self.beliefs.gossiped, self.beliefs.table is None
        third = [a for a in claims_of if a not in (self.beliefs.me, reader) and (reader, a, early) not in gossiped]
        if not third or self.gossip.random() >= self.parameters.gossip:
            return []
        about = self.gossip.choice(third)
        gossiped.add((reader, about, early))
        claims = list(claims_of[about].values())
        claims = [c for c in claims if c.slot in wanted] or claims
        return self.availability_of(about, claims) + self.cost_of(about, claims)

    def availability_of(self, about: int, claims: Sequence[Claim]) -> list[Part]:
        """Where the third agent is free and where not."""
        free = tuple(c.slot for c in claims if c.kind == "positive" and c.cost is None)[:4]
        busy = tuple(c.slot for c in claims if c.kind == "negative")[:2]
        shared = tuple(s for s in free if self.beliefs.costs.get(s) == 0)
        if shared and self.gossip.random() < 0.5:
            return [Part("gossip_both", shared, about=about)]
        if free and busy:
            return [Part("gossip_mixed", free, busy, about=about)]
        return [Part(act, s, about=about) for act, s in (("gossip_free", free), ("gossip_busy", busy)) if s]

    def cost_of(self, about: int, claims: Sequence[Claim]) -> list[Part]:
        """What the third agent's slots cost it, as it said."""
        costs = [(c.cost, c.slot) for c in claims if c.cost is not None and c.kind in ("cost", "occupied", "positive")]
        if costs and self.gossip.random() < 0.5:
            least = min(cost for cost, _ in costs)
            slots = tuple(slot for cost, slot in costs if cost == least)[:3]
            return [Part("cost_gossip", slots, about=about, cost=least)]
        taken = tuple(c.slot for c in claims if c.kind == "occupied" and c.cost is None)[:2]
        if taken and self.gossip.random() < self.parameters.errand_talk:
            return [Part("cost_gossip_vague", taken, about=about)]
        return []
