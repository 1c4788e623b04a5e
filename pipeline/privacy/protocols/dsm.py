"""What messages of DSM say of their sender's slots: plans that are offered, how well they suit, the one chosen."""

from collections.abc import Callable, Sequence
from math import ceil, log10

from pipeline.privacy.protocols.imap import chosen
from pipeline.privacy.protocols.kinds import SlotLikelihood, TypedMessage, derived_kind, sender_kind
from pipeline.privacy.protocols.states import States, Vector, known_slot
from pipeline.privacy.rules import RULES, RuleSet, SlotEvidence
from pipeline.traces.typed_messages.records import Plan, Proposals, Scores

TOP_SCORE = RULES["paper"].score_levels - 1


def _keep_plans(message: TypedMessage[Proposals]) -> Sequence[Plan]:
    """The offered plans; also kept in the context, for the recipients' scores."""
    for recipient in message.recipients:
        message.context.plans.setdefault(recipient, {}).update(message.content.plans)
    return list(message.content.plans.values())


def proposals(message: TypedMessage[Proposals], rules: RuleSet) -> list[SlotEvidence]:
    """Each distinct slot of the plans: feasible, once."""
    return [(slot, 1.0) for slot in dict.fromkeys(plan.slot for plan in _keep_plans(message))]


def proposals_likelihood(message: TypedMessage[Proposals], states: States) -> list[SlotLikelihood]:
    """Each plan's slot: feasible for who offers it; busy where the plan moves a meeting away."""
    return [statement for plan in _keep_plans(message) for statement in _plan_likelihood(plan, states)]


def chosen_likelihood(message: TypedMessage[Plan], states: States) -> list[SlotLikelihood]:
    """The chosen plan, as an offer of it alone."""
    return _plan_likelihood(message.content, states)


def _plan_likelihood(plan: Plan, states: States) -> list[SlotLikelihood]:
    """A plan's statements on its sender: a meeting stands in each slot that one leaves, nothing where one lands."""
    leaves = (*plan.leaves, *plan.cleared)
    if not leaves:
        return known_slot(plan.slot, states.feasible())
    lands = [slot for slot in plan.lands if slot not in leaves]
    return _slots_likelihood(leaves, states.busy()) + _slots_likelihood(lands, states.free())


def _slots_likelihood(slots: Sequence[int | None], likelihood: Vector) -> list[SlotLikelihood]:
    return [statement for slot in slots for statement in known_slot(slot, likelihood)]


def scores(message: TypedMessage[Scores], rules: RuleSet) -> list[SlotEvidence]:
    """Each scored plan's slot: score / 11, or 0 for a score of 0 (the paper's D − 1 = 11)."""
    plans, top = message.context.plans.get(message.sender, {}), rules.score_levels - 1
    return [
        (plans[name].slot if name in plans else None, min(1.0, score / top) if score > 0 else 0.0)
        for name, score in message.content.scores
    ]


def linear_likelihood(message: TypedMessage[Scores], states: States) -> list[SlotLikelihood]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − cost), and 0 for busy."""
    return _scores_likelihood(message, states, lambda cost: cost)


def log_likelihood(message: TypedMessage[Scores], states: States) -> list[SlotLikelihood]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − ⌈points · log10(1 + cost)⌉), 0: busy."""
    points = message.content.per_tenfold
    return [] if points is None else _scores_likelihood(message, states, lambda cost: ceil(points * log10(1 + cost)))


def _scores_likelihood(
    message: TypedMessage[Scores], states: States, points_off: Callable[[int], int]
) -> list[SlotLikelihood]:
    """The statements of scores. An agent that takes no part and moves nothing says nothing of itself."""
    plans = message.context.plans.get(message.sender, {})
    likelihoods: list[SlotLikelihood] = []
    for name, score in message.content.scores:
        plan = plans.get(name)
        if plan and plan.leaves:
            likelihoods += _moves_likelihood(plan, score, states)
        elif plan and plan.takes_part:
            likelihoods += known_slot(plan.slot, _score_likelihood(score, points_off, states))
    return likelihoods


def _score_likelihood(score: float, points_off: Callable[[int], int], states: States) -> Vector:
    """The states that come to the score; one that no state comes to says only feasible (above 0) or busy."""
    exact = states.likelihood(lambda cost: score == (0 if cost is None else max(1, TOP_SCORE - points_off(cost))))
    if exact.any():
        return exact
    return states.feasible() if score > 0 else states.busy()


def _moves_likelihood(plan: Plan, score: float, states: States) -> list[SlotLikelihood]:
    """Of a plan that moves the sender's own meetings, a score above 0 says that they stand where they would leave, that
    where they would land is free, and that the slot is feasible; 0 says that some of it is not so, but not what."""
    if score <= 0:
        return []
    lands = [slot for slot in plan.lands if slot not in (*plan.leaves, *plan.cleared)]
    meeting_slots = [] if plan.slot in plan.leaves or not plan.takes_part else [plan.slot]
    return (
        _slots_likelihood(plan.leaves, states.busy())
        + _slots_likelihood(lands, states.free())
        + _slots_likelihood(meeting_slots, states.feasible())
    )


KINDS = {
    "dsm_proposals": sender_kind(proposals, proposals_likelihood),
    "dsm_scores": sender_kind(scores, linear_likelihood),
    "dsm_log_scores": derived_kind(log_likelihood),
    "dsm_decision": sender_kind(chosen, chosen_likelihood),
}
