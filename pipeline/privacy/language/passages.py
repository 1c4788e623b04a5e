"""Which words of a message are read together: a sentence, and what it leans on: its heading, or who "they" are."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.scan import numbers_of, sentences

NAMED = re.compile(r"\b(?:agents?\s*#?|a)0")
FAR = 400  # characters to look back for who they are, and the longest heading
STOP = "}"  # no folded text has it


class Heading(NamedTuple):
    """What the items of a list are read under: where it starts, its folded text, and which of the message's numbers
    are its own."""

    start: int
    text: str
    numbers: slice

    def places(self, at: int, start: int, end: int) -> tuple[int, int]:
        """Where a span of heading and item starts and ends in the message, where the item starts at `at`."""
        ahead = len(self.text)
        return (
            start + (self.start if start < ahead else at - ahead),
            end + (self.start if end <= ahead else at - ahead),
        )


# A sentence to read: where it starts, its folded text, whether it asks, which of the message's numbers is its first;
# the heading that its text begins with, though it starts elsewhere; whether it stands apart from the sentence before
# that names a number; and where it starts in its text, after one that says who "they" are. A plain tuple: most messages
# have several.
Passage = tuple[int, str, bool, int, Heading | None, bool, int]


class Outline(NamedTuple):
    """What a sentence is without being read: how many numbers it has, whether it ends like a heading, and whether it
    speaks of "them", or without a number of the rest of the calendar."""

    numbers: int
    heads: bool
    leans: bool


def passages(folded: str) -> Iterator[Passage]:
    """The sentences that name a number. An item of a list is read under its heading: "Free:\\n- slot 3"."""
    heading: Heading | None = None
    speaker: Heading | None = None  # whom the line is of: "Agent 2: free at 3; busy at 4"
    apart = False
    named: tuple[int, int, int] | None = None  # where the last sentence that may name "them" starts and ends
    count = 0
    for start, text, question, line in sentences(folded):
        numbers, heads, leans = outline(text)
        if line and heads:
            own = slice(count, count + numbers)
            heading = Heading(start, text.rstrip() + " ", own) if len(text) <= FAR else None
            if numbers:
                yield start, text, question, count, None, apart, 0
        elif not numbers:
            heading = None
            if leans:
                yield start, text, question, count, None, apart, 0
        elif heading:
            yield start, heading.text + text, question, count, heading, True, 0
        elif leans and named and _names_agents(folded, named, start):
            begins, ends, first = named
            text = f"{folded[begins:ends]}{STOP.ljust(start - ends)}{text}"
            yield begins, text, question, first, None, False, start - begins
            named = begins, begins + len(text), first
        elif speaker and not frames.OWN_SUBJECT.search(text):
            yield start, speaker.text + text, question, count, speaker, apart, 0
        else:
            yield start, text, question, count, None, apart, 0
            named = start, start + len(text), count
            label = frames.LABEL.match(text) if numbers > 1 and not question else None
            of_agent = label and not frames.OWN_SUBJECT.search(text, label.end())
            speaker = Heading(start, label[0], slice(count, count + 1)) if label and of_agent else None
        speaker = None if line else speaker
        apart = not numbers
        count += numbers


def _names_agents(folded: str, named: tuple[int, int, int], start: int) -> bool:
    """Whether a sentence not far before names the agents that "they" are."""
    return start - named[0] < FAR and NAMED.search(folded, named[0], named[1]) is not None


@lru_cache(maxsize=65536)
def outline(text: str) -> Outline:
    heads = text.rstrip().endswith(":")
    if "0" not in text:
        return Outline(0, heads, frames.REST_SAID.match(text) is not None)
    they = ("he" in text or "both" in text) and frames.THEY.match(text) is not None
    return Outline(len(numbers_of(text)), heads, they or not text.islower())  # a capital: what follows is still quoted
