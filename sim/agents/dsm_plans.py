"""DSM's arithmetic: which plans an agent can offer, how it scores one, how many it offers (paper, Appendix G.3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec import Struct

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
        """The satisfaction level of a cost; other scales of scores have parameters of their own."""
        return score_of(cost)


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


def score_of(cost: int | None) -> int:
    """The satisfaction level of a cost: 11 for nothing, at least 1, 0 where it is impossible (None)."""
    return 0 if cost is None else max(1, TOP_SCORE - cost)


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


def response(
    calendar: Calendar,
    slot: int,
    moves: Sequence[Displacement],
    cleared: Collection[int],
    takes_part: bool,
    score: Callable[[int | None], int] = score_of,
) -> int:
    """The score of a plan on the agent's own calendar, from what it is shown of it.

    A non-participant scores only the moves, and 11 where none concerns it.
    """
    vacated = {m.from_slot for m in moves}
    cost = moves_cost(calendar, moves, vacated, cleared)
    if cost is None or not takes_part:
        return score(cost)
    placing = 0 if slot in vacated else placing_cost(calendar, slot)
    return score(None if placing is None else cost + placing)


def moves_cost(
    calendar: Calendar, moves: Sequence[Displacement], vacated: Collection[int], cleared: Collection[int]
) -> int | None:
    """What the moves cost; None where one starts elsewhere, or ends on what is not free, cleared or vacated."""
    cost = 0
    for move in moves:
        if not (0 <= move.from_slot < len(calendar) and 0 <= move.to_slot < len(calendar)):
            return None
        item = calendar[move.from_slot]
        if not isinstance(item, ScheduledMeeting) or item.meeting_id != move.meeting_id:
            return None
        if calendar[move.to_slot] is not None and move.to_slot not in {*vacated, *cleared}:
            return None
        cost += item.cost
    return cost


def placing_cost(calendar: Calendar, slot: int) -> int | None:
    """What placing the meeting costs where no move has made room: 0 free, a movable errand's cost, else None."""
    if not 0 <= slot < len(calendar):
        return None
    item = calendar[slot]
    if item is None:
        return 0
    return item.cost if calendar.movable(slot) else None


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
