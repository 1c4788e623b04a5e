"""What messages of DSM say of their sender's slots: plans that are offered, how well they suit, the one chosen."""

from collections.abc import Callable, Sequence
from math import ceil, log10

from pipeline.privacy.protocols.imap import chosen
from pipeline.privacy.protocols.kinds import SlotLikelihood, TypedMessage, derived, of_sender
from pipeline.privacy.protocols.states import States, Vector, of_known
from pipeline.privacy.rules import RULES, RuleSet, SlotEvidence
from pipeline.traces.typed_messages.records import Plan, Proposals, Scores

TOP_SCORE = RULES["paper"].score_levels - 1


def _offer(message: TypedMessage[Proposals]) -> Sequence[Plan]:
    """The offered plans, which are kept for the recipients' scores."""
    for recipient in message.recipients:
        message.context.plans.setdefault(recipient, {}).update(message.content.plans)
    return list(message.content.plans.values())


def proposals(message: TypedMessage[Proposals], rules: RuleSet) -> list[SlotEvidence]:
    """Each distinct slot of the plans: feasible, once."""
    return [(slot, 1.0) for slot in dict.fromkeys(plan.slot for plan in _offer(message))]


def proposals_likelihood(message: TypedMessage[Proposals], states: States) -> list[SlotLikelihood]:
    """Each plan's slot: feasible for who offers it; busy where the plan moves a meeting away."""
    return [statement for plan in _offer(message) for statement in _of_plan(plan, states)]


def chosen_likelihood(message: TypedMessage[Plan], states: States) -> list[SlotLikelihood]:
    """The chosen plan, as an offer of it alone."""
    return _of_plan(message.content, states)


def _of_plan(plan: Plan, states: States) -> list[SlotLikelihood]:
    """What it says of who offers it: a meeting stands where one leaves, nothing where one lands."""
    leaves = (*plan.leaves, *plan.cleared)
    if not leaves:
        return of_known(plan.slot, states.feasible())
    lands = [slot for slot in plan.lands if slot not in leaves]
    return _each(leaves, states.busy()) + _each(lands, states.free())


def _each(slots: Sequence[int | None], likelihood: Vector) -> list[SlotLikelihood]:
    return [statement for slot in slots for statement in of_known(slot, likelihood)]


def scores(message: TypedMessage[Scores], rules: RuleSet) -> list[SlotEvidence]:
    """Each scored plan's slot: score / 11, or 0 for a score of 0 (the paper's D − 1 = 11)."""
    plans, top = message.context.plans.get(message.sender, {}), rules.score_levels - 1
    return [
        (plans[name].slot if name in plans else None, min(1.0, score / top) if score > 0 else 0.0)
        for name, score in message.content.scores
    ]


def linear_likelihood(message: TypedMessage[Scores], states: States) -> list[SlotLikelihood]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − cost), and 0 for busy."""
    return _scored(message, states, lambda cost: cost)


def log_likelihood(message: TypedMessage[Scores], states: States) -> list[SlotLikelihood]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − ⌈points · log10(1 + cost)⌉), 0: busy."""
    points = message.content.per_tenfold
    return [] if points is None else _scored(message, states, lambda cost: ceil(points * log10(1 + cost)))


def _scored(message: TypedMessage[Scores], states: States, points_off: Callable[[int], int]) -> list[SlotLikelihood]:
    """What scores say. One who takes no part, and has nothing to move, says nothing of itself."""
    plans = message.context.plans.get(message.sender, {})
    found: list[SlotLikelihood] = []
    for name, score in message.content.scores:
        plan = plans.get(name)
        if plan and plan.leaves:
            found += _scored_moves(plan, score, states)
        elif plan and plan.takes_part:
            found += of_known(plan.slot, _coming_to(score, points_off, states))
    return found


def _coming_to(score: float, points_off: Callable[[int], int], states: States) -> Vector:
    """The states that come to the score; one that no state comes to says only feasible (above 0) or busy."""
    exact = states.likelihood(lambda cost: score == (0 if cost is None else max(1, TOP_SCORE - points_off(cost))))
    if exact.any():
        return exact
    return states.feasible() if score > 0 else states.busy()


def _scored_moves(plan: Plan, score: float, states: States) -> list[SlotLikelihood]:
    """Of a plan that moves the sender's own meetings, a score above 0 says that they stand where they would leave, that
    where they would land is free, and that the slot is feasible; 0 says that some of it is not so, but not what."""
    if score <= 0:
        return []
    lands = [slot for slot in plan.lands if slot not in (*plan.leaves, *plan.cleared)]
    placed = [] if plan.slot in plan.leaves or not plan.takes_part else [plan.slot]
    return _each(plan.leaves, states.busy()) + _each(lands, states.free()) + _each(placed, states.feasible())


KINDS = {
    "dsm_proposals": of_sender(proposals, proposals_likelihood),
    "dsm_scores": of_sender(scores, linear_likelihood),
    "dsm_log_scores": derived(log_likelihood),
    "dsm_decision": of_sender(chosen, chosen_likelihood),
}
