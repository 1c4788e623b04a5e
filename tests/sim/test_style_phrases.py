"""The phrase banks: two banks of the same acts in other words, and no claim without its meaning."""

import re

import pytest

from sim.agents.english.writer import HELD_OUT, OPEN, PhraseError, SlotHole, load_bank, tokens_of

BANKS = {OPEN: 8, HELD_OUT: 4}
TEMPLATES = [t for name in BANKS for templates in load_bank(name).values() for t in templates]
SILENT = r"\?|\b(?:if|whether|assuming|provided|wonder|once|remains to be seen|let me ask)\b"


def plain(template):
    """The template's words, each hole a bar."""
    return "".join(token if isinstance(token, str) else "|" for token in template.tokens)


def sentences(template):
    """(holes, words) of each sentence of the template."""
    marked = "".join(t if isinstance(t, str) else f"\0{i}\0" for i, t in enumerate(template.tokens))
    for sentence in re.split(r"(?<=[.!?])\s+", marked):
        yield [template.tokens[int(i)] for i in re.findall(r"\0(\d+)\0", sentence)], sentence


def fragments(template, length):
    """Every run of so many words of the template that no hole interrupts."""
    for run in plain(template).lower().split("|"):
        words = re.findall(r"[a-z']+", run)
        yield from (" ".join(words[i : i + length]) for i in range(len(words) - length + 1))


def test_both_banks_have_the_same_acts():
    assert load_bank(OPEN).keys() == load_bank(HELD_OUT).keys()


@pytest.mark.parametrize("bank, least", BANKS.items())
def test_every_act_can_be_said_in_several_ways(bank, least):
    for act, templates in load_bank(bank).items():
        assert len({plain(t) for t in templates}) == len(templates) >= least, act


def test_nothing_of_a_held_out_template_occurs_in_the_open_bank():
    seen = {f for templates in load_bank(OPEN).values() for t in templates for f in fragments(t, 4)}
    heard = [(t.id, f) for templates in load_bank(HELD_OUT).values() for t in templates for f in fragments(t, 4)]
    assert [(i, f) for i, f in heard if f in seen] == []


def test_a_question_or_a_hypothetical_claims_nothing_and_everything_else_claims_something():
    for template in TEMPLATES:
        for holes, sentence in sentences(template):
            for hole in holes:
                if isinstance(hole, SlotHole):
                    assert (hole.kind is None) == bool(re.search(SILENT, sentence.lower())), (template.id, sentence)


WRONG = ["Slot 3 works.", "{slots:perhaps}", "{day}", "{slots}", "{agent:positive}", "{slots:positive@all}", "{half"]


@pytest.mark.parametrize("text", WRONG)
def test_a_template_that_breaks_the_notation_is_refused(text):
    with pytest.raises(PhraseError, match=re.escape(text[:9])):
        tokens_of(text)
