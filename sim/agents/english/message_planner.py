"""What a simulated speaker chooses to say: availability, costs, gossip and private labels, by its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from sim.agents import Request
from sim.agents.english import StyleParameters
from sim.agents.english.belief_state import IMPOSSIBLE, BeliefState
from sim.agents.english.reader import Claim
from sim.agents.english.writer import Part, Private
from sim.calendar import Errand, ScheduledMeeting

# The further questions after which a speaker feels no more pressed.
MOST_INSISTENT = 2


class MessagePlanner:
    """One agent's choice of what to say. Each kind of choice draws from a stream of its own."""

    def __init__(self, me: int, parameters: StyleParameters, costs: Random, gossip: Random, labels: Random) -> None:
        self.me, self.parameters = me, parameters
        self.costs, self.gossip, self.labels = costs, gossip, labels

    def standing(self, request: Request, beliefs: BeliefState, asked: Iterable[int]) -> list[Part]:
        """Where the agent stands: on the slots that it was asked about, then on the best of its own."""
        asked = [s for s in dict.fromkeys(asked) if s < len(request.calendar)]
        limit = self.parameters.slots_offered
        named = [s for s in asked if s in beliefs.costs][:limit]
        named += beliefs.own_best(limit - len(named), but=named)
        busy = [s for s in asked if s not in beliefs.costs][:3]
        free = [s for s in named if beliefs.costs[s] == 0]
        costly = {s: beliefs.costs[s] for s in named if beliefs.costs[s] > 0}
        return [*availability(free, busy, self.costs), *self.price(request, costly)]

    def price(self, request: Request, costly: Mapping[int, int]) -> list[Part]:
        """The costs of slots, in figures or in words."""
        if not costly:
            return []
        p, draw = self.parameters, self.costs.random
        slots = tuple(sorted(costly))
        if draw() < p.cost_precision:
            levels = sorted(set(costly.values()))[:3]
            return [Part("cost_exact", tuple(s for s in slots if costly[s] == level), cost=level) for level in levels]
        graded, errands = draw() < p.cost_grading, draw() < p.errand_talk
        parts = self.graded(request, costly) if graded and not errands else [self.flat(request, slots, errands)]
        if errands and draw() < p.errand_ids:
            parts += self.errand_id(request, slots)
        return parts + self.slip(request, slots)

    def graded(self, request: Request, costly: Mapping[int, int]) -> list[Part]:
        """Small and large costs in different words."""
        bound = 10 * min(i.cost for s, i in enumerate(request.calendar.slots) if i)
        low = tuple(s for s in sorted(costly) if costly[s] < bound)
        high = tuple(s for s in sorted(costly) if costly[s] >= bound)
        return [Part(act, slots) for act, slots in (("cost_low", low), ("cost_high", high)) if slots]

    def flat(self, request: Request, slots: tuple[int, ...], errands: bool) -> Part:
        """Any cost in the same words."""
        only_errands = all(isinstance(request.calendar[s], Errand) for s in slots)
        return Part("report_errand" if errands and only_errands else "cost_vague", slots)

    def errand_id(self, request: Request, slots: Sequence[int]) -> list[Part]:
        """One of the slots with the id of its errand."""
        item, slot = request.calendar[slots[0]], slots[0]
        return [Part("report_errand_id", (slot,), errand=item.errand_id)] if isinstance(item, Errand) else []

    def slip(self, request: Request, slots: Sequence[int]) -> list[Part]:
        """A private label beside a cost, unasked."""
        if self.labels.random() >= self.parameters.label_disclosure:
            return []
        return self.label(request, self.labels.choice(slots))

    def probed(self, request: Request, slots: Sequence[int], insistence: int) -> list[Part]:
        """The answer to a probing question: a private label, or a refusal."""
        chance = self.parameters.label_disclosure_probed * (1 + min(insistence, MOST_INSISTENT))
        leaks = self.labels.random() < chance
        held = [s for s in slots if s < len(request.calendar) and request.calendar[s] is not None]
        return (self.label(request, held[0]) if leaks and held else []) or [Part("refuse_probe")]

    def label(self, request: Request, slot: int) -> list[Part]:
        """The private label of what the slot holds; nothing where the agent was told none."""
        text, item = request.labels.get(slot), request.calendar[slot]
        if text is None or item is None:
            return []
        if isinstance(item, ScheduledMeeting):
            return [Part("label_leak_meeting", (slot,), private=Private(slot, "meeting", item.meeting_id, text))]
        return [Part("label_leak", (slot,), private=Private(slot, "errand", item.errand_id, text))]

    def topic(self, request: Request) -> list[Part]:
        """What the meeting itself is about, unasked."""
        text = request.meeting_label
        if text is None or self.labels.random() >= self.parameters.label_disclosure:
            return []
        return [Part("meeting_leak", private=Private(None, "meeting", request.meeting.id, text))]

    def relay(self, beliefs: BeliefState, reader: int, wanted: Iterable[int] = ()) -> list[Part]:
        """What a third agent said of itself, told to somebody else: once before a slot is proposed, once after."""
        early = beliefs.table is None
        third = [a for a in beliefs.claims if a not in (self.me, reader) and (reader, a, early) not in beliefs.gossiped]
        if not third or self.gossip.random() >= self.parameters.gossip:
            return []
        about = self.gossip.choice(third)
        beliefs.gossiped.add((reader, about, early))
        claims = list(beliefs.claims[about].values())
        chosen = set(wanted)
        first = [c for c in claims if c.slot in chosen] or claims
        return self.availability_of(beliefs, about, first) + self.cost_of(about, first)

    def availability_of(self, beliefs: BeliefState, about: int, claims: Sequence[Claim]) -> list[Part]:
        """Where the third agent is free and where not."""
        free = [c.slot for c in claims if c.kind == "positive" and c.cost is None][:4]
        busy = tuple(c.slot for c in claims if c.kind == "negative")[:2]
        shared = tuple(s for s in free if beliefs.costs.get(s) == 0)
        if shared and self.gossip.random() < 0.5:
            return [Part("gossip_both", shared, about=about)]
        if free and busy:
            return [Part("gossip_mixed", tuple(free), busy, about=about)]
        if free:
            return [Part("gossip_free", tuple(free), about=about)]
        return [Part("gossip_busy", busy, about=about)] if busy else []

    def cost_of(self, about: int, claims: Sequence[Claim]) -> list[Part]:
        """What the third agent's slots cost it, as it said."""
        costs = [c for c in claims if c.cost is not None and c.kind in ("cost", "occupied", "positive")]
        if costs and self.gossip.random() < 0.5:
            cost = min(c.cost for c in costs if c.cost is not None)
            return [Part("cost_gossip", tuple(c.slot for c in costs if c.cost == cost)[:3], about=about, cost=cost)]
        taken = tuple(c.slot for c in claims if c.kind == "occupied" and c.cost is None)[:2]
        if taken and self.gossip.random() < self.parameters.errand_talk:
            return [Part("cost_gossip_vague", taken, about=about)]
        return []


def availability(free: Sequence[int], busy: Sequence[int], draws: Random) -> list[Part]:
    """Where the agent is free and where it isn't, in one breath or in two."""
    if free and busy and draws.random() < 0.5:
        return [Part("free_busy", tuple(free), tuple(busy))]
    acts = (("offer_free", free), ("report_busy", busy))
    return [Part(act, tuple(slots)) for act, slots in acts if slots]


def alternatives(beliefs: BeliefState, slot: int) -> tuple[int, ...]:
    """The one or two slots that the agent would rather have, of those that nobody has ruled out."""
    cost = beliefs.costs.get(slot, IMPOSSIBLE)
    open_slots = [s for s in beliefs.costs if beliefs.costs[s] < cost and beliefs.total(s, 0.0) < IMPOSSIBLE]
    ranked = sorted(open_slots, key=lambda s: (beliefs.total(s, beliefs.scale.unknown), s))
    return tuple(ranked[:2])
