"""Text of agents as HTML that shows it and does nothing else."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple


class Mark(NamedTuple):
    """Characters of a message to point out: a CSS class, and what a reader is told of them."""

    start: int
    end: int
    kind: str
    note: str


def plain(text: str) -> str:
    """The text with its characters escaped; those that are not to be seen, or turn text around, as their code."""
    return escape("".join(c if c.isprintable() or c in "\n\t" else f"[U+{ord(c):04X}]" for c in text))


def marked(text: str, marks: Iterable[Mark]) -> str:
    """The text as HTML with marks around spans; where several overlap, a piece carries all of them."""
    kept = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    places = sorted({0, len(text), *(m.start for m in kept), *(m.end for m in kept)})
    pieces = (_piece(text[a:b], [m for m in kept if m.start <= a and b <= m.end]) for a, b in pairwise(places))
    return "".join(pieces)


def _piece(text: str, marks: Sequence[Mark]) -> str:
    if not marks:
        return plain(text)
    kinds = " ".join(dict.fromkeys(mark.kind for mark in marks))
    notes = escape("; ".join(dict.fromkeys(mark.note for mark in marks)))
    return f'<mark class="{kinds}" title="{notes}">{plain(text)}</mark>'
