"""A sentence as atoms: the stretches between its commas, conjunctions and conditions, each with what it says.

An atom has a mode: a statement, or a question or a condition, which claim nothing.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from pipeline.language.scan import Token, scanner
from pipeline.language.slots import BOUNDARIES, CLASS_KINDS, LISTS, MOVE, Slots, is_anchored, joined, listed
from pipeline.language.targets import is_named

PRIORITY = ("occupied", "negative", "positive", "cost", "proposal")
# What "not" makes of a class; an errand that one would rather not move is still an errand.
TURNED = {"negative": "positive", "positive": "negative", "occupied": "occupied"}

# Kinds that are told apart from their class because other words weigh differently beside them.
READ_AS = {"clear": "positive", "effort": "occupied", "event": "occupied"}

# "Let's put meeting 4 at slot 3" proposes; "let's move meeting 4 out of slot 3" says where it is.
IS_MEETING = re.compile(r"(?!.*(?:mov|shift|push|reschedul|out of|off|away|leav|vacat|from)).*meeting")
EASILY = re.compile(r"\b(?:easily|cheaply|readily|quickly|painlessly)\b")
UNABLE = re.compile(r"can|could|unable|.*\bable\b")
PREFERS = re.compile(r"\bprefer\w*\b")
TICKS = ("^", "`")
TICKS_FIRST = re.compile(r"[^0^`]*[\^`]")
NAMES = r"agents?\s*#?0{1,2}(?:\s*(?:,|and|&|,\s*and)\s*agents?\s*#?0{1,2})*"
# Whom the message speaks to: "Great, Agent 2, …", "Hi Agent 2: …".
GREETED = re.compile(
    r"\s*(?:(?:hi|hello|hey|dear|thanks|thank you|ok|okay|great|sure|sorry|understood|perfect|yes|no|got it|morning)"
    rf"[,!\s]+)*(?:to |@ ?)?{NAMES}\s*(?:,(?!\s*(?:who|which|and|like|0|just like|"
    r"(?:though|however|meanwhile|too|on the other hand|for one|at least),|agents?\s*0+,?\s*(?:and|or)))|!|~|-\s)"
)
HAILED = re.compile(rf"\s*(?:hi|hello|hey|dear|thanks|thank you)\s+(?:again\s+)?{NAMES}\s*:?")
GLUE = (
    r"\s*(?:(?:and|or|so|but|also|then|ok|okay|great|thanks|just|well|now|if so|if not|hi|hello|hey|perfect|"
    r"actually)\s+)*"
)
# How a question starts, with or without a question mark.
INVERTED = re.compile(
    GLUE + r"(?:(?:is|are|am|was|were|do|does|did|can|could|would|will|should|shall|isn't|aren't|don't|doesn't|can't|"
    r"couldn't|won't|wouldn't)\s+(?:you|your|we|i|they|he|she|it|that|this|these|those|there|slots?|0|#0|agents?|any|"
    r"anyone|everyone|someone|either (?:of|slot|0)|both (?:of|slots)|the|our|their)\b"
    r"|(?:have|has)\s+(?:you|we|they|i|agents?|any|anyone)\b|(?:how|who|why)\b"
    r"|what (?:about|is|are|do|does|if|would|slots?|times?|could|can|should|will|else)\b"
    r"|any (?:chance|conflicts?|objections?|issues?|problems?)\b)"
)
RELATIVE = ("which", "where")
ENDS_CONDITION = frozenset((",", "then", "(", ")", "~", "-", ":", "|", "->", "=>", "so", "since", "because"))
ENDS_QUESTION = re.compile(r"(?:, )?(?:since|because|as|so|which|where|and)|[,(~:-]|given")
BACK_THEN = re.compile(r"\b(?:there|then|too|it|as well)\s+$")
WOULD = re.compile(r"\b(?:would|could|might|will)\b|'(?:d|ll)\b")


@dataclass(slots=True)
class Atom:
    """A stretch of a sentence: the word before it, its tokens, its slots, its class and the token that decides it."""

    lead: str
    kind: str
    start: int
    end: int = 0
    tokens: list[Token] = field(default_factory=list)
    kinds: Set[str] = frozenset()
    slots: list[Slots] = field(default_factory=list)
    aside: list[Slots] = field(default_factory=list)
    decided: str | None = None
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
    hail = GREETED.match(text) or HAILED.match(text)
    start = hail.end() if hail else 0
    return scanner().scan(text, start), start


def atoms_of(text: str, found: Sequence[Token], start: int, goes_on: bool = False) -> list[Atom]:
    """The atoms of a sentence whose phrases were found."""
    tokens = joined(text, found)
    kept = [t for i, t in enumerate(tokens) if t.kind != "numbers" or is_anchored(text, tokens, i, goes_on)]
    made = _cut(text, kept, start)
    for atom in made:
        _decide(text, atom)
        _place(text, atom)
        atom.echoes = _is_echo(text, atom)
    _set_modes(text, made)
    return made


def _cut(text: str, tokens: Sequence[Token], start: int) -> list[Atom]:
    """The atoms between boundaries; of boundaries in a row (", and") the lead keeps all words."""
    made = [Atom("", "", start)]
    ticked = has_ticks(text)
    ticks_first = ticked and TICKS_FIRST.match(text) is not None
    for token in tokens:
        if (ticked or token.kind == "group") and _starts_anew(text, made[-1], token, ticks_first):
            made[-1].end = token.start
            made.append(Atom(",", "soft", token.start))
        if token.kind not in BOUNDARIES:
            made[-1].tokens.append(token)
            continue
        last = made[-1]
        last.end = token.start
        lead, word = "", text[token.start : token.end].strip()
        if not last.tokens and not text[last.start : last.end].strip() and last.kind in ("soft", "hard", "stop", ""):
            made.pop()
            lead = last.lead
        kind = last.kind if lead and last.kind in ("hard", "stop") and token.kind in ("soft", "hard") else token.kind
        inside = token.kind in ("hypothetical", "except") or word == "not"
        made.append(Atom(f"{lead} {word}".strip(), kind, token.start if inside else token.end))
        if inside and word != "not":
            made[-1].tokens.append(token)
    made[-1].end = len(text)
    return made


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
    if atom.kind == "except":
        return len(atom.tokens) > 1
    said = any(token.kind in CLASS_KINDS for token in atom.tokens)
    return said and BACK_THEN.search(text, atom.start, token.start) is not None


def _decide(text: str, atom: Atom) -> None:
    """The first class in the order of priority, after turning those that a negation stands before."""
    atom.kinds = {token.kind for token in atom.tokens}
    if not atom.kinds.isdisjoint(CLASS_KINDS):
        _weigh(text, atom)
    if atom.has("elsewhere") and atom.kinds.isdisjoint(LISTS):
        atom.decided = atom.decider = None


def _weigh(text: str, atom: Atom) -> None:
    """Set what decides an atom that has a phrase of a class."""
    negated = _is_neither(text, atom)
    proposed, skips = False, atom.has("cost") or atom.has("clear")
    for token in _ticks_last(text, atom.tokens):
        if text[token.start] in TICKS and atom.decided:
            break
        if token.kind == "negation":
            negated = True
        elif token.kind in CLASS_KINDS:
            plain = READ_AS.get(token.kind, token.kind)
            if token.kind == "effort" and EASILY.search(text, token.start, token.end):
                plain = "cost"
            elif token.kind == "effort" and skips:
                continue
            skips = skips or (token.kind == "negative" and UNABLE.match(text, token.start, token.end) is not None)
            said = _turned(token, plain) if negated and token.kind != "clear" else plain
            if said == "occupied" and negated and "any" in text[token.start : token.end]:
                said = "positive"  # "neither Agent 0 nor I have anything at 3"
            if said == "occupied" and proposed and IS_MEETING.match(text, token.start, token.end):
                continue
            proposed = proposed or said == "proposal"
            better = atom.decider is not None and atom.decider.kind == "effort" and said == atom.decided
            if said and (better or atom.decided is None or PRIORITY.index(said) < PRIORITY.index(atom.decided)):
                atom.decided, atom.decider = said, token


def _is_neither(text: str, atom: Atom) -> bool:
    """Whether a negation holds of all that an atom says, wherever it stands: "3 works for neither of us"."""
    if atom.has("negation"):
        negations = (token for token in atom.tokens if token.kind == "negation")
        if any(text.startswith(("neither", "none"), token.start) for token in negations):
            return True
    whom = (token for token in atom.tokens if token.kind == "for_whom") if atom.has("for_whom") else ()
    return any("neither" in text[token.start : token.end] for token in whom)


def _ticks_last(text: str, tokens: list[Token]) -> Sequence[Token]:
    """The tokens in order, but ticks after words, which say more."""
    return sorted(tokens, key=lambda token: text[token.start] in TICKS) if has_ticks(text) else tokens


def has_ticks(text: str) -> bool:
    """Whether a tick or a cross stands in a folded text."""
    return "^" in text or "`" in text


def _turned(token: Token, plain: str) -> str | None:
    """What a negation makes of a class: room that can't be made is a slot out of reach."""
    return "negative" if token.kind == "effort" else TURNED.get(plain)


def _place(text: str, atom: Atom) -> None:
    """The atom's slots: not those put aside, and those that something would move to only where that is proposed."""
    if atom.kinds.isdisjoint(LISTS):
        return
    moving = MOVE.search(text, atom.start, atom.end) is not None
    chosen = PREFERS.search(text, atom.start, atom.end) is not None
    into = atom.slots
    for token in atom.tokens:
        if token.kind == "aside":
            into = atom.slots if moving and text.startswith("away", token.start) else atom.aside
        elif token.kind in LISTS:
            into += listed(text, token, moving, chosen)


def _set_modes(text: str, made: Sequence[Atom]) -> None:
    mode, outer, moves = "statement", "statement", False
    placed = False
    for before, atom in zip([None, *made], made, strict=False):
        if atom.kind in ("hard", "stop"):
            mode = outer = "statement"
        if atom.kind == "hypothetical":
            mode, moves = "condition", MOVE.search(text, atom.start, atom.end) is not None
            if moves and before and before.decided == "positive" and WOULD.search(text, before.start, before.end):
                before.mode = mode
        elif mode == "condition" and _ends(atom.lead) and not (moves and WOULD.search(text, atom.start, atom.end)):
            mode = outer
        if mode != "condition":
            mode = outer = _asks(text, atom, outer, placed)
        atom.mode = mode
        placed = placed or bool(atom.slots)


def _ends(lead: str) -> bool:
    """Whether a condition ends here: not at ", and", which goes on with it."""
    return lead.split(" ")[0] in ENDS_CONDITION and lead not in (", and", ", or")


def _asks(text: str, atom: Atom, mode: str, placed: bool) -> str:
    """Whether an atom asks: it starts like a question, or goes on with one and makes no claim of its own."""
    relative = atom.lead.endswith(RELATIVE)
    if relative and not placed and not text[: atom.start].replace(atom.lead, "", 1).strip(" -"):
        return "question"
    if not relative and not atom.echoes and (INVERTED.match(text, atom.start) or atom.has("request")):
        return "question"
    if mode == "question" and not (ENDS_QUESTION.fullmatch(atom.lead) and _claims(text, atom, relative)):
        return "question"
    return "statement"


def _claims(text: str, atom: Atom, relative: bool) -> bool:
    """Whether an atom starts with the sender or an agent, or says for whom."""
    marks = [token for token in atom.tokens if token.kind in ("group", "for_whom")]
    if atom.lead == "and" and not (marks and text.startswith(("i ", "i'"), marks[0].start)):
        return False
    return bool(marks) and is_named(text, marks[0]) and (relative or bool(atom.decided))


ECHO = re.compile(r"\s*(?:is|are|am|does|do|did|has|have|can|will|could|would)\s+(?:agents?|i|we|slots?|0)\b")
ECHOED = re.compile(
    r"\s*(?:and\s+)?(?:agents?\s*#?0+|i|we)(?:'m|\s+(?:is|are|am|does|do|can|will|could|would))\s+"
    r"(?:too|as well|also)\b"
)


NEITHER = re.compile(rf"\s*(?:so|neither|nor)\b(?={ECHO.pattern})")


def _is_echo(text: str, atom: Atom) -> bool:
    """Whether an atom only repeats a class, for another target or slot: "so is Agent 2", "so is slot 5"."""
    if atom.decided:
        return False
    if atom.lead.endswith(("so", "as", "nor", "neither")) and ECHO.match(text, atom.start):
        return True
    if NEITHER.match(text, atom.start):
        return True
    return not atom.slots and ECHOED.match(text, atom.start) is not None
