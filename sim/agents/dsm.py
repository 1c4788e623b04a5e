"""DSM: scores over an offer of plans, which may move prior meetings along (paper, Appendix G.3).

The initiator evaluates an offer once every addressee has answered. A responder sees the moves of its own meetings,
and of others only the slots that they clear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.dsm_plans import (
    TOP_SCORE,
    Displacement,
    DsmParameters,
    Plan,
    Reward,
    offer_size,
    own_plans,
    response,
    reward_for,
    schedulable,
)
from sim.agents.scripted import ScriptedAgent, clear_errand, dm, initiator, others, reschedule, schedule
from sim.calendar import ScheduledMeeting


class ShownPlan(Struct):
    """A plan as one recipient sees it."""

    id: int
    slot: int
    displacements: list[Displacement]
    cleared_slots: list[int]


class Proposals(Struct, tag_field="dsm", tag="proposals"):
    """An offer; `round` counts the offers of a meeting from 1, `participants` is empty for a non-participant."""

    slots: list[int]
    plans: list[ShownPlan]
    round: int
    participants: list[int]
    displacements: dict[int, list[Displacement]]
    cleared_slots: dict[int, list[int]]


class Scores(Struct, tag_field="dsm", tag="scores"):
    """A responder's score of each offered plan."""

    scores: dict[int, Annotated[int, msgspec.Meta(ge=0, le=TOP_SCORE)]]
    round: int


class Decision(Struct, tag_field="dsm", tag="decision", omit_defaults=True):
    """The chosen plan; no reward where not everybody could."""

    slot: int
    plan_id: int
    participants: list[int]
    displacements: list[Displacement]
    cleared_slots: list[int] = []
    reward: Reward | None = None


class Dsm(ScriptedAgent[Proposals | Scores | Decision]):
    """One agent of DSM; `points` is the budget it keeps as an initiator."""

    decoder = msgspec.json.Decoder(Proposals | Scores | Decision)

    def __init__(self, parameters: DsmParameters) -> None:
        self.parameters = parameters
        self.points = parameters.initial_points

    def summary(self) -> Mapping[str, Any]:
        return {"points": self.points}

    def begin_round(self, request: Request) -> None:
        self.plans: dict[int, Plan] = {}
        self.untried: list[Plan] | None = None
        self.offers = 0
        self.waiting: set[int] = set()
        self.scores: dict[int, dict[int, int]] = {}
        self.decided = False
        self.agreed: int | None = None
        self.moves: list[Displacement] = []

    def talk(self, request: Request) -> list[Action]:
        answers = []
        for sender, payload in self.received(request):
            match payload:
                case Proposals() if sender == initiator(request.meeting.participants):
                    answers.append(dm(sender, request.meeting, self.score(request, payload)))
                case Scores():
                    offered = {p: s for p, s in payload.scores.items() if p in self.plans}
                    self.scores.setdefault(sender, {}).update(offered)
                    self.waiting.discard(sender)
                case Decision():
                    self.agreed, self.moves = payload.slot, payload.displacements
        return answers + self.lead(request) if self.leads(request) else answers

    def score(self, request: Request, offer: Proposals) -> Scores:
        """The agent's score of every plan it is offered."""
        takes_part, level = self.me in offer.participants, self.parameters.score
        scores = {
            p.id: response(request.calendar, p.slot, p.displacements, p.cleared_slots, takes_part, level)
            for p in offer.plans
        }
        return self.reply(scores, offer.round)

    def reply(self, scores: dict[int, int], number: int) -> Scores:
        """The message that carries the scores of an offer."""
        return Scores(scores, number)

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: offer, wait for all answers, then decide or offer again."""
        if self.decided or self.waiting:
            return []
        if self.untried is None:
            self.untried = own_plans(request.calendar, self.parameters)
            return self.offer(request)
        best = self.best_plan(request)
        if best is None:
            return []
        may_go_on = self.untried and self.offers != self.parameters.max_offers
        if may_go_on and not self.feasible(request, best):
            return self.offer(request)
        return self.decide_on(request, best)

    def offer(self, request: Request) -> list[Action]:
        """Send the next untried plans to all who must answer."""
        assert self.untried is not None
        if not self.untried:
            return []
        responders = others(request.meeting, self.me)
        busy = 1 - len(request.calendar.free) / len(request.calendar)
        size = offer_size([p.score for p in self.untried], len(responders), busy, self.parameters)
        chosen, self.untried = self.untried[:size], self.untried[size:]
        self.offers += 1
        self.plans |= {p.id: p for p in chosen}
        self.scores.setdefault(self.me, {}).update({p.id: p.score for p in chosen})
        self.waiting = {*responders, *(a for p in chosen for m in p.movers for a in m)} - {self.me}
        if not self.waiting:
            return self.lead(request)
        return [dm(a, request.meeting, self.proposals(request, chosen, a)) for a in sorted(self.waiting)]

    def proposals(self, request: Request, plans: Sequence[Plan], recipient: int) -> Proposals:
        """The offer as the recipient may see it."""
        shown = [ShownPlan(p.id, p.slot, *visible(p, recipient)) for p in plans]
        return Proposals(
            slots=[p.id for p in plans],
            plans=shown,
            round=self.offers,
            participants=shown_participants(request, recipient),
            displacements={p.id: p.displacements for p in shown if p.displacements},
            cleared_slots={p.id: p.cleared_slots for p in shown if p.cleared_slots},
        )

    def responders(self, request: Request, plan: Plan) -> list[int]:
        """The other participants, and those whose meetings the plan moves; ascending."""
        return sorted({*request.meeting.participants, *(a for m in plan.movers for a in m)} - {self.me})

    def plan_scores(self, request: Request, plan: Plan) -> list[int]:
        """The plan's score from the initiator and each of its responders."""
        return [self.scores.get(a, {}).get(plan.id, 0) for a in (self.me, *self.responders(request, plan))]

    def feasible(self, request: Request, plan: Plan) -> bool:
        """Whether everybody scored the plan above 0."""
        return min(self.plan_scores(request, plan)) > 0

    def best_plan(self, request: Request) -> Plan | None:
        """The best-ranked plan among those that everybody can, or among all where there is none."""

        def rank(plan: Plan) -> tuple[int, int, int, int]:
            scores = self.plan_scores(request, plan)
            return (TOP_SCORE * len(scores) - sum(scores), len(scores), plan.slot, plan.id)

        feasible = [p for p in self.plans.values() if self.feasible(request, p)]
        return min(feasible or self.plans.values(), key=rank, default=None)

    def decide_on(self, request: Request, plan: Plan) -> list[Action]:
        """Announce the chosen plan to its responders, and settle the points."""
        self.decided = True
        self.agreed, self.moves = plan.slot, list(visible(plan, self.me)[0])
        rewarded = self.feasible(request, plan)
        decisions = []
        for agent in self.responders(request, plan):
            reward = reward_for(self.scores[agent], plan.id) if rewarded else None
            if reward:
                self.points += reward.scoring_cost - reward.reward
            participants = shown_participants(request, agent)
            decision = Decision(plan.slot, plan.id, participants, *visible(plan, agent), reward=reward)
            decisions.append(dm(agent, request.meeting, decision))
        return decisions

    def decide(self, request: Request) -> list[Action]:
        if self.agreed is None and not request.attempt:
            return []
        usable = [s for s in range(len(request.calendar)) if schedulable(request.calendar, s)]
        if request.attempt:
            slot = usable[request.attempt] if request.attempt < len(usable) else None
        else:
            slot = self.agreed if self.agreed in usable else next(iter(usable), None)
        return [] if slot is None else self.batch(request, slot)

    def batch(self, request: Request, slot: int) -> list[Action]:
        """The actions that schedule the meeting in the slot; empty where a prior meeting is in the way."""
        moves = self.moves if slot == self.agreed else [m for m in self.moves if m.from_slot == slot]
        vacated = {m.from_slot for m in moves}
        if isinstance(request.calendar[slot], ScheduledMeeting) and slot not in vacated:
            return []
        targets = [m.to_slot for m in moves]
        return [*announced(moves), *clear_errand(request.calendar, slot, *targets), schedule(request.meeting, slot)]

    def volunteer(self, request: Request) -> list[Action]:
        return announced(self.moves)


def visible(plan: Plan, agent: int) -> tuple[list[Displacement], list[int]]:
    """The plan's moves of the agent's own meetings, and the slots that the other moves clear."""
    pairs = list(zip(plan.displacements, plan.movers, strict=True))
    return [d for d, m in pairs if agent in m], [d.from_slot for d, m in pairs if agent not in m]


def shown_participants(request: Request, recipient: int) -> list[int]:
    """The new meeting's participants, for one of them; empty for anybody else."""
    participants = sorted(request.meeting.participants)
    return participants if recipient in participants else []


def announced(moves: Sequence[Displacement]) -> list[Action]:
    """The moves as actions."""
    return [reschedule(m.meeting_id, m.from_slot, m.to_slot) for m in moves]
