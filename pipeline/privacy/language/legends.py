"""Legends: what marks stand for in a message, in its lines and in strips of one mark a slot; and which slots are meant
by their place, as "the latter" and "the last two" of those that were named."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.records import Piece, Record, glue
from pipeline.privacy.language.tables import HOLLOW, STATUS

TICKS = {tick: "free" if meaning == frames.YES else "not free" for tick, meaning in frames.TICKS.items()}
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
    **{"white": "⚪⬜□◻○", "black": "⚫⬛■◼●", "filled": "■●", "empty": "□○", "hollow": "□○", "dot": "."},
    **{"tick": "✅✔☑✓", "check": "✅✔☑✓", "cross": "❌✖✗✘", "star": "⭐★*", "hash": "#"},
}
STATE = (
    r"(?i:[a-z' ]{0,40}\b(?:free|avail\w*|open|clear|busy|block\w*|taken|errands?|meetings?|can(?:'t|not)?|not|"
    r"unavail\w*|book\w*|conflict\w*|mov(?:e|able)|flexible|works?|ok|okay|possible|impossible|occupied|no|yes|nope|"
    r"full|good|bad|fixed|nothing|empty|shut|aren't|isn't|unsure|maybe)\b"
    r"(?:(?! [a-z]{1,3} ?=)[a-z' ]){0,60}+)(?![\d#]|: ?(?:slots? ?)?#?\d)"
)
MEANS = r"(?:=|:|->|→|means|stands for|for)"
ENTRY = rf"({MARK}) {{0,3}}(?:{MEANS} {{0,3}})?+({STATE})"
LEGEND = re.compile(
    rf"(?i:\b(?:legend|key) ?:? ?)?[(\[]?(?<![\w#])(?<!\d ){ENTRY}(?: {{0,3}}(?:[,;/|·]| and )? {{0,3}}{ENTRY})*[)\]]?"
)
EQUALS = re.compile(MEANS)
PAIRS = re.compile(rf"(?<!\w){ENTRY}")
NAMES = re.compile(
    rf"(?i:\b(?:an? |the )?({'|'.join(CALLED)})(?:e?s| ?marks?)?\b(?: (?:one|square|circle|box|mark|light|dot|"
    rf"cell)e?s?)?"
    rf" ?(?:{MEANS}|is|are|(?=(?:are|is)n't)) ?)({STATE})"
)
# "A dash means free", "blank = busy", of a table's cells.
CELLS = re.compile(
    rf"(?i:(?<![^\s(])(dash|hyphen|[-\u2010-\u2015])|\b(?:blank|empty))"
    rf"(?i:(?:e?s)?(?: (?:cells?|fields?|ones?))? ?(?:{MEANS}|is|are)) ?({STATE})"
)
CODES = re.compile(rf"(?<!slot )\b([a-z]{{1,3}}|[01]) ?(?:=|means) ?({STATE})")
BITS = re.compile(r"(?<!\d)(?:[01][, ]{0,2}){8}")
NEXT_NUMBER = re.compile(r"[\s*]*(slots?\s*)?#?\d", re.I)
SEPARATED = re.compile(r"\s*[/|·](?=\s*(?:slot )?#?\d)")
NUMBER_AHEAD = re.compile(r"\d[ *]*\Z")
NOT_SO = re.compile(r"(?i)(?:(?:i'm|i am|they're|is|are|am) )?(?:not|aren't|isn't)\W*$")
MEETING = re.compile(r"^meetings?$", re.I)
OPTIONS = r"(?i:option|plan|choice|alternative|proposal|candidate)"
OPTION = re.compile(
    rf"\b{OPTIONS} ([A-H]|\d)\b[*_ ]{{0,3}}(?:[:=~\u2013\u2014-]| (?i:is)| \() ?[*_ ]{{0,3}}(?i:slot) ?#?(\d{{1,2}})\b|"
    rf"(?m:^[| \t\r]{{0,9}}(?:{OPTIONS} )?([A-H])[ *]*\|[ *]*(?i:slot )?(\d{{1,2}})[ *]*\|)"
)
CHOICE = re.compile(
    r"(?i:\b(?:votes? (?:is |goes )?(?:for )?|pick(?: is)? |choose |choice is |prefer |go(?:ing)? (?:with|for) |"
    r"settle on |"
    r"push for |favou?rs? |favou?rite is |lean(?:ing)? to(?:wards)? |lock in |propose |suggest |let's (?:do|take) |"
    rf"confirm ))[*:_]{{0,3}}({OPTIONS} )?([A-H]|\d)\b(?![ *_]*(?:slot|or\b|[:=]))"
)
# Slots that are named, agents, the end of a sentence, and slots called by their place among those.
PLACES = ("former", "latter", "first", "second", "third", "middle", "last", "other", "remaining")
PLACED = re.compile(
    r"(?i)\bslots? ?#?(?P<slots>\d{1,2}(?:(?: ?(?:,|and|or|&|/) ?)+(?:slots? ?)?#?\d{1,2}(?![\d%.:]\d| ?[a-z]+s\b))*)"
    r"(?!\d| ?(?:-|to|through|until) ?(?:slot )?#?\d)|(?P<agent>\bagents? ?#?\d{1,2}(?: and \d{1,2})?)|"
    rf"(?P<end>[.!?;\n](?!\d))|\b(?:the|that|this) (?P<place>{'|'.join(PLACES)})(?: (?P<count>two|three|four|five))?"
    r"(?P<noun> slots?| times?| ones?)?(?: of (?:the|my) (?:day|calendar)| of (?:these|those|them|the \w+))?"
    r"(?P<said> ?\([\d, &to-]+\))?(?=[,;:!?)]|\.?\s*$|\.\s|'s\b| (?:is|isn't|are|aren't|has|have|holds?|works?|would|"
    r"wouldn't|will|won't|could|can|can't|doesn't|don't|does|do|looks?|seems?|requires?|needs?|costs?|suits?|fits?|i|"
    r"i'm|i'd|i've|on|for|at|and|but|because|since|as|then|though|too|instead|please|conflicts?|clash\w*)\b"
    r"(?! that\b| to \w+ (?:you|us)\b))"
)
NAMES_SLOT = re.compile(r"(?i)[^.!?;\n]*\bslots? ?#?\d")  # "the latter is free at slot 3": an agent
ORDER = {"first": 0, "second": 1, "third": 2}
AMOUNT = {"two": 2, "three": 3, "four": 4, "five": 5}
FAR_NAMED = 400  # characters between slots and the words that call them by their place
STRIP = r"(?<!\w)(?:(?:MARK)\ufe0f?[ \t|,]{0,3}){4,}(?!\w)"
SPAN = re.compile(r"(?<!\d)(\d{1,2}) ?(?:-|\u2013|to|through|\.\.) ?(?:slot )?(\d{1,2})(?!\d)")
NUMBERS = re.compile(r"\d{1,2}(?:[ \t|]+\d{1,2}){3,}")
FAR_ABOVE = 6


class Legend(NamedTuple):
    """What marks stand for: anywhere in a message, and in its rows and strips alone; and the calendar's slots."""

    marks: dict[str, str]
    codes: dict[str, str]
    num_slots: int | None
    options: Mapping[str, str]
    places: Sequence[tuple[int, int, str]]  # where slots are called by their place, and the slots
    strips: Mapping[str, str]  # marks that may stand side by side, one a slot
    strip: re.Pattern[str]

    def coded(self, cell: str) -> str:
        """What a cell says: a number is a slot there, whatever it stands for in a strip."""
        return cell if cell.isdecimal() else self.codes.get(cell, cell)


def legend_of(content: str, num_slots: int | None) -> tuple[str, Legend]:
    """The message with its legend blanked, and what it tells; of a picture one entry tells enough, of letters two."""
    marks, codes, spans = dict[str, str](), dict[str, str](), list[tuple[int, int]]()
    for cell in CELLS.finditer(content) if "|" in content else ():
        codes["-" if cell[1] else ""] = cell[2]
        spans.append(cell.span())
    for legend in LEGEND.finditer(content):
        if pairs := _pairs(legend[0], content, bool(codes)):
            marks |= pairs
            spans.append(legend.span())
    for name in NAMES.finditer(content):
        if kind := [mark for mark in CALLED[name[1].lower()] if mark in content]:
            (codes if kind == ["."] else marks).update(dict.fromkeys(kind, name[2]))
            spans.append(name.span())
    coded = [code for code in CODES.finditer(content) if code[1].isalpha() or BITS.search(content)]
    if len(coded) > 1:
        codes |= {code[1]: code[2] for code in coded}
        spans += [code.span() for code in coded]
    strips = TICKS | _states(marks) | _states(codes)
    strip = re.compile(STRIP.replace("MARK", "|".join(sorted(map(re.escape, strips), key=len, reverse=True))))
    known = Legend(
        _states(marks), _states(codes), num_slots, options_of(content), placed(content, num_slots), strips, strip
    )
    return _blanked(content, spans), known


def _blanked(content: str, spans: Sequence[tuple[int, int]]) -> str:
    chars = list(content) if spans else []
    for start, end in spans:
        chars[start:end] = HOLLOW * (end - start)
    return "".join(chars) or content


def _states(meanings: Mapping[str, str]) -> dict[str, str]:
    """Each mark's state; one that is only denied denies the one before: "X taken, O isn't"."""
    states, last = dict[str, str](), ""
    for mark, state in meanings.items():
        last = f"not {last}" if NOT_SO.match(state) else MEETING.sub("existing meeting", state.strip())
        states[mark] = last
    return states


def _pairs(legend: str, content: str, beside: bool) -> dict[str, str]:
    """The marks of a legend, each with its meaning: of two or more marks, one beside others that are explained, or one
    picture with an equals sign.

    Side by side with its meaning and nothing between, a mark has to stand elsewhere as well.
    """
    pairs = dict(PAIRS.findall(legend))
    plain = " means " in legend or " stands for " in legend or ("=" in legend and not legend.isascii())
    apart = EQUALS.search(legend) or all(content.count(mark) > 1 for mark in pairs)
    return pairs if apart and (len(pairs) > 1 or plain or beside) else {}


def spelled_out(piece: Piece, legend: Mapping[str, str]) -> Iterator[Piece]:
    """A piece of a line with its marks in words, and without the legend."""
    if not legend:
        yield piece
        return
    marks = "|".join(rf"(?<!\w){re.escape(mark)}(?!\w)" for mark in legend)
    end = 0
    for match in re.finditer(marks, piece.text):
        word = legend[match[0]]
        yield piece.part(end, match.start())
        end = match.end()
        after = NEXT_NUMBER.match(piece.text, end)
        ahead = NUMBER_AHEAD.search(piece.text, max(0, match.start() - 40), match.start())
        apart = SEPARATED.match(piece.text, end)
        word = f": {word}{';' if apart else ','} " if ahead else f" {word}: " if after else f" {word} "
        end = apart.end() if apart and ahead else end
        word += "slots " if after and not after[1] else ""
        yield Piece(word, piece.start + match.start(), piece.start + end)
    yield piece.part(end) if end else piece


def strip_at(lines: Sequence[Piece], at: int, legend: Legend) -> list[Record] | None:
    """A line of marks, one a slot, as a record a state: "0-7: □□■■□■■■", or below its slots' numbers."""
    strip = legend.strip.search(lines[at].text)
    if not strip or frames.OF_THINGS.search(lines[at].text):
        return None
    marks = re.compile("|".join(sorted(map(re.escape, legend.strips), key=len, reverse=True)))
    pieces = [lines[at].part(*one.span()) for one in marks.finditer(lines[at].text, *strip.span())]
    if len({one.text for one in pieces}) == 1 and pieces[0].text in TICKS and pieces[0].text not in legend.marks:
        return None  # who is glad puts as many ticks
    first = _first(lines, at, strip.start(), len(pieces), legend.num_slots)
    if first is None:
        return None
    named = frames.NAMED.search(lines[at].text, 0, strip.start())
    agent = lines[at].part(*named.span()) if named else None
    by_state: dict[str, Record] = {}
    for slot, one in zip(first, pieces, strict=True):
        state = legend.strips[one.text]
        record = by_state.setdefault(state, Record(agent))
        record.slots.append(one._replace(text=str(slot)))
        if len(record.slots) == 1:
            record.add(glue(STATUS, one), [one._replace(text=state)])
    return list(by_state.values())


def _first(lines: Sequence[Piece], at: int, ahead: int, many: int, num_slots: int | None) -> Sequence[int] | None:
    """The slots of a strip of so many marks: of a range beside it, of numbers above it, or the whole calendar."""
    near = [lines[at].text[:ahead], *(line.text for line in lines[max(0, at - 2) : at + 2])]
    for text in near:
        for low, high in SPAN.findall(text):
            if int(high) - int(low) + 1 == many:
                return range(int(low), int(high) + 1)
    for line in reversed(lines[max(0, at - FAR_ABOVE) : at]):
        if (numbers := NUMBERS.search(line.text)) and len(above := numbers[0].replace("|", " ").split()) == many:
            return [int(number) for number in above]
    return range(many) if many == num_slots else None


def options_of(content: str) -> dict[str, str]:
    """The slot that each option is by its name: "Option A: slot 4", or a row "A | 4" of a table of options."""
    return {named[1] or named[3]: named[2] or named[4] for named in OPTION.finditer(content)}


def chosen(piece: Piece, legend: Legend) -> Iterator[Piece]:
    """A piece of a line with the slots that it speaks of in place of an option's name, or of theirs: "I vote A"."""
    first, last = (bisect_left(legend.places, (place,)) for place in (piece.start, piece.end))
    edits = [(start - piece.start, stop - piece.start, text) for start, stop, text in legend.places[first:last]]
    for match in CHOICE.finditer(piece.text) if legend.options else ():
        if match[2] in legend.options and (match[1] or match[2].isalpha()):
            edits.append((match.start(1 if match[1] else 2), match.end(), f"slot {legend.options[match[2]]}"))
    end = 0
    for start, stop, text in sorted(edits):
        yield piece.part(end, start)
        yield Piece(text, piece.start + start, piece.start + stop)
        end = stop
    yield piece.part(end) if end else piece


def placed(content: str, num_slots: int | None) -> list[tuple[int, int, str]]:
    """Where slots are called by their place, from where to where, and the slots: "slots 3, 5" for "the first two"."""
    edits, named, recent, rest = list[tuple[int, int, str]](), list[str](), list[str](), list[str]()
    ended, agents, at = False, set[str](), 0
    for words in PLACED.finditer(content) if any(map(content.__contains__, PLACES)) else ():
        if words["end"]:
            ended = True
        elif words["agent"]:
            agents.update(re.findall(r"\d+", words["agent"]))
        elif words["slots"]:
            slots = list(dict.fromkeys(re.findall(r"\d+", words["slots"])))
            if ended or words.start() - at > FAR_NAMED:
                named, agents = [], set()
            named = list(dict.fromkeys((*named, *slots)))
            recent = [*(slot for slot in recent if slot not in slots), *slots]
            rest, ended, at = list(named), False, words.end()
        else:
            of_day = num_slots and words["count"] and (words["said"] or words["noun"] == " slots") and len(named) < 2
            if of_day:
                named = list(map(str, range(num_slots or 0)))
            far = words.start() - at > FAR_NAMED or (len(agents) > 1 and NAMES_SLOT.match(content, words.end()))
            meant = [] if far else _meant(words, named, recent, rest)
            if meant:
                rest = [slot for slot in rest if slot not in meant]
                edits.append((*words.span(), f"slot{'s' * (len(meant) > 1)} {', '.join(meant)}"))
    return edits


def _meant(words: re.Match[str], named: Sequence[str], recent: Sequence[str], rest: Sequence[str]) -> Sequence[str]:
    """The slots that a place among those named means; none where it does not fit."""
    place, many = words["place"].lower(), AMOUNT.get(words["count"] or "", 1)
    if place in ("former", "latter"):
        return [recent[-2 if place == "former" else -1]] if len(recent) > 1 else []
    if place in ("other", "remaining"):
        return rest if len(rest) == many and len(named) > many else []
    if len(named) <= many:
        return []
    if place == "middle":
        return [named[1]] if len(named) == 3 else []
    if place == "last":
        return named[-many:]
    return named[:many] if many > 1 and place == "first" else named[ORDER[place] :][:1] if many == 1 else []
