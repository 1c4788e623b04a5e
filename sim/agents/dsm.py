"""DSM: scores over an offer of plans, which may move prior meetings along (paper, Appendix G.3).

First comes the arithmetic: the plans that an agent can offer, their scores, and how many to offer. Then messages and
agent. The initiator evaluates an offer once every addressee has answered. A responder sees the moves of its own
meetings, and of others only the slots that they clear.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.imap import local_cost
from sim.agents.scripted import ScriptedAgent, clear_errand, dm, initiator, others, reschedule, schedule
from sim.calendar import Calendar, Errand, ScheduledMeeting

TOP_SCORE = 11  # D = 12 satisfaction levels, 0 to 11


class DsmParameters(Struct, frozen=True, kw_only=True):
    """The parameters of DSM (Table 9), in its order. `max_offers` limits the offers per meeting; 0 is no limit."""

    l_min: int = 1
    l_max: int = 12
    beta: float = 1.0
    theta_unit_cost: float = 0.0
    welfare: float = 1.0
    cascade_depth: int = 2
    displacement_targets: int = 4
    max_offers: int = 1
    initial_points: int = 100

    def __post_init__(self) -> None:
        if not 1 <= self.l_min <= self.l_max:
            raise ValueError(f"l_min must lie between 1 and l_max, {self.l_max}; got {self.l_min}")
        if min(self.cascade_depth, self.displacement_targets, self.max_offers) < 0:
            raise ValueError("cascade_depth, displacement_targets and max_offers can't be negative")

    def score(self, cost: int | None) -> int:
        """The satisfaction level of a cost: 11 for nothing, at least 1, 0 where it is impossible (None)."""
        return 0 if cost is None else max(1, TOP_SCORE - cost)


WELFARE = DsmParameters()
PRIVATE = DsmParameters(l_max=2, beta=0.25, theta_unit_cost=10.0, welfare=0.25, cascade_depth=1, displacement_targets=2)


class Displacement(Struct, frozen=True):
    """A prior meeting that a plan moves."""

    meeting_id: int
    from_slot: int
    to_slot: int


class Plan(Struct, frozen=True):
    """A slot for the new meeting, and the prior meetings that must move for it.

    `movers` are the participants of those meetings, `score` is the initiator's own.
    """

    id: int
    slot: int
    displacements: tuple[Displacement, ...]
    movers: tuple[tuple[int, ...], ...]
    score: int


def schedulable(calendar: Calendar, slot: int) -> bool:
    """Whether the agent could place a meeting there: free, or holding what may go to another free slot."""
    if not 0 <= slot < len(calendar):
        return False
    item = calendar[slot]
    if item is None:
        return True
    return calendar.movable(slot) if isinstance(item, Errand) else bool(calendar.free)


def own_plans(calendar: Calendar, parameters: DsmParameters) -> list[Plan]:
    """Every plan that the initiator could offer, best first: by (−own score, slot, id)."""
    slots = [s for s in range(len(calendar)) if schedulable(calendar, s)]
    plans = [plan for slot in slots for plan in slot_plans(calendar, slot, parameters)]
    return sorted(plans, key=lambda p: (-p.score, p.slot, p.id))


def slot_plans(calendar: Calendar, slot: int, parameters: DsmParameters) -> Iterator[Plan]:
    """The plans of one slot: itself, or the cheapest ways to carry the prior meeting away from it."""
    item = calendar[slot]
    if not isinstance(item, ScheduledMeeting):
        yield Plan(slot, slot, (), (), parameters.score(item.cost if item else 0))
        return
    chains = sorted(
        chains_from(calendar, item, slot, parameters.cascade_depth, {slot}),
        key=lambda chain: (chain_cost(calendar, chain), len(chain), [d.to_slot for d in chain]),
    )
    for j, chain in enumerate(chains[: parameters.displacement_targets]):
        ident = slot if j == 0 else (slot + 1) * 1000 + j
        movers = tuple(held(calendar, d.from_slot).participants for d in chain)
        yield Plan(ident, slot, chain, movers, parameters.score(chain_cost(calendar, chain)))


def chains_from(
    calendar: Calendar, meeting: ScheduledMeeting, slot: int, depth: int, used: Collection[int]
) -> Iterator[tuple[Displacement, ...]]:
    """Every chain of at most `depth` moves that carries the meeting to a free slot, bumping only prior meetings."""
    if depth == 0:
        return
    for target in calendar.free:
        if target not in used:
            yield (Displacement(meeting.meeting_id, slot, target),)
    for target, item in enumerate(calendar.slots):
        if isinstance(item, ScheduledMeeting) and target not in used:
            step = Displacement(meeting.meeting_id, slot, target)
            for rest in chains_from(calendar, item, target, depth - 1, {*used, target}):
                yield (step, *rest)


def held(calendar: Calendar, slot: int) -> ScheduledMeeting:
    """The prior meeting in the slot."""
    item = calendar[slot]
    assert isinstance(item, ScheduledMeeting)
    return item


def chain_cost(calendar: Calendar, chain: Sequence[Displacement]) -> int:
    """What moving the chain's meetings costs the agent."""
    return sum(held(calendar, d.from_slot).cost for d in chain)


def response(calendar: Calendar, plan: ShownPlan, takes_part: bool, score: Callable[[int | None], int]) -> int:
    """The score of a plan on the agent's own calendar, from what it is shown of it.

    A non-participant scores only the moves, and 11 where none concerns it.
    """
    cost = moves_cost(calendar, plan)
    if cost is None or not takes_part:
        return score(cost)
    vacated = {m.from_slot for m in plan.displacements}
    placing = 0 if plan.slot in vacated else local_cost(calendar, plan.slot)
    return score(None if placing is None else cost + placing)


def moves_cost(calendar: Calendar, plan: ShownPlan) -> int | None:
    """What the moves cost; None where one starts elsewhere, or ends on what is not free, cleared or vacated."""
    cost, left = 0, {*plan.cleared_slots, *(m.from_slot for m in plan.displacements)}
    for move in plan.displacements:
        if not (0 <= move.from_slot < len(calendar) and 0 <= move.to_slot < len(calendar)):
            return None
        item = calendar[move.from_slot]
        if not isinstance(item, ScheduledMeeting) or item.meeting_id != move.meeting_id:
            return None
        if calendar[move.to_slot] is not None and move.to_slot not in left:
            return None
        cost += item.cost
    return cost


def offer_size(scores: Sequence[int], responders: int, busy_share: float, parameters: DsmParameters) -> int:
    """How many of the plans, best first, to offer: the first size of greatest expected utility (Appendix G.3)."""
    sizes = range(min(parameters.l_min, len(scores)), min(parameters.l_max, len(scores)) + 1)
    return max(sizes, key=lambda size: offer_utility(size, scores, responders, busy_share, parameters))


def offer_utility(
    size: int, scores: Sequence[int], responders: int, busy_share: float, parameters: DsmParameters
) -> float:
    """success·avg + w·success − θ·unit·L − β·fail for an offer of L = `size` plans."""
    feasible = clamp(clamp(1 - busy_share, 0.05, 0.95) ** responders, 0.01, 0.95)
    fail = (1 - feasible) ** size
    success = 1 - fail
    average = sum(scores[:size]) / size / TOP_SCORE if size else 0.0
    return success * average + parameters.welfare * success - parameters.theta_unit_cost * size - parameters.beta * fail


def clamp(value: float, low: float, high: float) -> float:
    """The value, kept within the bounds."""
    return min(max(value, low), high)


class Reward(Struct, frozen=True):
    """What a responder is told of its scores when its plan is chosen (Appendix G.3, aggregate scoring statistics)."""

    selected_score: int
    availability: int
    flexibility: int
    scoring_cost: int
    reward: int


def reward_for(scores: Mapping[int, int], chosen: int) -> Reward:
    """The statistics of a responder's score vector, and its reward for the chosen plan's score."""
    given = [s for s in scores.values() if s > 0]
    selected = scores[chosen]
    flexibility = sum(s * (len(given) + 1) ** (s - 1) for s in given)
    bonus = max(0, min(len(given), len(scores)) - 1)
    reward = 0 if selected in (0, TOP_SCORE) else TOP_SCORE - selected + bonus
    return Reward(selected, len(given), flexibility, sum(TOP_SCORE - s for s in given), reward)


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

    def answer(self, request: Request, sender: int, payload: Proposals | Scores | Decision) -> list[Action]:
        match payload:
            case Proposals() if sender == initiator(request.meeting.participants):
                takes_part, level = self.me in payload.participants, self.parameters.score
                scores = {p.id: response(request.calendar, p, takes_part, level) for p in payload.plans}
                return [dm(sender, request.meeting, self.reply(scores, payload.round))]
            case Scores():
                offered = {p: s for p, s in payload.scores.items() if p in self.plans}
                self.scores.setdefault(sender, {}).update(offered)
                self.waiting.discard(sender)
            case Decision():
                self.agreed, self.moves = payload.slot, payload.displacements
        return []

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
