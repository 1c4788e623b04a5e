"""What messages of SD say of their sender's slots: a proposal, an answer to it, and the same of moving a meeting."""

from pipeline.privacy.protocols.kinds import SlotLikelihood, TypedMessage, says_nothing, sender_kind
from pipeline.privacy.protocols.states import States, Vector, known_slot
from pipeline.privacy.rules import RULES, RuleSet, SlotEvidence
from pipeline.traces.typed_messages.records import Answer, NamedSlot


def proposed(message: TypedMessage[NamedSlot], rules: RuleSet) -> list[SlotEvidence]:
    """The slot proposed, or that a meeting would move to: probably feasible for who proposes it."""
    return [(message.content.slot, rules.proposed)]


def proposed_likelihood(message: TypedMessage[NamedSlot], states: States) -> list[SlotLikelihood]:
    """The proposed slot: feasible with Table 10's belief. The slot that a meeting leaves is known to who is asked."""
    return known_slot(message.content.slot, states.believing(RULES["paper"].proposed))


def replied(message: TypedMessage[Answer], rules: RuleSet) -> list[SlotEvidence]:
    """The slot proposed, or that a meeting would move to, by the answer."""
    slot, possible = message.content.slot, message.content.possible
    return [] if possible is None else [(slot, 1.0 if possible else 0.0)]


def replied_likelihood(message: TypedMessage[Answer], states: States) -> list[SlotLikelihood]:
    """The proposed slot: busy where it is IMPOSSIBLE, else feasible."""
    return _answered(message.content, states.feasible(), states.busy())


def rescheduled_likelihood(message: TypedMessage[Answer], states: States) -> list[SlotLikelihood]:
    """The slot that a meeting would move to: free, or not."""
    return _answered(message.content, states.free(), 1 - states.free())


def _answered(answer: Answer, possible: Vector, impossible: Vector) -> list[SlotLikelihood]:
    return [] if answer.possible is None else known_slot(answer.slot, possible if answer.possible else impossible)


def confirmed_likelihood(message: TypedMessage[NamedSlot], states: States) -> list[SlotLikelihood]:
    """The confirmed slot: feasible for who confirms it."""
    return known_slot(message.content.slot, states.feasible())


def moved_likelihood(message: TypedMessage[NamedSlot], states: States) -> list[SlotLikelihood]:
    """The slot that a meeting moves to: free."""
    return known_slot(message.content.slot, states.free())


KINDS = {
    "sd_propose": sender_kind(proposed, proposed_likelihood),
    "sd_reply": sender_kind(replied, replied_likelihood),
    "sd_confirm": sender_kind(says_nothing, confirmed_likelihood),
    "sd_propose_reschedule": sender_kind(proposed, proposed_likelihood),
    "sd_reschedule_reply": sender_kind(replied, rescheduled_likelihood),
    "sd_confirm_reschedule": sender_kind(says_nothing, moved_likelihood),
}
