"""Rows and columns to records: tables with and without a header, and lines of keys and values."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import MANY, Piece, Record, agent_of, glue, is_slots, plain

STATE_HEAD = re.compile(
    r"\W*(?:free|open|available|busy|blocked|taken|booked|unavailable|(?:im)?possible|works?|"
    r"(?:movable )?errands?|conflicts?|(?:can|could|would|need to|have to) (?:be )?moved?|movable|flexible|"
    r"can'?t(?: do)?|can(?: do)?|cannot|no|yes|ok|not (?:free|available|possible)|proposed|confirmed)\W*$",
    re.I,
)
# Columns that only blanks part.
GAP = re.compile(r"\S {2,}\S")
GAP_CELL = re.compile(r"\S+(?: \S+)*")
RULE = re.compile(r"(?=[^-]*-)[\s|:+=-]+$")
COMMAS = re.compile(r"\s*(?:slots?|agents?|meetings?|mtgs?|who|sl|s)\s*(?:([,;])\s*[A-Za-z][\w ]*)+$", re.I)
HEADER = re.compile(
    r"[\s*`]*(?:|(?:time ?)?slots?|sl|s|agents?|who|name|participant|meetings?|(?:slot|agent)\s*[\\/x×]\s*"
    r"(?:slot|agent)|#)[\s*`]*$",
    re.I,
)
PLAIN_HEAD = re.compile(r"\W*(?:status|availability|state)?\W*$", re.I)
KEY_VALUE = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?[*_]*([A-Za-z][\w ]{0,24}?)[*_]*[ \t]*[:=][*_ \t]*([^\n]*[^*_ \t\n])?[*_ \t]*$"
)
NAMES_ONE = re.compile(r"[ \t*_-]*(?:agent|from|sender|who|speaker|name|source|of)\b[*_]*\s*[:=]", re.I)
FIRST, LAST = (re.compile(rf"\W*(?:{words})\b", re.I) for words in ("from|start|first|begin", "to|until|end|last|thru"))
ASKED = re.compile(r"\W*(slots? ?#?\d{1,2}) ([a-z ]+?)\W*\?\W*$", re.I)  # "slot 2 free?" | yes
# "Answer on slot 10", "Slot 10?" over a column; columns that put rows in order; dashes that may stand for a state.
ONE_SLOT = re.compile(r"(?!.*\b(?:costs?|votes?|price)\b)[^\d|]{0,30}\b(slot ?#?\d{1,2})\b[^\d\w]*$", re.I)
ORDER = re.compile(r"(?:#|options?|no|ranks?|ranking|priority|preference|choices?|order|place)$")
ALL_MEETINGS = re.compile(r"\W*(?:meeting|mtg) ?#?\d+\W*$", re.I)
DASH = re.compile(r"^[-\u2010-\u2015\u2212]{1,3}$")
COUNTS = re.compile(r"\b(?:counts?|number|how many|total|no\.) ?(?:of)?\b|\(#\)", re.I)
YOU = re.compile(r"\W*(?:you|your \w+)\W*$", re.I)
# Struck words are not said; leaders and tags stand for the columns that they make. A blank that parts no columns.
STRUCK = re.compile(r"~~[^~\n]{1,200}~~,?|<(s|del|strike)>[^<\n]{0,200}</\1>,?", re.I)
LEADERS = re.compile(r"(?<=[\w)\]]) ?(?:\.{4,}|(?: \.){3,}|_{3,}|…{2,}) ?(?=[^\s.])")
TAG = re.compile(r"<(/?)(t[dhr]|table|thead|tbody|br|b|i|p|ul|ol|li|pre|code|strong|em)\b[^<>\n]{0,80}>", re.I)
PYTHON = re.compile(r"""[{\[]\s*\{?\s*'[\w ]+'\s*:""")
QUOTED = re.compile(r"""'([^'"\n]*)'(?=\s*[:,\]}])""")
CHECKED = re.compile(r"(?m)^[ \t]*[-*+]?[ \t]*\[[xX\u2713\u2714]\][ \t]*(?:slot ?)?#?\d{1,2}[ \t]*$")
BOX = re.compile(r"(?m)^([ \t]*[-*+]?[ \t]*)\[([ xX\u2713\u2714])\](?=[ \t]*(?:slot ?)?#?\d{1,2}[ \t]*$)")
# "agent_2.free = 8", "Agent 0 → 10".
OF_AGENT = re.compile(r"\b(agent[ _]?\d{1,2})\.(?=[a-z])", re.I)
ARROW = re.compile(
    r"(\b(?:(?:agent|a) ?#?\d{1,2}(?: ?\([^()\n\d]{1,20}\))?|(?:slots?|s) ?#?\d{1,2}(?=[^\w\n]{1,6}[a-rt-z])) ?)"
    r"(\u2192|\u27a1\ufe0f?|[=-]>)",
    re.I,
)
# "Agent 2 → Agent 0" over a message says who writes to whom.
ADDRESSED = re.compile(
    r"(?im)^(\W*agent ?#?\d{1,2}[*_]*) ?(?:\u2192|->|=>|\u27a1\ufe0f?) ?(?:agent ?#?\d{1,2}[,&and ]{0,5}){1,4}"
    r"(?=\W*$|[*_]*:)"
)
# "free: [2, 3]  busy: [4]", "(2, free), (3, busy)", "2/free".
LIST_END = re.compile(r"[\]}](?=[ \t]+[A-Za-z][\w ]{0,20}[:=]? ?[\[{])")
BOXED = re.compile(r"(?m)^([ \t]*)\[([A-Za-z][A-Za-z' ]{1,20})\](?=[ \t]*\d)")
TUPLE = re.compile(r"\((\d{1,2}),( ?[A-Za-z][A-Za-z' ]{1,30})\)(?=[,;\s.]*(?:\(\d|$))")
# "Slot: 1 | 2 | 3" over "Me: free | busy | free": the colons part cells as well.
ACROSS = re.compile(r"(?m)^[ \t]*(?:slots?|time):(?=[ \t]*\d{1,2}[ \t]*\|[\d |\t]+$)", re.I)
ROW_KEY = re.compile(r"(?m)^([ \t]*[A-Za-z][\w ]{0,20}):(?=[^\n|]*\|)")
OF_STATE = re.compile(r"(?<=\d)/(?=(?:free|busy|open|available|blocked|booked|taken|errand)\b)", re.I)
HOLLOW = "\r"
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
    r"\W*(?:who|which agents?)\b|\b(?:which|each|what) (?:slots?|times?)\b|\bwhen\b|\bmeeting ?#?\d+", re.I
)
OF_WHOM = re.compile(r"\d+|\b(?:me|i)\b", re.I)
SLOT = re.compile(r"\d+")
# "yes - 1, 3", "FREE 3 4 11", "ERRAND 12 (cost 7)": a state, and slots.
LISTS = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?[*_]*(?![A-Za-z', -]*\b(?:agent|meeting|slot|round|option|cost|vote|point|item|question|"
    r"message|"
    r"total|left|count|number)s?\b)([A-Za-z][A-Za-z', -]{1,40}?)"
    r"(?P<mark>[*_]*[ \t]*(?: -|\||\u2013|\u2014|=|->|=>|>|\u2192|:)[*_ \t]*|[ \t]+)(\d{1,2}(?:[ ,/&]{1,3}\d{1,2})*)"
    r"(?P<note>[ \t]*\([^()\n]*\))?[ \t*_.]*$"
)
NOTED = re.compile(r"[ \t]*(?:[^\w\s(\[]{1,3}[ \t]+)?()(\d{1,2})[ \t]+(\([^()\n]*[A-Za-z]{3}[^()\n]*\))[ \t]*$")
COST = re.compile(r"\b(?:costs?|price)\W{0,3}(?:of )?\d+|\(\d+\)|\b(?:meeting|mtg|agent|m) ?#?\d+", re.I)
STATUS = "status"
CELL = re.compile(r"[^|;]+")
AGENT_SAYS = re.compile(r"\d\W+\w")  # more than an agent's name


def in_columns(content: str) -> str:
    """A message without what is struck out, and with bars, colons and double quotes where tags, leaders and single
    quotes do their work: every other character in its place."""
    if "~~" in content or "</" in content or "<br" in content:
        content = TAG.sub(_bar, STRUCK.sub(lambda struck: HOLLOW * len(struck[0]), content))
    if "..." in content or ". ." in content or "___" in content or "……" in content:
        content = LEADERS.sub(lambda dots: ":".ljust(len(dots[0])), content)
    if "[" in content:
        content = BOX.sub(_ticked, content) if CHECKED.search(content) else content
    if "_" in content or "." in content:
        content = OF_AGENT.sub(lambda dot: f"{dot[1]}:", content)
    if "\u2192" in content or "\u27a1" in content or "=>" in content or "->" in content:
        content = ADDRESSED.sub(lambda line: line[1].ljust(len(line[0]), HOLLOW), content)
        content = ARROW.sub(lambda arrow: f"{arrow[1]}{':'.ljust(len(arrow[2]))}", content)
    if "]" in content or "(" in content or "/" in content:
        content = BOXED.sub(r"\1 \2:", LIST_END.sub(";", content))
        content = TUPLE.sub(lambda pair: f" {pair[1]}:{pair[2]};", content)
        content = OF_STATE.sub(":", content)
    if "|" in content and ACROSS.search(content):
        content = ROW_KEY.sub(r"\1|", content)
    if "{" in content and (start := PYTHON.search(content)):
        content = content[: start.start()] + QUOTED.sub(r'"\1"', content[start.start() :])
    return content


def _ticked(box: re.Match[str]) -> str:
    """A box with its cross as a tick, an empty one as a cross: "- [x] slot 2"."""
    mark = "\u274c" if box[2] == " " else "\u2705"
    return f"{box[1]}{mark}{HOLLOW * 2}"


def _bar(tag: re.Match[str]) -> str:
    """A cell's tag as a bar, a line's end as one, any other as blanks."""
    name, opens = tag[2].lower(), not tag[1]
    line = name == "br" or (name in ("tr", "li", "p") and not opens)
    return ("\n" if line else "|" if opens and name in ("td", "th") else HOLLOW).ljust(len(tag[0]), HOLLOW)


def _cells(line: Piece) -> list[Piece]:
    """The cells of a row, without the space around them."""
    if GAP.search(line.text) and "|" not in line.text:
        return [line.part(*cell.span()) for cell in GAP_CELL.finditer(line.text)]
    mark = next((mark for mark in "|\t;" if mark in line.text), ",")
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
    header = _header(lines, at)
    ruled = RULE.match(lines[at + 1].text) is not None
    if len(header) < 2 or not (ruled or _is_header(header, _cells(lines[at + 1]))):
        return 0
    end = at + 1 + ruled
    while end < len(lines) and len(_cells(lines[end])) == len(header):
        end += 1
    return end - at if end > at + 1 + ruled else 0


def _header(lines: Sequence[Piece], at: int) -> list[Piece]:
    """The cells of a first row; the one over the names of the rows may be blank."""
    header = _cells(lines[at])
    indented = lines[at].text[:1] in (" ", "\t") and "|" not in lines[at].text
    return [lines[at].part(0, 0), *header] if indented and len(_cells(lines[at + 1])) == len(header) + 1 else header


def _is_header(header: Sequence[Piece], row: Sequence[Piece]) -> bool:
    """Whether the first of two rows names what stands below it."""
    if len(header) != len(row) or (is_slots(header[0].text) and is_slots(row[0].text)):
        return False
    if HEADER.match(header[0].text):
        return True
    if all(STATE_HEAD.match(cell.text) for cell in header):
        return all(is_slots(cell.text) for cell in row)
    return all(is_slots(cell.text) or agent_of(cell) for cell in header[1:])


def table_records(lines: Sequence[Piece], priced: bool, codes: Mapping[str, str]) -> Iterator[Record]:
    """What the rows of a table say. priced: its bare numbers cost; codes: what a dash and an empty cell mean."""
    header = _header(lines, 0)
    priced = priced or any("cost" in cell.text.lower() for cell in header)
    spans = len(header) > 2 and FIRST.match(header[0].text) and LAST.match(header[1].text)
    for line in (line for line in lines[1:] if not RULE.match(line.text)):
        cells = [cell._replace(text=codes.get(DASH.sub("-", cell.text), cell.text)) for cell in _cells(line)]
        if spans and is_slots(cells[0].text) and is_slots(cells[1].text):
            both = f"{cells[0].text}-{cells[1].text}" if cells[0].text != cells[1].text else cells[0].text
            cells = [Piece(both, cells[0].start, cells[1].end), *cells[2:]]
        yield from _row([glue("slot", header[0]), *header[2:]] if spans else header, cells, priced)


def _row(header: Sequence[Piece], cells: Sequence[Piece], priced: bool) -> list[Record]:
    """What a row says: of its own slot or agent, or of those of its columns. priced: bare numbers cost."""
    base, label = Record(), glue(STATUS, cells[0])
    first = plain(header[0].text)
    rest = list(zip(header, cells, strict=False))
    if all(STATE_HEAD.match(name.text) for name in header):
        for name, cell in rest:
            base.add(glue(name.text, cell), [cell], listed=True)
        return [base]
    if is_slots(header[0].text) and agent_of(cells[0]):
        base.slots, first = [glue(header[0].text, cells[0])], "agent"
    if first == "agent" or not (is_slots(header[0].text) or agent_of(header[0]) or ALL_MEETINGS.match(header[-1].text)):
        head = rest.pop(0)[1]
        if ORDER.match(first) and "slot" not in head.text.lower():
            return _row(header[1:], cells[1:], priced)
        if "agent" not in first and "meeting" not in first and is_slots(head.text):
            base.slots.append(head)
        elif asked := ASKED.match(head.text):
            base.slots.append(head.part(*asked.span(1)))
            label = head.part(*asked.span(2))
        elif agent := agent_of(head, bare="agent" in first):
            base.agent = agent
        elif "meeting" not in first and not PLAIN_HEAD.match(head.text):
            label = head
    records, numbered = [], bool(base.slots) and "slot" in first
    for name, cell in rest:
        name = glue(name.text, cell)  # as if it stood beside the cell
        if not is_slots(name.text) and (asked := ONE_SLOT.match(name.text)):
            name = glue(asked[1], cell)
        agent = agent_of(name, bare=numbered)
        if agent or is_slots(name.text):
            record = Record(agent or base.agent, base.slots if agent else [name])
            cost = priced and record.slots and cell.text.isdecimal()
            record.add(glue("cost", cell) if cost else label, [cell], listed=not record.slots)
            records.append(record)
        elif not (YOU.match(name.text) or COUNTS.search(name.text)):
            base.add(name if label.text == STATUS else label, [cell], listed=not base.slots)
    of_records = records and all("cost" in one.name for one in base.fields)  # the cost of what is said beside it
    return records if of_records else [*records, base]


def fields_at(lines: Sequence[Piece], at: int) -> tuple[Record, int] | None:
    """Lines in a row that say under keys what a slot is, as a record, and how many they are."""
    record, keys, end = Record(), set[str](), at
    while end < min(len(lines), at + MANY) and (told := KEY_VALUE.match(lines[end].text)):
        if not told[2] or plain(told[1]) in keys:
            break
        key, value = (lines[end].part(*told.span(group)) for group in (1, 2))
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
    while end < len(lines) and (told := LISTS.match(lines[end].text)) and ":" not in told["mark"]:
        key, slots = (lines[end].part(*told.span(group)) for group in (1, 3))
        if not (told["mark"].strip() or STATE_HEAD.match(key.text)):
            break
        record = Record()
        note = [lines[end].part(*told.span("note"))] if told["note"] else []
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
        told = KEY_VALUE.match(piece.text)
        if told and told[2]:
            key, value = (piece.part(*told.span(group)) for group in (1, 2))
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
