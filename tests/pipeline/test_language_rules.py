"""The rules by which a sentence's atoms become clauses, one by one."""

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


def test_no_two_rules_have_one_name_or_one_example() -> None:
    assert len({rule.name for rule in RULES}) == len({rule.example for rule in RULES}) == len(RULES)
