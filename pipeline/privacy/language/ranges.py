"""Lists and ranges of numbers: which slots "2, 4-6 and 9", "between 3 and 6" and "from 11 on" span.

A range may name one end alone; where the other is depends on the calendar.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.language.frames import NARROWED
from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.shapes import Number, each

# Ranges that name one end, by what stands before it: from it on, after it, up to it, before it.
FROM_ON, AFTER, UP_TO, BEFORE_IT = -1, -2, -3, -4
REST = -5  # of the calendar: all slots of which the message says nothing else
ONLY_REST = -6  # the same, unless what is free was named before
EXCEPTED = -7  # a slot that is no part of that rest

TOWARDS = re.compile(r"\b(?:to|into|onto)\s+(?:either\s+)?$")
BESIDE = re.compile(
    r"\b(?:after|past|beyond|(?<!other )than|before|by|beginning|starting|"
    r"(?:up|booked|busy|tied up|free|open|taken|out)\s+(?:through|until|till|to)|"
    r"until|till)\s+(?:the\s+)?$"
)
# Of something that moves, "3 to 5" is the way it goes; "3-5" and "slots 3 to 5" are what it takes up.
GOAL = re.compile(r"\s*(?:to\b|~)")
DASH = re.compile(r"\s+-\s+")  # "slot 3 - 5" says 5 of slot 3
FROM = re.compile(r"\bfrom\s+$")
BOTH_ENDS = re.compile(r"\bbetween\s+(?:the\s+)?$")
LED = re.compile(
    r"\b(?:free|open|available|busy|booked|blocked|taken|clear|gaps?|(?:any|every|"
    r"no)thing(?: at all)?)\s+(?:only\s+)?between\s+(?:the\s+)?$"
)
CHOICE = re.compile(
    r"\b(?:(?<!of )(?<!except )(?<!except for )(?<!from )slots?|favou?r|prefer|choose|pick|better|best|the (?:first|"
    r"latter|former))\b"
)

# What makes a number one end of a range, by what stands before it.
OPEN_LEADS = (
    (FROM_ON, r"(?:starting|beginning) (?:at|from|with|in|on)"),
    (AFTER, r"after|past|beyond|above|(?:later|higher|greater) than"),
    (UP_TO, r"up to(?: and including)?|(?:up )?through|all the way to|as far as"),
    (BEFORE_IT, r"(?:up )?(?:until|till)|before|below|under|(?:earlier|lower|less) than"),
)
OPENED = re.compile(
    r"\b(?:free|open|available|availability|clear|good|fine|flexible|do|works?|busy|booked|blocked|full|unavailable|"
    r"taken|"
    r"tied up|any(?:thing|time| time)?|everything|nothing|all|whatever|both|slots?|out|only)"
    r"(?: (?:\w+ly|slots?|at|for|in|with|is|are|that|it|those|of|me|us|just|the|slot))*,?\s+(?:"
    + "|".join(f"({words})" for _, words in OPEN_LEADS)
    + r")\s+(?:the\s+|slots?\s+#?)?$"
)
# The same where a clause begins with it: "after 9 I'm free".
OPENING = re.compile(
    r"(?:^|[,:~(]|\b(?:and|but|so|that))\s*(?:"
    + "|".join(f"({words})" for _, words in OPEN_LEADS)
    + r")\s+(?:the\s+|slots?\s+#?)?$"
)
OPENS_IT = re.compile(
    r"(?:\s+inclusive|\s+included)?\s*+(?:,\s*+)?"
    r"(?:(?:i|agents?\s*#?0+|it|everything|my (?:\w+))(?:'m|'s| am| is| have)\b|all\b)"
)
# The same by what stands after it.
ONWARD = re.compile(
    r"\s*(?:\+(?!\s*#?0)|onwards?\b|up\b(?! (?:to|for|by))|(?:and|or|&) (?:up(?:wards?)?|later|after|above|higher|"
    r"beyond|on|over|onwards?)\b"
    r"|on\b(?=\s*(?:$|[,:()~|]|(?:i|i'm|we|is|are|and|but|works?|except|or|for|too|also|would|will|looks?|seems?|"
    r"suits?|fits?)\b))|(?:to|through|until|"
    r"till) the (?:very )?(?:end|last)(?! of slot))"
)
OPENINGS = ("+", " +", " up", " on", " and ", " or ", " & ", " to ", " through ", " until ", " till ")
DOWNWARD = re.compile(r"\s*(?:and|or|&) (?:below|earlier|lower|down|before|under)\b")
HAPPENS = re.compile(
    r"\s+(?:(?:is|was|has|gets|got) (?:\w+ly |been )?(?:moved|cleared|done|settled|confirmed|freed|agreed|over)|moves|"
    r"comes|goes)\b"
)  # "after slot 5 is moved"
# How what BESIDE, BOTH_ENDS and OPENED find ends: few lists need the searches.
LEADS = (
    *("after", "past", "beyond", "than", "before", "by", "beginning", "starting", "through", "until", "till", "to"),
    *("between", "the", "above", "below", "under", "as far as", "including"),
    *(f"ing {word}" for word in ("at", "from", "with", "in", "on")),
)

INCLUSIVE = re.compile(r"\s*+(?:,\s*+)?\(?(?:inclusive(?:ly)?|included)\b")
# What stands before or after the slots named last: "after that", "earlier".
BEYOND = re.compile(
    r"before and after|earlier(?: and|or) later|before|earlier|until|after|later|beyond|from|thereafter"
)
NUMBER = re.compile(r"0+")
RANGE = re.compile(r"\s*(?:-+|~|to|thru|through|until|till|up to)\s*(?:slots?\s*#?\s*)?")
AHEAD = 40  # characters before a number that may decide what it is
LONGEST = 64  # slots in a range; of a longer one only the ends are read
SAID = ("positive", "negative", "occupied", "cost")
COLON = re.compile(r"\s*[:=]")
SLOT_NAMED = re.compile(r"\bslots? ?#?0|(?<![a-z] )(?<![a-z])#?0")
# Of the calendar, whatever was named before.
WHOLE = ("slot", "else", "other", "rest", "day", "remain", "left", "otherwise", "times")


class Slots(NamedTuple):
    """A slot, or the range to a second number: where the numbers stand, and whether something would move there.

    `open` is not 0 where a range names one end: FROM_ON, AFTER, UP_TO or BEFORE_IT; REST where it
    names none.
    """

    start: int
    end: int
    to_start: int = -1
    to_end: int = -1
    goal: bool = False
    open: int = 0


def beyond_them(words: str, named: Sequence[Slots]) -> list[Slots]:
    """The slots before, after, or before and after those named: after "until 6" that starts with 6."""
    if not named or REST in (named[0].open, named[-1].open):
        return []
    first, last, beyond = named[0], named[-1], list[Slots]()
    ends = last._replace(start=last.to_start, end=last.to_end) if last.to_start >= 0 else last
    if not words.startswith(("after", "later", "beyond", "from", "there")) and first.open not in (UP_TO, BEFORE_IT):
        beyond.append(Slots(first.start, first.end, open=UP_TO if first.open == AFTER else BEFORE_IT))
    if not words.endswith(("before", "earlier", "until")) and last.open not in (FROM_ON, AFTER):
        beyond.append(Slots(ends.start, ends.end, open=FROM_ON if last.open == BEFORE_IT else AFTER))
    return beyond


def words_before(text: str, start: int) -> str:
    """The few words before a place, which may decide what stands there."""
    return text[max(0, start - AHEAD) : start]


def listed(text: str, token: Token, moving: bool, chosen: bool, spans: bool) -> list[Slots]:
    """The slots of a list: "2, 4-6 and slot 9" has three.

    `chosen`: one of them is preferred "to" another. `spans`: what is said may be of all slots after or before one.
    """
    before = words_before(text, token.start)
    if before.rstrip().endswith(LEADS):
        opened = OPENED.search(before) if spans and not HAPPENS.match(text, token.end) else None
        if opened is None and spans and not HAPPENS.match(text, token.end) and OPENS_IT.match(text, token.end):
            opened = OPENING.search(before)
        if opened:
            slots = _listed(text, token, False, False, False)
            kind = next(kind for (kind, _), words in zip(OPEN_LEADS, opened.groups(), strict=True) if words)
            if INCLUSIVE.match(text, token.end):
                kind = {AFTER: FROM_ON, BEFORE_IT: UP_TO}.get(kind, kind)
            return [slots[0]._replace(open=kind), *slots[1:]] if slots[0].to_start < 0 else slots
        if BESIDE.search(before) or BOTH_ENDS.search(before):
            return [] if BESIDE.search(before) else _from_to(text, token)
    goal = moving and TOWARDS.search(before) is not None
    to_is_goal = moving and (not text.startswith("slots", token.start) or FROM.search(before) is not None)
    return _open_ended(text, token, _listed(text, token, goal, to_is_goal, chosen))


def _open_ended(text: str, token: Token, slots: list[Slots]) -> list[Slots]:
    """The slots, of which the last may begin or end a range: "3, 5 and from 9 on", "10 or later"."""
    if not text.startswith(OPENINGS, token.end) or not slots or slots[-1].to_start >= 0:
        return slots
    for kind, words in ((FROM_ON, ONWARD), (UP_TO, DOWNWARD)):
        if words.match(text, token.end):
            return [*slots[:-1], slots[-1]._replace(open=kind)]
    return slots


def _listed(text: str, token: Token, goal: bool, to_is_goal: bool, chosen: bool) -> list[Slots]:
    """The slots of a list that stands beside nothing; `goal`: something moves there, `to_is_goal`: so "to" says."""
    slots: list[Slots] = []
    for number in NUMBER.finditer(text, token.start, token.end):
        last = slots[-1] if slots else None
        if _is_dashed(text, token, last, number.start()):
            break
        if last is None or last.to_start >= 0 or not _spans(text[last.end : number.start()]):
            slots.append(Slots(*number.span(), goal=goal))
        elif not (to_is_goal or chosen) or not GOAL.match(text, last.end):
            slots[-1] = Slots(last.start, last.end, *number.span(), last.goal)
        elif chosen:
            break
        else:
            slots.append(Slots(*number.span(), goal=True))
    return slots


def _is_dashed(text: str, token: Token, last: Slots | None, start: int) -> bool:
    """Whether a number is said of the slot before: "slot 3 - 5", but not "slots 3 - 5"."""
    if last is None or not text.startswith("slot", token.start) or text.startswith("slots", token.start):
        return False
    return DASH.fullmatch(text, last.end, start) is not None


@lru_cache(maxsize=4096)
def _spans(between: str) -> bool:
    """Whether the words between two numbers make them the ends of a range."""
    return RANGE.fullmatch(between) is not None


def _from_to(text: str, token: Token) -> list[Slots]:
    """ "Between 3 and 6" is what lies between them, unless a choice follows."""
    ends = [number.span() for number in NUMBER.finditer(text, token.start, token.end)]
    led = LED.search(words_before(text, token.start)) is not None
    if len(ends) != 2 or (not led and CHOICE.search(text, token.end)):
        return []
    return [Slots(*ends[0], *ends[1])]


def slots_of(
    named: Sequence[tuple[int, int | None]], numbers: Sequence[Number], num_slots: int | None
) -> Sequence[int]:
    """The slots of the calendar that are named, each once, and those that ranges span."""
    slots: list[int] = []
    for first, last in named:
        if last is None:
            number = numbers[first]
            slots += [int(number)] if isinstance(number, bytes) else _of_list(number)
        elif last >= 0:
            slots += _spanned(each(numbers[first])[-1], each(numbers[last])[0])
        elif last not in (REST, ONLY_REST, EXCEPTED):
            slots += _opened(each(numbers[first])[0], last, num_slots)
    if slots and num_slots is not None and max(slots) >= num_slots:
        slots = [slot for slot in slots if slot < num_slots]
    return slots if len(slots) < 2 else list(dict.fromkeys(slots))


def _of_list(numbers: Sequence[int]) -> list[int]:
    """The slots of a list."""
    slots: list[int] = []
    for number in numbers:
        if number < 0:
            slots += _spanned(slots.pop(), ~number)
        else:
            slots.append(number)
    return slots


def _opened(end: int, kind: int, num_slots: int | None) -> Sequence[int]:
    """The slots of a range that names one end; that end alone where the other is unknown or too far."""
    if kind in (FROM_ON, AFTER):
        slots = range(end + (kind == AFTER), end + 1 if num_slots is None else num_slots)
    else:
        slots = range(end + (kind == UP_TO))
    return slots if len(slots) <= LONGEST else [end][: kind in (FROM_ON, UP_TO)]


def _spanned(first: int, last: int) -> Sequence[int]:
    """The slots between two ends; of more than any calendar has the ends alone."""
    return range(first, last + 1) if first <= last < first + LONGEST else (first, last)


def unnamed(text: str, token: Token, claim_class: str | None, named: Sequence[Slots]) -> list[Slots]:
    """The slots of which something is said, or will be after a colon, without a number: the rest, or what is after."""
    if claim_class not in SAID and not (claim_class is None and COLON.match(text, token.end)):
        return []
    if beyond := BEYOND.search(text, token.start, token.end):
        return [] if claim_class == "occupied" else beyond_them(beyond[0], named)
    return [Slots(token.start, token.end, open=REST)] if _is_whole(text, token) else []


def is_between(text: str, tokens: Sequence[Token], slots: Sequence[Slots]) -> bool:
    """Whether a range has one end in slots named before: "after that I'm busy until 9"."""
    beyond = any(token.kind == "every" and BEYOND.search(text, token.start, token.end) for token in tokens)
    return beyond and (not slots or any(slot.open in (UP_TO, BEFORE_IT) for slot in slots))


def _is_whole(text: str, token: Token) -> bool:
    """Whether words such as "everything" mean the calendar, and not what was listed: "of the three all but 9 work"."""
    if NARROWED.search(text):
        return False
    named = SLOT_NAMED.search(text, 0, token.start) is not None
    return not named or any(map(text[token.start : token.end].__contains__, WHOLE))
