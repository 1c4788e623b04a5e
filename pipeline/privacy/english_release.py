"""English as the public benchmark's script reads it (docs/language.md): a direct message to evidence for its recipient.

The script has rules of its own, so nothing here is shared with the grammar in `language`. Of a text only its clauses
with slots are kept, for all that send it; who sends it to whom, and the size of the game, say whose slots these are.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
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
PROTOCOL = re.compile('"(?:dsm|imap)"')
# Spans start with a word, so that the same words in CSV never start as a formula does.
FIRST_WORD = re.compile(r"\w")
# The look ahead says nothing new: it saves time where no clause can end.
CLAUSE_END = re.compile(r"(?=[\s;boa])(?:(?<=[.!?])\s+|;|\b(?:but|otherwise|alternatively)\b)")

# A slot is a number in one of three kinds of stretches, none of which goes past a stop.
DIGIT = re.compile(r"\d")
ZEROS = str.maketrans("123456789", "0" * 9)
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


Span = tuple[int, int]


class Form(NamedTuple):
    """What a clause says but for the values of its numbers: its source, where they may be slots, and whom it is about.

    about_agents: whether agents that it names are targets. both: whether they are, and the sender with them.
    """

    source: str
    numbers: tuple[Span, ...]
    of_sender: bool
    of_recipient: bool
    agents: tuple[Span, ...]
    about_agents: bool
    both: bool


class SlotClause(NamedTuple):
    """A clause of some class: the numbers that may be slots, in rising order, and the agents that it names."""

    form: Form
    numbers: tuple[int, ...]
    agents: frozenset[int]

    def targets(self, sender: int, recipient: int, num_agents: int) -> list[int]:
        """Whose slots they are: the agents meant, in rising order, else the sender."""
        form = self.form
        if not (self.agents or form.of_recipient):
            return [sender]
        named = {agent for agent in self.agents if agent < num_agents}
        meant = named if form.about_agents or form.both else set()
        if form.of_sender or (form.both and named):
            meant = meant | {sender}
        if form.of_recipient:
            meant = meant | {recipient}
        return sorted(meant) or [sender]


class Hint(NamedTuple):
    """What one clause says of one target's slots: the source names its class, and VALUES its evidence and strength.

    clause: its number among the text's clauses, also those that say nothing.
    """

    target: int
    source: str
    slots: list[int]
    clause: int


def release_hints(content: str, sender: int, recipient: int, num_agents: int, num_slots: int | None) -> list[Hint]:
    """What a direct English message tells its recipient, of whom the recipient may be one, in the script's order.

    Of a target each slot counts once per source. num_slots: None for a calendar whose size is not known.
    """
    hints: list[Hint] = []
    given: dict[tuple[int, str], set[int]] = {}
    for number, clause in slot_clauses(content):
        source = clause.form.source
        slots = [slot for slot in clause.numbers if num_slots is None or slot < num_slots]
        for target in clause.targets(sender, recipient, num_agents) if slots else ():
            before = given.setdefault((target, source), set())
            new = [slot for slot in slots if slot not in before]
            before.update(new)
            if new:
                hints.append(Hint(target, source, new, number))
    return hints


def release_runs(
    content: str, sender: int, recipient: int, num_agents: int, num_slots: int | None
) -> list[EvidenceRun]:
    """The same as evidence runs, each with its clause as it was written."""
    runs: list[EvidenceRun] = []
    hints = release_hints(content, sender, recipient, num_agents, num_slots)
    places = written_clauses(content) if hints else []
    for target, source, slots, clause in hints:
        evidence, strength = VALUES[source]
        runs.append((target, source, strength, [(slot, evidence) for slot in slots], places[clause]))
    return runs


@lru_cache(maxsize=16384)
def slot_clauses(content: str) -> tuple[tuple[int, SlotClause], ...]:
    """The clauses of an English text that say something of slots, in its order, each with its number."""
    folded = content.casefold()
    if '"' in folded and PROTOCOL.search(folded):
        return ()
    clauses = []
    for number, part in enumerate(CLAUSE_END.split(folded)):
        if clause := _slot_clause(part):
            clauses.append((number, clause))
    return tuple(clauses)


@lru_cache(maxsize=65536)
def _slot_clause(part: str) -> SlotClause | None:
    """The clause that a part of a folded text is; None for one that says nothing of slots."""
    clause = part.strip()
    form = _form(clause.translate(ZEROS)) if DIGIT.search(clause) else None
    if form is None:
        return None
    return SlotClause(form, tuple(sorted(_values(clause, form.numbers))), frozenset(_values(clause, form.agents)))


def _values(clause: str, numbers: Iterable[Span]) -> set[int]:
    """The values of a clause's numbers."""
    return {int(clause[start:end]) for start, end in numbers if end - start <= MOST_DIGITS}


@lru_cache(maxsize=65536)
def _form(shape: str) -> Form | None:
    """The form of a clause, its digits written as 0; None for one without a class or a number that may be a slot."""
    source = _source(shape)
    numbers = tuple(_numbers(shape)) if source else ()
    if not source or not numbers:
        return None
    agents = tuple(agent.span(1) for agent in AGENT.finditer(shape))
    return Form(
        source,
        numbers,
        SENDER.search(shape) is not None,
        RECIPIENT.search(shape) is not None and not shape.endswith("?"),
        agents,
        ABOUT_AGENTS.search(shape) is not None,
        "both" in shape and WITH_SENDER.search(shape) is not None,
    )


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


def _numbers(clause: str) -> Iterator[Span]:
    """Where the numbers of a clause's stretches stand that are none of an agent, a meeting or a cost.

    A number that a stretch ends in is read as far as the stretch goes.
    """
    stretches = [match.span(1) for match in AFTER_SLOT.finditer(clause)]
    stretches += [match.span() for search in (FROM_VERB, TO_FREE) for match in search.finditer(clause)]
    for start, end in stretches:
        for number in NUMBER.finditer(clause, start, end):
            at = number.start()
            if not OTHER_NUMBER.search(clause, max(start, at - BEFORE), at):
                yield number.span()


def written_clauses(content: str) -> list[Clause]:
    """All clauses of a text as they were written, from their first word on, with where that starts and ends."""
    folded = content.casefold()
    # A letter may be folded into several, such as "ß".
    written = [place for place, letter in enumerate(content) for _ in letter.casefold()] + [len(content)]
    ends = [match.span() for match in CLAUSE_END.finditer(folded)]
    clauses: list[Clause] = []
    for (_, start), (end, _) in pairwise([(0, 0), *ends, (len(folded), 0)]):
        end = written[start + len(folded[start:end].rstrip())]
        word = FIRST_WORD.search(content, written[start], end)
        begin = word.start() if word else end
        clauses.append((content[begin:end], begin, end))
    return clauses
