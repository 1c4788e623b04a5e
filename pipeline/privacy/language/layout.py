"""Layout to sentences: tables, JSON, legends and titles say in lines and columns what a sentence says in words.

One pass over a message, in time proportional to its length.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import DEEPEST, Piece, Record, Rewritten, glue, is_slots, json_at
from pipeline.privacy.language.tables import fields_at, table_at, table_records

LONGEST_TITLE = 60  # characters
# "✅ = free, ❌ = busy", "(Y = available, N = not available)".
MARK = r"(?:[A-HJ-Z]|[^\w\s.,;:|(){}\[\]\"'`*<>=#/\\&+~^%$@!?-]\ufe0f?)"
STATE = (
    r"(?i:[a-z' ]*\b(?:free|avail\w*|open|clear|busy|block\w*|taken|errands?|meetings?|can(?:'t|not)?|not|unavail\w*|"
    r"book\w*|conflict\w*|mov(?:e|able)|flexible|works?|ok|okay|possible|impossible|occupied|no|yes|nope|full|good|"
    r"bad|fixed)\b"
    r"[a-z' ]*+)(?![\d#])"
)
ENTRY = rf"({MARK}) {{0,3}}(?:=|:|->|→|means) {{0,3}}({STATE})"
LEGEND = re.compile(rf"(?i:\b(?:legend|key) ?:? ?)?[(\[]?(?<!\w){ENTRY}(?: {{0,3}}[,;/|]? {{0,3}}{ENTRY})*[)\]]?")
PAIRS = re.compile(rf"(?<!\w){ENTRY}")
NEXT_NUMBER = re.compile(r"[\s*]*(slots?\s*)?#?\d", re.I)
NUMBER_AHEAD = re.compile(r"\d[ *]*\Z")
MEETING = re.compile(r"^meetings?$", re.I)


def in_sentences(content: str) -> Rewritten | None:
    """A message with its layout in sentences, one a line; None where it has no layout."""
    out, changed, end = Rewritten(), False, 0
    legend = _legend(content)
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


def _add_record(out: Rewritten, record: Record, at: int, legend: Mapping[str, str]) -> None:
    """Append what a record says; what heads the text before it does not head what is another's."""
    here = Piece("", at, at)
    if record.agent:
        out.add(glue("\nnext\n", here))
    for sentence in record.sentences():
        pieces = [part for piece in sentence for part in _spelled_out(piece, legend)] if legend else sentence
        out.add(glue("\n", here), *pieces, glue("\n", here))


def _add_text(out: Rewritten, content: str, span: tuple[int, int], legend: Mapping[str, str]) -> bool:
    """Append a stretch of a message, with its tables in sentences and its titles marked; whether it changed."""
    lines, changed, at = _lines(content, *span), False, 0
    titles = Titles()
    while at < len(lines):
        if rows := table_at(lines, at):
            changed = True
            for record in table_records(lines[at : at + rows]):
                _add_record(out, record, lines[at].start, legend)
            at += rows
            continue
        if fields := fields_at(lines, at):
            changed = True
            _add_record(out, fields[0], lines[at].start, legend)
            at += fields[1]
            continue
        pieces = titles.read(lines, at) if len(lines) > 1 else [lines[at]]
        pieces = [part for piece in pieces for part in _listed(piece)]
        if legend:
            pieces = [part for piece in pieces for part in _spelled_out(piece, legend)]
        changed |= bool(legend) or len(pieces) != 1 or pieces[0].text != lines[at].text
        out.add(*pieces)
        at += 1
        if at < len(lines):
            out.add(Piece("\n", lines[at].start - 1, lines[at].start))
    return changed


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


def _legend(content: str) -> dict[str, str]:
    """Mark → what it stands for, where a message says so."""
    pairs = (pair for legend in LEGEND.finditer(content) for pair in _pairs(legend[0]))
    return {mark: MEETING.sub("existing meeting", state.strip()) for mark, state in pairs}


def _pairs(legend: str) -> list[tuple[str, str]]:
    """The marks of a legend, each with its meaning: of two or more marks, or of one picture with an equals sign."""
    told = PAIRS.findall(legend)
    return told if len(told) > 1 or ("=" in legend and not legend.isascii()) else []


def _spelled_out(piece: Piece, legend: Mapping[str, str]) -> Iterator[Piece]:
    """A piece of a line with its marks in words, and without the legend."""
    marks = "|".join(rf"(?<!\w){re.escape(mark)}(?!\w)" for mark in legend)
    end = 0
    for found in re.finditer(rf"{LEGEND.pattern}|{marks}", piece.text):
        word = legend.get(found[0])
        if not (word or _pairs(found[0])):
            continue
        yield piece.part(end, found.start())
        end = found.end()
        if word:
            after = NEXT_NUMBER.match(piece.text, end)
            ahead = NUMBER_AHEAD.search(piece.text, max(0, found.start() - 40), found.start())
            word = f": {word}, " if ahead else f" {word}: " if after else f" {word} "
            word += "slots " if after and not after[1] else ""
            yield Piece(word, piece.start + found.start(), piece.start + end)
    yield piece.part(end)
