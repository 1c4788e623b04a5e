"""Private labels given away: the terms that tell of one, and the messages that hold them (Appendix C).

A telling word is found in its other forms, too ("divorcing" of "divorce"), and a long one with one typing error.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise, product
from typing import NamedTuple

import polars as pl

from pipeline.behaviour.phrases import (
    AMBIGUOUS,
    ARTICLES,
    COMBINING,
    CONTENT,
    GERUND,
    LINKING,
    LONG_WORD,
    SCHEDULING,
    SHORTEST_ROOT,
    TELLING,
    Word,
    family,
    fits,
    frame_of,
    is_compound,
    is_form_of,
    keys_of,
    kind_in_form,
    kind_of,
    listed,
    misspellings,
    short_forms,
    slips,
    split_words,
    stems,
)

WHOLE_LABEL_WORDS = 3

# A word starts with its stem up to the first such character, but for case and the y that stands for "ies".
NOT_ASCII_WORD = re.compile("[^a-z0-9]")
LOWERED_TO_ASCII = "[\u0130\u212a]"  # letters that become ASCII in lower case


@dataclass(frozen=True, slots=True)
class PreparedLabel:
    """A label made ready for the search: its words, what each counts for, its terms if recorded, what two of its words
    are as one ("carwash"), and the stems of which a message that discloses it has at least one."""

    words: tuple[Word, ...]
    kinds: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    joined: frozenset[str]
    cues: frozenset[str]


@lru_cache(maxsize=16384)
def prepare_label(label: str, terms: tuple[str, ...]) -> PreparedLabel:
    """The label, ready for the search."""
    label_words = tuple(split_words(label))
    kinds = tuple(kind_of(word.stem) for word in label_words)
    if terms:
        phrases = tuple(tuple(w.stem for w in split_words(phrase)) for phrase in (*terms, label))
        phrases = tuple(phrase for phrase in phrases if phrase)
        return PreparedLabel(
            label_words, kinds, phrases, frozenset(), frozenset(max(phrase, key=len) for phrase in phrases)
        )
    joined = frozenset(
        first.stem + second.stem
        for (first, second), pair in zip(pairwise(label_words), pairwise(kinds), strict=True)
        if LINKING not in pair and not second.mark and discloses(pair, False)
    )
    cues = frozenset(
        w.stem for w, kind in zip(label_words, kinds, strict=True) if kind in (TELLING, AMBIGUOUS, COMBINING)
    )
    longest = sorted((w.stem for w, kind in zip(label_words, kinds, strict=True) if kind == SCHEDULING), key=len)[-1:]
    return PreparedLabel(label_words, kinds, (), joined, joined | cues or frozenset(longest))


def find_label(label: PreparedLabel, message: Sequence[Word]) -> tuple[int, int] | None:
    """Where the longest part of the message stands that discloses the label, or None."""
    spans = _terms(label, message) if label.terms else chain(_runs(label, message), _pairs(label, message))
    return max(spans, key=lambda span: (span[1] - span[0], -span[0]), default=None)


def _terms(label: PreparedLabel, message: Sequence[Word]) -> Iterator[tuple[int, int]]:
    for phrase in label.terms:
        for i in range(len(message) - len(phrase) + 1):
            part = message[i : i + len(phrase)]
            if all(is_form_of(p, w.stem) for w, p in zip(part, phrase, strict=True)):
                yield part[0].start, part[-1].end


def _runs(label: PreparedLabel, message: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The spans of the telling runs of label words in the message."""
    for i, j in product(range(len(message)), range(len(label.words))):
        begins = not (
            i and j and is_form_of(label.words[j - 1].stem, message[i - 1].stem) and _goes_on(label, message, i, j)
        )
        if begins and is_form_of(label.words[j].stem, message[i].stem):
            run = _without_linking_ends(label, j, j + _run_length(label, message, i, j))
            if _is_disclosed(label, message, run, i - j):
                yield message[i - j + run[0]].start, message[i - j + run[1] - 1].end


def _pairs(label: PreparedLabel, message: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """The spans of a word that the label has as two ("carwash"), and of two side by side that it has apart, the other
    way round or as one: "viewing a flat", "blow the whistle"."""
    yield from ((word.start, word.end) for word in message if word.stem in label.joined)
    whole = [w.stem for w in label.words if any(halves(w.stem))]
    for at, (first, second) in enumerate(pairwise(message)):
        after = at + 2
        if second.stem in ARTICLES and not second.mark and after < len(message):
            second, after = message[after], after + 1
        words = [_word_of(label, form.stem) for form in (first, second)]
        kinds = [kind_in_form(word, form.stem) for word, form in zip(words, (first, second), strict=True)]
        is_pair = AMBIGUOUS in kinds and LINKING not in kinds and words[0] != words[1]
        is_disclosed = is_pair and not fits("figures", frame_of(message, at, after, ""))
        if not second.mark and (is_disclosed or any(is_compound(word, first.stem, second.stem) for word in whole)):
            yield first.start, second.end


def _word_of(label: PreparedLabel, form: str) -> str:
    """The label's word of which a stem is a form, "pick" of "picking" too; of an adverb or none one that only links."""
    bases = (form, form.removesuffix("ing"), f"{form.removesuffix('ing')}e")
    words = (w.stem for w in label.words if w.stem in bases or is_form_of(w.stem, form))
    return "a" if form.endswith("ly") or form in listed("small") else next(words, "a")


def _is_disclosed(label: PreparedLabel, message: Sequence[Word], run: tuple[int, int], shift: int) -> bool:
    """Whether the label's words of a run, which stand `shift` words later in the message, disclose it there."""
    kinds = [kind_in_form(label.words[at].stem, message[at + shift].stem) for at in range(*run)]
    little = [kind == LINKING or label.words[at].stem in listed("small") for at, kind in enumerate(kinds, run[0])]
    is_disclosed, span = discloses(kinds, len(kinds) == len(label.kinds)), (run[0] + shift, run[1] + shift)
    if little.count(False) != 1:
        return is_disclosed and (TELLING in kinds or not fits("figures", frame_of(message, *span, "")))
    at = run[0] + little.index(False)
    form = message[at + shift].stem
    marks = "p" * (form.endswith("ed") and not form.startswith(label.words[at].stem.removesuffix("e")))
    marks += "d" * _is_done(label, at, form) + "n" * (form == label.words[at].stem and _is_noun(label, at))
    frame = frame_of(message, *span, marks)
    return not fits("figures", frame) and (fits("own", frame) if kinds[at - run[0]] == AMBIGUOUS else is_disclosed)


def _is_noun(label: PreparedLabel, at: int) -> bool:
    """Whether a label's word is no verb, as it neither begins a clause nor follows "to"."""
    return at > 0 and not label.words[at].mark and label.words[at - 1].stem not in ("to", "and", "then")


def _is_done(label: PreparedLabel, at: int, form: str) -> bool:
    """Whether what is told of a label's word is done without an object: "bowl" of "Bowling"."""
    word = label.words[at].stem
    follows = label.words[at + 1].stem if at + 1 < len(label.words) else ""
    is_deed = word.endswith("er") and not form.endswith("er")
    return is_deed or GERUND.search(word) is not None or (at == 0 and follows not in ARTICLES)


def _goes_on(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> bool:
    """Whether no sentence ends before the word, or one does in the label as well."""
    return not message[i].breaks or label.words[j].breaks


def _run_length(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> int:
    """How many words the run that starts here has; after one that says something, "my" is as good as "the"."""
    says = False
    for length, (own, form) in enumerate(zip(label.words[j:], message[i:], strict=False)):
        is_article = says and {own.stem, form.stem} <= ARTICLES
        if length and not _goes_on(label, message, i + length, j + length):
            return length
        if not is_article and not is_form_of(label.words[j + length].stem, message[i + length].stem):
            return length
        says = says or label.kinds[j + length] != LINKING
    return min(len(label.words) - j, len(message) - i)


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


def discloses(kinds: Sequence[str], whole: bool) -> bool:
    """Whether saying words of these kinds, which are the whole label or a part, discloses it."""
    not_linking = [kind for kind in kinds if kind != LINKING]
    if TELLING in not_linking or (len(not_linking) >= 2 and (COMBINING in not_linking or AMBIGUOUS in not_linking)):
        return True
    return whole and len(not_linking) >= WHOLE_LABEL_WORDS


class KnownLabel(NamedTuple):
    """A label that an agent could know from an event on."""

    kind: str
    item_id: int
    label: str
    tier: str | None
    known_from: int
    prepared: PreparedLabel


class DisclosedLabel(NamedTuple):
    """A label that a message discloses, and where."""

    known: KnownLabel
    start: int
    end: int


def disclosed_labels(
    content: str, message_cues: Set[str], event_index: int, labels: Iterable[KnownLabel]
) -> list[DisclosedLabel]:
    """The labels known at the event that a message with these cues discloses; of equal ones the first."""
    candidates = [label for label in labels if not label.prepared.cues.isdisjoint(message_cues)]
    if not candidates:
        return []
    message = split_words(content)
    disclosed: dict[str, DisclosedLabel] = {}
    for label in sorted(candidates, key=lambda label: (label.kind, label.item_id)):
        if label.known_from <= event_index and label.label not in disclosed:
            span = find_label(label.prepared, message)
            if span:
                disclosed[label.label] = DisclosedLabel(label, *span)
    return list(disclosed.values())


class CueIndex:
    """The cues of labels by what tells of them in a message: a root, what a typing error leaves, or half a compound."""

    def __init__(self, cues: Iterable[str]) -> None:
        self.cues_of: dict[str, set[tuple[str, str]]] = {}  # key → the cues, and what a word has to start with as well
        for cue in cues:
            for key in keys_of(cue) | slips(cue):
                self.cues_of.setdefault(key, set()).add((cue, ""))
            for first, rest in halves(cue):
                if LINKING not in (kind_of(first), kind_of(rest)):
                    self.cues_of.setdefault(first, set()).add((cue, rest))

        self.hints_of = cache(self._hints_of)

    def cues_in(self, content: str) -> frozenset[str]:
        """The cues of which a text has a form."""
        words = stems(content)
        hints = frozenset().union(*map(self.hints_of, words))
        return frozenset(cue for cue, rest in hints if not rest or any(word.startswith(rest) for word in words))

    def _hints_of(self, stem: str) -> frozenset[tuple[str, str]]:
        return frozenset().union(*(self.cues_of.get(key, ()) for key in keys_of(stem)))


def halves(word: str) -> Iterator[tuple[str, str]]:
    """The two words that a telling one may be written as: "book shop"."""
    roots = {word, family(word)} if kind_of(word) in CONTENT else set()
    for root in roots:
        if len(root) >= LONG_WORD - 1:
            yield from ((root[:i], root[i:]) for i in range(SHORTEST_ROOT - 1, len(root) - SHORTEST_ROOT + 2))


def all_cues(labels_known: pl.DataFrame) -> frozenset[str]:
    """The stems of which a message that discloses any of the labels has at least one."""
    distinct = labels_known.select("label", "terms").unique()
    return frozenset().union(*(prepare_label(label, tuple(terms)).cues for label, terms in distinct.iter_rows()))


def may_contain_cue(content: pl.Expr, cues: Iterable[str]) -> pl.Expr:
    """Whether a text can have a form of one of these stems: a quick test that few texts pass.

    It asks for what all forms of a word start with, and for the halves of a long one: an error leaves one of them, or
    swaps the letters between.
    """
    parts = {part for cue in cues for part in _sure_parts(cue)}
    if not parts or "" in parts:
        return pl.lit(bool(parts))
    has_part = content.str.contains_any(sorted(parts), ascii_case_insensitive=True)
    return has_part | content.str.contains(LOWERED_TO_ASCII)


def _sure_parts(cue: str) -> Iterator[str]:
    """Stretches of which a text has one that has a form of the stem."""
    yield NOT_ASCII_WORD.split(family(cue), 1)[0].removesuffix("y")
    yield from slips(cue)
    if short_forms(cue):
        yield cue[:SHORTEST_ROOT]
    for first, rest in halves(cue):
        if len(first) in (len(rest), len(rest) - 1):
            yield from (first, rest)
    if misspellings(cue) and cue.isascii():
        half = len(cue) // 2
        yield from (cue[:half], cue[half:], f"{cue[: half - 1]}{cue[half]}{cue[half - 1]}")
