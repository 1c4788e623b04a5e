"""What messages of secure sums say of several agents' slots: sums of costs, as tests of masked ones.

The likelihood of one agent's state is the probability of what was said of the sum, over the states of the others, which
are drawn from the stated prior, slot by slot and agent by agent. The recipient is assumed to make no use of its own
costs. A masked value by itself is uniform whatever the cost: it says nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cache

import numpy as np

from pipeline.privacy.protocols.imap import chosen_likelihood
from pipeline.privacy.protocols.kinds import Statement, Totals, TypedMessage, derived_kind, joint_kind
from pipeline.privacy.protocols.states import States, Vector, slot_prior_over
from pipeline.traces.typed_messages.records import Key, LeastTotal, Masked

MODULUS = 2**53 - 111  # of the masked values: secure-sum IMAP's prime


@cache
def sum_distribution(states: States, agents: int) -> Mapping[float | None, float]:
    """P(sum) of so many agents' costs in one slot; None: at least one of them is busy."""
    distribution: dict[float | None, float] = {0: 1.0}
    for _ in range(agents):
        longer: defaultdict[float | None, float] = defaultdict(float)
        for total, p in distribution.items():
            for cost, q in zip(states.names, slot_prior_over(states).probability.tolist(), strict=True):
                longer[None if total is None or cost is None else total + cost] += p * q
        distribution = dict(longer)
    return distribution


def sum_likelihood(total: float | None, agents: int, states: States) -> Vector:
    """P(the agents' costs add up to the total | state of one of them); None: at least one is busy."""
    rest = sum_distribution(states, agents - 1)
    if total is None:
        return states.likelihood(lambda cost: 1.0 if cost is None else rest.get(None, 0.0))
    return states.likelihood(lambda cost: 0.0 if cost is None else rest.get(total - cost, 0.0))


def larger_sum_likelihood(total: float, agents: int, states: States) -> Vector:
    """P(the agents' costs add up to more than the total, or one is busy | state of one of them)."""
    least = [t for t in sum_distribution(states, agents) if t is not None and t <= total]
    return np.asarray(1 - sum((sum_likelihood(t, agents, states) for t in least), 0.0 * states.feasible()))


def _possible_or_feasible(likelihood: Vector, states: States) -> Vector:
    """The likelihood of a sum; that all are feasible, where no states come to that sum."""
    return likelihood if likelihood.any() else states.feasible()


def key(message: TypedMessage[Key], states: States) -> list[Statement]:
    """The secret orders of the slots are kept for those who know them; of calendars they say nothing."""
    for agent in (message.sender, *message.recipients):
        message.context.orders[agent] = message.content.orders
    return []


def masked(message: TypedMessage[Masked], states: States) -> list[Statement]:
    """Secure sums, to the outsider: nothing, until the last vector is there; then how many slots have each total.

    Of which slots it is, the order says nothing: each is one of them with the same probability.
    """
    parties, context = message.content.parties, message.context
    statements: list[Statement] = []
    for observer in message.recipients:
        vectors = context.masked.setdefault(observer, {})
        vectors[message.sender] = message.content
        if vectors.keys() != set(parties) or not _alike(vectors.values()):
            continue
        context.masked[observer] = {}
        totals = context.totals.setdefault(observer, Totals())
        before = count_likelihood(totals, len(parties), states)
        totals.slots = len(message.content.values[0])
        totals.counts |= _zeros(vectors.values())
        news = count_likelihood(totals, len(parties), states) / before
        statements += [(agent, slot, news) for agent in parties for slot in range(totals.slots)]
    return statements


def _alike(vectors: Collection[Masked]) -> bool:
    """Whether the vectors are for the same totals, and of one length."""
    first, *others = [(v.first, v.totals, tuple(map(len, v.values))) for v in vectors]
    return bool(first[1]) and all(other == first for other in others)


def _zeros(vectors: Collection[Masked]) -> dict[int, int]:
    """How often each total that was asked for occurs."""
    counts = {}
    for total, *rows in zip(next(iter(vectors)).totals, *(v.values for v in vectors), strict=True):
        counts[total] = sum(sum(values) % MODULUS == 0 for values in zip(*rows, strict=True))
    return counts


def count_likelihood(totals: Totals, agents: int, states: States) -> Vector:
    """P(so many slots have each total that was asked for | state of an agent in any one slot), up to a factor.

    By exchangeability a slot has a total with the share of the slots that have it, and none of those asked with the
    rest: Σ share · P(total | state) / P(total).
    """
    slots, asked = totals.slots, totals.counts
    everyone = states.likelihood(lambda _: 1.0)
    if not slots:
        return everyone
    given_state = {total: sum_likelihood(total, agents, states) for total in asked}
    overall = {total: sum_distribution(states, agents).get(total, 0.0) for total in asked}
    likelihood = 0.0 * everyone
    for total, k in asked.items():
        likelihood = likelihood + k / slots * (
            given_state[total] / overall[total] if overall[total] else 2 * states.feasible()
        )
    left = (slots - sum(asked.values())) / slots
    rest = everyone - sum(given_state.values(), 0.0 * everyone)
    outside = 1 - sum(overall.values())
    return np.asarray(likelihood + left * rest / outside if left else likelihood)


def least_total(message: TypedMessage[LeastTotal], states: States) -> list[Statement]:
    """Secure sums, to the initiator: its slots at these places have the least total; all others have more, or none."""
    parties, level, total = message.content.parties, message.content.level, message.content.total
    statements: list[Statement] = []
    for observer in message.recipients:
        orders = message.context.orders.get(observer, ())
        if level is None or total is None or not 0 <= level < len(orders):
            continue
        least = _possible_or_feasible(sum_likelihood(total, len(parties), states), states)
        more = larger_sum_likelihood(total, len(parties), states)
        vectors = [least if place in message.content.places else more for place in range(len(orders[level]))]
        slot_likelihoods = list(zip(orders[level], vectors, strict=True))
        statements += [
            (agent, slot, vector) for agent in parties if agent != observer for slot, vector in slot_likelihoods
        ]
    return statements


KINDS = {
    "secure_key": joint_kind(key),
    "secure_masked": joint_kind(masked),
    "secure_found": joint_kind(least_total),
    "secure_decision": derived_kind(chosen_likelihood),
    "shares_decision": derived_kind(chosen_likelihood),
}
