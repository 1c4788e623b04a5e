"""What discloses a private label: its recorded terms, or the parts of it that ordinary scheduling does not use.

A label with recorded terms is disclosed by one of them, or by the whole label. A label without (public traces) is
disclosed by a run of its words, said in their order, that holds

- a telling word, one that no list of ordinary words has ("bankruptcy", "landlord"), or
- a combining word and another word beside it ("private meeting", "follow-up appointment"), or
- the whole label, of three words or more, however ordinary they are.

Linking words may stand inside a run and count for nothing; a run does not go on across the end of a sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from pipeline.behaviour.lexicons import words
from pipeline.behaviour.phrases import Word, split_words, stem

LINKING, SCHEDULING, COMBINING, TELLING = "linking", "scheduling", "combining", "telling"
ARTICLES = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your"))
WHOLE_LABEL_WORDS = 3


@dataclass(frozen=True, slots=True)
class PreparedLabel:
    """A label made ready for the search: its words, what each counts for, its terms if recorded, and the stems of
    which a message that discloses it has at least one."""

    words: tuple[Word, ...]
    kinds: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    cues: frozenset[str]


@cache
def word_kinds() -> dict[str, str]:
    """Stem → what it counts for; a word on several lists is combining rather than linking, linking than scheduling."""
    lists = words("ordinary")
    kinds = {stem(form): SCHEDULING for verb in lists["verbs"].split() for form in verb_forms(verb)}
    for kind in (SCHEDULING, LINKING, COMBINING):
        kinds |= {stem(word): kind for word in lists[kind].split()}
    return kinds


def verb_forms(verb: str) -> Iterator[str]:
    """The verb and its regular forms; some that it does not have do no harm."""
    short = verb.removesuffix("e")
    yield from (verb, f"{verb}s", f"{verb}ed", f"{verb}d", f"{verb}ing", f"{short}ing", f"{short}ed")
    yield from (f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")
    if verb.endswith("y"):
        yield f"{verb[:-1]}ied"


def kind_of(word: str) -> str:
    """What a stem counts for; numbers and single letters only link."""
    if len(word) == 1 or word.isdigit():
        return LINKING
    return word_kinds().get(word, TELLING)


@lru_cache(maxsize=16384)
def prepare_label(label: str, terms: tuple[str, ...]) -> PreparedLabel:
    """The label, ready for the search."""
    label_words = tuple(split_words(label))
    kinds = tuple(kind_of(word.stem) for word in label_words)
    if terms:
        phrases = tuple(tuple(w.stem for w in split_words(phrase)) for phrase in (*terms, label))
        phrases = tuple(phrase for phrase in phrases if phrase)
        return PreparedLabel(label_words, kinds, phrases, frozenset(max(phrase, key=len) for phrase in phrases))
    cues = frozenset(w.stem for w, kind in zip(label_words, kinds, strict=True) if kind in (TELLING, COMBINING))
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
            if part[0].stem == phrase[0] and all(w.stem == p for w, p in zip(part, phrase, strict=True)):
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
                if discloses(label, start, end):
                    yield message[i + start - j].start, message[i + end - 1 - j].end


def _same_stem(label: PreparedLabel, message: Sequence[Word], i: int, j: int) -> bool:
    return i >= 0 and j >= 0 and message[i].stem == label.words[j].stem


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
    if COMBINING in kinds and len(kinds) >= 2:
        return True
    return len(kinds) >= WHOLE_LABEL_WORDS and len(kinds) == sum(kind != LINKING for kind in label.kinds)
