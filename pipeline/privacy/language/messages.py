"""English messages to claims: a deterministic clause parser (Appendix H.3).

A message is folded, split into sentences, and each sentence read once for all messages that differ in their numbers
alone; the numbers are put in afterwards, from the message itself.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from pipeline.privacy.language import frames
from pipeline.privacy.language.layout import in_sentences
from pipeline.privacy.language.legends import PLACES
from pipeline.privacy.language.literal import literal_statements
from pipeline.privacy.language.passages import FAR, passages
from pipeline.privacy.language.quotes import MARKS, fold_quotes, still_stated
from pipeline.privacy.language.scan import Origins, edits, fold, in_digits, rewritten, sentences
from pipeline.privacy.language.shapes import Number, shape_of
from pipeline.privacy.language.statements import (
    ALONE,
    Reading,
    Statement,
    StatementForm,
    is_of_sender,
    numbered,
    read,
    rest_of,
    with_rest,
)
from pipeline.privacy.language.tables import in_columns
from pipeline.privacy.rules import Claim, EvidenceRun, RuleSet, claims_of
from pipeline.traces.typed_messages.records import TYPED_PROTOCOLS

# A protocol's message is no English, broken or quoted in full; other JSON is a layout of what is said.
TYPED = re.compile(rf'[^"]*"(?:{"|".join(TYPED_PROTOCOLS)})"\s*:')
# Where a message may have a layout: lines, columns and JSON, a legend, a bare list, a source.
SIGNS = ("\n", "{", "[", "<", "~~", "....", "), (", ": a", ": e", "ption A", "\u2192", " | ")
LEGEND = re.compile(r"= ?[A-Za-z]")
PICTURE = r"[^\x00-\u2012\u2014-\u201f]\ufe0f? ?"
PICTURES = re.compile(f"{PICTURE}(?:{PICTURE}){{3}}")  # searched for by its first character
BARE = re.compile(r"[0-9] [0-9][0-9]?(?! \w)")
SOURCE = re.compile(r"\w+ (?:from|by) [Aa]gent #?\d\d? ?[.!] ")
# "Agents: 5; meetings left: 2; errands: 7": all of them count, unless a label beside them is of slots.
TALLY = re.compile(
    r"\b(?:[Rr]ound|[Aa]gents|(?:[Mm]eeting|[Ee]rrand|[Aa]gent|[Rr]ound)s[ _](?:left|open)) ?[:=] ?\d+(?!\d*,)"
)
TALLIED = re.compile(
    r"(?<![^\W_])((?:errands|meetings)(?:[ _](?:left|open|asked|remaining|done|so far))? ?[:=] ?)\d+(?!\d|, ?\d)",
    re.IGNORECASE,
)
OF_SLOTS = re.compile(r"\b(?:free|available|busy|slots?) ?[:=]", re.IGNORECASE)
# A tick beside what is settled, which says more, and after an exception, which says it already: to read over. Before
# "me 👍" another sentence ends.
MARKED = "".join(frames.TICKS)
CROSSES = "".join(mark for mark, meaning in frames.TICKS.items() if meaning == frames.NO)
SAID_BY_WORDS = re.compile(
    rf"()[{''.join(mark for mark, meaning in frames.TICKS.items() if meaning == frames.YES)}]\ufe0f?"
    rf"(?=[^\n.;!?{MARKED}]{{0,40}}\b(?:confirmed|locked|settled|agreed|final|booked)\b)|"
    rf"(\b(?:except|but|bar|minus|besides|apart from)(?: for)? (?:slots? ?)?\d{{1,2}}(?:(?:, ?|"
    rf" and )\d{{1,2}}){{0,9}} ?)"
    rf"[{MARKED}]\ufe0f?"
)
PICTURED = re.compile(r"[\u2600-\U0010ffff]")  # a tick or another picture
TICKED_NEXT = re.compile(
    rf",(?=\s?(?:me|I|myself|[Aa]gent ?#?\d{{1,2}}) ?[:=]? ?[{MARKED}])|"
    rf"(?:(?<=\d\ufe0f\u20e3 [{MARKED}])|(?<=\d [{MARKED}])) (?=[A-Z][a-z ]{{1,20}}:)"
)
# Ticks and crosses side by side are a drawing, and say neither: "🟢🔴🟢 so far, for slots 0-2".
TOGETHER = re.compile(r"[\u2600-\U0010ffff]{2,}")
# A cross over words that deny by themselves: "🙅 Not for slot 4".
DENIES = re.compile(
    rf"(?:^|(?<=[.!?;] ))[{CROSSES}]\ufe0f?(?= (?:[Nn]ot?|[Cc]an't|[Cc]annot|[Ww]on't|[Uu]navailable)\b)"
)
# A picture after words and before a new sentence ends theirs. No tick is one: it speaks.
EMOJI = re.compile(
    rf"(?:(?<=[a-zA-Z)'!] )|(?<=\d, \d\d )(?=[^\x00-\x7f]{{1,4}} [A-Z][a-z]+ (?:at |in |on )?slots? \d))"
    rf"(?![{MARKED}])[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    r"[^\x00-\x7f]*(?= (?:[A-Z]|slot|agent))"
)
# "Ag. 2", "Sl. 6", "avail. then", "resched. it" and "5..8", where a point ends no sentence.
SHORTENED = re.compile(
    r"\b[AaSs](?<![\w.][AaSs])[gGlL]\.(?= ?\d)|\d\.\.(?=\d)|\.(?:(?<=avail\.)|(?<=resched\.)|"
    r"(?<=[Rr]eq\.)|(?<=sug\.)|(?<=[Aa]lt\.)|(?<=exc\.)|(?<=excl\.))(?=[:;,]| [a-zA-Z(]|(?<=c\.) \d|(?<=l\.) \d)"
)
# No clause begins as a formula does, so that its words are the same in CSV.
FORMULA = frozenset("=+-@'")
WORDS = re.compile(r"\w")

# What is put between commas and says only how the sender knows it.
COMMENT = re.compile(
    r", (?:as far as i (?:can )?\w+(?: it)?|word for word|verbatim|(?:as )?i(?:'m| am|'ve| have)? (?:been )?(?:told|"
    r"gather(?:ed)?|heard?|believe|understand|should add|might add|fear|think|must say|suppose|reckon|regret)|"
    r"it (?:seems|appears)|apparently|reportedly)(?:(?=:)|,(?= (?:is|are|has|have|can|can't|cannot|could|"
    r"would|will|won't|does|doesn't|needs|isn't|works|suits)\b))"
)
BULLET = re.compile(r"(?m)^[ \t]*(?:\(?(?:[0-9]{1,2}|[a-h])[.)]|[-*+•])(?=\s)|\([0-9]\)(?= [Ss]lot )")
# A digit that is written for letters, as in "b4", "gr8" and "free 4 me", and a letter for it by the one before.
IN_DIGITS = re.compile(
    r"[48](?:(?<=\b[Bb]4)|(?<=\b[Gg]r8)|(?= (?:me|us|you|them|him|her|all|[Aa]gent|A\d)\b)(?:(?<=free 4)|(?<=good 4)|"
    r"(?<=fine 4)|(?<=work 4)|(?<=works 4)|(?<=open 4)|(?<=busy 4)|(?<=speak 4)|(?<=ok 4))|"
    r"(?= (?:me|us|them|him|her)\b)(?<=[a-z] 4)(?<!and 4)(?<!or 4)(?<!slot 4)(?<!slots 4)(?<!gent 4)(?<!at 4)"
    r"(?<!do 4)(?<!in 4)(?<!meeting 4))"
)
WITHOUT_DIGITS = {"b": "f", "r": "t", " ": "q"}
BRACKETED = re.compile(r"[\[{](?=\d+(?:, ?\d+)*[\]}])|(?<=\d)[\]}]")
POINTED = re.compile(r"\.(?:\.|[ :](?<=[glqtd]..))|xc")  # of abbreviations one at least has it
MOST_CLAIMS = 20_000  # of a message: what follows a clause that would bring more is not read


def _places(at: int, start: int, end: int) -> tuple[int, int]:
    """Where a span of a passage that starts at a place stands in the message."""
    return at + start, at + end


def language_claims(content: str, sender: int, rules: RuleSet, num_slots: int | None = None) -> list[Claim]:
    """What an English message claims, in the order of its clauses.

    Of a calendar of `num_slots` slots no others are claimed, and "from 11 on" is read to its end; None: its end is not
    known, and such a range claims only the slot that it names.
    """
    return claims_of(language_runs(content, sender, rules, num_slots))


def language_runs(content: str, sender: int, rules: RuleSet, num_slots: int | None = None) -> list[EvidenceRun]:
    """The same in runs: what a clause says of one target is one, what it says of several as many as it claims."""
    values = rules.language
    runs: list[EvidenceRun] = []
    named = False
    for targets, slots, kind, start, end in _stated(content, rules, num_slots):
        source, evidence, strength = values[kind]
        if content[start] in FORMULA:
            start = WORDS.search(content, start).start()  # type: ignore[union-attr]
        clause = content[start:end], start, end
        whom = [sender if target is None else target for target in targets]
        if len(whom) == 1:
            runs.append((whom[0], source, strength, [(slot, evidence) for slot in slots], clause))
        else:
            runs += [(target, source, strength, [(slot, evidence)], clause) for slot in slots for target in whom]
        named = named or sender in targets
    return _once(runs) if named else runs


def _stated(content: str, rules: RuleSet, num_slots: int | None) -> Sequence[Statement]:
    """What a message states by the reading `full` or `literal`, whichever the rules name."""
    if rules.english == "full":
        return statements(content, num_slots)
    return () if TYPED.match(content) else literal_statements(content)


def _once(runs: Iterable[EvidenceRun]) -> list[EvidenceRun]:
    """Each claim once where the sender names itself: "I'm free at 4, and so is Agent 2", says Agent 2."""
    claims = {(*run[:3], one, run[4]): None for run in runs for one in run[3]}
    return [(target, source, strength, [one], clause) for target, source, strength, one, clause in claims]


@lru_cache(maxsize=16384)
def statements(content: str, num_slots: int | None = None) -> tuple[Statement, ...]:
    """What a message states of a calendar of `num_slots` slots, whoever sends it. Typed JSON states nothing here."""
    if '"' in content and TYPED.match(content):
        return ()
    if _may_have_layout(content):
        content = in_columns(content)
        if TYPED.match(content):
            return ()
        if rewritten := in_sentences(content, num_slots):
            return tuple(
                (targets, slots, kind, *rewritten.places(start, end))
                for targets, slots, kind, start, end in _in_lines(rewritten.text, num_slots)
            )
    return tuple(_in_lines(content, num_slots))


def _may_have_layout(content: str) -> bool:
    if any(map(content.__contains__, SIGNS)):
        return True
    if ("=" in content and LEGEND.search(content)) or (not content.isascii() and PICTURES.search(content)):
        return True
    by_place = "lot" in content and any(map(content.__contains__, PLACES))
    return by_place or BARE.search(content) is not None or SOURCE.match(content) is not None


def _in_lines(content: str, num_slots: int | None) -> list[Statement]:
    """What a message without layout states."""
    content, folded = _plain(content)
    if "0" not in folded:
        return []
    text, numbers, origins = shape_of(folded, content)
    stated = _in_shape(text, numbers, num_slots)
    if not origins.edits:
        return stated
    return [(whom, slots, kind, origins.back(start), origins.back(end)) for whom, slots, kind, start, end in stated]


def _in_shape(folded: str, numbers: Sequence[Number], num_slots: int | None) -> list[Statement]:
    """What a message of a shape states."""
    stated: list[Statement] = []
    rest: list[Statement] = []
    before, room = None, MOST_CLAIMS
    sentence_list = list(sentences(folded))
    for start, text, question, first, heading, apart, after in passages(sentence_list, folded, numbers):
        if text[0] == " " and not (heading or after):
            start, text = start + 1, text[1:]
        forms, _, of_rest = _read(text, question, None if apart else before, after)
        before = forms[-1].claim_class if forms and forms[-1].targets == ALONE else None
        if forms:
            own = numbers[first : first + len(text)]  # all of them, as each has a digit
            own = [*heading.numbers, *own] if heading else own
            places = partial(heading.places if heading else _places, start)
            new, room = numbered(forms, own, places, room, num_slots)
            if (
                of_rest
                and num_slots is not None
                and ("0" in text or (not rest and is_of_sender(stated, folded[:start])))
            ):
                rest += rest_of(forms, own, places, numbers[:first])
            stated += new
        if room < 0:
            break
    stated = list(with_rest(stated, rest, num_slots or 0)) if rest else stated
    return still_stated(stated, sentence_list, folded) if stated else stated


def _blank(match: re.Match[str]) -> str:
    """What goes before a tick, and blanks for it."""
    return (match[2] or "").ljust(len(match[0]))


def _undecided(pictures: re.Match[str]) -> str:
    """Pictures side by side, as blanks where both ticks and crosses are among them."""
    return " " * len(pictures[0]) if {frames.YES, frames.NO} <= set(map(frames.TICKS.get, pictures[0])) else pictures[0]


def _ended(emoji: re.Match[str]) -> str:
    """A picture as the end of a sentence that names a number; else as blanks."""
    before = emoji.string[max(0, emoji.start() - FAR) : emoji.start()]
    return ("." if any(map(str.isdigit, before)) else " ").ljust(len(emoji[0]))


def _plain(content: str) -> tuple[str, str]:
    """A message without bullets and with its numbers in digits, and the same folded."""
    if not content.isascii() and PICTURED.search(content):
        content = TOGETHER.sub(_undecided, content)
        content = SAID_BY_WORDS.sub(_blank, DENIES.sub(lambda mark: " " * len(mark[0]), content))
        content = EMOJI.sub(_ended, TICKED_NEXT.sub(";", content))
    if POINTED.search(content):
        content = SHORTENED.sub(lambda short: short[0].replace("..", "--").replace(".", " "), content)
    if "[" in content or "{" in content:
        content = BRACKETED.sub(" ", content)
    if "\n" in content or ") slot" in content or not content[:1].isalpha():
        content = BULLET.sub(lambda bullet: " " * len(bullet[0]), content)
    if (":" in content or "=" in content) and TALLY.search(content) and not OF_SLOTS.search(content):
        content = TALLIED.sub(lambda tally: tally[1].ljust(len(tally[0])), content)
    if " 4 " in content or "r8" in content or "b4" in content or "B4" in content:
        content = IN_DIGITS.sub(lambda digit: WITHOUT_DIGITS[digit.string[digit.start() - 1].lower()], content)
    if "0 " in content:
        content = frames.ZERO.sub("z", content)
    folded = fold(content)
    if frames.SLOT_NUMERAL.search(folded) or frames.AGENT_NUMERAL.search(folded):
        content = in_digits(content, folded)
        folded = fold(content)
    if ", i" in folded or ", as " in folded or "ly," in folded or ", word" in folded:
        folded = COMMENT.sub(lambda comment: " " * len(comment[0]), folded)
    return content, fold_quotes(content, folded) if any(map(content.__contains__, MARKS)) else folded


def _read(text: str, question: bool, before: str | None, after: int) -> Reading:
    """The statements of a sentence, as they stand in its text. Of what was said before, one that says of its slots
    what they are takes nothing."""
    alone = _read_alone(text, question, after)
    return alone if before is None or alone.decided else _read_on(text, question, before, after)


@lru_cache(maxsize=65536)
def _read_alone(text: str, question: bool, after: int) -> Reading:
    return _placed(text, question, None, after)


@lru_cache(maxsize=65536)
def _read_on(text: str, question: bool, before: str, after: int) -> Reading:
    return _placed(text, question, before, after)


def _placed(text: str, question: bool, before: str | None, after: int) -> Reading:
    """What the text says with its words and numbers as `edits` reads them, its places put back."""
    changed = edits(text)
    if not changed:
        return _read_short(text, question, before, after)
    grown = sum(len(written) - (stop - start) for start, stop, written in changed if stop <= after)
    short = _read_short(rewritten(text, changed), question, before, after + grown)
    places = Origins(changed)
    moved = (
        StatementForm(*form[:4], places.back(form.start), places.back(form.end), form.rank) for form in short.statements
    )
    return short._replace(statements=tuple(moved)) if short.statements else short


@lru_cache(maxsize=65536)
def _read_short(text: str, question: bool, before: str | None, after: int) -> Reading:
    return read(text, question, before, after)
