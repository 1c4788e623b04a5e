"""What typed messages say of slots: one file a protocol, its evidence and its likelihoods beside each other."""

from collections.abc import Sequence

from pipeline.privacy.protocols import dsm, imap, sd, sums
from pipeline.privacy.protocols.kinds import RoundContext, Statement, TypedMessage
from pipeline.privacy.protocols.states import States
from pipeline.privacy.rules import NO_CLAUSE, EvidenceRun, RuleSet
from pipeline.traces.typed_messages import TypedContent, decode_message

# By the source that a message's evidence has: protocol and kind.
KINDS = imap.KINDS | sd.KINDS | dsm.KINDS | sums.KINDS


def typed_evidence(
    typed: TypedContent, sender: int, recipients: Sequence[int], context: RoundContext, rules: RuleSet
) -> list[EvidenceRun]:
    """What a typed message claims: a run for each agent that it speaks of; none for a kind that says nothing.

    Raises LookupError for a kind that is decoded, so says something, and is not among KINDS.
    """
    kind = KINDS.get(typed.source)
    if kind is None and typed.record is not None:
        where = "its protocol's file, and that in pipeline/privacy/protocols/__init__.py"
        raise LookupError(f"{typed.source}: decoded, but what it says is not known; add it to KINDS in {where}")
    if kind is None:
        return []
    by_target = kind.evidence(TypedMessage(typed.record, sender, recipients, context), rules)
    strength = rules.typed(typed.source)
    return [(target, typed.source, strength, slots, NO_CLAUSE) for target, slots in by_target if slots]


def statements(
    content: str, sender: int, recipients: Sequence[int], context: RoundContext, states: States
) -> tuple[list[Statement], bool]:
    """(target, slot, likelihood) of a typed message's statements, in order, and whether its kind is drawn anew.

    Nothing for English, or for a kind that says nothing. `context` is its round's, whose messages come in their order.
    """
    typed = decode_message(content)
    kind = KINDS.get(typed.source) if typed else None
    if typed is None or kind is None:
        return [], False
    return kind.statements(TypedMessage(typed.record, sender, recipients, context), states), kind.drawn_anew
