"""The shape of a message: its words without which numbers stand in it, and how many of them its lists have.

Messages of one shape are read once: "slots 2, 5-7 and 11" and "slots 0 and 3" are both "slots 0 and 0".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.language.scan import Edit, Origins, numbers_of, rewritten

ITEM = r"00?(?:(?:-| to | through )00?)?"
LIST = re.compile(rf"(?<![\w#$.'])({ITEM}(?:, {ITEM})*+)(?:(,? (?:and|or) )({ITEM}))?+")
# After a list: it goes on in another way, or is none of slots. The word before it: it names others, or leads to an end.
GOES_ON = (", 0", " and 0", " or 0", ", and 0", ", or 0", "%", "-")
LEADS = frozenset(("agent", "agents", "meeting", "meetings", "from", "between", "to", "by", "the", "after", "past"))
LEADS |= {"beyond", "above", "than", "including", "through", "thru", "far", "until", "till", "before", "below", "under"}
BEFORE_LAST = {", and ": " and ", ", or ": " or "}
ENDS = ("", ".", ";", ":", "?", "!", "\n")
BRACKET = (" (", "(")  # of the last slot of a list alone, if a comma stands before that

# A number as it is written; or the numbers of a list but for its last, ~n where n is the end of a range.
Number = bytes | tuple[int, ...]


class Shape(NamedTuple):
    """A folded message with two numbers in each list, its numbers in order, and where its places were."""

    text: str
    numbers: list[Number]
    origins: Origins


def shape_of(folded: str, content: str) -> Shape:
    """The shape of a message, whose numbers are read from what was written."""
    edits: list[Edit] = []
    numbers: list[Number] = []
    counted = 0
    for match in LIST.finditer(folded):
        start, stop = match.span()
        if stop - start == 1 or _is_other(folded, match, start, stop):
            continue
        end, ends_range, changed = _as_two(match[0], match[2] or "")
        if ends_range:
            end += start
            numbers += numbers_of(content[counted:start])
            values = map(int, numbers_of(content[start:end]))
            numbers.append(tuple([~value if ends else value for value, ends in zip(values, ends_range, strict=True)]))
            counted = end
        if folded.startswith(BRACKET, stop):
            changed = [edit for edit in changed if edit[2] not in BEFORE_LAST.values()]
        edits += [(start + begin, start + end, written) for begin, end, written in changed]
    numbers += numbers_of(content[counted:])
    return Shape(rewritten(folded, edits), numbers, Origins(edits))


def _is_other(folded: str, match: re.Match[str], start: int, stop: int) -> bool:
    """Whether a list is not read as two numbers: it goes on, is of others, opens a range, or says where one moves."""
    after = folded[stop : stop + 1]
    if after not in ENDS and (
        (not match[2] and "," in match[0]) or folded.startswith(GOES_ON, stop) or after.isalnum()
    ):
        return True
    plural = folded.endswith("slots ", 0, start)
    end = max(start - 7 if plural else start - 1, 0)
    if folded[folded.rfind(" ", 0, end) + 1 : end] in LEADS or "starting" in folded or "beginning" in folded:
        return True
    return " to " in match[0] and (not plural or "prefer" in folded)


@lru_cache(maxsize=4096)
def _as_two(listed: str, joint: str) -> tuple[int, Sequence[bool], Sequence[Edit]]:
    """Where in a list its numbers but for the last end, which of them end a range, and what is read otherwise.

    None of them end a range where there is but one.
    """
    joint = joint or (", " if ", " in listed else "")
    end = listed.rfind(joint) if joint else 0
    edits, last = [(0, end, "0")] if end > 1 else [], end + len(joint)
    if joint in BEFORE_LAST:
        edits.append((end, last, BEFORE_LAST[joint]))
    if len(listed) - last > 1:
        written = listed[last:].replace("00", "0").replace(" to ", "-").replace(" through ", "-")
        edits.append((last, len(listed), written))
    items = listed[:end].split(", ") if end > 2 else ()
    return end, [ends for item in items for ends in ((False, True) if len(item) > 2 else (False,))], edits


def starts_of(number: Number) -> Sequence[int]:
    """The numbers that one of a shape stands for, but for the ends of ranges."""
    return (int(number),) if isinstance(number, bytes) else [value for value in number if value >= 0]


def each(number: Number) -> Sequence[int]:
    """The numbers that one of a shape stands for, of ranges both ends."""
    return (int(number),) if isinstance(number, bytes) else [value if value >= 0 else ~value for value in number]
