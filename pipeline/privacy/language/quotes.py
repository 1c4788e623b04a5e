"""Whose words are quoted: a first person in them is who is quoted, and not who sends the message."""

import re
from collections.abc import Iterator, Sequence

MARKS = ('"', "“", ": '", ", '", "said '", ">")  # where there may be a quotation
# Whose words are quoted: an agent who is named before them, and not one who is only spoken to.
QUOTE = re.compile(r"[\"“”]|(?<=[:,] )'(?=\w)|(?<=said )'(?=\w)|(?<=\w[.,!])'(?!\w)|(?<=\w)'(?=[.,;!]?\s*$)")
SPEAKER = re.compile(r"agents?\s*#?0{1,2}(?!\w)[^.!?;]*$")
ADDRESSED = re.compile(
    r"\b(?:i|we)(?:'\w+)?\s+(?:\w+\s+)?(?:told|tell|said|say|wrote|asked?|messaged|replied|sent|"
    r"informed)\b(?!.*\b(?:they|he|she|who|repl|answer))|\b(?:me|myself) ?: ?$"
)
SAID_AFTER = re.compile(r"\s{0,64}+(?:,\s{0,64}+)?((is|was) what |- |~ |\()?(?:\w+\s{1,64}+){0,2}agents?\s{0,64}#?0")
I_QUOTED = re.compile(r"(?<![\w'])(?:i(?![-\w])|me|my|mine|myself|we|us|our|ours)(?![\w-])")
QUOTED_LINE = re.compile(
    r"(?m)^[ \t]*>[ \t]*agents?[ \t]*#?[0-9]{1,2}\b[^\n:]*(:[^\n]*)", re.IGNORECASE
)  # "> Agent 2: I can"
QUOTED_BLOCK = re.compile(r"\bagents?[ \t]*#?[0-9]{1,2}\b[^\n:]{0,40}:[ \t]*((?:\n[ \t]*>[^\n]*)+)", re.IGNORECASE)
BLOCK_LINE = re.compile(r">[^\n]*")
AGAIN = re.compile(r"\W*(?!(?:me|i|my)\b)(?:\w+ ){0,2}\w+[:,]\s*")  # "…" Again: "…"
SAYINGS = re.compile(r"(?<=[.!?;])(?= )")
# "I asked Agent 2. The reply was: …": whose reply, the sentence before says.
REPLY = re.compile(
    r"agents?\s*#?0{1,2}(?!\w)[^.!?;]{0,40}[.!]\s{1,3}(?:and |so )?(?:the|here is the|here's the|their|her|his) "
    r"(?:\w+ )?(?:reply|answer|response)(?: was| is| reads?| said)?\s{0,3}:?\s{0,3}$"
)
FAR_QUOTED = 80  # characters before a quotation in which its speaker is named
LONGEST_QUOTE = 800


def _marked(saying: str) -> str:
    """A quoted sentence with capitals for its first persons; one without begins with a T: they say it."""
    marked = I_QUOTED.sub(lambda word: word[0].capitalize(), saying)
    return f"T{marked[1:]}" if marked == saying and saying.startswith(" ") else marked


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
    return "".join(chars)


def _quoted_lines(content: str) -> list[tuple[int, int]]:
    """Where the lines stand that are quoted from an agent, who is named in them or above."""
    lines = [line.span(1) for line in QUOTED_LINE.finditer(content)]
    return lines + [line.span() for block in QUOTED_BLOCK.finditer(content) for line in _lines(content, block)]


def _is_spoken(chars: Sequence[str], start: int) -> bool:
    """Whether the words before a quotation name an agent who speaks, and not one who is only spoken to."""
    before = "".join(chars[max(0, start - FAR_QUOTED - 1) : start])
    far = int(start > FAR_QUOTED)  # one more character tells where a word starts
    if REPLY.search(before, far):
        return True
    return SPEAKER.search(before, far) is not None and not ADDRESSED.search(before, far)
