"""Lists of slots that a class or a verb cut in two, made whole again."""

import re
from collections.abc import Sequence

from pipeline.language.scan import Token
from pipeline.language.slots import CLASS_KINDS, LISTS

# What ends a stretch of a sentence.
BOUNDARIES = frozenset(("soft", "hard", "stop", "except", "hypothetical"))
JOINT = re.compile(r"\s*(?:,|and|&|,\s*and)\s*")
LONE = re.compile(r"slots ?#?0+")  # more must follow
# A clause that starts with what is done, with what is there, or with its cost: "moving my errand at 3 and 5 costs 1".
SUBJECT = re.compile(
    r"(?:^|[,:~(]|\b(?:and|but|so|because|since|for me|that|then|also))\s*(?:well\s+|yes\s+)?"
    r"(?:(?:mov|shift|reschedul|us|tak|clear|free|open|rearrang|relocat|displac|mak|vacat|giv|pick|choos|shuffl|"
    r"bump)ing\b|"
    r"what\b|whatever\b|(?:my|the|a|our|their|agents?\s*#?0+'s)\s+(?:costs?|price)\b|"
    r"(?:my|an?|the|our)\s+(?:\w+\s+)?(?:errands?|commitments?|appointments?|engagements?|obligations?)\b)[^,;:()]*$"
)


def joined(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Lists made whole again: "none of 3, 5 and 9 works" is one list, "free at 3, 5 and 9 works" is two."""
    made: list[Token] = []
    subject: Token | None = None
    said = False
    for token in tokens:
        if token.kind in LISTS:
            at = _list_before(text, made, token)
            if at is not None and (not said or _goes_on(text, made[at], subject)):
                made[at:] = [Token(made[at].kind, made[at].start, token.end)]
            else:
                made.append(token)
            continue
        made.append(token)
        if token.kind not in ("soft", "for_whom"):
            subject = token
        if token.kind in CLASS_KINDS:
            said = True
        elif token.kind in BOUNDARIES:
            said = said and token.kind == "soft"
    return made


def _list_before(text: str, made: Sequence[Token], token: Token) -> int | None:
    """Which token is the list that a list goes on with, with nothing but what joins lists between them."""
    at = len(made) - 1
    while at >= 0 and made[at].kind == "soft":
        at -= 1
    if at >= 0 and made[at].kind in LISTS and JOINT.fullmatch(text, made[at].end, token.start):
        return at
    return None


def _goes_on(text: str, last: Token, subject: Token | None) -> bool:
    """Whether a list goes on though a class was said before it."""
    if LONE.fullmatch(text, last.start, last.end):
        return True
    return subject is not None and subject.kind in CLASS_KINDS and _is_noun(text, subject)


def _is_noun(text: str, token: Token) -> bool:
    """Whether a phrase of a class is part of a subject, whose slots are one list whatever verb follows."""
    return SUBJECT.search(text, max(0, token.start - 40), token.end) is not None
