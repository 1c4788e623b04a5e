"""Rows and columns to records: tables with and without a header."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pipeline.privacy.language.records import Piece, Record, agent_of, glue, is_slots, plain

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
    r"[\s*`]*+(?:|(?:time ?)?slots?|sl|s|agents?|who|name|participant|meetings?|(?:slot|agent)\s*[\\/x×]\s*"
    r"(?:slot|agent)|#)[\s*`]*$",
    re.I,
)
PLAIN_HEAD = re.compile(r"\W*+(?:status|availability|state)?\W*$", re.I)
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
PYTHON = re.compile(r"""[{\[]\s*+(?:\{\s*+)?'[\w ]+'\s*:""")
QUOTED = re.compile(r"""'([^'"\n]*)'(?=\s*[:,\]}])""")
CHECKED = re.compile(r"(?m)^[ \t]*+(?:[-*+][ \t]*+)?\[[xX\u2713\u2714]\][ \t]*(?:slot ?)?#?\d{1,2}[ \t]*$")
BOX = re.compile(r"(?m)^([ \t]*+(?:[-*+][ \t]*+)?)\[([ xX\u2713\u2714])\](?=[ \t]*(?:slot ?)?#?\d{1,2}[ \t]*$)")
# "agent_2.free = 8", "Agent 0 → 10".
OF_AGENT = re.compile(r"\b(agent[ _]?\d{1,2})\.(?=[a-z])", re.I)
ARROW = re.compile(
    r"(\b(?:(?:agent|a) ?#?\d{1,2}(?: ?\([^()\n\d]{1,20}\))?|(?:slots?|s) ?#?\d{1,2}(?=[^\w\n]{1,6}[a-rt-z])) ?)"
    r"(\u2192|\u27a1\ufe0f?|[=-]>)",
    re.I,
)
# "Agent 2 → Agent 0" over a message says who writes to whom.
ADDRESSED = re.compile(
    r"(?im)^([^\w\n]*agent ?#?\d{1,2}[*_]*) ?(?:\u2192|->|=>|\u27a1\ufe0f?) ?(?:agent ?#?\d{1,2}[,&and ]{0,5}){1,4}"
    r"(?=[^\w\n]*$|[*_]*:)"
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
STATUS = "status"


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
