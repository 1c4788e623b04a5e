"""The records and constructors with which each protocol's file declares its kinds of messages.

A kind has two readings. Evidence is VPS's: (slot, belief) pairs by Table 10, and for the protocols beyond the paper's
P(feasible | message), derived from the likelihood and the stated prior of the game's setting (`slot_prior`). A
likelihood is P(message | state of the slot), a vector over `States`. It is literal: what the message says, not
what one could conclude from a sender's silence, from the order of a list, or from who was asked first.

Slots may lie outside the calendar: the caller drops them. Messages of a round are read in the order of its trace.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from pipeline.privacy.protocols.states import States, Vector, slot_prior
from pipeline.privacy.rules import RuleSet, SlotEvidence
from pipeline.traces.typed_messages.records import Masked, Plan

SlotLikelihood = tuple[int, Vector]  # of one of the sender's slots
Statement = tuple[int, int, Vector]  # target, slot, likelihood

Content = TypeVar("Content", covariant=True)


@dataclass(slots=True)
class Totals:
    """How many slots have each total of the agents' costs that was asked for, of how many slots."""

    slots: int = 0
    counts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class RoundContext:
    """What later messages of a round need of earlier ones, by agent.

    setting: the game's, which says what costs there are. plans: those offered to an agent, by id. requested: the slots
    that an agent was asked to cost. orders, masked, totals: of secure sums, the secret orders that an agent knows, the
    masked values that it was sent, by sender, and what these came to. joint_likelihoods: those so far, where several
    messages make one statement.
    """

    setting: str | None = None
    plans: dict[int, dict[str, Plan]] = field(default_factory=dict)
    requested: dict[int, set[int]] = field(default_factory=dict)
    orders: dict[int, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    masked: dict[int, dict[int, Masked]] = field(default_factory=dict)
    totals: dict[int, Totals] = field(default_factory=dict)
    joint_likelihoods: dict[tuple[object, ...], Vector] = field(default_factory=dict)


class TypedMessage(NamedTuple, Generic[Content]):
    """A typed message as it was sent."""

    content: Content
    sender: int
    recipients: Sequence[int]
    context: RoundContext


Evidence = Callable[[TypedMessage[Any], RuleSet], list[SlotEvidence]]
Likelihood = Callable[[TypedMessage[Any], States], list[SlotLikelihood]]
JointLikelihood = Callable[[TypedMessage[Any], States], list[Statement]]


class Kind(NamedTuple):
    """How one kind of message is read: its evidence by target, and its statements.

    Repeating a statement on a slot tells nothing new, unless the kind is `drawn_anew`: then each message has
    fresh noise or other agents' costs in it, and is another draw in another round.
    """

    evidence: Callable[[TypedMessage[Any], RuleSet], list[tuple[int, list[SlotEvidence]]]]
    statements: JointLikelihood
    drawn_anew: bool = False


def sender_kind(evidence: Evidence, likelihood: Likelihood, drawn_anew: bool = False) -> Kind:
    """A kind whose messages speak of their sender alone."""

    def statements(message: TypedMessage[Any], states: States) -> list[Statement]:
        return [(message.sender, slot, vector) for slot, vector in likelihood(message, states)]

    return Kind(lambda message, rules: [(message.sender, evidence(message, rules))], statements, drawn_anew)


def derived_kind(likelihood: Likelihood, drawn_anew: bool = False) -> Kind:
    """A kind of a protocol beyond the paper's, whose messages speak of their sender alone."""

    def evidence(message: TypedMessage[Any], rules: RuleSet) -> list[SlotEvidence]:
        prior = slot_prior(message.context.setting)
        return [(slot, prior.feasible_after(vector)) for slot, vector in likelihood(message, prior.states)]

    return sender_kind(evidence, likelihood, drawn_anew)


def joint_kind(likelihood: JointLikelihood) -> Kind:
    """A kind whose messages speak of several agents; what an observer is told in several messages is taken together."""

    def evidence(message: TypedMessage[Any], rules: RuleSet) -> list[tuple[int, list[SlotEvidence]]]:
        prior, so_far = slot_prior(message.context.setting), message.context.joint_likelihoods
        by_target: list[tuple[int, list[SlotEvidence]]] = []
        for target, slot, vector in likelihood(message, prior.states):
            statement = (tuple(message.recipients), target, slot)
            so_far[statement] = so_far.get(statement, 1.0) * vector
            by_target.append((target, [(slot, prior.feasible_after(so_far[statement]))]))
        return by_target

    return Kind(evidence, likelihood, drawn_anew=True)


def says_nothing(message: TypedMessage[Any], rules: RuleSet) -> list[SlotEvidence]:
    """The evidence of a kind outside Table 10."""
    return []
