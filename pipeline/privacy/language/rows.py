"""Lines to records: keys and values, rows that begin with their slot, agents under a title, states and their slots."""

import re
from collections.abc import Sequence

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import MANY, Piece, Record, agent_of, glue, is_slots, plain
from pipeline.privacy.language.tables import STATE_HEAD, STATUS

KEY_VALUE = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?[*_]*([A-Za-z][\w ]{0,24}?)[*_]*[ \t]*[:=][*_ \t]*([^\n]*[^*_ \t\n])?[*_ \t]*$"
)
NAMES_ONE = re.compile(r"[ \t*_-]*(?:agent|from|sender|who|speaker|name|source|of)\b[*_]*\s*[:=]", re.I)
# "[04] errand", "4: busy", "s3 | free", and not "4. I'm free", a numbered item.
ROW = re.compile(
    r"[\s>|*_`•▪▫◦‣⁃▸►➤➜→🔹🔸📌\ufe0f-]*(?:\[(\d{1,2})\]|((?:slot ?#?|s)\d{1,2}(?=[*_`]*(?: *[|\t]|  ))|\d{1,2}"
    r"(?=[*_`]*(?: *[:|=\t\u2013\u2014\u2192]| *->| - |  | \(| (?:free|open|available|busy|blocked|booked|"
    r"taken|clear|errand|meeting|conflict|ok|yes|no)\b[^,;.!?]*$))))"
    r"[*_` \t:|=>\u2013\u2014\u2192-]*([^\d\s:|=-][^|]*?)[\s|]*$"
)
# Slots of an agent under a title that says what they are.
TITLE = re.compile(
    r"(?i)(?!.*\b(?:costs?|prices?|number|counts?|how many|totals?|scores?|votes?|errands|"
    r"meetings)\b)\W*[A-Za-z][\w ',()-]{2,50}\W*$"
)
AGENT_ROW = re.compile(
    r"[\s>*•_-]*((?:agent|a)[\s_#]*\d{1,2}|me|i|mine)[*_]*\s*[:=|\u2192\u2013-]+>?[\s*_]*((?:slots? )?#?\d{1,2}"
    r"(?:(?:\s*[,/&]\s*|\s+and\s+|\s+)#?\d{1,2})*)[\s|*_.]*$",
    re.I,
)
# "Slot 5: Agent 0, Agent 2" under a title, and what a title asks before it says so: "Who can make which slot".
SLOT_ROW = re.compile(
    r"[\s>*•_-]*((?:slot|s) ?#?\d{1,2})[*_]*\s*[:=|\u2192\u2013-]+>?[\s*_]*"
    r"((?:agents? ?#?\d{1,2}|a\d|me|i)(?:(?:\s*[,/&+]\s*|\s+and\s+)(?:agent ?#?\d{1,2}|a?\d{1,2}|me|i))*)[\s|*_.]*$",
    re.I,
)
ITS_WORDS = re.compile(
    r"\W{0,3}(?:who|which agents?)\b|\b(?:which|each|what) (?:slots?|times?)\b|\bwhen\b|\bmeeting ?#?\d+", re.I
)
OF_WHOM = re.compile(r"\d+|\b(?:me|i)\b", re.I)
SLOT = re.compile(r"\d+")
# "yes - 1, 3", "FREE 3 4 11", "ERRAND 12 (cost 7)": a state, and slots.
LISTS = re.compile(
    r"[ \t]*+(?:[-*•][ \t]++)?[*_]*+(?![A-Za-z', -]*\b(?:agent|meeting|slot|round|option|cost|vote|point|item|question|"
    r"message|"
    r"total|left|count|number)s?\b)([A-Za-z][A-Za-z', -]{1,40}?)"
    r"(?P<mark>[*_]*[ \t]*(?: -|\||\u2013|\u2014|=|->|=>|>|\u2192|:)[*_ \t]*|[ \t]+)(\d{1,2}(?:[ ,/&]{1,3}\d{1,2})*)"
    r"(?P<note>[ \t]*\([^()\n]*\))?[ \t*_.]*$"
)
NOTED = re.compile(r"[ \t]*(?:[^\w\s(\[]{1,3}[ \t]+)?()(\d{1,2})[ \t]+(\([^()\n]*[A-Za-z]{3}[^()\n]*\))[ \t]*$")
COST = re.compile(r"\b(?:costs?|price)\W{0,3}(?:of )?\d+|\(\d+\)|\b(?:meeting|mtg|agent|m) ?#?\d+", re.I)
CELL = re.compile(r"[^|;]+")
AGENT_SAYS = re.compile(r"\d\W+\w")  # more than an agent's name


def fields_at(lines: Sequence[Piece], at: int) -> tuple[Record, int] | None:
    """Lines in a row that say under keys what a slot is, as a record, and how many they are."""
    record, keys, end = Record(), set[str](), at
    while end < min(len(lines), at + MANY) and (match := KEY_VALUE.match(lines[end].text)):
        if not match[2] or plain(match[1]) in keys:
            break
        key, value = (lines[end].part(*match.span(group)) for group in (1, 2))
        keys.add(plain(key.text))
        if end == at and frames.ID_KEY.match(key.text) and is_slots(value.text):
            key = key._replace(text="slot")
        record.add(key, [value], listed=STATE_HEAD.match(key.text) is not None and not key.text.endswith("slots"))
        end += 1
    if any(frames.ALL_OF.match(one.values[0].text) or frames.REST_KEY.match(one.name) for one in record.fields):
        return record, end - at
    if record.agent and end - at > 1 and any(frames.PLAIN_KEY.match(one.name) for one in record.fields):
        return record, end - at
    if any(one.name.endswith(" slots") and not one.values[0].text.isdecimal() for one in record.fields):
        record.fields = [one._replace(listed=True) for one in record.fields]  # beside a list a number is one
    states = all(STATE_HEAD.match(one.name.removesuffix(" slots")) or is_slots(one.name) for one in record.fields)
    if record.agent and record.fields and states and NAMES_ONE.match(lines[at].text):
        return record, end - at
    beside = all(frames.PLAIN_KEY.match(one.name) or "cost" in one.name for one in record.fields)
    return (record, end - at) if record.slots and record.fields and beside else None


def rows_at(lines: Sequence[Piece], at: int) -> tuple[list[Record], int] | None:
    """Lines in a row that begin with a slot and say what it is: "[04] errand", "4 | busy"; and how many they are."""
    records, end = [], at
    while end < len(lines) and (row := _row_of(lines[end].text)):
        record = Record(slots=[lines[end].part(*row.span(1 if row[1] else 2))])
        record.add(glue(STATUS, record.slots[0]), [lines[end].part(*row.span(3))])
        records.append(record)
        end += 1
    alone = len(records) == 1 < len(lines) and NOTED.match(lines[at].text)
    if records and frames.OF_THINGS.search(_above(lines, at)):
        return [], end - at
    return (records, end - at) if len(records) > 1 or alone else None


def _above(lines: Sequence[Piece], at: int) -> str:
    """The line above, or the one before where that is blank: a title, if it has no number."""
    text = next((line.text for line in reversed(lines[max(0, at - 2) : at]) if line.text.strip()), "")
    return "" if any(map(str.isdigit, text)) else text


def _row_of(text: str) -> re.Match[str] | None:
    """A row as its slot, and what it says, which names no other slot."""
    row = ROW.match(text) or NOTED.match(text)
    return row if row and not frames.OWN_NUMBER.search(bare(row[3])) else None


def bare(text: str) -> str:
    """What a row says without its costs."""
    return COST.sub("", text)


def agents_at(lines: Sequence[Piece], at: int) -> tuple[list[Record], int] | None:
    """A title over lines that give each agent's slots, or each slot's agents, alone: "Free:", "A0: 2, 5"."""
    title = ITS_WORDS.sub("", lines[at].text)
    start = next((i for i in range(at + 1, min(at + 3, len(lines))) if lines[i].text.strip()), at)
    if start == at or any(map(str.isdigit, title)) or not re.search(r"[A-Za-z]", title):
        return None
    records, end = [], start
    while end < len(lines) and (row := SLOT_ROW.match(lines[end].text)):
        slot, agents = (lines[end].part(*row.span(group)) for group in (1, 2))
        for one in OF_WHOM.finditer(agents.text):
            record = Record(agent_of(agents.part(*one.span()), bare=True))
            record.add(glue(title, slot), [slot], listed=True)
            records.append(record)
        end += 1
    heads = end == start and TITLE.match(title)
    while heads and end < len(lines) and (row := AGENT_ROW.match(lines[end].text)):
        agent, slots = (lines[end].part(*row.span(group)) for group in (1, 2))
        record = Record(agent_of(agent))
        numbers = [slots.part(*one.span()) for one in SLOT.finditer(slots.text)]
        record.add(glue(title, slots), numbers, listed=True)
        records.append(record)
        end += 1
    return (records, end - at) if records else None


def lists_at(lines: Sequence[Piece], at: int) -> tuple[list[Record], int] | None:
    """Lines in a row that name a state and then its slots, without a colon; and how many they are."""
    records, end = [], at
    while end < len(lines) and (match := LISTS.match(lines[end].text)) and ":" not in match["mark"]:
        key, slots = (lines[end].part(*match.span(group)) for group in (1, 3))
        if not (match["mark"].strip() or STATE_HEAD.match(key.text)):
            break
        record = Record()
        note = [lines[end].part(*match.span("note"))] if match["note"] else []
        record.add(key, [slots.part(*one.span()) for one in SLOT.finditer(slots.text)], listed=True)
        records.append(record if not note else Record(slots=[slots], labels=[key, *note]))
        end += 1
    return (records, end - at) if end - at > 1 else None


def cells_at(lines: Sequence[Piece], at: int) -> tuple[list[Record], int] | None:
    """A line of cells, of which some name an agent or a slot and the others what is so: "Agent 2 | slot 3: free"."""
    line = lines[at].text
    mark = next((mark for mark in ("|", ";") if mark in line), None)
    if mark is None:
        return None
    record = Record()
    for cell in CELL.finditer(line):
        piece = lines[at].part(*cell.span()).strip(" \t*_")
        match = KEY_VALUE.match(piece.text)
        if match and match[2]:
            key, value = (piece.part(*match.span(group)) for group in (1, 2))
            record.add(key, [value], listed="cost" not in key.text.lower())
        elif mark == ";":
            return None
        elif frames.A_MEETING.match(piece.text) and not (record.slots or record.fields):
            continue
        elif (agent := agent_of(piece)) and not AGENT_SAYS.search(piece.text):
            if record.agent:
                return None
            record.agent = agent
        elif is_slots(piece.text) and not record.slots:
            record.slots.append(piece)
        elif not frames.IN_WORDS.search(piece.text):
            return None
        else:
            record.add(glue(STATUS, piece), [piece])
    return ([record], 1) if (record.agent or record.slots) and record.fields else None
