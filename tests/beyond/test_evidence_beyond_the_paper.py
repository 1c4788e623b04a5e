"""What the frontier's messages say: likelihoods over all contents, and evidence against brute-force posteriors."""

import json
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pytest

from pipeline.privacy.evidence import claims
from pipeline.privacy.protocols import KINDS, statements
from pipeline.privacy.protocols.kinds import RoundContext, Totals
from pipeline.privacy.protocols.states import States, slot_prior
from pipeline.privacy.protocols.sums import (
    MODULUS,
    count_likelihood,
    larger_sum_likelihood,
    sum_distribution,
    sum_likelihood,
)
from pipeline.privacy.rules import RULES

VARIED = slot_prior("varied")
PAPER = RULES["paper"]
OFFER = {"dsm": "proposals", "slots": [3], "participants": [0, 1], "plans": [{"id": 3, "slot": 3}]}

# All that a message of a kind can say of slot 3.
CONTENTS = {
    ("imap", "levels"): [{"levels": {"3": c}, "bounds": [0, 31, 1000]} for c in (None, 0, 1, 2)],
    ("imap", "noisy"): [{"levels": {"3": c}, "ladder": [0, 1, 100], "truth": 0.7} for c in (None, 0, 1, 2)],
    ("imap", "can"): [{"slot": 3, "can": answer} for answer in (True, False)],
    ("poll", "answer"): [{"can": {"3": 1}, "cannot": {}}, {"can": {}, "cannot": {"3": 1}}],
    ("dsm", "log_scores"): [{"scores": {"3": s}, "per_tenfold": 3.0} for s in (0, 1, 4, 10, 11)],
}


def context_with_an_offer():
    context = RoundContext("varied")
    statements(json.dumps(OFFER), 0, (1,), context, VARIED.states)
    return context


@pytest.mark.parametrize("kind", CONTENTS)
def test_likelihoods_of_all_that_can_be_said_of_a_slot_add_up_to_one_in_each_state(kind):
    texts = [json.dumps({kind[0]: kind[1]} | body) for body in CONTENTS[kind]]
    stated = [statements(text, 1, (0,), context_with_an_offer(), VARIED.states)[0] for text in texts]
    assert all([(target, slot) for target, slot, _ in each] == [(1, 3)] for each in stated)
    assert np.allclose(sum(each[0][2] for each in stated), 1)


def says(kind, body, cost):
    """P(body | cost) as the sender behaves: played out, not looked up."""
    if kind == ("imap", "can"):
        return float(body["can"] == (cost is not None))
    if kind == ("poll", "answer"):
        return float(bool(body["can"]) == (cost is not None and cost <= 1))
    if kind == ("dsm", "log_scores"):
        scores = {None: 0, 0: 11, 1: 10, 100: 4, 1000: 1}
        return float(body["scores"]["3"] == scores[cost])
    exact = body["levels"]["3"] == {None: None, 0: 0, 1: 1, 100: 2, 1000: 2}[cost]
    return float(exact) if kind == ("imap", "levels") else (0.7 if exact else 0.1)


@pytest.mark.parametrize(("kind", "body"), [(k, b) for k, bodies in CONTENTS.items() for b in bodies])
def test_evidence_is_the_posterior_that_brute_force_gives(kind, body):
    joint = {c: p * says(kind, body, c) for c, p in zip(VARIED.states.names, VARIED.probability, strict=True)}
    expected = 1 - joint[None] / sum(joint.values())
    text = json.dumps({kind[0]: kind[1]} | body)
    context = RoundContext("varied")
    claims(json.dumps(OFFER), 0, (1,), context, PAPER)
    ((target, slot, source, evidence, strength, *_),) = claims(text, 1, (0,), context, PAPER)
    assert (target, slot, source, strength) == (1, 3, "_".join(kind), 1.0)
    assert evidence == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("setting", "evidence"), [("uniform", 0.0), ("varied", (22 / 36 * 0.375) / (22 / 36 * 0.375 + 0.5))]
)
def test_what_a_refusal_says_depends_on_what_costs_there_are(setting, evidence):
    text = json.dumps({"poll": "answer", "can": {}, "cannot": {"3": 1}})
    ((_, _, _, found, *_),) = claims(text, 1, (0,), RoundContext(setting), PAPER)
    assert found == pytest.approx(evidence, abs=1e-12)


def test_who_asks_about_a_slot_can_take_it_and_who_surveys_says_nothing():
    ask = json.dumps({"poll": "ask", "limits": {"2": 0, "5": None}})
    assert [(c[1], c[3]) for c in claims(ask, 0, (1,), RoundContext(), PAPER)] == [(2, 1.0), (5, 1.0)]
    assert claims('{"poll": "survey", "limit": 0}', 0, (1,), RoundContext(), PAPER) == []


SMALL = States((1,))
SLOT = dict(zip(SMALL.names, slot_prior("uniform").probability.tolist(), strict=True))


def worlds_of(agents):
    """Every state of one slot of so many agents, with its probability."""
    for names in product(SLOT, repeat=agents):
        yield names, float(np.prod([SLOT[n] for n in names]))


@pytest.mark.parametrize("agents", [1, 2, 3])
def test_the_sum_s_distribution_is_that_of_all_states(agents):
    found = Counter()
    for names, p in worlds_of(agents):
        found[None if None in names else sum(names)] += p
    assert sum_distribution(SMALL, agents) == pytest.approx(dict(found))
    assert np.allclose(sum(sum_likelihood(total, agents, SMALL) for total in found), 1)


@pytest.mark.parametrize("total", [None, 0, 1, 2, 3])
def test_what_a_sum_says_of_one_agent_is_bayes_over_the_others(total):
    of_state, weight = defaultdict(float), 0.0
    for names, p in worlds_of(3):
        if (None if None in names else sum(names)) == total:
            of_state[names[1]] += p
            weight += p
    posterior = SMALL.posterior(slot_prior("uniform").probability, sum_likelihood(total, 3, SMALL))
    assert posterior == pytest.approx([of_state[n] / weight for n in SMALL.names])


def count_posterior(asked, counts, slots):
    """P(state of agent 0 in slot 0 | so many slots have each total), over all calendars of two agents."""
    of_state, weight = defaultdict(float), 0.0
    for calendar in product(list(worlds_of(2)), repeat=slots):
        totals = [None if None in names else sum(names) for names, _ in calendar]
        if [totals.count(t) for t in asked] == list(counts):
            p = float(np.prod([q for _, q in calendar]))
            of_state[calendar[0][0][0]] += p
            weight += p
    return [of_state[n] / weight for n in SMALL.names]


@pytest.mark.parametrize(("asked", "counts"), [((0,), (0,)), ((0,), (1,)), ((0, 1), (0, 2)), ((0, 1, 2), (0, 1, 1))])
def test_what_counts_tell_the_outsider_is_bayes_over_all_calendars(asked, counts):
    found = count_likelihood(Totals(2, dict(zip(asked, counts, strict=True))), 2, SMALL)
    assert SMALL.posterior(slot_prior("uniform").probability, found) == pytest.approx(count_posterior(asked, counts, 2))


def test_what_the_outsider_is_told_is_nothing_until_the_last_vector_is_there():
    context = RoundContext("uniform")
    first = {"secure": "masked", "parties": [0, 2], "first": 0, "totals": [0], "values": [[5, 9]]}
    last = first | {"values": [[MODULUS - 5, 1]]}
    assert claims(json.dumps(first), 0, (1,), context, PAPER) == []
    told = claims(json.dumps(last), 2, (1,), context, PAPER)
    expected = 1 - count_posterior((0,), (1,), 2)[-1]
    assert [(c[0], c[1]) for c in told] == [(0, 0), (0, 1), (2, 0), (2, 1)]
    assert [c[3] for c in told] == pytest.approx([expected] * 4)


def test_evidence_of_later_totals_takes_in_the_earlier():
    context = RoundContext("uniform")
    for first, totals, values in [(0, [0], [[1, 2]]), (1, [1, 2], [[MODULUS - 3, 4], [5, MODULUS - 6]])]:
        body = {"secure": "masked", "parties": [0, 2], "first": first, "totals": totals, "values": values}
        claims(json.dumps(body), 0, (1,), context, PAPER)
        other = body | {"values": [[3, 3]] if first == 0 else [[3, 3], [3, 6]]}
        told = claims(json.dumps(other), 2, (1,), context, PAPER)
    expected = 1 - count_posterior((0, 1, 2), (0, 1, 1), 2)[-1]
    assert [c[3] for c in told] == pytest.approx([expected] * 4)


def test_the_initiator_learns_which_slots_have_the_least_total_and_that_no_other_has_it():
    context = RoundContext("uniform")
    claims(json.dumps({"secure": "key", "orders": [[1, 0], [0, 1]]}), 0, (2,), context, PAPER)
    found = {"secure": "found", "parties": [0, 2], "level": 1, "total": 1, "places": [0]}
    told = claims(json.dumps(found), 1, (0,), context, PAPER)
    others = 1 - SMALL.posterior(slot_prior("uniform").probability, larger_sum_likelihood(1, 2, SMALL))[-1]
    assert [(c[0], c[1]) for c in told] == [(2, 0), (2, 1)]
    assert [c[3] for c in told] == pytest.approx([1.0, others])


HOSTILE = [None, 7, "x", [], {}, {"0": "x"}, [[None]], [[1], "x"], True, -1, 10**30]


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_no_content_of_a_message_makes_its_reader_fail(kind, value):
    fields = ("levels", "bounds", "ladder", "truth", "slot", "can", "cannot", "scores", "per_tenfold", "limits",
              "below", "costs", "parties", "orders", "first", "totals", "values", "level", "total",
              "places")  # fmt: skip
    protocol, _, name = kind.partition("_")
    context = context_with_an_offer()
    for field in fields:
        body = {protocol: name} | {key: [0] for key in fields} | {field: value}
        assert all(0 <= claim[3] <= 1 for claim in claims(json.dumps(body), 1, (0,), context, PAPER))
