"""Rows and columns to records: tables with and without a header, and lines of keys and values."""

import re
from collections.abc import Iterator, Sequence

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import MANY, Piece, Record, agent_of, glue, is_slots, plain

STATE_HEAD = re.compile(
    r"\W*(?:free|open|available|busy|blocked|taken|booked|unavailable|(?:im)?possible|works?|"
    r"(?:movable )?errands?|conflicts?)\W*$",
    re.I,
)
# Columns that only blanks part.
GAP = re.compile(r"\S {2,}\S")
GAP_CELL = re.compile(r"\S+(?: \S+)*")
RULE = re.compile(r"(?=[^-]*-)[\s|:+=-]+$")
COMMAS = re.compile(r"\s*(?:slots?|agents?)\s*(?:,\s*[A-Za-z][\w ]*)+$", re.I)
HEADER = re.compile(
    r"[\s*`]*(?:|(?:time ?)?slots?|agents?|who|name|participant|meetings?|(?:slot|agent)\s*[\\/x×]\s*(?:slot|agent)|#)"
    r"[\s*`]*$",
    re.I,
)
PLAIN_HEAD = re.compile(r"\W*(?:status|availability|state)?\W*$", re.I)
KEY_VALUE = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?[*_]*([A-Za-z][\w ]{0,24}?)[*_]*[ \t]*[:=][*_ \t]*([^\n]*[^*_ \t\n])?[*_ \t]*$"
)
YOU = re.compile(r"\W*(?:you|your \w+)\W*$", re.I)
STATUS = "status"


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
    if at + 1 == len(lines) or not ("|" in head or "\t" in head or GAP.search(head) or COMMAS.match(head)):
        return 0
    header = _cells(lines[at])
    ruled = RULE.match(lines[at + 1].text) is not None
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
    if HEADER.match(header[0].text):
        return True
    if all(STATE_HEAD.match(cell.text) for cell in header):
        return all(is_slots(cell.text) for cell in row)
    return all(is_slots(cell.text) or agent_of(cell) for cell in header[1:])


def table_records(lines: Sequence[Piece]) -> Iterator[Record]:
    """What the rows of a table say."""
    header = _cells(lines[0])
    for line in (line for line in lines[1:] if not RULE.match(line.text)):
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
        elif "meeting" not in first and not PLAIN_HEAD.match(head.text):
            label = head
    records, numbered = [], bool(base.slots) and "slot" in first
    for name, cell in rest:
        name = glue(name.text, cell)  # as if it stood beside the cell
        agent = agent_of(name, bare=numbered)
        if agent or is_slots(name.text):
            record = Record(agent or base.agent, base.slots if agent else [name])
            record.add(label, [cell], listed=not record.slots)
            records.append(record)
        elif not YOU.match(name.text):
            base.add(name if label.text == STATUS else label, [cell], listed=not base.slots)
    return [*records, base]


def fields_at(lines: Sequence[Piece], at: int) -> tuple[Record, int] | None:
    """Lines in a row that say under keys what a slot is, as a record, and how many they are."""
    record, keys, end = Record(), set[str](), at
    while end < min(len(lines), at + MANY) and (told := KEY_VALUE.match(lines[end].text)):
        if not told[2] or plain(told[1]) in keys:
            break
        key, value = (lines[end].part(*told.span(group)) for group in (1, 2))
        keys.add(plain(key.text))
        record.add(key, [value])
        end += 1
    beside = all(frames.PLAIN_KEY.match(one.name) or "cost" in one.name for one in record.fields)
    return (record, end - at) if record.slots and record.fields and beside else None
