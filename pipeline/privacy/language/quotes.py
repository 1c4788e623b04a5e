"""Whose words are quoted: a first person in them is who is quoted, and not who sends the message."""

import re
from collections.abc import Iterator, Sequence

from pipeline.privacy.language import frames


def _marked(saying: str) -> str:
    """A quoted sentence with capitals for its first persons; one without begins with a T: they say it."""
    marked = frames.I_QUOTED.sub(lambda word: word[0].capitalize(), saying)
    return f"T{marked[1:]}" if marked == saying and saying.startswith(" ") else marked


def _lines(content: str, block: re.Match[str]) -> Iterator[re.Match[str]]:
    """The quoted lines under a line that says whose they are."""
    return frames.BLOCK_LINE.finditer(content, *block.span(1))


def fold_quotes(content: str, folded: str) -> str:
    """The folded message with a capital where an agent's quoted words speak in the first person."""
    last = -1  # where an agent's quoted words end
    chars = list(folded)
    lines = _quoted_lines(content) if ">" in content else []
    theirs = {start for start, _ in lines}
    marks = [mark.start() for mark in frames.QUOTE.finditer(content)]
    for start, end in (*zip(marks[::2], marks[1::2], strict=False), *lines):
        spoken = start in theirs or _is_spoken(chars, start)
        spoken = spoken or (last >= 0 and frames.AGAIN.fullmatch("".join(chars[last:start])) is not None)
        last = end + 1 if spoken else -1
        if end - start <= frames.LONGEST_QUOTE and (spoken or frames.SAID_AFTER.match(folded, end + 1)):
            inside = "".join(chars[start + 1 : end])
            chars[start:end] = "".join(_marked(part) for part in frames.SAYINGS.split(f" {inside}"))
            if chars[end : end + 1] != ["\n"]:
                chars[end : end + 1] = " "
    return "".join(chars)


def _quoted_lines(content: str) -> list[tuple[int, int]]:
    """Where the lines stand that are quoted from an agent, who is named in them or above."""
    lines = [line.span(1) for line in frames.QUOTED_LINE.finditer(content)]
    return lines + [line.span() for block in frames.QUOTED_BLOCK.finditer(content) for line in _lines(content, block)]


def _is_spoken(chars: Sequence[str], start: int) -> bool:
    """Whether the words before a quotation name an agent who speaks, and not one who is only spoken to."""
    before = "".join(chars[max(0, start - frames.FAR_QUOTED - 1) : start])
    far = int(start > frames.FAR_QUOTED)  # one more character tells where a word starts
    if frames.REPLY.search(before, far):
        return True
    return frames.SPEAKER.search(before, far) is not None and not frames.ADDRESSED.search(before, far)
