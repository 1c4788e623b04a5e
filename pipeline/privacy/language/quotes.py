"""Words that are not what the sender now says: an agent's that it quotes, in which a first person is that agent, and
its own that it takes back."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pipeline.privacy.language.scan import Sentence
from pipeline.privacy.language.statements import ALONE, Statement
from pipeline.privacy.language.targets import OPPOSITE

MARKS = ('"', "“", ": '", ", '", "said '", ">")  # where there may be a quotation
# Whose words are quoted: an agent who is named before them, and not one who is only spoken to.
QUOTE = re.compile(r"[\"“”]|(?<=[:,] )'(?=\w)|(?<=said )'(?=\w)|(?<=\w[.,!])'(?!\w)|(?<=\w)'(?=[.,;!]?\s*$)")
SPEAKER = re.compile(r"agents?\s*#?0{1,2}(?!\w)[^.!?;]*$")
ADDRESSED = re.compile(
    r"\b(?:i|we)(?:'\w+)?\s+(?:\w+\s+)?(?:told|tell|said|say|wrote|asked?|messaged|replied|sent|"
    r"informed)\b(?!.*\b(?:they|he|she|who|repl|answer))|(?:^|[.!?;\n~-]\s{0,3})(?:me|myself) ?: ?$"
)
SAID_AFTER = re.compile(
    r"\s{0,64}+(?:,\s{0,64}+)?((?:that(?:'s| is| was)|is|was) what |- |~ |\()?(?:\w+\s{1,64}+){0,2}agents?\s{0,64}#?0"
)
I_QUOTED = re.compile(r"(?<![\w'])(?:i(?![-\w])|me|my|mine|myself|we|us|our|ours|let's)(?![\w-])")
NEEDS_ME = re.compile(r"^(?!.*\b(?:i|my|we|our)\b).*\b(?:requires?|needs?|forces?|makes?) me\b")
YOU_SAID = re.compile(
    r"\byou(?:'ve)? (?:\w+ )?(?:wrote|said|say|told (?:me|us)|mentioned|replied|answered|put it)\b[^.!?;]*$"
)
QUOTED_LINE = re.compile(
    r"(?m)^[ \t]*>[ \t]*agents?[ \t]*#?[0-9]{1,2}\b[^\n:]*(:[^\n]*(?<![\w'])(?:I|me|my|mine|we|us|our)(?![\w-])[^\n]*)",
    re.IGNORECASE,
)  # "> Agent 2: I can"
QUOTED_BLOCK = re.compile(
    r"\bagents?[ \t]*#?[0-9]{1,2}\b[^\n:]{0,40}:[ \t]*(?:\n[ \t]*)?((?:\n[ \t]*>[^\n]*)+)", re.IGNORECASE
)
BLOCK_LINE = re.compile(r">[^\n]*")
AGAIN = re.compile(r"\W*(?!(?:me|i|my)\b)(?:\w+ ){0,2}\w+[:,]\s*")  # "…" Again: "…"
SAYINGS = re.compile(r"(?:(?<=[.!?;])|(?<=\bbut)|(?<=\bwhereas)|(?<=\bwhile))(?= )")
# "I asked Agent 2. The reply was: …": whose reply, the sentence before says.
REPLY = re.compile(
    r"agents?\s*#?0{1,2}(?!\w)[^.!?;]{0,40}[.!]\s{1,3}(?:and |so )?(?:the|here is the|here's the|their|her|his) "
    r"(?:\w+ )?(?:reply|answer|response)(?: was| is| reads?| said)?\s{0,3}:?\s{0,3}$"
)
THEY_SAID = re.compile(r"\b(?:they|she|he) (?:\w+ )?(?:said|wrote|replied|answered|told me)\s?[:,]?\s?$")
# What takes back the sentence before it, or the words before its comma.
# Both begin with a character, which is searched for fast.
STARTS = r"\s{0,3}(?:(?:but|actually|no|sorry|well|in fact|now|oh|wait|alas|and),?\s){0,2}"
DENIED = re.compile(
    rf"[.!?;\n~]{STARTS}(?:it|that|this|they)(?:'s not| (?:is|are|does|do|will|can) not|(?: is| are| does| do| wo| ca)"
    r"n't)(?: (?:any ?more|any longer|at all|now|true|so|right|correct|the case|(?:open|free|busy) at all))?"
    r"(?=\s?[.,;!\n~(]|$)"
)
WRONG = re.compile(
    rf"[.!?;\n~,]{STARTS}(?:(?:which|that|this|it) (?:is|was|turned out)(?: to be)?(?: all| now| simply)? (?:wrong|"
    r"(?:a|my|an) (?:mistake|error|slip|typo)|incorrect|untrue|false|not true|not so|out of date|outdated)\b|"
    r"(?:completely )?wrong\b(?= ?[.!,~]| agent)|that's (?:wrong|not true|no longer (?:true|so|the case))|"
    r"not any ?more|i (?:got that|was) wrong|(?:i |i'll |i (?:have to|must) |let me )?(?:withdraw|retract|cancel) "
    r"(?:that|it)\b|(?:scratch|strike|ignore|disregard|forget) that\b)"
)
# What has changed since it was said, and how things were.
CHANGED = re.compile(
    r"\b(?:now|since|no longer|any ?more|after all|actually|became|become|changed|correction|update|turns out|"
    r"moved|cancell?ed|dropped|cleared|opened up|freed|after(?= ?:)|edit|except that)\b"
)
WAS = re.compile(
    r"\b(?:had|was|were|couldn't|wasn't|weren't|used to|told|said|heard|reported|wrote|listed|marked|called|declared|"
    r"thought|earlier|previously)\b"
)
CONCLUDES = re.compile(r"\b(?:so|therefore|thus|hence|meaning),? (?:that )?$")
OWN = re.compile(r"\b(?:i|i'\w+|me|my|mine|we|us|our|for the (?:group|team))\b")
AGAINST = ("negative", "occupied")
BEARING = {"positive": 1, "cost": 0, "negative": -1, "occupied": -1}
SENTENCE_END = re.compile(r"[.!?;\n][\s.!]*\S")
FAR_TAKEN_BACK = 60  # characters between a claim and what takes it back
FAR_CHANGED = 120  # characters before a claim in which it is said that something has changed
FAR_CONCLUDED = 12
FAR_QUOTED = 80  # characters before a quotation in which its speaker is named
LONGEST_QUOTE = 800


def _yours(saying: str) -> str:
    """A sentence quoted from the recipient with a Y in its first persons."""
    return I_QUOTED.sub(lambda word: f"Y{word[0][1:]}", saying)


def _marked(saying: str) -> str:
    """A quoted sentence with capitals for its first persons; one without begins with a T: they say it."""
    marked = I_QUOTED.sub(lambda word: word[0].capitalize(), saying)
    needs_me = NEEDS_ME.search(saying) and marked.count("M") == 1
    return f"T{marked[1:]}" if (marked == saying or needs_me) and saying.startswith(" ") else marked


def _lines(content: str, block: re.Match[str]) -> Iterator[re.Match[str]]:
    """The quoted lines under a line that says whose they are."""
    return BLOCK_LINE.finditer(content, *block.span(1))


def fold_quotes(content: str, folded: str) -> str:
    """The folded message with a capital where an agent's quoted words speak in the first person."""
    last = -1  # where an agent's quoted words end
    chars = list(folded)
    lines = _quoted_lines(content) if ">" in content else []
    theirs = {start for start, _ in lines}
    marks = [mark.start() for mark in QUOTE.finditer(content)]
    for start, end in (*zip(marks[::2], marks[1::2], strict=False), *lines):
        spoken = start in theirs or _is_spoken(chars, start)
        spoken = spoken or (last >= 0 and AGAIN.fullmatch("".join(chars[last:start])) is not None)
        last = end + 1 if spoken else -1
        if end - start <= LONGEST_QUOTE and (spoken or SAID_AFTER.match(folded, end + 1)):
            inside = "".join(chars[start + 1 : end])
            chars[start:end] = "".join(_marked(part) for part in SAYINGS.split(f" {inside}"))
            if chars[end : end + 1] != ["\n"]:
                chars[end : end + 1] = " "
        elif end - start <= LONGEST_QUOTE and YOU_SAID.search("".join(chars[max(0, start - FAR_QUOTED) : start])):
            chars[start + 1 : end] = _yours("".join(chars[start + 1 : end]))
    return "".join(chars)


def _quoted_lines(content: str) -> list[tuple[int, int]]:
    """Where the lines stand that are quoted from an agent, who is named in them or above."""
    lines = [line.span(1) for line in QUOTED_LINE.finditer(content)]
    return lines + [line.span() for block in QUOTED_BLOCK.finditer(content) for line in _lines(content, block)]


def _is_spoken(chars: Sequence[str], start: int) -> bool:
    """Whether the words before a quotation name an agent who speaks, and not one who is only spoken to."""
    before = "".join(chars[max(0, start - FAR_QUOTED - 1) : start])
    far = int(start > FAR_QUOTED)  # one more character tells where a word starts
    if REPLY.search(before, far) or THEY_SAID.search(before, far):
        return True
    return SPEAKER.search(before, far) is not None and not ADDRESSED.search(before, far)


def still_stated(stated: list[Statement], sentences: Iterable[Sentence], folded: str) -> list[Statement]:
    """The statements of a message that its later words leave standing.

    "I said slot 4 was free. It isn't." turns the claim round, "That was wrong." drops it. Of an agent's slot that is
    said to be free and not free the last word holds where it tells how that was, or that something has changed.
    """
    if any(map(_may_take_back, [one[1] for one in sentences])):
        takes = [(m.start(), -1) for m in WRONG.finditer(folded)]
        takes += [(m.start(), m.end()) for m in DENIED.finditer(folded)]
        ends = sorted({end for *_, end in stated})
        until = {_end_before(ends, start, folded): end for start, end in takes}
        stated = [held for each in stated if (held := _taken_back(each, until.get(each[-1], 0)))]
    if len(stated) < 2:
        return stated
    kinds = {kind for _, _, kind, _, _ in stated}
    if kinds.isdisjoint(AGAINST):
        return stated
    if " so " in folded or "\nso " in folded or "therefore" in folded or "hence" in folded:
        stated = _without_conclusions(stated, folded)
    if "positive" not in kinds:
        return stated
    slots_for = {slot for _, slots, kind, _, _ in stated if kind == "positive" for slot in slots}
    opposed = any(kind in AGAINST and not slots_for.isdisjoint(slots) for _, slots, kind, _, _ in stated)
    return _last_words(stated, folded) if opposed else stated


@lru_cache(maxsize=65536)
def _may_take_back(text: str) -> bool:
    """Whether a sentence may take back what was said before it, or before a comma of its own."""
    ended = f".{text}."
    return WRONG.search(ended) is not None or DENIED.search(ended) is not None


def _end_before(ends: Sequence[int], start: int, folded: str) -> int | None:
    """Where the statements end that what starts at a place takes back: shortly before it and in one sentence."""
    at = bisect_right(ends, start) - 1
    near = at >= 0 and start - ends[at] < FAR_TAKEN_BACK and not SENTENCE_END.search(folded, ends[at], start)
    return ends[at] if near else None


def _taken_back(statement: Statement, until: int) -> Statement | None:
    """A statement as it stands where 0, as the opposite up to where it is denied, None where it is dropped."""
    targets, slots, kind, start, _ = statement
    opposite = OPPOSITE.get(kind) if until > 0 else None
    return statement if until == 0 else (targets, slots, opposite, start, until) if opposite else None


def _last_words(stated: Sequence[Statement], folded: str) -> list[Statement]:
    """The statements without what the last about the same slot of the same agent contradicts."""
    claims: dict[tuple[int | None, int], list[int]] = {}
    for i, (targets, slots, *_) in enumerate(stated):
        for target in targets:
            for slot in slots:
                claims.setdefault((target, slot), []).append(i)
    lost = {(i, *of) for of, places in claims.items() if len(places) > 1 for i in _contradicted(places, stated, folded)}
    if not lost:
        return list(stated)
    return [
        ((target,), [slot], kind, start, end)
        for i, (targets, slots, kind, start, end) in enumerate(stated)
        for target in targets
        for slot in slots
        if (i, target, slot) not in lost
    ]


def _contradicted(places: Sequence[int], stated: Sequence[Statement], folded: str) -> list[int]:
    """Which of the statements about a slot the last contradicts; or it itself, where it only concludes from others."""
    *before, last = places
    against = [i for i in before if _bearing(stated[i]) * _bearing(stated[last]) < 0]
    _, _, _, start, end = stated[last]
    changed = CHANGED.search(folded, start, end)
    if against and not changed and CONCLUDES.search(folded, max(0, start - FAR_CONCLUDED), start):
        return [last]
    return [i for i in against if changed or _is_past(stated[i], start, folded)]


def _without_conclusions(stated: list[Statement], folded: str) -> list[Statement]:
    """The statements without what is only concluded from another's: "Agent 2 is busy at 4, so slot 4 is out"."""
    others = {
        slot for targets, slots, kind, _, _ in stated if targets != ALONE and kind == "negative" for slot in slots
    }
    if not others:
        return stated
    return [
        (targets, slots, kind, start, end)
        for targets, slots, kind, start, end in stated
        if not (
            targets in (ALONE, [None])
            and kind == "negative"
            and others.issuperset(slots)
            and CONCLUDES.search(folded, max(0, start - FAR_CONCLUDED), start)
            and not OWN.search(folded, start, end)
        )
    ]


def _bearing(statement: Statement) -> int:
    return BEARING.get(statement[2], 0)


def _is_past(statement: Statement, start: int, folded: str) -> bool:
    """Whether a statement tells how things were, or what follows up to where another starts that they have changed."""
    _, _, _, begin, end = statement
    was = WAS.search(folded, begin, end) or CHANGED.search(folded, max(end, start - FAR_CHANGED), start)
    return was is not None
