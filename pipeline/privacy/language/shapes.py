"""The shape of a message: its words without which numbers stand in it, and how many of them its lists have.

Messages of one shape are read once: "slots 2, 5-7 and 11" and "slots 0 and 3" are both "slots 0 and 0".
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pipeline.privacy.language.scan import Edit, Origins, numbers_of, rewritten

ITEM = r"00?(?:(?:-| to | through )00?)?"
LIST = re.compile(rf"(?<![\w#$.'])({ITEM}(?:, {ITEM})*+)(?:(,? (?:and|or) )({ITEM}))?+")
# After a list: it goes on in another way, or is none of slots. The word before it: it names others, or leads to one end.
GOES_ON = (", 0", " and 0", " or 0", ", and 0", ", or 0", "%", "-")
LEADS = frozenset(
    "agent agents meeting meetings from between to by the after past beyond above than including through thru far "
    "until till before below under".split()
)
STARTS = ("starting", "beginning")
BEFORE_LAST = {", and ": " and ", ", or ": " or "}
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
    for found in LIST.finditer(folded):
        start, stop = found.span()
        if stop - start == 1 or _is_other(folded, start, stop, found[0]):
            continue
        end, joint, last = _parts(found)
        if end - start > 2:
            numbers += numbers_of(content[counted:start])
            numbers.append(_values(folded[start:end], numbers_of(content[start:end])))
            counted = end
        if end - start > 1:
            edits.append((start, end, "0"))
        if joint in BEFORE_LAST and not folded.startswith(BRACKET, stop):
            edits.append((end, end + len(joint), BEFORE_LAST[joint]))
        if len(last) > 1:
            edits.append((stop - len(last), stop, last.replace("00", "0").replace(" to ", "-").replace(" through ", "-")))
    numbers += numbers_of(content[counted:])
    return Shape(rewritten(folded, edits), numbers, Origins(edits))


def _is_other(folded: str, start: int, stop: int, listed: str) -> bool:
    """Whether a list is not read as two numbers: it goes on, is of others, opens a range, or says where one moves to."""
    if folded.startswith(GOES_ON, stop) or folded[stop : stop + 1].isalnum() or any(map(folded.__contains__, STARTS)):
        return True
    plural = folded.endswith("slots ", 0, start)
    end = start - 7 if plural else start - 1
    if folded[folded.rfind(" ", 0, max(end, 0)) + 1 : max(end, 0)] in LEADS:
        return True
    return " to " in listed and (not plural or "prefer" in folded)


def _parts(found: re.Match[str]) -> tuple[int, str, str]:
    """Where the numbers of a list before its last end, what joins that to them, and the last; of one none go before."""
    listed, joint, last = found.groups()
    if joint:
        return found.end(1), joint, last
    at = listed.rfind(", ")
    return (found.start(), "", listed) if at < 0 else (found.start() + at, ", ", listed[at + 2 :])


def _values(listed: str, numbers: Sequence[bytes]) -> tuple[int, ...]:
    """The numbers of a list without its last."""
    values, rest = list[int](), iter(numbers)
    for item in listed.split(", "):
        values.append(int(next(rest)))
        if len(item) > 2:
            values.append(~int(next(rest)))
    return tuple(values)


def starts_of(number: Number) -> Sequence[int]:
    """The numbers that one of a shape stands for, but for the ends of ranges."""
    return (int(number),) if isinstance(number, bytes) else [value for value in number if value >= 0]


def each(number: Number) -> Sequence[int]:
    """The numbers that one of a shape stands for, of ranges both ends."""
    return (int(number),) if isinstance(number, bytes) else [value if value >= 0 else ~value for value in number]
