"""Private labels given away: the terms that tell of one, and the messages that hold them (Appendix C).

A telling word is found in its other forms, too ("divorcing" of "divorce"), and a long one with one typing error.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from pipeline.behaviour.phrases import (
    AMBIGUOUS,
    COMBINING,
    LINKING,
    SCHEDULING,
    TELLING,
    Word,
    english_messages,
    family,
    is_form_of,
    kind_of,
    may_contain_cue,
    misspellings,
    split_words,
    stems,
)

ARTICLES = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your"))
WHOLE_LABEL_WORDS = 3
OWNING = ("my", "our", "a", "an")
PLACING = ("at", "for", "from", "with")
FIGURATIVE = ("of", "that", "it")  # after a word, as in "a string of messages"


@dataclass(frozen=True, slots=True)
class PreparedLabel:
    """A label made ready for the search: its words, what each counts for, its terms if recorded, and the stems of
    which a message that discloses it has at least one."""

    words: tuple[Word, ...]
    kinds: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    cues: frozenset[str]


@lru_cache(maxsize=16384)
def prepare_label(label: str, terms: tuple[str, ...]) -> PreparedLabel:
    """The label, ready for the search."""
    label_words = tuple(split_words(label))
    kinds = tuple(kind_of(word.stem) for word in label_words)
    if terms:
        phrases = tuple(tuple(w.stem for w in split_words(phrase)) for phrase in (*terms, label))
        phrases = tuple(phrase for phrase in phrases if phrase)
        return PreparedLabel(label_words, kinds, phrases, frozenset(max(phrase, key=len) for phrase in phrases))
    cues = frozenset(
        w.stem for w, kind in zip(label_words, kinds, strict=True) if kind in (TELLING, AMBIGUOUS, COMBINING)
    )
    longest = sorted((w.stem for w, kind in zip(label_words, kinds, strict=True) if kind == SCHEDULING), key=len)[-1:]
    return PreparedLabel(label_words, kinds, (), cues or frozenset(longest))


def find_label(label: PreparedLabel, message: Sequence[Word]) -> tuple[int, int] | None:
    """Where the longest part of the message stands that discloses the label, or None."""
    spans = _terms(label, message) if label.terms else _runs(label, message)
    return max(spans, key=lambda span: (span[1] - span[0], -span[0]), default=None)


def _terms(label: PreparedLabel, message: Sequence[Word]) -> Iterator[tuple[int, int]]:
    for phrase in label.terms:
        for i in range(len(message) - len(phrase) + 1):
            part = message[i : i + len(phrase)]
            if all(is_form_of(p, w.stem) for w, p in zip(part, phrase, strict=True)):
                yield part[0].start, part[-1].end


def _runs(label: PreparedLabel, message: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The spans of the telling runs of label words in the message."""
    for i in range(len(message)):
        for j in range(len(label.words)):
            if _same_stem(label, message, i, j) and not (
                _same_stem(label, message, i - 1, j - 1) and _same_sentence(label, message, i, j)
            ):
                length = _run_length(label, message, i, j)
                start, end = _without_linking_ends(label, j, j + length)
                if discloses(label, start, end) or (_is_thing(label, start, end) and _is_own(message, i + start - j)):
                    yield message[i + start - j].start, message[i + end - 1 - j].end


def _same_stem(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> bool:
    return i >= 0 and j >= 0 and is_form_of(label.words[j].stem, message[i].stem)


def _same_sentence(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> bool:
    """Whether no sentence ends before the word, or one does in the label as well."""
    return not message[i].breaks or label.words[j].breaks


def _run_length(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> int:
    """How many words the run that starts here has."""
    length = 1
    while (
        i + length < len(message)
        and j + length < len(label.words)
        and _same_stem(label, message, i + length, j + length)
        and _same_sentence(label, message, i + length, j + length)
    ):
        length += 1
    return length


def _without_linking_ends(label: PreparedLabel, start: int, end: int) -> tuple[int, int]:
    """The run without linking words at its ends, but for an article before its first word."""
    while end > start and label.kinds[end - 1] == LINKING:
        end -= 1
    first = start
    while first < end and label.kinds[first] == LINKING:
        first += 1
    if first > start and label.words[first - 1].stem in ARTICLES:
        first -= 1
    return first, end


def discloses(label: PreparedLabel, start: int, end: int) -> bool:
    """Whether saying the label's words from `start` to `end` discloses it."""
    kinds = [kind for kind in label.kinds[start:end] if kind != LINKING]
    if TELLING in kinds:
        return True
    if (COMBINING in kinds or AMBIGUOUS in kinds) and len(kinds) >= 2:
        return True
    return len(kinds) >= WHOLE_LABEL_WORDS and len(kinds) == sum(kind != LINKING for kind in label.kinds)


def _is_thing(label: PreparedLabel, start: int, end: int) -> bool:
    """Whether words of a label are one that talk uses in figures of speech."""
    return [kind for kind in label.kinds[start:end] if kind != LINKING] == [AMBIGUOUS]


def _is_own(message: Sequence[Word], at: int) -> bool:
    """Whether a word that starts there is a thing of the sender's: "my flat", "at the bank", "slot 3: court"."""
    if message[at].stem in ARTICLES:
        at += 1
    if at + 1 < len(message) and not message[at + 1].breaks and message[at + 1].stem in FIGURATIVE:
        return False
    third, second, last = ("", "", "", *(word.stem for word in message[max(0, at - 3) : at]))[-3:]
    if message[at].breaks:
        return last.isdecimal()
    if last == "the":
        return second in PLACING
    owned = last in OWNING and second != "in"
    return (
        owned or last in ("at", "note", "errand") or (last in ("is", "for") and second.isdecimal() and third == "slot")
    )


Row = tuple[Any, ...]
