"""A sentence's statements: its parts with their targets, without what a question only asks."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.language.atoms import Atom, atoms_of, phrases
from pipeline.language.classes import PRIORITY
from pipeline.language.parts import OPPOSITE, Part, Reader
from pipeline.language.scan import Token
from pipeline.language.slots import CLASS_KINDS, NUMBER
from pipeline.language.targets import SENDER, Span, left_out, targets

TAG = re.compile(
    r"\s*(?:right|correct|yes|yeah|ok|okay|agreed|no|true|is that (?:right|correct)|isn't it|doesn't it)\s*$"
)
ONESELF = re.compile(r"(?:i|my)\b")
OPENS = re.compile(
    r"(?:let|it is|lock|go|set|settl|done|final|confirm|mak|see|best|better|pick|winner)(?!\w*(?:ed|s)\b)"
)
# Words that repeat a class, or its opposite, of slots that a question or a condition named.
ECHOING = re.compile(r"\b(?:so|as|nor|neither|too|also|not|cannot)\b|n't")
EDGES = " \t\n\r,;:-~()|"


class Statement(NamedTuple):
    """What a sentence states: in which clause, of whom, which slots and ranges, of what class, where, and at what rank.

    Agents and slots are given by which of the sentence's numbers they are, None being the sender. Of statements of one
    clause about one slot the lowest rank holds.
    """

    clause: int
    targets: tuple[int | None, ...]
    slots: tuple[tuple[int, int | None], ...]
    said: str
    start: int
    end: int
    rank: int


class Reading(NamedTuple):
    """What a sentence states, and whether it says what its slots are, so that nothing said before matters."""

    statements: tuple[Statement, ...]
    decided: bool


NOTHING = Reading((), False)


def read(text: str, question: bool, before: str | None = None, after: int = 0) -> Reading:
    """The statements of a folded sentence, in its order; `before` is what the sender last said of itself.

    It serves a sentence that leaves its class out: "Slot 3 works. Not 5." What ends by `after` is left out:
    it is there for who "they" are.
    """
    tokens, start = phrases(text)
    if before is None and CLASS_KINDS.isdisjoint([token.kind for token in tokens]) and not ECHOING.search(text):
        return NOTHING
    made = atoms_of(text, tokens, start)
    decided = any(atom.claim_class for atom in made)
    if decided:
        before = None
    elif before:
        made = atoms_of(text, tokens, start, goes_on=True)
    found = Reader(text, before)
    for index, atom in enumerate(made):
        found.take(atom, made[index + 1] if index + 1 < len(made) else None)
    everyone = [token for atom in made for token in atom.tokens]
    asked = _asked_from(text, made) if question else None
    parts = [part for part in found.parts if part.end > after]
    return Reading(tuple(_statements(text, parts, everyone, question, asked)), decided)


def _asked_from(text: str, made: Sequence[Atom]) -> int:
    """Where the question of a sentence with a ? starts, if no atom asks by its form: at the last, or before a tag."""
    if any(atom.mode == "question" for atom in made):
        return len(text)
    last = made[-1]
    if len(made) > 1 and TAG.fullmatch(text, last.start, last.end):
        last = made[-2]
    return last.start


def _statements(
    text: str, parts: Sequence[Part], everyone: Sequence[Token], question: bool, asked: int | None
) -> Iterator[Statement]:
    if not parts:
        return
    known: dict[int, tuple[Span, ...]] = {}
    ranks = {found.start(): rank for rank, found in enumerate(NUMBER.finditer(text))}
    for part in sorted(parts, key=lambda part: part.end):
        who, marked = _whom(text, part, everyone, known)
        known[id(part)] = who
        if question and not (marked and (asked is None or part.end <= asked or _is_own(text, part))):
            continue
        if part.said and who and not part.silent:
            start, end = _trim(text, part.start, part.end)
            slots = tuple(
                (ranks[slot.start], ranks[slot.to_start] if slot.to_start >= 0 else None)
                for slot in part.slots
                if not slot.goal or part.said == "proposal"
            )
            whom = tuple(None if span == SENDER else ranks[span[0]] for span in who)
            rank = -1 if part.overrides else PRIORITY.index(part.said)
            yield Statement(part.clause, whom, slots, part.said, start, end, rank)
            others = left_out(text, part.tokens)
            if others and part.said in OPPOSITE:
                whom = tuple(None if span == SENDER else ranks[span[0]] for span in others)
                yield Statement(part.clause, whom, slots, OPPOSITE[part.said], start, end, rank)
            goals = tuple((ranks[slot.start], None) for slot in part.slots if slot.goal)
            if goals and part.said == "occupied" and any(t.kind == "proposal" for t in part.tokens):
                yield Statement(part.clause, (None,), goals, "proposal", start, end, PRIORITY.index("proposal"))


def _whom(
    text: str, part: Part, everyone: Sequence[Token], known: dict[int, tuple[Span, ...]]
) -> tuple[tuple[Span, ...], bool]:
    """A part's targets, and whether it marks them itself; else the part's before, else the sender."""
    own = targets(text, part.tokens, part.decider, everyone) if part.decider else None
    if own is None and not part.decider and any(t.kind in ("group", "for_whom") for t in part.tokens):
        own = targets(text, part.tokens, part.tokens[-1], everyone)
    if own is None and part.decider and text.startswith("let", part.decider.start):
        own = (SENDER,)
    if own is not None:
        return own, bool(own)
    if part.heir and part.of is not None and not _is_new(text, part):
        inherited = known.get(id(part.of))
        return (_whom(text, part.of, everyone, known)[0] if inherited is None else inherited), part.overrides
    return (SENDER,), False


def _is_new(text: str, part: Part) -> bool:
    """Whether a proposal is the sender's though another was spoken of: "7 is blocked for Agent 3, so 6 it is"."""
    return part.said == "proposal" and part.decider is not None and OPENS.match(text, part.decider.start) is not None


def _is_own(text: str, part: Part) -> bool:
    """Whether the sender speaks of itself in so many words."""
    return any(t.kind == "group" and ONESELF.match(text, t.start) for t in part.tokens)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the space and punctuation at its ends."""
    inner = text[start:end]
    kept = inner.strip(EDGES)
    left = start + inner.find(kept)
    closes = kept.count("(") > kept.count(")") and text.startswith(")", left + len(kept))
    return left, left + len(kept) + closes
