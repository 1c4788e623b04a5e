"""Which of H.3's five classes a stretch of a sentence says: the first in their order, after its negations."""

import re
from collections.abc import Sequence, Set

from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.slots import CLASS_KINDS, LISTS

PRIORITY = ("occupied", "negative", "positive", "cost", "proposal")
# What holds of a slot that is left out: "free at 3-5 except 4". Cost and proposal have no opposite.
OPPOSITE = {"positive": "negative", "negative": "positive", "occupied": "positive"}
# What "not" makes of a class; an errand that one would rather not move is still an errand.
NEGATED = {"negative": "positive", "positive": "negative", "occupied": "occupied"}

# Kinds that are told apart from their class because other words weigh differently beside them.
READ_AS = {"clear": "positive", "effort": "occupied", "event": "occupied"}

# "Let's put meeting 4 at slot 3" proposes; "let's move meeting 4 out of slot 3" says where it is.
IS_MEETING = re.compile(r"(?!.*(?:mov|shift|push|reschedul|out of|off|away|leav|vacat|from)).*meeting")
EASILY = re.compile(r"\b(?:easily|cheaply|readily|quickly|painlessly)\b")
UNABLE = re.compile(r"can|could|unable|.*\bable\b")
TICKS = ("^", "`")

Decision = tuple[str | None, Token | None]
UNDECIDED: Decision = (None, None)


def decide(text: str, tokens: Sequence[Token], kinds: Set[str]) -> Decision:
    """The class that tokens of these kinds say together, and the token that decides it."""
    if not _has_class(kinds):
        return UNDECIDED
    claim_class, decider = UNDECIDED
    negated, proposed = _negates_all(text, tokens, kinds), False
    skips_effort = not kinds.isdisjoint(("cost", "clear"))
    for token in _ticks_last(text, tokens):
        if claim_class and text[token.start] in TICKS:
            break
        negated |= token.kind == "negation"
        token_class = _class_of(text, token, negated, skips_effort)
        skips_effort |= token.kind == "negative" and UNABLE.match(text, token.start, token.end) is not None
        if token_class is None or (proposed and _is_the_meeting(text, token, token_class)):
            continue
        proposed |= token_class == "proposal"
        if _outranks(token_class, claim_class, decider):
            claim_class, decider = token_class, token
    return claim_class, decider


def _has_class(kinds: Set[str]) -> bool:
    """Whether one is said, and not only of the rest of the calendar: "the other slots are free"."""
    return not kinds.isdisjoint(CLASS_KINDS) and ("elsewhere" not in kinds or not kinds.isdisjoint(LISTS))


def _class_of(text: str, token: Token, negated: bool, skips_effort: bool) -> str | None:
    """What a token says, negated or not; making room says nothing more where a price or a refusal stands."""
    if token.kind not in CLASS_KINDS:
        return None
    claim_class = READ_AS.get(token.kind, token.kind)
    if token.kind == "effort" and EASILY.search(text, token.start, token.end):
        claim_class = "cost"
    elif token.kind == "effort" and skips_effort:
        return None
    return _negated(text, token, claim_class) if negated and token.kind != "clear" else claim_class


def _negated(text: str, token: Token, claim_class: str) -> str | None:
    """What a negation makes of a class: room that can't be made is a slot out of reach."""
    if token.kind == "effort":
        return "negative"
    if claim_class == "occupied" and "any" in text[token.start : token.end]:
        return "positive"  # "neither Agent 0 nor I have anything at 3"
    return NEGATED.get(claim_class)


def _is_the_meeting(text: str, token: Token, claim_class: str) -> bool:
    """Whether the item is the meeting that a proposal is about, and not in its way."""
    return claim_class == "occupied" and IS_MEETING.match(text, token.start, token.end) is not None


def _outranks(token_class: str, claim_class: str | None, decider: Token | None) -> bool:
    """Whether a class comes before the one so far, or says it in better words than those of making room."""
    if claim_class is None or decider is None or PRIORITY.index(token_class) < PRIORITY.index(claim_class):
        return True
    return decider.kind == "effort" and token_class == claim_class


def _negates_all(text: str, tokens: Sequence[Token], kinds: Set[str]) -> bool:
    """Whether a negation holds of all that is said, wherever it stands: "3 works for neither of us"."""
    if "negation" in kinds:
        negations = (token.start for token in tokens if token.kind == "negation")
        if any(text.startswith(("neither", "none"), start) for start in negations):
            return True
    whom = (token for token in tokens if token.kind == "for_whom") if "for_whom" in kinds else ()
    return any("neither" in text[token.start : token.end] for token in whom)


def _ticks_last(text: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens in order, but ticks after words, which say more."""
    return sorted(tokens, key=lambda token: text[token.start] in TICKS) if has_ticks(text) else tokens


def has_ticks(text: str) -> bool:
    """Whether a tick or a cross stands in a folded text."""
    return "^" in text or "`" in text
