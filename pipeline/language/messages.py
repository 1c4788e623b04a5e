"""English messages to claims: a deterministic clause parser (Appendix H.3).

A message is folded, split into sentences, and each sentence read once for all messages that differ in their numbers
alone; the numbers are put in afterwards, from the message itself.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.language.numerals import NUMERAL, in_digits
from pipeline.language.scan import fold, sentences
from pipeline.language.statements import Reading, Statement, read
from pipeline.rules import Claim, RuleSet

# Broken or unknown JSON is no English either, and a protocol's message may be quoted in full.
TYPED = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\d])|[^"]*"(?:dsm|imap|sd)"\s*:')
LONGEST = 64  # slots in a range; of a longer one only the ends are read

HEADING = re.compile(r":\s*$")
BULLET = re.compile(r"(?m)^[ \t]*(?:\(?[0-9]{1,2}[.)]|[-*+•])(?=\s)")
# "They are free at 5", after a sentence that says who they are.
THEY = re.compile(
    r"\s*(?:(?!i\b|we\b|you\b)[\w']+,?\s+){0,3}(?:they|she|he|both(?= (?:are|can|have|could|said)))\b(?!.*agent)"
)
NAMED = re.compile(r"\bagents?\s*#?0")
FAR = 400  # characters to look back for who they are
STOP = "}"  # no folded text has it
DIGITS = re.compile(r"[0-9]+")
# Numbers of two digits are read as one: what is learned from "slot 3" then serves "slot 12".
TWO = re.compile(r"(?<!0)00(?!0)")


# A claim before its sender is known: target (None where the sender speaks of itself), slot, class, start, end.
Said = tuple[int | None, int, str, int, int]


class Passage(NamedTuple):
    """A sentence to read: where it starts, its folded text, whether it asks, and the heading before it in the text.

    The heading is the text's first `ahead` characters; in the message it stands elsewhere, at `heading`.
    """

    start: int
    text: str
    question: bool
    ahead: int = 0
    heading: int = 0
    apart: bool = False  # from the sentence before that names a number
    after: int = 0  # where the sentence starts in its text, after one that says who "they" are

    def place(self, at: int, last: bool = False) -> int:
        """The place in the message of a span's start, or end, in the text."""
        inside = at <= self.ahead if last else at < self.ahead
        return at + (self.heading if inside else self.start)


def language_claims(content: str, sender: int, rules: RuleSet) -> list[Claim]:
    """What an English message claims, in the order of its clauses."""
    values = rules.language
    said = statements(content)
    if any(claim[0] == sender for claim in said):
        # It names itself: "I'm free at 4, and so is Agent 2", says Agent 2.
        said = tuple(dict.fromkeys((sender if claim[0] is None else claim[0], *claim[1:]) for claim in said))
    return [
        (sender if target is None else target, slot, *values[kind], content[start:end], start, end)
        for target, slot, kind, start, end in said
    ]


@lru_cache(maxsize=16384)
def statements(content: str) -> tuple[Said, ...]:
    """What a message states, whoever sends it. Typed JSON states nothing here."""
    if TYPED.match(content):
        return ()
    if "\n" in content or not content[:1].isalpha():
        content = BULLET.sub(lambda found: " " * len(found[0]), content)
    folded = fold(content)
    if NUMERAL.search(folded):
        content = in_digits(content, folded)
        folded = fold(content)
    if "0" not in folded:
        return ()
    said: list[Said] = []
    before = None
    for passage in _passages(folded):
        found = _read(passage.text, passage.question, None if passage.apart else before, passage.after)
        before = None
        if found:
            before = found[-1].said if found[-1].targets == (None,) else None
            said += _numbered(content, found, passage)
    return tuple(said)


def _passages(folded: str) -> Iterator[Passage]:
    """The sentences that name a number. An item of a list is read under its heading: "Free:\\n- slot 3"."""
    heading: Passage | None = None
    apart = False
    told: tuple[int, int] | None = None
    for start, text, question, line in sentences(folded):
        numbered = "0" in text
        if line and HEADING.search(text):
            heading = Passage(start, text.rstrip() + " ", question)
            if numbered:
                yield Passage(start, text, question, apart=apart)
        elif not numbered:
            heading = None
        elif heading:
            ahead = len(heading.text)
            yield Passage(start - ahead, heading.text + text, question, ahead, heading.start, True)
        elif told and start - told[0] < FAR and THEY.match(text) and NAMED.search(folded, *told):
            text = f"{folded[told[0] : told[1]]}{STOP.ljust(start - told[1])}{text}"
            yield Passage(told[0], text, question, after=start - told[0])
            told = told[0], start + len(text)
        else:
            yield Passage(start, text, question, apart=apart)
            told = (start, start + len(text))
        apart = not numbered


@lru_cache(maxsize=65536)
def _read(text: str, question: bool, before: str | None, after: int) -> tuple[Statement, ...]:
    """The statements of a sentence, as they stand in its text. Of what was said before, one that says of its slots
    what they are takes nothing."""
    alone = _read_alone(text, question, after)
    if before is None or alone.decided:
        return alone.statements
    return _placed(text, question, before, after).statements


@lru_cache(maxsize=65536)
def _read_alone(text: str, question: bool, after: int) -> Reading:
    return _placed(text, question, None, after)


def _placed(text: str, question: bool, before: str | None, after: int) -> Reading:
    """What the text says with numbers of one digit, its places put back."""
    if "00" not in text:
        return _read_short(text, question, before, after)
    short = _read_short(TWO.sub("0", text), question, before, len(TWO.sub("0", text[:after])))
    longer = [at.start() - i for i, at in enumerate(TWO.finditer(text))]
    moved = (
        said._replace(start=said.start + bisect_left(longer, said.start), end=said.end + bisect_left(longer, said.end))
        for said in short.statements
    )
    return Reading(tuple(moved), short.decided)


@lru_cache(maxsize=65536)
def _read_short(text: str, question: bool, before: str | None, after: int) -> Reading:
    return read(text, question, before, after)


def _numbered(content: str, found: Sequence[Statement], passage: Passage) -> Iterable[Said]:
    """The statements with the message's numbers; of several about one slot in a clause, the first class in order."""
    numbers = _numbers(content, passage)
    best: dict[tuple[int, int | None, int], tuple[int, Said]] = {}
    for clause, targets, slots, kind, start, end, rank in found:
        begin, stop = passage.start + start, passage.start + end
        if passage.ahead:
            begin, stop = passage.place(start), passage.place(end, last=True)
        agents = [None if agent is None else numbers[agent] for agent in targets]
        for first, last in slots:
            one = numbers[first]
            for slot in _spanned(one, numbers[last]) if last else (one,):
                for target in agents:
                    held = best.get((clause, target, slot))
                    if held is None or rank < held[0]:
                        best[clause, target, slot] = (rank, (target, slot, kind, begin, stop))
    return [said for _, said in best.values()]


def _numbers(content: str, passage: Passage) -> list[int]:
    """The numbers of a passage, its heading's first."""
    found = DIGITS.findall(content, passage.start + passage.ahead, passage.start + len(passage.text))
    if passage.ahead:
        found = DIGITS.findall(content, passage.heading, passage.heading + passage.ahead - 1) + found
    return list(map(int, found))


def _spanned(first: int, last: int) -> Sequence[int]:
    return range(first, last + 1) if first <= last < first + LONGEST else (first, last)
