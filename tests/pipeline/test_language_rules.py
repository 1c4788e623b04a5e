"""The rules by which a sentence's atoms become clauses, one by one, and what later sentences leave of them."""

from collections.abc import Iterator

import pytest

from pipeline.privacy.language.atoms import atoms
from pipeline.privacy.language.clause_reader import ClauseReader
from pipeline.privacy.language.clause_rules import RULES, Rule, take
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.language.scan import fold, sentences
from pipeline.privacy.rules import RULES as RULE_SETS
from tests.pipeline.gold import gold

SENDER = 9


def claims(message: str) -> set[str]:
    """Claims as "target slot class"."""
    read = language_claims(message, SENDER, RULE_SETS["paper"])
    return {f"{target} {slot} {source.removeprefix('language_')}" for target, slot, source, *_ in read}


def fired(message: str) -> Iterator[Rule]:
    """The rules that act on a message's atoms, each sentence read on its own."""
    for _, text, _, _ in sentences(fold(message)):
        reader, cut = ClauseReader(text), atoms(text)
        for atom, following in zip(cut, (*cut[1:], None), strict=True):
            yield take(reader, atom, following)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_acts_on_its_example_which_claims_what_it_says(rule: Rule) -> None:
    assert rule in fired(rule.example)
    assert claims(rule.example) == set(rule.claims.split(", "))


def test_every_rule_acts_somewhere_in_the_gold_sets() -> None:
    names = ("clauses", "second_wording", "third_wording", "fourth_wording")
    acting = {rule.name for name in names for example in gold(name) for rule in fired(example.message)}
    assert acting == {rule.name for rule in RULES}


TAKEN_BACK: tuple[tuple[str, set[str]], ...] = (
    ("I had an errand in slot 8. I moved it, so slot 8 is free now.", {"9 8 positive"}),
    ("I said slot 5 works. It doesn't.", {"9 5 negative"}),
    ("I reported Agent 2 as free at slot 7, which was wrong.", set()),
    ("I'm free at slot 8. Agent 1 is busy at slot 8. So slot 8 is out.", {"9 8 positive", "1 8 negative"}),
    ("I had offered slot 5. I have to withdraw that.", set()),
    ("Slot 5, sorry, slot 6 works for me.", {"9 6 positive"}),
    ("Slot 7 was going to work but now doesn't.", {"9 7 negative"}),
    ("I have an errand in slot 3. Slot 3 works, though.", {"9 3 occupied", "9 3 positive"}),
)


@pytest.mark.parametrize(("message", "stated"), TAKEN_BACK)
def test_what_later_words_take_back_is_not_claimed(message: str, stated: set[str]) -> None:
    assert claims(message) == stated


EFFORT_DENIED: tuple[tuple[str, set[str]], ...] = (
    ("Slot 0: nothing would have to be moved", {"9 0 positive"}),
    ("Slot 3 makes me reschedule an errand", {"9 3 occupied"}),
    ("Slot 1 requires no change whatsoever to my existing arrangements", {"9 1 positive"}),
    ("I checked slot 7 for errands and found none, so slot 7 is fine", {"9 7 positive"}),
    ("Slot 7 is unavailable due to a prior commitment", {"9 7 negative"}),
    ("Slot 7 conflicts with an errand", {"9 7 occupied"}),
)


@pytest.mark.parametrize(("message", "stated"), EFFORT_DENIED)
def test_effort_that_is_denied_is_none_and_a_duty_without_an_errand_only_a_reason(
    message: str, stated: set[str]
) -> None:
    assert claims(message) == stated


WHOSE: tuple[tuple[str, set[str]], ...] = (
    (
        "I spoke with Agents 1, 2 and 4. All three said they can do slot 5.",
        {"1 5 positive", "2 5 positive", "4 5 positive"},
    ),
    ("Agent 4, I am told, would have to reschedule something in slot 3.", {"4 3 occupied"}),
    ('"My slot 7 is open," says Agent 3.', {"3 7 positive"}),
    ('You wrote "I am free at slot 3", and I want to make sure that I read you right.', set()),
    ("Agent 2 said:\n\n> I'm free at slot 9.\n\nI'm free at slot 10.", {"2 9 positive", "9 10 positive"}),
    ('When I asked, the reply from Agent 3 was "not slot 4, sorry, slot 6 would be possible".', {"3 6 positive"}),
    (
        "Same as Agent 1: slot 12 free, slot 13 not.",
        {"9 12 positive", "1 12 positive", "9 13 negative", "1 13 negative"},
    ),
    ("Glad slot 5 works for you, Agent 2.", set()),
)


@pytest.mark.parametrize(("message", "stated"), WHOSE)
def test_words_are_those_of_whom_they_are_said_to_be(message: str, stated: set[str]) -> None:
    assert claims(message) == stated
