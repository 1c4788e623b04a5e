"""Layout to sentences: tables, JSON, legends and titles say in lines and columns what a sentence says in words.

One pass over a message, in time proportional to its length.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.legends import Legend, chosen, legend_of, spelled_out, strip_at
from pipeline.privacy.language.records import DEEPEST, MANY, Piece, Record, glue, is_slots, json_at
from pipeline.privacy.language.rows import agents_at, cells_at, fields_at, lists_at, rows_at
from pipeline.privacy.language.tables import STATE_HEAD, table_at, table_records

LONGEST_TITLE = 60  # characters
# Whose data follows: "Data from Agent 4: {…}".
DATA_OF = re.compile(
    r"(?:(?:^|[.!\n] ?)|\b(?:from|of|by) )(agent ?#?\d{1,2})(?:'s [\w ]{1,20}| says?| said|"
    r" sent)?: ?(?:```(?:json)?\s)?\s?$",
    re.I,
)
# Whose words follow, and numbers that only blanks part.
RELAY = re.compile(
    r"\s*((?:relay\w*|news|word|update|info\w*|forward\w*|fwd|note)\s+(?:from|by)\s+(agent\s*#?\d+))\s*[.!]\s+",
    re.I,
)
BARE_LIST = re.compile(r"(?<![\w.,:#])(?<!\d )\d{1,2}(?: \d{1,2})+(?=[.;,)]|\s*$)")
MARKDOWN = re.compile(r"[ \t]*(#{1,6})[ \t]+\S|[ \t]*(?:[-*+•][ \t]+)?(?:\*\*|__)[^*_]+(?:\*\*|__):?[ \t]*$")
OF_AGENT = re.compile(r"\b(?:from|of|by) agent\s*#?\d{1,2}\W*$|^\W*agent\s*#?\d{1,2}'s\b", re.I)
ONLY_AGENT = re.compile(r"[\s#*_>-]*agent\s*#?\d{1,2}[\s*_:]*$", re.I)
PRICES = re.compile(r"\bcosts?\b", re.I)
# A title asks nothing: "Where I stand", "When I'm free", "Which slots work for me".
WHERE = re.compile(
    r"(?:where|when|how) (?=(?:i'?m?|we|my|our|things|everything|agent|the|each|all)\b)|"
    r"which (?:of (?:the|my) )?(?:slots?|times?) (?=.*\b(?:me|i|my|agent)\b)",
    re.I,
)
# Whose line it is, below a slot: "Agent 1: free", "- me: busy".
OF_WHOM = re.compile(r"[^\w\n]*(?:agent ?#?\d{1,2}|a\d|me|i)[*_ ]*(?:[:=\u2013\u2192-]| (?:is|can|has|can't)\b)", re.I)
# A title's slot: "📅 Slot 13", "Meeting 2, slot 7", "1. Slot 5".
ITS_SLOT = re.compile(
    r"[^\w\n]*+(?:\d\.\s++[^\w\n]*+)?(?:meeting ?#?\d{1,2}\W++)?(slots?\b(?:[^\w\n]*+[^\Wa-z])*?)"
    r"[^\w\n]*+(?:(?:for )?meeting ?#?\d{1,2}\W*)?$",
    re.I,
)
ENDS_SENTENCE = re.compile(r"[.!?,;|][^\w:`]*$")
ME_FIRST = re.compile(r"[\s#*_+-]*(?:my|me|mine|i)\b", re.I)


class Rewritten:
    """A text made of pieces of a message, and where each stands there."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.starts: list[int] = []
        self.length = 0

    def add(self, *pieces: Piece) -> None:
        """Append pieces."""
        for piece in pieces:
            if piece.text:
                self.pieces.append(piece)
                self.starts.append(self.length)
                self.length += len(piece.text)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(piece.text for piece in self.pieces)

    def places(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the text stands in the message: from the first of its pieces there to the last."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1)
        # Of many pieces only composed sentences are out of order, and those are short.
        among = range(first, last) if last - first <= MANY else (*range(first, first + MANY), *range(last - MANY, last))
        cut = [self._cut(at, start, end) for at in among]
        return min(begin for begin, _ in cut), max(stop for _, stop in cut)

    def _cut(self, index: int, start: int, end: int) -> tuple[int, int]:
        """Where the part of a piece within a stretch stands: all of one that is not word for word in the message."""
        (text, begin, stop), at = self.pieces[index], self.starts[index]
        if len(text) != stop - begin:
            return begin, stop
        return begin + max(start - at, 0), begin + min(end - at, len(text))


def in_sentences(content: str, num_slots: int | None) -> Rewritten | None:
    """A message with its layout in sentences, one a line; None where it has no layout."""
    out, end = Rewritten(), 0
    content, legend = legend_of(content, num_slots)
    changed = bool(legend.marks)
    while match := frames.JSON.search(content, end):
        records, stop = json_at(content, match.start())
        if source := DATA_OF.search(content, max(end, match.start() - LONGEST_TITLE), match.start()):
            for record in records:
                record.agent = record.agent or Piece(source[1], *source.span(1))
        changed |= _add_text(out, content, (end, match.start() if records else stop), legend)
        for record in records:
            changed = True
            _add_record(out, record, match.start(), legend)
        end = stop
    changed |= _add_text(out, content, (end, len(content)), legend)
    return out if changed else None


def _add_record(out: Rewritten, record: Record, at: int, legend: Legend) -> None:
    """Append what a record says; what heads the text before it does not head what is another's."""
    here = Piece("", at, at)
    if record.agent:
        out.add(glue("\nnext\n", here))
    for sentence in record.sentences():
        spelled = (piece._replace(text=legend.coded(piece.text)) for piece in sentence)
        pieces = [part for piece in spelled for part in spelled_out(piece, legend.marks)]
        out.add(glue("\n", here), *pieces, glue("\n", here))


def _add_text(out: Rewritten, content: str, span: tuple[int, int], legend: Legend) -> bool:
    """Append a stretch of a message, with its tables in sentences and its titles marked; whether it changed."""
    lines, changed, at = _lines(content, *span), False, 0
    titles = Titles()
    while at < len(lines):
        if block := _block_at(lines, at, legend):
            changed = True
            for record in block[0]:
                _add_record(out, record, lines[at].start, legend)
            at += block[1]
            continue
        pieces = titles.read(lines, at) if len(lines) > 1 else [lines[at]]
        pieces = [part for piece in pieces for one in _listed(piece) for part in chosen(one, legend)]
        pieces = [part for piece in pieces for part in spelled_out(piece, legend.marks)]
        changed |= bool(legend.marks) or len(pieces) != 1 or pieces[0].text != lines[at].text
        out.add(*pieces)
        at += 1
        if at < len(lines):
            out.add(Piece("\n", lines[at].start - 1, lines[at].start))
    return changed


def _block_at(lines: Sequence[Piece], at: int, legend: Legend) -> tuple[Iterable[Record], int] | None:
    """The records of the rows that start at a line, and how many they are; None where none do."""
    if rows := table_at(lines, at):
        near = (*lines[max(0, at - 2) : at], *lines[at + rows : at + rows + 2])
        priced = any(PRICES.search(line.text) for line in near)
        return table_records(lines[at : at + rows], priced, legend.codes), rows
    if fields := fields_at(lines, at):
        return [fields[0]], fields[1]
    if strip := strip_at(lines, at, legend):
        return strip, 1
    return agents_at(lines, at) or rows_at(lines, at) or lists_at(lines, at) or cells_at(lines, at)


def _lines(content: str, start: int, end: int) -> list[Piece]:
    lines = []
    for text in content[start:end].split("\n"):
        lines.append(Piece(text, start, start + len(text)))
        start += len(text) + 1
    return lines


class Title(NamedTuple):
    """What stands above items: how deep it is, and the agent or slots that it names."""

    rank: int
    agent: Piece | None
    slots: Piece | None


class Titles:
    """The titles that a line stands under: one below another is of its agent, an item of its slots."""

    def __init__(self) -> None:
        self.open: list[Title] = []
        self.fresh = False  # whether nothing stands yet under the last one

    def read(self, lines: Sequence[Piece], at: int) -> list[Piece]:
        """A line as it is, below the slots that its title names; or as a title, with its agent and a colon."""
        line, below = lines[at], _below(lines, at)
        rank = _rank(line.text, below)
        if rank is not None:
            return self._title(line, rank, below)
        self.fresh = False
        item = frames.BULLET.match(line.text)
        if line.text.strip() and not (item or OF_WHOM.match(line.text)) and not any(map(str.isdigit, line.text)):
            self.open.clear()
        slots = self.open[-1].slots if (item or OF_WHOM.match(line.text)) and self.open else None
        start = item.end() if item else 0
        if not slots or frames.OWN_NUMBER.search(line.text, start):
            return [line]
        return [glue(f"{slots.text}: ", slots), line.part(start)]

    def _title(self, line: Piece, rank: int, below: str) -> list[Piece]:
        body = line.text.rstrip(" \t*_:")
        first = len(body) - len(body.lstrip(" \t#*_+-•"))
        where = WHERE.match(body, first)
        words = line.part(where.end() if where else first, len(body))
        agent = frames.NAMED.search(body)
        while self.open and (agent or ME_FIRST.match(body) or self.open[-1].rank > rank) and not self.fresh:
            self.open.pop()
        if self.open and self.open[-1].rank == rank and not self.fresh:
            self.open.pop()
        outer = next((title.agent for title in reversed(self.open) if title.agent), None)
        slots = _slot_of(line) if (frames.BULLET.match(below) or OF_WHOM.match(below)) else None
        self.open.append(Title(rank, line.part(*agent.span()) if agent else None, slots))
        del self.open[:-DEEPEST]
        self.fresh = True
        if slots:
            return []
        of = [glue(f"{outer.text}: ", words)] if outer else []
        if agent and OF_AGENT.search(body):
            of, words = [*of, words, glue(": ", words)], line.part(*agent.span())
        return [*of, words, Piece(":", line.start + len(body), line.end)]


def _slot_of(line: Piece) -> Piece | None:
    """The slots that a title names, if it names nothing else."""
    named = ITS_SLOT.match(line.text)
    slots = line.part(*named.span(1)) if named else None
    return slots if slots and is_slots(slots.text) else None


def _below(lines: Sequence[Piece], at: int) -> str:
    """The next line, or the one after where that is blank."""
    return next((line.text for line in lines[at + 1 : at + 3] if line.text.strip()), "")


def _rank(text: str, below: str) -> int | None:
    """How deep a title a line is, by its mark and the line below; None where it is none."""
    bullet = frames.BULLET.match(text)
    body = text[bullet.end() if bullet else 0 :].strip()
    if not body or len(body) > LONGEST_TITLE or "|" in body or ENDS_SENTENCE.search(body):
        return None
    if frames.OWN_NUMBER.search(body) and not _slot_of(Piece(body, 0, 0)):
        return None
    indent = len(text) - len(text.lstrip())
    markdown = MARKDOWN.match(text)
    if markdown and below:
        return len(markdown[1]) if markdown[1] else 7 + indent
    if body.rstrip("*_ ").endswith(":") or (below and ONLY_AGENT.match(body)):
        return 8 + indent
    if OF_WHOM.match(below) and _slot_of(Piece(body, 0, 0)):
        return 8 + indent
    deeper = frames.BULLET.match(below) and (not bullet or len(below) - len(below.lstrip()) > indent)
    heads = deeper or "|" in below or (STATE_HEAD.match(body) and is_slots(below))
    return 8 + indent if heads else None


def _listed(line: Piece) -> Iterator[Piece]:
    """A line with its source over it, as a title, and commas in its lists: "Relay from Agent 3. Free 2 4 6"."""
    relay = RELAY.match(line.text)
    start = relay.end() if relay else 0
    if relay:
        yield line.part(relay.start(2), relay.end(1))
        yield Piece(":\n", line.start + relay.end(1), line.start + start)
    for blanks in BARE_LIST.finditer(line.text, start):
        for blank in re.finditer(" ", blanks[0]):
            at = blanks.start() + blank.start()
            yield line.part(start, at)
            yield glue(",", line.part(at))
            start = at
    yield line.part(start)
