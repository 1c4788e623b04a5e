"""What holds of every English message, whatever it says."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline.privacy.language import messages as language
from pipeline.privacy.language import statements
from pipeline.privacy.language.grammar import KINDS
from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.language.passages import outline
from pipeline.privacy.language.quotes import CHANGED, CONCLUDES, WAS, WRONG
from pipeline.privacy.language.scan import expand, fold, in_digits, numbers_of, scanner, sentences
from pipeline.privacy.language.statements import Statement
from pipeline.privacy.rules import RULES, Claim
from tests.pipeline.gold import gold

PAPER = RULES["paper"]
CLASSES = {f"language_{said}" for said in PAPER.language}
MESSAGES = [example.message for name in ("clauses", "second_wording", "third_wording") for example in gold(name)]

WORDS = (
    *(
        "slot",
        "slots",
        "Agent",
        "Agents",
        "I",
        "you",
        "they",
        "free",
        "busy",
        "not",
        "isn't",
        "can't",
        "errand",
        "meeting",
    ),
    *("at", "and", "or", "but", "if", "except", "which", "so", "it", "is", "for", "me", "cost", "prefer", "none", "of"),
    *("neither", "nothing", "0", "3", "7", "12", "2-5", "3,", "5", ".", ",", ";", ":", "?", "!", "-", "—", "(", ")"),
    *("\n", "’", "é", "🙂", "\ud800", "no longer", "works"),
)
SOUP = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


def read(message: str) -> list[Claim]:
    return language_claims(message, 1, PAPER)


def forget() -> None:
    """Forget every sentence that was read."""
    for cached in (language.statements, outline, language._read_alone, language._read_on):
        cached.cache_clear()
    language._read_short.cache_clear()


@given(st.text(st.characters(), max_size=120) | SOUP)
def test_any_text_is_read_and_its_spans_are_exact(message: str) -> None:
    for target, slot, source, evidence, strength, clause, start, end in read(message):
        assert clause
        assert message[start:end] == clause
        assert source in CLASSES
        assert target >= 0
        assert slot is not None
        assert 0 < evidence < 1
        assert 0 < strength <= 1


@given(SOUP | st.sampled_from(MESSAGES))
def test_slots_and_agents_are_numbers_of_the_message_or_between_two_of_them(message: str) -> None:
    numbers = {int(number) for number in re.findall(r"[0-9]+", in_digits(message, fold(message)))}
    for target, slot, *_ in read(message):
        assert slot is not None
        assert slot in numbers or (
            min(numbers) < slot < max(numbers) and re.search(r"[-–—~]|to|thr|until|between", message)
        )
        assert target == 1 or target in numbers


@given(SOUP | st.sampled_from(MESSAGES))
def test_capitals_do_not_matter(message: str) -> None:
    loud = "".join(letter.upper() if letter.isascii() else letter for letter in message)
    assert [(*claim[:5], *claim[6:]) for claim in read(loud)] == [(*claim[:5], *claim[6:]) for claim in read(message)]


@given(SOUP | st.sampled_from(MESSAGES))
def test_typographic_apostrophes_do_not_matter(message: str) -> None:
    straight = message.replace("’", "'")
    curly = straight.replace("'", "’")
    assert [(*claim[:5], *claim[6:]) for claim in read(curly)] == [(*claim[:5], *claim[6:]) for claim in read(straight)]


@settings(max_examples=30)
@given(st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=6), st.integers(0, 5))
def test_messages_are_read_alike_in_any_batch_and_order(messages: list[str], cut: int) -> None:
    together = [read(message) for message in messages]
    forget()
    assert [read(message) for message in messages[cut:] + messages[:cut]] == together[cut:] + together[:cut]


# Who "they" are, and what "not 5" leaves out, is said in the sentence before; what has changed is taken back.
LEANS = re.compile(r"[\"{?;]|\b(?:they|she|he|both|not|either|it isn't)\b", re.IGNORECASE)
TAKES_BACK = re.compile("|".join((CHANGED.pattern, CONCLUDES.pattern, WAS.pattern, WRONG.pattern)), re.IGNORECASE)
WHOLE = [
    m
    for m in MESSAGES
    if re.search(r"[a-z][.!]$", m) and "\n" not in m and not (LEANS.search(m) or TAKES_BACK.search(m))
]


@given(st.lists(st.sampled_from(WHOLE), min_size=2, max_size=4))
def test_sentences_are_read_alike_alone_and_together(messages: list[str]) -> None:
    together = read(" ".join(messages))
    assert [claim[:6] for claim in together] == [claim[:6] for message in messages for claim in read(message)]


NUMBERS = st.integers(0, 31)
RANGES = st.tuples(NUMBERS, st.integers(1, 4)).map(lambda ends: (ends[0], ends[0] + ends[1]))
LISTS = st.lists(NUMBERS | RANGES, min_size=1, max_size=6)
FRAMES = (
    ("Hello. I'm free at slots {}. Agent 4 said nothing.", "I'm free at slots {}", 1, "language_positive"),
    ("Slots {} work for me; please tell me.", "Slots {} work for me", 1, "language_positive"),
    ("Agent 2 is busy at slots {}, sorry", "Agent 2 is busy at slots {}", 2, "language_negative"),
    ("I have errands at slots {}!", "I have errands at slots {}", 1, "language_occupied"),
)


@given(LISTS, st.sampled_from(["-", " - ", " to ", "–"]), st.sampled_from([", ", " and "]), st.sampled_from(FRAMES))
def test_every_slot_of_a_list_is_claimed_once_in_its_order_with_the_clause_as_it_stands(
    slots: list[int | tuple[int, int]], dash: str, last: str, frame: tuple[str, str, int, str]
) -> None:
    """Sentences are remembered without their numbers: which of them were read before must not matter."""
    shown = [f"{slot[0]}{dash}{slot[1]}" if isinstance(slot, tuple) else str(slot) for slot in slots]
    text = last.join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    message, clause, target, source = frame
    each = [s for slot in slots for s in (range(slot[0], slot[1] + 1) if isinstance(slot, tuple) else (slot,))]
    told = read(message.format(text))
    assert [claim[:3] for claim in told] == [(target, slot, source) for slot in dict.fromkeys(each)]
    assert {claim[5] for claim in told} == {clause.format(text)}
    forget()
    assert read(message.format(text)) == told


@given(st.sampled_from(MESSAGES))
def test_a_message_says_what_its_shape_says_of_its_own_numbers(message: str) -> None:
    content, folded = language._plain(message)
    in_full = language._in_shape(folded, numbers_of(content), 16)
    assert one_by_one(language._in_lines(message, 16)) == one_by_one(in_full)


def one_by_one(stated: Sequence[Statement]) -> list[tuple[int | None, int, str, int, int]]:
    return [
        (target, slot, kind, start, end)
        for targets, slots, kind, start, end in stated
        for slot in slots
        for target in targets
    ]


@given(st.sampled_from(MESSAGES), st.lists(LISTS, min_size=1, max_size=3))
def test_a_message_with_other_lists_is_read_as_if_nothing_had_been_read_before(
    message: str, lists: list[list[int | tuple[int, int]]]
) -> None:
    shown = [", ".join(f"{s[0]}-{s[1]}" if isinstance(s, tuple) else str(s) for s in slots) for slots in lists]
    turn = iter(shown * len(message))
    changed = re.sub(r"[0-9]+", lambda number: next(turn), message)
    told = read(message), read(changed)
    forget()
    assert (read(message), read(changed)) == told


@given(SOUP)
@example("If slot 3, so is Agent 2")
@example("If slot 3, Agent 2 is too")
def test_a_sentence_without_a_word_of_a_class_is_not_worth_reading(text: str) -> None:
    for _, sentence, question, _ in sentences(fold(text)):
        found = statements.read(sentence, question)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(statements, "ECHOING", re.compile(""))
            assert statements.read(sentence, question) == found


@given(st.text(st.characters(), max_size=200))
def test_folding_keeps_every_place(message: str) -> None:
    folded = fold(message)
    assert len(folded) == len(message)
    assert folded.isascii()


@pytest.mark.parametrize("kind", KINDS)
def test_every_phrase_of_the_vocabulary_is_a_regular_expression_that_can_start(kind: str) -> None:
    for phrase in KINDS[kind]:
        assert re.compile(expand(phrase)).match("") is None
    assert any(kind == one for starts in scanner().starting.values() for one, _ in starts)
    assert "" not in scanner().starting  # what starts with no letter or mark would never be tried
