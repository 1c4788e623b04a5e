"""Which numbers of a sentence are slots: H.3's three families, what a list or range of them spans, and where two lists
are one that a class or a verb cut in two."""

import re
from collections.abc import Sequence

from pipeline.privacy.language.frames import (
    ANCHOR,
    BEFORE,
    COUNTED,
    FOR,
    HELD,
    NOT_FOR,
    STARTS,
    VERB,
    VERBS,
)
from pipeline.privacy.language.ranges import (
    BOTH_ENDS,
    DOWNWARD,
    FROM,
    ONWARD,
    OPENED,
    OPENING,
    OPENS_IT,
    words_before,
)
from pipeline.privacy.language.scan import Token

CLASS_KINDS = frozenset(("occupied", "negative", "positive", "cost", "proposal", "clear", "effort", "event"))

REACH = 32  # characters between a feasibility word and the slots it anchors
FAR = 160  # characters between the word "cost" and its amount

PRICED = re.compile(r"\b(?:costs?|price)\b[^;~]*\b(?:is|are|be|being|of|at|to|was)\s+(?:about\s+|only\s+|just\s+)?$")
AND_YOU = re.compile(r"0,? (?:and|but|while) (?:you|me|us|them|agents? 0) (?:only |just |about )?$")
JOINT = re.compile(r"\s*(?:,|and|&|,\s*and)\s*")
LONE = re.compile(r"slots ?#?0+")  # more must follow
# Such a number is no slot even next to a class.
# How what it finds ends: few numbers need the search.
OTHERS_END = (
    *("count:", "count =", "count=", "total:", "slots:", "errands:", "meetings:", "agents:", "left:"),
    *(
        "of",
        "of the",
        "has",
        "have",
        "of our",
        "of my",
        "of these",
        "of all",
        ",",
        "and",
        "but",
        "vs",
        "vs.",
        "against",
        "versus",
    ),
    *(
        f"{word}{s}"
        for word in ("meeting", "errand", "agent", "round", "turn", "message", "appointment")
        for s in ("", "s")
    ),
)
OTHERS = re.compile(
    r"\bof (?:the |my |our |all )*0+ (?:\w+ )?(?:slots?|meetings?|errands?|agents?)[^,;]{0,24}, $|\b(?:count|total|"
    r"(?:number|amount) of [\w ]{0,24}|how many [\w ]{0,24}) ?[:=] ?$|\b0+ (?:out )?of (?:the |our |my |these |all )?$|"
    r"\b0+ (?:\w+ )?(?:slots?|options?|windows?|openings?)(?: \w+)?\s*(?:,|and|but)\s*"
    r"(?:(?:agents? #?0+|i) (?:has|have|only has|only have) )?$|"
    r"\b(?:meetings?|errands?|agents?|rounds?|turns?|messages?|appointments?)\s+#?$|\(0+ (?:vs|against|versus)\.? $"
)
VERSUS = re.compile(r"\s*(?:vs|against)\b(?=\.?\s+0+\))")
IN_ALL = re.compile(r"\s+(?:\w+\s+){0,2}(?:in all|in total|altogether|overall|so far)\b")
COUNT = re.compile(r"\b(?:only|just|exactly|about|over|all) 0+ (?:are|were|remain|have)\b")  # "only 4 are free"
ITEM = re.compile(r"\bagents?\s*#?0+\s+at\s+$|\bmeeting\s+#?0+\s+(?:is\s+|sits\s+)?(?:already\s+)?(?:at|in|on)\s+$")
# Where a sentence starts with its place: "At 7, I'd need to move things".
PLACE = re.compile(r"(?:^|~|:|,|and)[\s-]*(?:at|for|on|from|regarding|as for|in)\s+#?$")
ELLIPSIS = re.compile(r"\s*(?:is|are|does|do|can|will|would)?\s*(?:not)?\s*$")
# A clause that starts with what is done, with what is there, or with its cost: "moving my errand at 3 and 5 costs 1".
SUBJECT = re.compile(
    r"(?:^|[,:~(]|\b(?:and|but|so|because|since|for me|that|then|also))\s*(?:well\s+|yes\s+)?"
    r"(?:(?:mov|shift|reschedul|us|tak|clear|free|open|rearrang|relocat|displac|mak|vacat|giv|pick|choos|shuffl|"
    r"bump)ing\b|"
    r"what\b|whatever\b|(?:my|the|a|our|their|agents?\s*#?0+'s)\s+(?:costs?|price)\b|"
    r"(?:my|an?|the|our)\s+(?:\w+\s+)?(?:errands?|commitments?|appointments?|engagements?|obligations?)\b)[^,;:()]*$"
)
ANY_FROM = re.compile(r"\b(?:any(?:thing)?|every(?:thing)?|slots?|free|open|available|busy|blocked)\s+from\s+$")
ERRAND = re.compile(r"\s+errand\b")
PRICE = re.compile(r"0 ?\(|0\(")
BETWEEN = frozenset(("for_whom", "ignored", "soft", "group", "spoken_to"))
LISTS = ("slots", "numbers")
PUT_ASIDE = ("aside", "shun")
PRICING = (*LISTS, "cost", "ignored")
MOVED_FOR = re.compile(r"\b(?:mov|push|shift|clear|shuffl|reschedul|bump|swap|postpon|delay|drop|free)\w*\b")
PRICING_FOR = ("cost", "effort")  # "an errand that I can move for 4"
# What ends a stretch of a sentence.
BOUNDARIES = frozenset(("soft", "hard", "stop", "except", "hypothetical"))


def is_anchored(text: str, tokens: Sequence[Token], index: int, goes_on: bool) -> bool:
    """Whether a bare number, or list of them, stands where only a slot would."""
    number = tokens[index]
    ahead = words_before(text, number.start)
    if (
        (ahead.endswith(" ") and ahead[:-1].rpartition(" ")[2] in COUNTED)
        or (ahead.rstrip(" #").endswith(OTHERS_END) and OTHERS.search(ahead))
        or IN_ALL.match(text, number.end)
        or COUNT.search(text, max(0, number.start - 8), number.end + 8)
        or VERSUS.match(text, number.end)
        or _is_enumerator(text, number)
        or _is_price(text, tokens[: index + 1])
        or (any(token.kind == "cost" for token in tokens[max(0, index - 4) : index]) and AND_YOU.search(ahead))
        or (ERRAND.match(text, number.end) and not _takes_turns(text, tokens, index))
    ):
        return False
    if _is_place(text, number, ahead):
        return True
    if index and tokens[index - 1].kind in PRICING and PRICED.search(text, max(0, number.start - FAR), number.start):
        return False
    if _follows_class(text, tokens, index) or _is_subject(text, tokens, index, goes_on):
        return True
    return _is_left_over(text, tokens, index, goes_on)


def _takes_turns(text: str, tokens: Sequence[Token], index: int) -> bool:
    """Whether slots and classes took turns before a number: "3 is free, 4 busy, 5 errand"."""
    before = [token for token in tokens[max(0, index - 3) : index] if token.kind != "soft"][-2:]
    if len(before) < 2 or before[0].kind not in LISTS or before[1].kind not in CLASS_KINDS:
        return False
    return not text[before[1].end : tokens[index].start].strip(" ,;/|")


def _is_enumerator(text: str, number: Token) -> bool:
    """Whether a number counts items in a line, or is a slot's price: "1) slot 3 is free 2) slot 6 is busy", "6 (4)"."""
    if not text.startswith(")", number.end):
        return False
    opens = text.rfind("(", 0, number.start)
    return opens <= text.rfind(")", 0, number.start) or PRICE.fullmatch(text, opens - 2, number.start) is not None


def _is_price(text: str, tokens: Sequence[Token]) -> bool:
    """Whether the last of these is the price of slots that were named: "an errand at 6, cheap to move (2)"."""
    before = [token for token in tokens[:-1] if token.kind != "soft"]
    if not before or before[-1].kind != "cost" or text[tokens[-1].start - 1] != "(":
        return False
    return any(token.kind in LISTS for token in before)


def _is_place(text: str, number: Token, ahead: str) -> bool:
    """Whether the words around a number make it a slot: "between 3 and 5", "at 7, I …", "meeting 2 is at 5"."""
    if ITEM.search(ahead) or BOTH_ENDS.search(ahead) or ANY_FROM.search(ahead) or OPENED.search(ahead):
        return True
    if OPENS_IT.match(text, number.end) and OPENING.search(ahead):
        return True
    if ONWARD.match(text, number.end) or DOWNWARD.match(text, number.end):
        return True
    return PLACE.search(ahead) is not None and STARTS.match(text, number.end) is not None


def _follows_class(text: str, tokens: Sequence[Token], index: int) -> bool:
    start = tokens[index].start
    for at in range(index - 1, -1, -1):
        token = tokens[at]
        if start - token.end > REACH:
            return False
        if token.kind in CLASS_KINDS:
            gap = text[token.end : start]
            if FOR.search(gap) and (
                token.kind in PRICING_FOR or NOT_FOR.match(text, token.start) or MOVED_FOR.search(gap)
            ):
                return False
            return not gap.strip(" #") or ANCHOR.search(gap) is not None
        if token.kind == "request":
            return FROM.search(text, token.end, start) is not None
        if token.kind not in BETWEEN and not text.startswith(("neither", "none"), token.start):
            return False
    return False


def _is_subject(text: str, tokens: Sequence[Token], index: int, goes_on: bool) -> bool:
    """Subject-before-free: the class comes right after, and the number where a clause or its object starts."""
    number = tokens[index]
    if not _starts_clause(text, tokens, index):
        return False
    if _goes_on_with(text, tokens, index):
        return True
    following = _past_punctuation(text, tokens, index)
    if following and following.kind == "group" and ":" in text[number.end : following.start]:
        return text[: number.start].rstrip(" -")[-1:] in ("", ":")  # "3: Agent 1 is free, Agent 2 is busy"
    if following is None or following.kind not in CLASS_KINDS | {"negation"}:
        return index > 0 and _leaves_class_out(text, tokens, index) and _class_is_stated(tokens, index, goes_on)
    if following.kind != "positive" and HELD.search(words_before(text, number.start)):
        return False
    return VERBS.fullmatch(text, number.end, following.start) is not None


def _past_punctuation(text: str, tokens: Sequence[Token], index: int) -> Token | None:
    """The token after this one, past brackets and colons."""
    at = index + 1
    while at < len(tokens) and tokens[at].kind == "soft" and text[tokens[at].start] in ":(|":
        at += 1
    return tokens[at] if at < len(tokens) else None


def _leaves_class_out(text: str, tokens: Sequence[Token], index: int) -> bool:
    """Whether no more than a verb follows a number in its clause: "…, 7 is not"."""
    start = tokens[index].end
    end = tokens[index + 1].start if index + 1 < len(tokens) else len(text)
    return start < len(text.rstrip()) and ELLIPSIS.fullmatch(text, start, end) is not None


def _goes_on_with(text: str, tokens: Sequence[Token], index: int) -> bool:
    """Whether a number goes on with what was said of slots: "2 and 5 are open, 7 would mean dropping an errand"."""
    if not any(token.kind in LISTS for token in tokens[:index]) or not VERB.match(text, tokens[index].end):
        return False
    following = next((token for token in tokens[index + 1 :] if token.kind not in BETWEEN - {"soft"}), None)
    return following is not None and following.kind in CLASS_KINDS


def _class_is_stated(tokens: Sequence[Token], index: int, goes_on: bool) -> bool:
    return goes_on or any(token.kind == "slots" or token.kind in CLASS_KINDS for token in tokens[:index])


def _starts_clause(text: str, tokens: Sequence[Token], index: int) -> bool:
    start = tokens[index].start
    before = words_before(text, start)
    if not before.strip(" -") or BEFORE.search(before):
        return True
    previous = tokens[index - 1] if index else None
    starts = previous is not None and previous.kind in ("soft", "hard", "negation")
    return starts and previous is not None and not text[previous.end : start].strip()


def _is_left_over(text: str, tokens: Sequence[Token], index: int, goes_on: bool) -> bool:
    """Whether what was said before is not said of it: "not 3", "except 3"."""
    previous = tokens[index - 1] if index else None
    if previous is None or previous.kind not in ("except", "soft"):
        return False
    if previous.kind != "except" and not text.startswith("not", previous.start):
        return False
    return goes_on or any(token.kind in CLASS_KINDS for token in tokens)


def joined(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Lists made whole again: "none of 3, 5 and 9 works" is one list, "free at 3, 5 and 9 works" is two."""
    joined_tokens: list[Token] = []
    subject: Token | None = None
    has_class = False
    for token in tokens:
        if token.kind in LISTS:
            at = _list_before(text, joined_tokens, token)
            if at is not None and (not has_class or _goes_on(text, joined_tokens[at], subject)):
                joined_tokens[at:] = [Token(joined_tokens[at].kind, joined_tokens[at].start, token.end)]
            else:
                joined_tokens.append(token)
            continue
        joined_tokens.append(token)
        if token.kind not in ("soft", "for_whom"):
            subject = token
        if token.kind in CLASS_KINDS or token.kind in PUT_ASIDE:
            has_class = True
        elif token.kind in BOUNDARIES:
            has_class = has_class and token.kind == "soft"
    return joined_tokens


def _list_before(text: str, tokens: Sequence[Token], token: Token) -> int | None:
    """Which token is the list that a list goes on with, with nothing but what joins lists between them."""
    at = len(tokens) - 1
    while at >= 0 and tokens[at].kind == "soft":
        at -= 1
    if at >= 0 and tokens[at].kind in LISTS and JOINT.fullmatch(text, tokens[at].end, token.start):
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
