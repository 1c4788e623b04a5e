"""What messages of polling say of their sender's slots: whether a meeting's cost there is within a limit."""

from pipeline.privacy.protocols.imap import chosen_likelihood
from pipeline.privacy.protocols.kinds import SlotLikelihood, TypedMessage, derived_kind
from pipeline.privacy.protocols.states import States, Vector
from pipeline.traces.typed_messages.records import Limits


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
    "poll_ask": derived_kind(asked),
    "poll_answer": derived_kind(answered),
    "poll_decision": derived_kind(chosen_likelihood),
}
