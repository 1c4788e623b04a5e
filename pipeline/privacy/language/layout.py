"""Layout to sentences: tables, JSON, legends and titles say in lines and columns what a sentence says in words.

One pass over a message, in time proportional to its length.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import DEEPEST, Piece, Record, Rewritten, glue, is_slots, json_at
from pipeline.privacy.language.tables import HOLLOW, fields_at, rows_at, strip_at, table_at, table_records

LONGEST_TITLE = 60  # characters
TICKS = {tick: "free" if said == frames.YES else "not free" for tick, said in frames.TICKS.items()}
# "✅ = free, ❌ = busy", "(Y = available, N = not available)", "F free / B busy", "green is free", "fr = free"
PICTURE = r"[^\w\s.,;:|(){}\[\]\"'`*<>=#/\\&+~^%$@!?·–—→-]\ufe0f?"
MARK = rf"(?:[A-HJ-Z]|{PICTURE})"
# What a legend may call by its name.
CALLED = {
    **{
        "green": "🟢🟩💚✅",
        "red": "🔴🟥❌",
        "yellow": "🟡🟨💛",
        "amber": "🟠🟧🟡",
        "orange": "🟠🟧🧡",
        "blue": "🔵🟦💙",
    },
    **{"white": "⚪⬜□◻○", "black": "⚫⬛■◼●", "filled": "■●", "empty": "□○", "hollow": "□○", "dot": ".", "dash": "-"},
    **{"tick": "✅✔☑✓", "check": "✅✔☑✓", "cross": "❌✖✗✘", "star": "⭐★*", "hash": "#"},
}
STATE = (
    r"(?i:[a-z' ]{0,40}\b(?:free|avail\w*|open|clear|busy|block\w*|taken|errands?|meetings?|can(?:'t|not)?|not|"
    r"unavail\w*|book\w*|conflict\w*|mov(?:e|able)|flexible|works?|ok|okay|possible|impossible|occupied|no|yes|nope|"
    r"full|good|bad|fixed|nothing|empty|shut|aren't|isn't|unsure|maybe)\b"
    r"[a-z' ]{0,60}+)(?![\d#:])"
)
MEANS = r"(?:=|:|->|→|means|stands for)"
ENTRY = rf"({MARK}) {{0,3}}(?:{MEANS} {{0,3}})?+({STATE})"
LEGEND = re.compile(
    rf"(?i:\b(?:legend|key) ?:? ?)?[(\[]?(?<![\w#])(?<!\d ){ENTRY}(?: {{0,3}}(?:[,;/|·]| and )? {{0,3}}{ENTRY})*[)\]]?"
)
PAIRS = re.compile(rf"(?<!\w){ENTRY}")
NAMES = re.compile(
    rf"(?i:\b(?:an? |the )?({'|'.join(CALLED)})(?:e?s| mark)?\b(?: (?:one|square|circle|box|mark|light|dot|cell)e?s?)?"
    rf" ?(?:{MEANS}|is|are)? ?)({STATE})"
)
CODES = re.compile(rf"\b([a-z]{{1,3}}|[01]) ?{MEANS} ?({STATE})")
NEXT_NUMBER = re.compile(r"[\s*]*(slots?\s*)?#?\d", re.I)
NUMBER_AHEAD = re.compile(r"\d[ *]*\Z")
NOT_SO = re.compile(r"(?:are|is)n't\W*$", re.I)
MEETING = re.compile(r"^meetings?$", re.I)


class Legend(NamedTuple):
    """What marks stand for: anywhere in a message, and in its rows and strips alone; and the calendar's slots."""

    marks: Mapping[str, str]
    codes: Mapping[str, str]
    num_slots: int | None

    def of_strips(self) -> Mapping[str, str]:
        """The marks that may stand side by side, one a slot."""
        return TICKS | self.marks | self.codes


def in_sentences(content: str, num_slots: int | None) -> Rewritten | None:
    """A message with its layout in sentences, one a line; None where it has no layout."""
    out, end = Rewritten(), 0
    content, legend = _legend(content, num_slots)
    changed = bool(legend.marks)
    while match := frames.JSON.search(content, end):
        records, stop = json_at(content, match.start())
        if source := frames.DATA_OF.search(content, max(end, match.start() - LONGEST_TITLE), match.start()):
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
        spelled = (piece._replace(text=legend.codes.get(piece.text, piece.text)) for piece in sentence)
        pieces = [part for piece in spelled for part in _spelled_out(piece, legend.marks)]
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
        pieces = [part for piece in pieces for part in _listed(piece)]
        pieces = [part for piece in pieces for part in _spelled_out(piece, legend.marks)]
        changed |= bool(legend.marks) or len(pieces) != 1 or pieces[0].text != lines[at].text
        out.add(*pieces)
        at += 1
        if at < len(lines):
            out.add(Piece("\n", lines[at].start - 1, lines[at].start))
    return changed


def _block_at(lines: Sequence[Piece], at: int, legend: Legend) -> tuple[Iterable[Record], int] | None:
    """The records of the rows that start at a line, and how many they are; None where none do."""
    if rows := table_at(lines, at):
        return table_records(lines[at : at + rows]), rows
    if fields := fields_at(lines, at):
        return [fields[0]], fields[1]
    if strip := strip_at(lines, at, legend.of_strips(), legend.num_slots):
        return strip, 1
    return rows_at(lines, at)


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
        if line.text.strip() and not item and not any(char.isdigit() for char in line.text):
            self.open.clear()
        slots = self.open[-1].slots if item and self.open else None
        if not slots or not item or frames.OWN_NUMBER.search(line.text, item.end()):
            return [line]
        return [glue(f"{slots.text}: ", slots), line.part(item.end())]

    def _title(self, line: Piece, rank: int, below: str) -> list[Piece]:
        body = line.text.rstrip(" \t*_:")
        first = len(body) - len(body.lstrip(" \t#*_+-•"))
        words = line.part(first, len(body))
        agent = frames.NAMED.search(body)
        while self.open and (agent or frames.ME_FIRST.match(body) or self.open[-1].rank > rank) and not self.fresh:
            self.open.pop()
        if self.open and self.open[-1].rank == rank and not self.fresh:
            self.open.pop()
        outer = next((title.agent for title in reversed(self.open) if title.agent), None)
        slots = words if is_slots(words.text) and frames.BULLET.match(below) else None
        self.open.append(Title(rank, line.part(*agent.span()) if agent else None, slots))
        del self.open[:-DEEPEST]
        self.fresh = True
        if slots:
            return []
        of = [glue(f"{outer.text}: ", words)] if outer else []
        if agent and frames.OF_AGENT.search(body):
            of, words = [*of, words, glue(": ", words)], line.part(*agent.span())
        return [*of, words, Piece(":", line.start + len(body), line.end)]


def _below(lines: Sequence[Piece], at: int) -> str:
    """The next line, or the one after where that is blank."""
    return next((line.text for line in lines[at + 1 : at + 3] if line.text.strip()), "")


def _rank(text: str, below: str) -> int | None:
    """How deep a title a line is, by its mark and the line below; None where it is none."""
    bullet = frames.BULLET.match(text)
    body = text[bullet.end() if bullet else 0 :].strip()
    if not body or len(body) > LONGEST_TITLE or "|" in body or frames.ENDS_SENTENCE.search(body):
        return None
    if frames.OWN_NUMBER.search(body) and not (is_slots(body.strip("#*_: ")) and "slot" in body.lower()):
        return None
    indent = len(text) - len(text.lstrip())
    markdown = frames.MARKDOWN.match(text)
    if markdown and below:
        return len(markdown[1]) if markdown[1] else 7 + indent
    if body.rstrip("*_ ").endswith(":") or (below and frames.ONLY_AGENT.match(body)):
        return 8 + indent
    deeper = frames.BULLET.match(below) and (not bullet or len(below) - len(below.lstrip()) > indent)
    return 8 + indent if deeper or "|" in below else None


def _listed(line: Piece) -> Iterator[Piece]:
    """A line with its source over it, as a title, and commas in its lists: "Relay from Agent 3. Free 2 4 6"."""
    relay = frames.RELAY.match(line.text)
    start = relay.end() if relay else 0
    if relay:
        yield line.part(relay.start(2), relay.end(1))
        yield Piece(":\n", line.start + relay.end(1), line.start + start)
    for blanks in frames.BARE_LIST.finditer(line.text, start):
        for blank in re.finditer(" ", blanks[0]):
            at = blanks.start() + blank.start()
            yield line.part(start, at)
            yield glue(",", line.part(at))
            start = at
    yield line.part(start)


def _legend(content: str, num_slots: int | None) -> tuple[str, Legend]:
    """The message with its legend blanked, and what it tells; of a picture one entry tells enough, of letters two."""
    marks, codes, spans, last = dict[str, str](), dict[str, str](), list[tuple[int, int]](), ""
    for legend in LEGEND.finditer(content):
        if told := _pairs(legend[0]):
            marks |= told
            spans.append(legend.span())
    for name in NAMES.finditer(content):
        if kind := [mark for mark in CALLED[name[1].lower()] if mark in content]:
            last = f"not {last}" if NOT_SO.match(name[2]) else name[2]
            (codes if kind[0] in ".-" else marks).update(dict.fromkeys(kind, last))
            spans.append(name.span())
    if len(coded := list(CODES.finditer(content))) > 1:
        codes |= {code[1]: code[2] for code in coded}
        spans += [code.span() for code in coded]
    return _blanked(content, spans), Legend(_states(marks), _states(codes), num_slots)


def _blanked(content: str, spans: Sequence[tuple[int, int]]) -> str:
    chars = list(content) if spans else []
    for start, end in spans:
        chars[start:end] = HOLLOW * (end - start)
    return "".join(chars) or content


def _states(told: Mapping[str, str]) -> dict[str, str]:
    return {mark: MEETING.sub("existing meeting", state.strip()) for mark, state in told.items()}


def _pairs(legend: str) -> dict[str, str]:
    """The marks of a legend, each with its meaning: of two or more marks, or of one picture with an equals sign."""
    told = dict(PAIRS.findall(legend))
    return told if len(told) > 1 or ("=" in legend and not legend.isascii()) else {}


def _spelled_out(piece: Piece, legend: Mapping[str, str]) -> Iterator[Piece]:
    """A piece of a line with its marks in words, and without the legend."""
    if not legend:
        yield piece
        return
    marks = "|".join(rf"(?<!\w){re.escape(mark)}(?!\w)" for mark in legend)
    end = 0
    for found in re.finditer(marks, piece.text):
        word = legend[found[0]]
        yield piece.part(end, found.start())
        end = found.end()
        after = NEXT_NUMBER.match(piece.text, end)
        ahead = NUMBER_AHEAD.search(piece.text, max(0, found.start() - 40), found.start())
        word = f": {word}, " if ahead else f" {word}: " if after else f" {word} "
        word += "slots " if after and not after[1] else ""
        yield Piece(word, piece.start + found.start(), piece.start + end)
    yield piece.part(end)
