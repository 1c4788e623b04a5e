"""Which words of a message are read together: a sentence, and what it leans on: its heading, or who "they" are."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.grammar import SLOTS
from pipeline.privacy.language.scan import Sentence, expand, numbers_of
from pipeline.privacy.language.shapes import Number, each

NAMED = re.compile(r"\b(?:agents?\s*#?|a)0")
FAR = 400  # characters to look back for who they are, and the longest heading
STOP = "}"  # no folded text has it
NUMBER = re.compile(r"0+")
SLOTS_NAMED = re.compile(rf"(?<![a-z0-9'.$]){expand(SLOTS[0])}")
MOST_BACK = 8  # sentences to look back for slots
ALL, REPEATS, BEYOND = -1, -2, -3  # those of another sentence, what is said of them, what is before or after them
JOINS = {REPEATS: ",", BEYOND: STOP}
COUNTS = {"both": 2, "either": 2, "neither": 2, **{word: int(value) for word, value in frames.VALUES.items()}}

# A sentence that names no slot of its own, and what in it points back to those of another.
NO_SLOT = re.compile(
    r"\bagents?\s*#?0+(?:\s*(?:,|and|or|&)\s*(?:and\s+)?0+)*|\bmeeting\s*#?0+|\bcosts?(?:\s+(?:me|us|of|is|only))*\s*0+"
)
DOES = (
    r"(?:'s\b|n't\b|'ll\b|'d\b|\s+(?:\w+ly\s+|also\s+|still\s+)?(?:is(?!\s+for\b|\s*$)|are|isn't|aren't|works?|would|"
    r"could|can|can't|cannot|will|won't|do|does|doesn't|don't|looks?|seems?|sounds?|suits?|fits?|has|have|conflicts?|"
    r"clash\w*|holds?|costs?|requires?|needs?|remains?|stays?)\b)"
)
BEGINS = (
    r"(?:^|[,:~(]|\b(?:and|but|so|as|since|because|though|although|while|that))\s*"
    r"(?:(?:\w+ly|yes|no|well|ok|okay|thanks|though|so|now|and),?\s+)?"
)
THEM = r"(?:these|those|them)"
SEVERAL = rf"(both|either|neither|all (?:two|three|four|five|six)|(?:all|any) of {THEM}|these|those)(?: of {THEM})?"
PLACES = r"(?:there(?!'s|\s+is|\s+are)|then|at that (?:time|slot)|in that slot)"
STOPS = r"(?=\s*(?:$|[,~)(]|(?:too|as well|either|and|but|though|so|because|at|for)\b))"
POINTS_TO_SEVERAL = re.compile(
    rf"{BEGINS}{SEVERAL}(?: slots)?{DOES}|"
    rf"\b(?:do|make|take|manage|accept|attend|at|for|with)\s+{SEVERAL}(?!\s+(?:agents?|you|us|of us|of you)\b)"
)
POINTS_TO_ONE = re.compile(
    rf"{BEGINS}(?:it|that|this|(?:that|this) (?:one|slot))(?=['\s]){DOES}|"
    rf"\b(?:i|i'm|i've|we|my|nothing(?:'s)?|agents?\s*#?0+)\b.*\b{PLACES}{STOPS}|"
    rf"\b(?:do|make|take|manage|attend|for|(?:accept|confirm|reject|declin|prefer|veto)(?:e?d|s)?|"
    rf"(?:good|fine|ok|okay|happy|cool|great) with)\s+(?:it|that){STOPS}|"
    r"\bnothing\b.*\bthere\b|\b(?:have|has|got|keep|find)\s+(?:it|that)\s+(?:free|open|clear|available)\b"
)
OF_OTHERS = re.compile(r"\b(?:free|open|clear|available) elsewhere\b|\botherwise\W*$")
# "Agent 2 can't", "So am I": the same, or not, of someone else. "Slot 3?": what follows is said of it.
WHO = r"(?:both )?(?:(?:i|we|me|a0|agents?\s*#?0+)(?:\s*(?:,|and|&|or|nor)\s*(?:i|agents?\s*#?0+|0+))*)"
BE = r"(?:is|are|am|do|does|can|could|will|would|has|have)"
SAME = (
    r"(?:(?:(?:it's |it is |that's )?(?:the |exactly the )?same (?:(?:story|thing|deal|goes|holds|is true|applies) )*"
    r"(?:for|of|to|with|at)|(?:that|this) (?:also |still )?(?:goes|holds|is true|applies) for|ditto(?: for)?|"
    r"likewise(?: for)?)(?: my| the)?)"
)
REPEATED = re.compile(
    rf"\s*(?:(?:and|but|though|unfortunately|sadly|however),?\s+)?(?:(?:so|neither|nor)\s+{BE}\s+{WHO}|{SAME}\s+{WHO}|"
    rf"{WHO}(?:'[mr]e?|\s+(?:both )?{BE}|\s+ca|\s+wo|(?=\s+not\b))(?:n'?t|not|\s+not)?|"
    rf"(?:{WHO}|they|he|she|the (?:answer|reply|response))\s+(?:said|says|answered|replied|is|was)\s+"
    r"(?:yes|no|yep|nope|the same))(?:\s+(?:too|as well|also|either|though|both))*\W*"
)
SLOTS_TOO = r"slots? ?#?0+(?:(?: ?(?:,|and|or|&) ?)+(?:slots? ?)?#?0+)*"
SLOTS_REPEAT = re.compile(
    rf"\W*(?:(?:and|but|though|unfortunately|sadly|however),?\s+)?(?:{SAME}\s+{SLOTS_TOO}|(?:so|neither|nor)\s+{BE}"
    rf"\s+{SLOTS_TOO}|{SLOTS_TOO}(?:\s+{BE}(?:n't|\s+not)?|\s+won't|\s+can't)(?:\s+(?:a similar|the same)"
    r"(?: story| thing| case)?)?)(?:\s+(?:too|as well|also|either|though|however))*\W*"
)
BARE = re.compile(
    r"\W*(?:(?:and|so|then|now|next|as for|what about|how about|for|on|regarding|only)\s+)*"
    r"(?:(?:option|candidate|choice|proposal|alternative) (?:[a-h]|0)\b\W*)?slots? ?#?0+"
    r"(?:\s+(?:then|first|next))?\W*"
)
RELATES = re.compile(
    r"\b(?:before|after|beyond|from|until) (?:that|then|those)\b|\b(?:afterwards?|thereafter)\b|"
    r"^\W*(?:(?:every|any|no)thing )?(?:earlier|later|before and after)\b"
)
ALL_AFTER = re.compile(r"\W*(?:(?:every|any|no)thing )(?:before|after|beyond|from) (?:that|then|those)\b")
ANSWERS = re.compile(
    r"\W*(?:yes|no|nope|yep|sure|ok|okay|errand|meeting|conflict|something|movable|fine|good|great|perfect|"
    r"free|busy|open|taken|booked|blocked|not|can't|cannot|"
    r"works|nothing|an?|my|i|i'm|i've|also|unfortunately|sadly|sorry|definitely|easy|easily|don't|won't|clear|wide|all|"
    r"absolutely|certainly|possible|impossible|doable|available|unavailable|empty|gone|full|suits|fits|happy|gladly)\b"
)
SUPPOSES = re.compile(r"\b(?:if|whether|unless|until|once|before|after)\b")

# Of the rest of the calendar.
REST_SAID = re.compile(
    r"\s*(?:(?:and|but|so|otherwise|sorry|sadly|unfortunately),? )?(?:(?:every|no)thing else|"
    r"(?:all|every|any) other (?:slots?|times?)|all (?:the )?others?|(?:all )?(?:the )?(?:rest|remainder)|"
    r"(?:what(?:ever)?|all that) (?:remains|is left)|what's left|"
    r"(?:all |the )+(?:remaining|other) (?:slots|times|ones)|my other slots|"
    r"otherwise(?=,? (?:i'm|i am|my|everything|all)))\b"
)
# "Slot 7 does", after what another agent's slot does not.
SLOT_IS = re.compile(
    r"\s*(?:(?:and|but|only)\s+)?slots?\s*#?0+(?:\s+(?:and|or)\s+(?:slot\s*)?0+)?\s+"
    r"(?:is|are|does|do|would|will)(?:n't|\s+not)?(?:\s+(?:now|either|too|though|still))?\W*"
)
# "They are free at 5", after a sentence that says who they are.
THEY = re.compile(
    r"\s*(?:(?!i\b|we\b|you\b)[\w']+,?\s+){0,3}(?:they|she|he|both(?= (?:are|can|have|could|said))|"
    r"(?:both|all|each|neither|the two|the three|all three) of them|all (?:two|three|four)(?= (?:have|can|said|are))|"
    r"the other (?:two|three)|the (?:answer|reply|response)(?= (?:was|is)\b))\b(?!.*agent)"
)
# Of whom the sentences of a line are, and what is of another.
LABEL = re.compile(
    r"\s*(?:(?:from|per|relay from) )?agents?\s*#?0{1,2}(?:'s \w+)?(?: \w+)?\s*(?::|~| - |->|=>)\s*(?!thank|hi\b|"
    r"hello|ok|please|sorry|great|yes|no\b)"
)
OWN_SUBJECT = re.compile(r"\b(?:i|i'\w+|my|me|mine|we|us|our|you|your|agents?|they|let's|so|meeting|everyone|all)\b")


class Heading(NamedTuple):
    """What the items of a list are read under: where it starts, its folded text, and its numbers."""

    start: int
    text: str
    numbers: Sequence[Number]

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
    speaks of "them", or without a number of the rest of the calendar; and whether it is a slot and nothing else."""

    numbers: int
    heads: bool
    leans: bool
    slots: int  # that it points back to and does not name: 0, 1, 2 or more, ALL of some, or those of what it REPEATS
    bare: bool


def passages(sentences: Iterable[Sentence], folded: str, values: Sequence[Number]) -> Iterator[Passage]:
    """Those that name a number of what is said. An item of a list is read under its heading: "Free:\\n- slot 3"."""
    heading: Heading | None = None
    speaker: Heading | None = None  # whom the line is of: "Agent 2: free at 3; busy at 4"
    apart = False
    named: tuple[int, int, int] | None = None  # where the last sentence that may name "them" starts and ends
    count = 0
    recent: deque[tuple[int, str, int]] = deque(maxlen=MOST_BACK)
    bare = False
    for start, text, question, line in sentences:
        numbers, heads, leans, back, is_bare = outline(text)
        if bare and not (back or numbers or leans) and ANSWERS.match(text):
            back = 1
        if line and heads:
            own = values[count : count + numbers]
            heading = Heading(start, text.rstrip() + " ", own) if len(text) <= FAR else None
            if numbers:
                yield start, text, question, count, None, apart, 0
        elif (
            back in JOINS
            and named
            and not heading
            and start - named[0] < FAR
            and _is_next(folded[named[1] : start], back)
        ):
            begins, ends, first = named
            text = f"{folded[begins:ends]}{JOINS[back].ljust(start - ends)}{text}"
            yield begins, text, question, first, None, True, start - begins
            named = begins, begins + len(text), first
        elif (back > 0 or back == ALL) and not heading and (slots := _pointed_to(recent, start, values, back)):
            yield start, slots.text + text, question, count, slots, True, 0
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
        elif speaker and not OWN_SUBJECT.search(text):
            yield start, speaker.text + text, question, count, speaker, apart, 0
        else:
            yield start, text, question, count, None, apart, 0
            named = start, start + len(text), count
            label = LABEL.match(text) if numbers > 1 and not question else None
            of_agent = label and not OWN_SUBJECT.search(text, label.end())
            speaker = Heading(start, label[0], values[count : count + 1]) if label and of_agent else None
        speaker = None if line else speaker
        apart, bare = not numbers, is_bare and not line
        if numbers and not back:
            recent.append((start, text, count))
        count += numbers


def _is_next(between: str, back: int) -> bool:
    """Whether nothing between two sentences keeps one from the other: a number, or a line's end if one repeats."""
    return "0" not in between and (back != REPEATS or "\n" not in between)


def _names_agents(folded: str, named: tuple[int, int, int], start: int) -> bool:
    """Whether a sentence not far before names the agents that "they" are."""
    return start - named[0] < FAR and NAMED.search(folded, named[0], named[1]) is not None


@lru_cache(maxsize=65536)
def outline(text: str) -> Outline:
    heads = text.rstrip().endswith(":")
    back = _points_back(text)
    if "0" not in text:
        return Outline(0, heads, REST_SAID.match(text) is not None, back, False)
    they = ("he" in text or "both" in text) and THEY.match(text) is not None
    they = they or SLOT_IS.fullmatch(text) is not None
    leans = they or not text.islower()  # a capital: what follows is still quoted
    return Outline(len(numbers_of(text)), heads, leans, 0 if leans else back, BARE.fullmatch(text) is not None)


def _points_back(text: str) -> int:
    """How many slots of another sentence are meant: 1 by "it", "then" or "there", 2 by "both", ALL by "those"."""
    if ALL_AFTER.match(text):
        return BEYOND
    if SLOTS_REPEAT.fullmatch(text):
        return REPEATS
    if "0" in NO_SLOT.sub("", text) or not text.islower():
        return 0
    if REPEATED.fullmatch(text):
        return REPEATS
    if RELATES.search(text):
        return BEYOND
    several = POINTS_TO_SEVERAL.search(text)
    match = several or POINTS_TO_ONE.search(text)
    if match is None or SUPPOSES.search(text, 0, match.end()) or OF_OTHERS.search(text):
        return 0
    return COUNTS.get((several[1] or several[2]).removeprefix("all "), ALL) if several else 1


def _pointed_to(recent: Iterable[tuple[int, str, int]], at: int, values: Sequence[Number], back: int) -> Heading | None:
    """The slots that a sentence points back to, as its heading: those last named, if they are as many."""
    named: list[tuple[int, str, Sequence[Number]]] = []
    for start, text, first in reversed([one for one in recent if at - one[0] < FAR]):
        for slots in reversed(list(SLOTS_NAMED.finditer(text))):
            index = first + len(NUMBER.findall(text, 0, slots.start()))
            named.insert(0, (start + slots.start(), slots[0], values[index : index + len(NUMBER.findall(slots[0]))]))
            if back > 1 and len(_distinct(named)) >= back:
                break
        if named and (back in (1, ALL) or len(_distinct(named)) >= back):
            break
    if not named or (back != ALL and len(_distinct(named)) != back):
        return None
    texts = ", ".join(text for _, text, _ in named)
    return Heading(named[0][0], f"{texts}: ", [value for *_, own in named for value in own])


def _distinct(named: Iterable[tuple[int, str, Sequence[Number]]]) -> set[int]:
    return {value for *_, own in named for number in own for value in each(number)}
