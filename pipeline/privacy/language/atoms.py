"""A sentence as atoms: the stretches between its commas, conjunctions and conditions, each with what it says.

An atom has a mode: a statement, or a question or a condition, which claim nothing.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from pipeline.privacy.language.ranges import Slots, is_between, listed, unnamed
from pipeline.privacy.language.scan import Token, scanner
from pipeline.privacy.language.slots import BOUNDARIES, CLASS_KINDS, LISTS, is_anchored, joined
from pipeline.privacy.language.targets import TICKS, decide, has_ticks, is_named

MOVE = re.compile(
    r"\b(?:tak\w+ (?:the |my )?(?:meeting|errand)|switch|transfer|bring|mov|reschedul|shift|relocat|push|bump|"
    r"swap|displac)"
)
# Parts of its words: few sentences need the search.
MOVES = ("mov", "shift", "push", "resched", "swap", "bump", "displac", "reloc", "tak", "switch", "transfer", "bring")
PREFERS = re.compile(r"\bprefer\w*\b")
TICKS_FIRST = re.compile(r"[^0^`]*[\^`]")
NAMES = r"agents?\s*#?0{1,2}(?:\s*(?:,|and|&|,\s*and)\s*agents?\s*#?0{1,2})*"
# Whom the message speaks to: "Great, Agent 2, …", "Hi Agent 2: …".
GREETED = re.compile(
    r"\s*(?:(?:hi|hello|hey|dear|thanks|thank you|ok|okay|great|sure|sorry|understood|perfect|yes|no|got it|morning)"
    rf"[,!\s]+)*(?:to |@ ?)?{NAMES}\s*(?:,(?!\s*(?:\w+ ?:\s+they\b|who|which|and|like|0|just like|"
    r"(?:though|however|meanwhile|too|on the other hand|(?:by|in) contrast|conversely|for one|at least),|"
    r"agents?\s*0+,?\s*(?:and|or)))|!|(?:~|-)\s*(?=(?:i|i'\w+|we|my|you|your|could|can|would|are|do|please|thanks)\b))"
)
HAILED = re.compile(
    rf"\s*(?:(?:hi|hello|hey|dear|thanks|thank you)\s+(?:again\s+)?{NAMES}\s*:?"
    rf"|@ ?{NAMES}\s+(?=slots?\b|i\b|my\b|we\b|0))"
)
GLUE = (
    r"\s*(?:(?:and|or|so|but|also|then|ok|okay|great|thanks|just|well|now|if so|if not|hi|hello|hey|perfect|"
    r"actually)\s+)*"
)
# How a question starts, with or without a question mark.
INVERTED = re.compile(
    GLUE + r"(?:(?:is|are|am|was|were|do|does|did|can|could|would|will|should|shall|might(?! i\b)|may(?! i\b)|"
    r"isn't|aren't|don't|doesn't|can't|couldn't|won't|wouldn't)\s+(?:you|your|we|i|they|he|she|it|that|this|these|"
    r"those|there|slots?|0|#0|agents?|any|anyone|everyone|someone|either (?:of|slot|0)|both (?:of|slots)|the|our|"
    r"their)\b|(?:have|has)\s+(?:you|we|they|i|agents?|any|anyone)\b|(?:how|who|why)\b|what (?:about|is|are|do|does|"
    r"if|would|slots?|times?|could|can|should|will|else)\b|any (?:chance|conflicts?|objections?|issues?|problems?)\b)"
)
# A slot, what greets it or goes with it, and no verb.
YES = (
    r"(?:ok|okay|great|perfect|alright|all right|right|yes|so|good|super|excellent|cool|fine|thanks|understood|deal|"
    r"then|well)"
)
VERBLESS = re.compile(
    rf"(?=.*(?:{YES}|meeting|please|\+))\s*(?:{YES}[\s,:~-]+)*(?:\+0 (?:for |to |on )?)?(?:(?:for )?meeting "
    rf"#?0+\s{{0,3}}(?:=|:|->|=>|~|-|,)?\s{{0,3}})?(?:at |for )?slot ?#?0+(?:[\s,~-]+(?:for (?:us|this|our meeting)|"
    rf"(?:for )?meeting #?0+|please|{YES}|all (?:three )?of us))*\s*"
)
ENDS_SCOPE = ("hard", "stop")  # in front of an atom: what was said before is over
OPENING = ("soft", "hard", "stop", "")
RELATIVE = ("which", "where")
ENDS_CONDITION = frozenset((",", "then", "(", ")", "~", "-", ":", "|", "->", "=>", "so", "since", "because"))
ENDS_QUESTION = re.compile(r"(?:, )?(?:since|because|as|so|which|where|and)|[,(~:-]|given")
BACK_THEN = re.compile(r"\b(?:there|then|too|it|as well)\s+$")
OF_AGENT = re.compile(r"agents?\s*#?0{1,2}\s*,\s*who\b")
WOULD = re.compile(r"\b(?:would|could|might|will)\b|'(?:d|ll)\b")
# "So is Agent 2", "neither is slot 5", "and I am too".
ECHO = re.compile(r"\s*(?:is|are|am|does|do|did|has|have|can|will|could|would)\s+(?:agents?|i|we|slots?|0)\b")
ECHOED = re.compile(
    r"\s*(?:and\s+)?(?:agents?\s*#?0+|i|we)(?:'m|\s+(?:is|are|am|does|do|can|will|could|would))\s+"
    r"(?:too|as well|also)\b"
)
SAME = re.compile(
    r"\b(?:(?:sa(?:id|ys)|told(?: me| us)?|wrote|replied|answered) (?:exactly )?the same|likewise|ditto|"
    r"same (?:story |thing |deal )?(?:goes|holds|is true|applies|is the case|about|of|for|with|at|on))\b"
)
TOO = ("too", "as well", "also")  # words that it must have
NEITHER = re.compile(rf"\s*(?:so|neither|nor)\b(?={ECHO.pattern})")

# "Free after 5" is of all slots after it, "an errand after 5" of one that is not named.
SPANNING = ("positive", "negative", None)


@dataclass(slots=True)
class Atom:
    """A stretch of a sentence: the words before it and what kind of boundary they are, its tokens, the slots it names
    and those it puts aside, its class and the token that decides it."""

    lead: str
    boundary: str
    start: int
    end: int = 0
    tokens: list[Token] = field(default_factory=list)
    kinds: Set[str] = frozenset()
    slots: list[Slots] = field(default_factory=list)
    aside: list[Slots] = field(default_factory=list)
    claim_class: str | None = None
    decider: Token | None = None
    echoes: bool = False  # it only repeats a class: "so is Agent 2"
    mode: str = "statement"

    def has(self, kind: str) -> bool:
        """Whether a phrase of this kind is in it."""
        return kind in self.kinds


def atoms(text: str, goes_on: bool = False) -> list[Atom]:
    """The atoms of a sentence, each with its class, slots and mode; `goes_on`: a class was said before it."""
    return atoms_of(text, *phrases(text), goes_on)


def phrases(text: str) -> tuple[list[Token], int]:
    """The phrases of a sentence, and where it starts: after a greeting by name."""
    hail = (GREETED.match(text) or HAILED.match(text)) if "agent" in text else None
    start = hail.end() if hail else 0
    return scanner().scan(text, start), start


def atoms_of(text: str, phrases: Sequence[Token], start: int, goes_on: bool = False) -> list[Atom]:
    """The atoms of a sentence whose phrases were found."""
    tokens = joined(text, phrases)
    kept = [t for i, t in enumerate(tokens) if t.kind != "numbers" or is_anchored(text, tokens, i, goes_on)]
    atoms = _cut(text, kept, start)
    decided, named = False, list[Slots]()
    for atom in atoms:
        atom.kinds = {token.kind for token in atom.tokens}
        atom.claim_class, atom.decider = decide(text, atom.tokens, atom.kinds)
        decided = decided or atom.claim_class is not None
        _set_slots(text, atom, named)
        named = atom.slots or named
        atom.echoes = _is_echo(text, atom)
    if not decided and VERBLESS.fullmatch(text):
        _settle(atoms)
    _set_modes(text, atoms)
    return atoms


def _cut(text: str, tokens: Sequence[Token], start: int) -> list[Atom]:
    """The atoms between boundaries, with their tokens."""
    atoms = [Atom("", "", start)]
    ticked = has_ticks(text)
    ticks_first = ticked and TICKS_FIRST.match(text) is not None
    for at, token in enumerate(tokens):
        turns = _alternates(text, atoms[-1], token, tokens[at + 1 : at + 2])
        if turns or ((ticked or token.kind == "group") and _starts_anew(text, atoms[-1], token, ticks_first)):
            atoms[-1].end = token.start
            atoms.append(Atom("/" if turns else ",", "soft", token.start))
        if token.kind in BOUNDARIES:
            _cut_at(text, atoms, token)
        else:
            atoms[-1].tokens.append(token)
    atoms[-1].end = len(text)
    return atoms


def _cut_at(text: str, atoms: list[Atom], token: Token) -> None:
    """End the last atom and begin another; of boundaries in a row (", and") the lead keeps all words."""
    last = atoms[-1]
    last.end = token.start
    lead, boundary = text[token.start : token.end].strip(), token.kind
    starts_with_it = boundary in ("hypothetical", "except")
    start = token.start if starts_with_it or lead == "not" else token.end
    if not last.tokens and last.boundary in OPENING and not text[last.start : last.end].strip():
        atoms.pop()
        if last.lead and last.boundary in ENDS_SCOPE and boundary in ("soft", "hard"):
            boundary = last.boundary
        lead = f"{last.lead} {lead}".strip()
    atoms.append(Atom(lead, boundary, start, tokens=[token] if starts_with_it else []))


def _starts_anew(text: str, atom: Atom, token: Token, ticks_first: bool) -> bool:
    """Whether a subject or a slot starts another atom without a word between.

    "Except 3 I'm free", "blocked there I'd take 5", "1 ✅ 2 ❌".
    """
    if ticks_first:
        return text[token.start] in TICKS and bool(atom.tokens)
    if token.kind in LISTS:
        return bool(atom.tokens) and text[atom.tokens[-1].start] in TICKS
    if token.kind != "group":
        return False
    if atom.boundary == "except":
        return len(atom.tokens) > 1
    has_class = any(token.kind in CLASS_KINDS for token in atom.tokens)
    return has_class and BACK_THEN.search(text, atom.start, token.start) is not None


def _alternates(text: str, atom: Atom, token: Token, following: Sequence[Token]) -> bool:
    """Whether slots and classes take turns with nothing between them: "3 free 4 busy", "free 3 busy 4"."""
    if len(atom.tokens) < 2 or token.kind in BOUNDARIES:
        return False
    if token.kind == "occupied" and "0" in text[token.start : token.end]:
        following = atom.tokens[-1:]  # "busy 4 errand 5"
    if not following:
        return False
    four = (*atom.tokens[-2:], token, *following)
    if any((one.kind in LISTS) != (first.kind in LISTS) for one, first in ((four[2], four[0]), (four[3], four[1]))):
        return False
    if sum(one.kind in LISTS for one in four) != 2 or any(one.kind not in (*LISTS, *CLASS_KINDS) for one in four):
        return False
    return all(not text[a.end : b.start].strip(" :=#-/") for a, b in pairwise(four))


def _set_slots(text: str, atom: Atom, named: Sequence[Slots]) -> None:
    """The atom's slots: not those put aside, and those that something would move to only where that is proposed."""
    if atom.kinds.isdisjoint(LISTS):
        if atom.has("every"):
            token = next(token for token in atom.tokens if token.kind == "every")
            atom.slots += unnamed(text, token, atom.claim_class, named)
        return
    moving = any(map(text.__contains__, MOVES)) and MOVE.search(text, atom.start, atom.end) is not None
    chosen = "prefer" in text and PREFERS.search(text, atom.start, atom.end) is not None
    spans = atom.claim_class in SPANNING
    into = atom.slots
    for token in atom.tokens:
        if token.kind == "aside":
            into = atom.slots if moving and text.startswith("away", token.start) else atom.aside
        elif token.kind in LISTS:
            into += listed(text, token, moving, chosen, spans and not atom.slots)
    if atom.has("every") and is_between(text, atom.tokens, atom.slots):
        atom.slots, atom.claim_class, atom.decider = [], None, None


def _settle(atoms: Sequence[Atom]) -> None:
    """Read a slot without a verb, which only settles on it, as proposed: "OK, slot 4 for meeting 2"."""
    for atom in atoms:
        if atom.slots:
            atom.claim_class, atom.decider = "proposal", atom.tokens[-1]


def _is_echo(text: str, atom: Atom) -> bool:
    """Whether an atom only repeats a class, for another target or slot: "so is Agent 2", "so is slot 5"."""
    if atom.claim_class:
        return False
    if atom.lead.endswith(("so", "as", "nor", "neither")) and ECHO.match(text, atom.start):
        return True
    if NEITHER.match(text, atom.start) or (atom.has("ignored") and SAME.search(text, atom.start, atom.end)):
        return True
    return not atom.slots and any(map(text.__contains__, TOO)) and ECHOED.match(text, atom.start) is not None


def _set_modes(text: str, atoms: Sequence[Atom]) -> None:
    """Say of each atom whether it states, asks or only supposes."""
    mode, outer, moves, names_slots = "statement", "statement", False, False
    for before, atom in zip([None, *atoms], atoms, strict=False):
        if atom.boundary in ENDS_SCOPE:
            mode = outer = "statement"
        if atom.boundary == "hypothetical":
            mode, moves = "condition", MOVE.search(text, atom.start, atom.end) is not None
            if moves:
                _suspend(text, before)
        elif mode == "condition" and _ends_condition(text, atom, moves):
            mode = outer
        if mode != "condition":
            mode = outer = _asks(text, atom, outer, names_slots)
        atom.mode = mode
        names_slots |= bool(atom.slots)


def _suspend(text: str, before: Atom | None) -> None:
    """Make what would hold part of the condition that follows: "3 would be free if I moved my errand"."""
    if before and before.claim_class == "positive" and WOULD.search(text, before.start, before.end):
        before.mode = "condition"


def _ends_condition(text: str, atom: Atom, moves: bool) -> bool:
    """Whether a condition ends here: not at ", and", which goes on with it, nor at what would hold if one moved."""
    if atom.lead.split(" ")[0] not in ENDS_CONDITION or atom.lead in (", and", ", or"):
        return False
    return not (moves and WOULD.search(text, atom.start, atom.end))


def _asks(text: str, atom: Atom, mode: str, names_slots: bool) -> str:
    """Whether an atom asks: it starts like a question, or goes on with one and makes no claim of its own."""
    relative = atom.lead.endswith(RELATIVE) or (
        atom.lead == "," and OF_AGENT.search(text, 0, atom.start + 5) is not None
    )
    if relative and not names_slots and not text[: atom.start].replace(atom.lead, "", 1).strip(" -"):
        return "question"
    if not (relative or atom.echoes) and _starts_question(text, atom):
        return "question"
    goes_on = mode == "question" and not (ENDS_QUESTION.fullmatch(atom.lead) and _claims(text, atom, relative))
    return "question" if goes_on else "statement"


def _starts_question(text: str, atom: Atom) -> bool:
    return atom.has("request") or INVERTED.match(text, atom.start) is not None


def _claims(text: str, atom: Atom, relative: bool) -> bool:
    """Whether an atom starts with the sender or an agent, or says for whom."""
    marks = [token for token in atom.tokens if token.kind in ("group", "for_whom")]
    if atom.lead == "and" and not (marks and text.startswith(("i ", "i'"), marks[0].start)):
        return False
    return bool(marks) and is_named(text, marks[0]) and (relative or bool(atom.claim_class))
