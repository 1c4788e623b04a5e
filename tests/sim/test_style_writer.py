"""Text and truth: a message claims what its statements say, of every slot that it names, and nothing else."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.agents.english.writer import (
    HELD_OUT,
    KINDS,
    OPEN,
    Part,
    Private,
    SlotHole,
    Writer,
    load_bank,
    spans,
    statements,
)

ACTS = {act: (*load_bank(OPEN)[act], *load_bank(HELD_OUT)[act]) for act in load_bank(OPEN)}
LABEL = Private(3, "errand", 881, "Fetch the blue kite")

SPANS = [((5,), ["5"]), ((3, 5), ["3", "5"]), ((2, 3, 4), ["2-4"]), ((0, 1, 7, 8, 9), ["0", "1", "7-9"])]


def singles(template):
    """Whether the template speaks of one slot."""
    return any(isinstance(t, SlotHole) and t.name == "slot" for t in template.tokens)


def numbers(text):
    """The slots that a text names: its numbers below 100, ranges written out."""
    found = set()
    for first, last in re.findall(r"(\d+)(?:\s?(?:-|–|to|through)\s?(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return {n for n in found if n < 100}


def write(parts, seed=0, held_out=0.3):
    return Writer(901, held_out, Random(seed)).write(902, 903, parts)


@pytest.mark.parametrize("slots, expected", SPANS)
def test_three_slots_in_a_row_are_a_range(slots, expected):
    assert spans(slots, "-") == expected


@pytest.mark.parametrize("act", ACTS)
@settings(max_examples=4)
@given(st.sets(st.integers(0, 15), min_size=1, max_size=6), st.integers(16, 19), st.integers(0, 99))
def test_a_text_names_the_slots_of_its_statements_and_no_others(act, slots, other, seed):
    for template in ACTS[act]:
        chosen = tuple(slots)[: 1 if singles(template) else None]
        part = Part(act, chosen, (other,), about=904, cost=905, errand=906, old=907, private=LABEL)
        text = Writer(901, 0.0, Random(seed)).filled(template, part, 902, 903)
        said = list(statements(template, part, 901))
        holes = [t for t in template.tokens if isinstance(t, SlotHole)]
        claims = bool(holes) and all(h.kind for h in holes)
        assert {s["slot"] for s in said} == (numbers(text) if claims else set()), text
        assert all(KINDS[s["kind"]] == s["free"] and s["target"] in (901, 904) for s in said)


@given(st.integers(0, 500))
@settings(max_examples=40)
def test_a_message_of_several_parts_states_each_thing_once(seed):
    parts = [Part("offer_free", (3, 5)), Part("gossip_free", (3,), about=904), Part("offer_free", (5,))]
    written = write(parts, seed)
    said = [(s["target"], s["slot"], s["kind"]) for s in written.intent["statements"]]
    assert sorted(said) == [(901, 3, "positive"), (901, 5, "positive"), (904, 3, "positive")]
    assert len(written.intent["phrases"]) == 3
    assert all(p.startswith("held_out." if written.intent["held_out"] else "open.") for p in written.intent["phrases"])


PATTERNS = [
    (Part("gossip_busy", (3,), about=4), "availability_gossip"),
    (Part("confirm", (3,)), "confirmation_tax"),
    (Part("report_errand", (3,)), "errand_mention"),
    (Part("cost_gossip", (3,), about=4, cost=7), "cost_gossip"),
    (Part("cost_exact", (3,), cost=7), "cost_number_disclosure"),
    (Part("report_errand_id", (3,), errand=7), "errand_id_leakage"),
    (Part("label_leak", (3,), private=LABEL), "semantic_label_leakage"),
]


@pytest.mark.parametrize("part, pattern", PATTERNS, ids=[p for _, p in PATTERNS])
def test_every_message_pattern_of_the_paper_can_be_shown(part, pattern):
    assert all(pattern in write([part], seed).intent["behaviours"] for seed in range(20))


def test_a_label_is_said_word_for_word_and_recorded():
    for seed in range(20):
        written = write([Part("label_leak", (3,), private=LABEL)], seed)
        assert LABEL.label in written.text
        assert written.intent["labels"] == [{"slot": 3, "kind": "errand", "id": 881, "label": LABEL.label}]


def test_the_share_of_held_out_messages_is_the_parameter():
    writer = Writer(0, 0.3, Random("share"))
    share = sum(writer.write(1, 1, [Part("ack", (3,))]).intent["held_out"] for _ in range(2000)) / 2000
    assert 0.26 < share < 0.34
