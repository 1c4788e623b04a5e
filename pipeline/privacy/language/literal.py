"""Appendix H.3 as printed: its own words and its three families of slots, one class a clause, and nothing else.

The yardstick for the grammar of messages.py, which completes the words that H.3 calls representative.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pipeline.privacy.language.scan import fold

# H.3's table over folded text, word for word, in its order of priority.
WORDS: Mapping[str, re.Pattern[str]] = {
    claim_class: re.compile(rf"\b(?:{words})\b")
    for claim_class, words in {
        "occupied": r"(?:errand|meeting) at|requires? mov\w+|requires? (?:me|us) to reschedule|reschedul\w*",
        "negative": r"busy|blocked|conflict\w*|can't|not free|won't work|doesn't work",
        "positive": r"free|available|open|works|can do|could do|workable",
        "cost": r"low cost|costs? ?[:=]? ?0+|minimal impact|minor|easiest|flexible",
        "proposal": r"(?:prefer|suggest|propos|aim|settl|confirm|lock)\w*",
    }.items()
}
CLAUSE_END = re.compile(r"[.!?;]|\b(?:but|otherwise|alternatively)\b")
NUMBER = re.compile(r"(?<!\w)0{1,3}(?!\w)")  # three digits are more slots than any calendar has
LIST = r"#?0+(?: ?(?:,? ?and|,? ?or|to|through|[,&/-]) ?#?0+)*"
EXPLICIT = re.compile(rf"\bslots? ?{LIST}|\b(?:i|agent 0+) (?:have|has|am|is) {LIST} free\b")
FEASIBLE = re.compile(r"\b(?:free|available|open|can do|could do|works|workable)\b")
REACH = 32  # characters after a feasibility verb
OTHER_NUMBER = re.compile(r"\b(?:agents?|meetings?|costs?)[ #:=]{0,3}$")
BEFORE = 12  # characters in which such a word stands

FIRST = re.compile(r"\b(?:i|my|me|mine|we|our|us)\b")
SECOND = re.compile(r"\b(?:you|your|yours)\b")
HYPOTHETICAL = re.compile(r"\b(?:if|whether)\b")
AGENT = re.compile(r"\bagents? #?(0{1,2})\b")
COORDINATED = re.compile(r"\bagents? #?0+ and (?:i|me)\b|\b(?:i|me) and agents? #?0+")
MOST_CLAIMS = 20_000  # of a message, as of the grammar's

# Targets (None: the sender), slots, class, start and end.
Statement = tuple[Sequence[int | None], Sequence[int], str, int, int]


@lru_cache(maxsize=16384)
def literal_statements(content: str) -> tuple[Statement, ...]:
    """What an English message states by H.3's words alone; of a clause the first class counts that it has a word of."""
    folded, room = fold(content), MOST_CLAIMS
    stated: list[Statement] = []
    for start, end in clauses(folded):
        clause, written = folded[start:end], content[start:end]
        claim_class = class_of(clause)
        slots = slots_of(clause, written) if claim_class and not HYPOTHETICAL.search(clause) else []
        targets = targets_of(clause, written) if slots else ()
        room -= len(slots) * len(targets)
        if room < 0:
            break
        if targets and claim_class:
            stated.append((targets, slots, claim_class, start, end))
    return tuple(stated)


def clauses(folded: str) -> Iterator[tuple[int, int]]:
    """Where each clause starts and ends, without the space around it."""
    start = 0
    for end in (*CLAUSE_END.finditer(folded), None):
        stop = end.start() if end else len(folded)
        inner = folded[start:stop]
        if "0" in inner:
            yield stop - len(inner.lstrip()), start + len(inner.rstrip())
        start = end.end() if end else stop


def class_of(clause: str) -> str | None:
    """The first class that a clause has a word of."""
    return next((claim_class for claim_class, words in WORDS.items() if words.search(clause)), None)


def slots_of(clause: str, written: str) -> list[int]:
    """The slots that H.3's families find, each once, as the written clause numbers them; of a range its ends."""
    named = [match.span() for match in EXPLICIT.finditer(clause)]
    reached = [(match.end(), match.end() + REACH) for match in FEASIBLE.finditer(clause)]
    slots: dict[int, None] = {}
    for number in NUMBER.finditer(clause):
        at = number.start()
        if (_within(named, at) or _within(reached, at)) and not _is_other(clause, at):
            slots[int(written[at : number.end()])] = None
    return list(slots)


def _within(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Whether a place is in the last of the spans, in order, that starts before it."""
    index = bisect_right(spans, (at, at)) - 1
    return index >= 0 and at < spans[index][1]


def _is_other(clause: str, at: int) -> bool:
    """Whether the number there is an agent's, a meeting's or a cost."""
    return OTHER_NUMBER.search(clause, max(0, at - BEFORE), at) is not None


def targets_of(clause: str, written: str) -> Sequence[int | None]:
    """The agents named, the sender with them where coordinated; without one the sender, unless only "you" is meant."""
    agents = dict.fromkeys(int(written[slice(*agent.span(1))]) for agent in AGENT.finditer(clause))
    if agents:
        return [*agents, None] if COORDINATED.search(clause) else list(agents)
    return () if SECOND.search(clause) and not FIRST.search(clause) else (None,)
