"""English as the public benchmark's script reads it (docs/language.md): a direct message to evidence for its recipient.

The script has rules of its own, so nothing here is shared with the grammar in `language`. Of a text only its clauses
with slots are kept, for all that send it; who sends it to whom, and the size of the game, say whose slots these are.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.rules import Clause, EvidenceRun

# Evidence and strength of a clause's class, by the source that the script names it with.
VALUES = {
    "language_negative_slot_hint": (0.20, 0.55),
    "language_occupied_slot_hint": (0.35, 0.45),
    "language_free_slot_hint": (0.90, 0.60),
    "language_free_cost_slot_hint": (0.90, 0.60),
    "language_cost_slot_hint": (0.75, 0.35),
    "language_proposal_slot_hint": (0.70, 0.25),
}


def _words(*alternatives: str) -> re.Pattern[str]:
    """Any of the alternatives as whole words."""
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


# A text with one of these, in straight double quotes, is taken for a protocol's.
PROTOCOLS = ('"dsm"', '"imap"')
# Spans start with a word, so that the same words in CSV never start as a formula does.
FIRST_WORD = re.compile(r"\w")
CLAUSE_END = re.compile(r"(?<=[.!?])\s+|;|\b(?:but|otherwise|alternatively)\b")

# A slot is a number in one of three kinds of stretches, none of which goes past a stop.
DIGIT = re.compile(r"\d")
NUMBER = re.compile(r"\b\d+\b")
OTHER_NUMBER = re.compile(r"(?:agent|meeting|cost)\s*\Z")
BEFORE = 12  # characters before a number in which such a word, and the space behind it, must stand
MOST_DIGITS = 4300  # Python reads no longer numbers
AFTER_SLOT = re.compile(r"\bslots?\b([^.!?;:]*)")
FROM_VERB = re.compile(r"\b(?:free|available|open|can do|could do|make|do|works?|workable)\b[^.!?;:]{0,32}")
# Of a list of agents the space is matched by one \s alone: the list goes on with blanks anyway.
TO_FREE = re.compile(r"\b(?:i|we|agent\s+\d+|agents?\s[\d,\sand]+)\b[^.!?;:]{0,48}\bfree\b")

# Targets.
SENDER = _words("i", "im", "me", "my", "mine")
RECIPIENT = _words("you")
AGENT = re.compile(r"\bagent\s+(\d+)\b")
ABOUT_AGENTS = _words(
    *("available", "blocked", "busy", "can do", "cost", "difficult"),
    *("errand", "free", "meeting", "move", "work", "works"),
)
WITH_SENDER = _words("i", "me", "my")

# Classes.
NEGATIVE = _words(
    *("blocked", "busy", "can't", "cannot", "conflict", "difficult"),
    *("doesn't work", "hard", "not work", "unavailable", "won't work"),
)
OCCUPIED = _words(
    *("errand at", "meeting at", "has? an? (?:errand|meeting)", "reschedul"),
    r"(?:requires?|need) [^.!?;:]{0,24}move",
)
POSITIVE = _words("available", "can do", "could do", "free", "open", "workable", "works?")
MAKES_WORK = re.compile(r"^(?>.*?\bmake ).*work\b", re.MULTILINE)
COST = _words(
    *("cheap", "easiest", "flexible", "low cost", "low-cost", "minimal impact", "minor", "prefer", "rather not"),
    *("very easy", r"cost\s+\d+", r"cost of \d+", "cost for slot", r"less than \d+"),
)
PROPOSAL = _words("aim", "confirm", "lock", "propose", "settle", "suggest")


class SlotClause(NamedTuple):
    """A clause of some class with numbers that may be slots: in rising order, its targets as they are named, its place.

    both: whether the sender is a target beside any agent that is named. about_agents: whether named agents are targets
    at all without that.
    """

    source: str
    numbers: tuple[int, ...]
    of_sender: bool
    of_recipient: bool
    agents: frozenset[int]
    about_agents: bool
    both: bool
    place: Clause

    def targets(self, sender: int, recipient: int, num_agents: int) -> list[int]:
        """Whose slots they are: the agents meant, in rising order, else the sender."""
        named = {agent for agent in self.agents if agent < num_agents}
        meant = named if self.about_agents or self.both else set()
        if self.of_sender or (self.both and named):
            meant = meant | {sender}
        if self.of_recipient:
            meant = meant | {recipient}
        return sorted(meant) or [sender]


def release_runs(
    content: str, sender: int, recipient: int, num_agents: int, num_slots: int | None
) -> list[EvidenceRun]:
    """What a direct English message tells its recipient, of whom the recipient may be one, in the script's order.

    Of a target each slot counts once per source. num_slots: None for a calendar whose size is not known.
    """
    runs: list[EvidenceRun] = []
    given: set[tuple[int, int, str]] = set()
    for clause in slot_clauses(content):
        slots = [number for number in clause.numbers if num_slots is None or number < num_slots]
        evidence, strength = VALUES[clause.source]
        for target in clause.targets(sender, recipient, num_agents) if slots else ():
            new = [slot for slot in slots if (target, slot, clause.source) not in given]
            given.update((target, slot, clause.source) for slot in new)
            if new:
                runs.append((target, clause.source, strength, [(slot, evidence) for slot in new], clause.place))
    return runs


@lru_cache(maxsize=16384)
def slot_clauses(content: str) -> tuple[SlotClause, ...]:
    """The clauses of an English text that say something of slots, in its order."""
    folded = content.casefold()
    if any(protocol in folded for protocol in PROTOCOLS):
        return ()
    return tuple(
        SlotClause(source, numbers, *_targets(clause), _place(content, folded, start, end))
        for clause, start, end in _clauses(folded)
        if (numbers := _numbers(clause)) and (source := _source(clause))
    )


def _clauses(folded: str) -> Iterator[tuple[str, int, int]]:
    """Each clause without the space around it, and where it starts and ends."""
    start = 0
    for end in (*CLAUSE_END.finditer(folded), None):
        part = folded[start : end.start() if end else None]
        left = start + len(part) - len(part.lstrip())
        clause = part.strip()
        yield clause, left, left + len(clause)
        start = end.end() if end else 0


def _numbers(clause: str) -> tuple[int, ...]:
    """The numbers of a clause that may be slots, in rising order."""
    if not DIGIT.search(clause):
        return ()
    stretches = [match[1] for match in AFTER_SLOT.finditer(clause)]
    stretches += [match[0] for search in (FROM_VERB, TO_FREE) for match in search.finditer(clause)]
    return tuple(sorted({number for stretch in stretches for number in _numbers_of(stretch)}))


def _numbers_of(stretch: str) -> Iterator[int]:
    """The numbers of a stretch, read as if nothing stood around it, but for those of agents, meetings and costs."""
    for number in NUMBER.finditer(stretch):
        start = number.start()
        if len(number[0]) <= MOST_DIGITS and not OTHER_NUMBER.search(stretch, max(0, start - BEFORE), start):
            yield int(number[0])


def _source(clause: str) -> str | None:
    """The source that the script names a clause's class with; None for a clause of no class."""
    if NEGATIVE.search(clause):
        return "language_negative_slot_hint"
    if OCCUPIED.search(clause):
        return "language_occupied_slot_hint"
    costs = COST.search(clause) is not None
    if POSITIVE.search(clause) or MAKES_WORK.search(clause):
        return "language_free_cost_slot_hint" if costs else "language_free_slot_hint"
    if costs:
        return "language_cost_slot_hint"
    return "language_proposal_slot_hint" if PROPOSAL.search(clause) else None


def _targets(clause: str) -> tuple[bool, bool, frozenset[int], bool, bool]:
    """Whom a clause names: `of_sender` to `both` of SlotClause."""
    agents = frozenset(int(number) for number in AGENT.findall(clause) if len(number) <= MOST_DIGITS)
    return (
        SENDER.search(clause) is not None,
        RECIPIENT.search(clause) is not None and not clause.endswith("?"),
        agents,
        bool(agents) and ABOUT_AGENTS.search(clause) is not None,
        bool(agents) and "both" in clause and WITH_SENDER.search(clause) is not None,
    )


def _place(content: str, folded: str, start: int, end: int) -> Clause:
    """A clause as it was written, from its first word on, where it starts and ends; of the folded text from start to end.

    A letter may be folded into several, such as "ß".
    """
    if len(folded) != len(content):
        written = [place for place, letter in enumerate(content) for _ in letter.casefold()]
        start, end = written[start], written[end - 1] + 1
    start = FIRST_WORD.search(content, start).start()  # type: ignore[union-attr]
    return content[start:end], start, end
