"""What messages of IMAP and of polling, which asks as it does, say of their sender's slots.

Costs by slot, whole, in levels, with noise, or within a limit; and what is chosen.
"""

from collections.abc import Sequence
from math import isinf
from typing import Any

from pipeline.privacy.protocols.kinds import SlotLikelihood, TypedMessage, derived_kind, sender_kind
from pipeline.privacy.protocols.states import States, Vector, known_slot
from pipeline.privacy.rules import RuleSet, SlotEvidence
from pipeline.traces.typed_messages.records import Answer, CostRequest, Costs, Levels, Limits, NamedSlot, Plan


def request(message: TypedMessage[CostRequest], _: RuleSet | States) -> list[Any]:
    """Nothing is said; the slots are kept as a bound on the recipients' replies."""
    for recipient in message.recipients:
        message.context.requested.setdefault(recipient, set()).update(message.content.slots)
    return []


def costs(message: TypedMessage[Costs], rules: RuleSet) -> list[SlotEvidence]:
    """Each requested slot: infeasible where its cost is null, feasible where it is a number."""
    return [(slot, 0.0 if cost is None else 1.0) for slot, cost in _requested(message)]


def costs_likelihood(message: TypedMessage[Costs], states: States) -> list[SlotLikelihood]:
    """Each requested slot: exactly what it costs the sender; null: busy."""
    known = [(slot, cost) for slot, cost in _requested(message) if cost is None or not isinf(cost)]
    return [(slot, states.costing(cost)) for slot, cost in known]


def _requested(message: TypedMessage[Costs]) -> list[tuple[int, float | None]]:
    requested = message.context.requested.get(message.sender, ())
    return [(slot, cost) for slot, cost in message.content.costs if slot in requested]


def chosen(message: TypedMessage[NamedSlot | Plan], rules: RuleSet) -> list[SlotEvidence]:
    """The chosen slot: feasible."""
    return [(message.content.slot, 1.0)]


def chosen_likelihood(message: TypedMessage[NamedSlot], states: States) -> list[SlotLikelihood]:
    """The chosen slot: feasible for who chose it."""
    return known_slot(message.content.slot, states.feasible())


def levels(message: TypedMessage[Levels], states: States) -> list[SlotLikelihood]:
    """Each slot's code, true with the probability `truth`, else any other of the codes, all equally likely.

    A code stands for the costs above the bound before it, up to its own; the last has no end. null: busy.
    """
    codes, bounds, truth = message.content.codes, message.content.bounds, message.content.truth
    if not bounds or truth is None:
        return []
    other = (1 - truth) / len(bounds)
    exact = [(slot, _level_likelihood(code, bounds, states)) for slot, code in codes]
    return [(slot, other + (truth - other) * vector) for slot, vector in exact]


def _level_likelihood(code: object, bounds: Sequence[float], states: States) -> Vector:
    return states.likelihood(lambda cost: level(cost, bounds) == code)


def level(cost: int | None, bounds: Sequence[float]) -> int | None:
    """The place of the first bound that the cost does not exceed, or of the last; None for busy."""
    if cost is None:
        return None
    return next((j for j, bound in enumerate(bounds) if cost <= bound), len(bounds) - 1)


def offer_answer(message: TypedMessage[Answer], states: States) -> list[SlotLikelihood]:
    """The offered slot: feasible, or not."""
    if message.content.possible is None:
        return []
    return known_slot(message.content.slot, states.feasible() if message.content.possible else states.busy())


def asked(message: TypedMessage[Limits], states: States) -> list[SlotLikelihood]:
    """Each slot that is asked about: feasible for who asks."""
    return [(slot, states.feasible()) for slot, _ in message.content.can]


def answered(message: TypedMessage[Limits], states: States) -> list[SlotLikelihood]:
    """Each slot, by the answer: within the limit, or not. A limit of null is any cost."""
    within = [(slot, _within(limit, states)) for slot, limit in message.content.can]
    return within + [(slot, 1 - _within(limit, states)) for slot, limit in message.content.cannot]


def _within(limit: float | None, states: States) -> Vector:
    return states.feasible() if limit is None else states.at_most(limit)


KINDS = {
    "imap_cost_request": sender_kind(request, request),
    "imap_costs": sender_kind(costs, costs_likelihood),
    "imap_decision": sender_kind(chosen, chosen_likelihood),
    "imap_levels": derived_kind(levels),
    "imap_noisy": derived_kind(levels, drawn_anew=True),
    "imap_offer": derived_kind(chosen_likelihood),
    "imap_can": derived_kind(offer_answer),
    "poll_ask": derived_kind(asked),
    "poll_answer": derived_kind(answered),
    "poll_decision": derived_kind(chosen_likelihood),
}
