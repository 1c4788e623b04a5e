"""Data in a message to sentences: of a JSON object or a row of a table, whose slots are what.

Each piece of a sentence knows where it stands in the message, so that a claim's span is there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.privacy.language import frames

STATE_HEAD = re.compile(
    r"\W*(?:free|open|available|busy|blocked|taken|booked|unavailable|(?:im)?possible|works?|"
    r"(?:movable )?errands?|conflicts?)\W*$",
    re.I,
)
# Columns that only blanks part.
GAP = re.compile(r"\S {2,}\S")
GAP_CELL = re.compile(r"\S+(?: \S+)*")
STATUS, MANY = "status", 24


class Piece(NamedTuple):
    """Words of a sentence, and where they stand in the message, or near what they do."""

    text: str
    start: int
    end: int

    def part(self, start: int, end: int | None = None) -> "Piece":
        """A part of a piece that stands word for word in the message."""
        text = self.text[start:end]
        return Piece(text, self.start + start, self.start + start + len(text))


def glue(text: str, near: Piece) -> Piece:
    """Words that stand nowhere in the message, near a piece that does."""
    return Piece(text, near.start, near.start)


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


def plain(key: str) -> str:
    """A key in words: "proposedSlot" and "proposed_slot" are "proposed slot"."""
    return " ".join(frames.CAMEL.sub(" ", key).strip(frames.EDGES).lower().split())


def agent_of(piece: Piece, bare: bool = False) -> Piece | None:
    """Who a key, header or value names, as a sentence does; a `bare` number may."""
    if named := frames.AGENT_CELL.match(piece.text):
        return piece._replace(text=f"agent {named[1]}")
    if frames.ME.match(piece.text):
        return piece._replace(text="me")
    if bare and piece.text.strip(frames.EDGES).isdecimal():
        return piece._replace(text=f"agent {piece.text.strip(frames.EDGES)}")
    return None


def is_slots(text: str) -> bool:
    """Whether a text names slots and nothing else."""
    return frames.SLOT_CELL.match(text) is not None


def named_slots(pieces: Sequence[Piece]) -> list[Piece]:
    """Slots as a sentence names them."""
    stripped = [piece._replace(text=re.sub(r"(?i)slots?[\s_#]*|[*`#]", "", piece.text).strip()) for piece in pieces]
    return [glue("slots ", stripped[0]), *joined([[piece] for piece in stripped])]


def _said_of(slots: Sequence[Piece], said: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Slots, and what is said of them if anything is."""
    told = [part for part in said if part]
    return [*named_slots(slots), *((glue(": ", slots[0]), *joined(told)) if told else ())]


def joined(parts: Sequence[Sequence[Piece]], mark: str = ", ") -> list[Piece]:
    """The parts with a comma between any two."""
    return [piece for i, part in enumerate(parts) for piece in ((glue(mark, part[0]),) if i else ()) + tuple(part)]


class Field(NamedTuple):
    """What a record says under a key: one value, or a list of them."""

    key: Piece
    values: Sequence[Piece]
    listed: bool

    @property
    def name(self) -> str:
        """The key in words."""
        return plain(self.key.text)

    def apart(self, priced: bool) -> list[Piece]:
        """The field as a sentence of its own, where it names slots itself; else nothing. priced: its numbers cost."""
        name, first = self.name, self.values[0]
        label = [] if frames.PLAIN_KEY.match(name) else [self.key._replace(text=name), glue(": ", self.key)]
        if is_slots(name) and name:
            return _said_of([self.key], [self._said(value, priced) for value in self.values])
        if all(is_slots(value.text) for value in self.values):
            names_them = self.listed or frames.CHOSEN_KEY.search(name) or frames.SLOT_KEY.match(name)
            return [*label, *named_slots(self.values)] if names_them else []
        return [*label, *joined([[value] for value in self.values])] if frames.AMOUNT.search(first.text) else []

    def beside(self) -> list[Piece]:
        """What the field says of the slots of its record."""
        name, first = self.name, self.values[0]
        key = self.key._replace(text=name)
        if is_slots(first.text):
            return [key, glue(" ", key), first] if "cost" in name else []
        if frames.PLAIN_KEY.match(name):
            return self._said(first)
        if frames.TRUE.match(first.text):
            return [first._replace(text=name)]
        if frames.FALSE.match(first.text):
            return [first._replace(text=f"{'no' if frames.THING.search(name) else 'not'} {name}")]
        return [key, glue(": ", key), *self._said(first)]

    def _said(self, value: Piece, priced: bool = False) -> list[Piece]:
        """A value without the numbers that count something: a truth in words."""
        if value.text in ("true", "false"):
            return [value._replace(text="free" if value.text == "true" else "not free")]
        if is_slots(value.text):
            return [glue("cost ", value), value] if priced else []
        if frames.A_MEETING.match(value.text):
            return [value._replace(text="existing meeting")]
        return [value._replace(text=frames.AMOUNT.sub("", value.text))]


@dataclass
class Record:
    """An agent and slots of which fields say something, and the labels that stand above them."""

    agent: Piece | None = None
    slots: list[Piece] = field(default_factory=list)
    labels: list[Piece] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    def add(self, key: Piece, values: Iterable[Piece], listed: bool = False) -> None:
        """Add a field, or the agent or slots that it names."""
        told = [value for value in values if not frames.EMPTY_CELL.match(value.text)]
        one = Field(key, told, listed)
        if not told or frames.ASIDE_KEY.match(one.name):
            return
        slots = frames.SLOT_KEY.match(one.name)
        if frames.AGENT_KEY.match(one.name) and (agent := agent_of(told[0], bare=True)):
            self.agent = agent
        elif slots and frames.PLAIN_KEY.match(slots[1] or "") and all(is_slots(value.text) for value in told):
            self.slots += told
        else:
            self.fields.append(one)

    def label(self, key: Piece) -> None:
        """Add a key that stands above the record, unless it says nothing of slots."""
        if not (frames.PLAIN_KEY.match(plain(key.text)) or frames.ASIDE_KEY.match(plain(key.text))):
            self.labels.append(key)

    def sentences(self) -> Iterator[list[Piece]]:
        """What the record says."""
        subject = [self.agent, glue(": ", self.agent)] if self.agent else []
        labels = [label._replace(text=plain(label.text)) for label in self.labels]
        said = [[label] for label in labels]
        for one in self.fields:
            if apart := one.apart(any("cost" in label.text for label in self.labels)):
                yield [*subject, *(part for label in labels for part in (label, glue(": ", label))), *apart]
            elif beside := one.beside():
                said.append(beside)
        if self.slots:
            yield [*subject, *_said_of(self.slots, said)]


def _cells(line: Piece) -> list[Piece]:
    """The cells of a row, without the space around them."""
    if GAP.search(line.text) and "|" not in line.text:
        return [line.part(*cell.span()) for cell in GAP_CELL.finditer(line.text)]
    mark = "|" if "|" in line.text else "\t" if "\t" in line.text else ","
    cells, start = [], 0
    for text in line.text.split(mark):
        at = line.start + start + len(text) - len(text.lstrip())
        cells.append(Piece(text.strip(), at, at + len(text.strip())))
        start += len(text) + 1
    if mark == "|":
        cells = cells[not cells[0].text : len(cells) - (not cells[-1].text)]
    return cells


def table_at(lines: Sequence[Piece], at: int) -> int:
    """How many lines the table has that starts at a line; 0 where none does."""
    head = lines[at].text
    if at + 1 == len(lines) or not ("|" in head or "\t" in head or GAP.search(head) or frames.COMMAS.match(head)):
        return 0
    header = _cells(lines[at])
    ruled = frames.RULE.match(lines[at + 1].text) is not None
    if len(header) < 2 or not (ruled or _is_header(header, _cells(lines[at + 1]))):
        return 0
    end = at + 1 + ruled
    while end < len(lines) and len(_cells(lines[end])) == len(header):
        end += 1
    return end - at if end > at + 1 + ruled else 0


def _is_header(header: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """Whether the first of two rows names what stands below it."""
    if len(header) != len(row) or (is_slots(header[0].text) and is_slots(row[0].text)):
        return False
    if frames.HEADER.match(header[0].text):
        return True
    if all(STATE_HEAD.match(cell.text) for cell in header):
        return all(is_slots(cell.text) for cell in row)
    return all(is_slots(cell.text) or agent_of(cell) for cell in header[1:])


def table_records(lines: Sequence[Piece]) -> Iterator[Record]:
    """What the rows of a table say."""
    header = _cells(lines[0])
    for line in (line for line in lines[1:] if not frames.RULE.match(line.text)):
        yield from _row(header, _cells(line))


def _row(header: Sequence[Piece], cells: Sequence[Piece]) -> list[Record]:
    """What a row says: of its own slot or agent, or of those of its columns."""
    base, label = Record(), glue(STATUS, cells[0])
    first = plain(header[0].text)
    rest = list(zip(header, cells, strict=False))
    if all(STATE_HEAD.match(name.text) for name in header):
        for name, cell in rest:
            base.add(glue(name.text, cell), [cell], listed=True)
        return [base]
    if not (is_slots(header[0].text) or agent_of(header[0])):
        head = rest.pop(0)[1]
        if first in ("#", "option", "no") and "slot" not in head.text.lower():
            return _row(header[1:], cells[1:])
        if "agent" not in first and "meeting" not in first and is_slots(head.text):
            base.slots.append(head)
        elif agent := agent_of(head, bare="agent" in first):
            base.agent = agent
        elif "meeting" not in first and not frames.PLAIN_HEAD.match(head.text):
            label = head
    records, numbered = [], bool(base.slots) and "slot" in first
    for name, cell in rest:
        name = glue(name.text, cell)  # as if it stood beside the cell
        agent = agent_of(name, bare=numbered)
        if agent or is_slots(name.text):
            record = Record(agent or base.agent, base.slots if agent else [name])
            record.add(label, [cell], listed=not record.slots)
            records.append(record)
        elif not frames.YOU.match(name.text):
            base.add(name if label.text == STATUS else label, [cell], listed=not base.slots)
    return [*records, base]


def fields_at(lines: Sequence[Piece], at: int) -> tuple[Record, int] | None:
    """Lines in a row that say under keys what a slot is, as a record, and how many they are."""
    record, keys, end = Record(), set[str](), at
    while end < min(len(lines), at + MANY) and (told := frames.KEY_VALUE.match(lines[end].text)):
        if not told[2] or plain(told[1]) in keys:
            break
        key, value = (lines[end].part(*told.span(group)) for group in (1, 2))
        keys.add(plain(key.text))
        record.add(key, [value])
        end += 1
    beside = all(frames.PLAIN_KEY.match(one.name) or "cost" in one.name for one in record.fields)
    return (record, end - at) if record.slots and record.fields and beside else None
