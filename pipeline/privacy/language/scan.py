"""From a message to tokens: folding, numerals, sentences, and one pass of the vocabulary over a sentence.

Folding keeps every character's place, so that a span in folded text is the span in the message.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.privacy.language import frames
from pipeline.privacy.language.grammar import KINDS
from pipeline.privacy.language.vocabulary import ENDINGS, FULL, PATTERNS, QUOTED, REAL, SHORT, STEMS

# Its first character comes first, so that the search skips to one.
END = re.compile(
    r"([.!?;\n](?:(?<!\.)[!?;\n.\s]*"
    r"|(?<=\.)(?!0|\w\.)(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!slot no\.)(?<!slots nos\.)[.!?]*))"
)
# No sentence is longer: what goes on is another. So time grows with a message's length, whatever is done in a sentence.
SENTENCE_CHARS = 2_000


class Token(NamedTuple):
    """A phrase of the vocabulary in a sentence: its kind, where it starts and ends."""

    kind: str
    start: int
    end: int


# A stretch of a message up to its terminator: where it starts, its folded text, whether a ? or a line ends it.
Sentence = tuple[int, str, bool, bool]


def fold(content: str) -> str:
    """The message in lower case with straight quotes and every digit a 0, character for character."""
    if not content.isascii():
        content = frames.FOREIGN.sub(lambda match: frames.FOLDED.get(match[0], " "), content)
    # Bytes are translated several times as fast as characters.
    return content.encode().translate(frames.ASCII).decode()


def in_digits(content: str, folded: str) -> str:
    """The message with such numbers in digits, character for character: each is padded to its word's length."""
    kept, end = [], 0
    for numbers in frames.NUMERAL.finditer(folded):
        for word in frames.EACH.finditer(folded, *numbers.span()):
            kept += [content[end : word.start()], frames.VALUES[word[0]].rjust(len(word[0]))]
            end = word.end()
    return "".join((*kept, content[end:]))


def numbers_of(content: str) -> list[bytes]:
    """The numbers of a message, in order and as they are written."""
    return content.encode("ascii", "replace").translate(frames.SPACED).split()


def sentences(folded: str) -> Iterator[Sentence]:
    """The stretches between sentence terminators, semicolons and line ends."""
    start = 0
    pieces = END.split(folded)
    for text, mark in zip(pieces[::2], (*pieces[1::2], "\n"), strict=True):
        if len(text) > SENTENCE_CHARS:
            yield from _stretches(start, text, "?" in mark, "\n" in mark)
        elif text:
            yield start, text, "?" in mark, "\n" in mark
        start += len(text) + len(mark)


def _stretches(start: int, text: str, question: bool, line: bool) -> Iterator[Sentence]:
    """A sentence that is longer than any should be, in stretches: cut at a comma or a blank, and not in a number."""
    begin = 0
    while begin < len(text):
        end = _cut(text, begin + SENTENCE_CHARS)
        yield start + begin, text[begin:end], question, line
        begin = end


def _cut(text: str, most: int) -> int:
    """Where a sentence is best cut, some way before `most`; after it where a number has no end."""
    for mark in (",", " ") if most < len(text) else ():
        if (at := text.rfind(mark, most - SENTENCE_CHARS // 2, most)) >= 0:
            return at + 1
    while most < len(text) and text[most - 1] == text[most] == "0":
        most += 1
    return most


@lru_cache(maxsize=65536)
def respelt(word: str) -> str:
    """A word as the vocabulary spells it: "availble" is available, "mtgs" meetings, "doesnt" doesn't."""
    if word[0] in QUOTED:
        return QUOTED.get(word) or QUOTED[word[0]] + (f" {respelt(word[1:])}" if word[0] == "T" else "")
    if word in SHORT:
        return SHORT[word]
    if word[0] == "0":
        return "0 " + word.lstrip("0")
    if len(word) > 3 and word[:-1] in SHORT and word.endswith("s"):
        return f"{SHORT[word[:-1]]}s"
    if frames.UNMARKED.fullmatch(word):
        return f"{word[:-1]}'t"
    if len(word) < 3 or word in REAL:
        return word
    if not set("aeiou").intersection(word):
        return next(
            (full for full in FULL if len(full) < 2 * len(word) + 2 and re.fullmatch(".*".join(word), full)), word
        )
    parts = ((verb, word[len(verb) :]) for verb in frames.GLUED if word.startswith(verb))
    glued = next((f"{verb} {stem}" for verb, stem in parts if stem in STEMS), None)
    stems = (stem for stem in STEMS if stem[0] == word[0] or (len(stem) > 5 and word.startswith(stem[1:])))
    near = (_spelt_as(word, stem, ending) for stem in stems for ending in ENDINGS)
    return glued or next((respelt(right) if right.endswith("nt") else right for right in near if right), word)


def _spelt_as(word: str, stem: str, ending: str) -> str | None:
    """The stem with the ending where the word is that with one slip, or cut short."""
    start = word.removesuffix(ending)
    if word.startswith(stem):
        cut = len(word) <= len(stem) + len(ending) and ending in ("ing", "able")  # "workng"
        return stem + ending if word == stem + stem[-1] + ending or (cut and is_slip(word, stem + ending)) else None
    if len(start) + len(ending) != len(word):
        return None
    if stem.startswith(start) and start != stem[:-1].removesuffix(stem[-1]) + stem[-1]:
        return stem if start == word and len(word) >= 5 and len(stem) > 7 else None
    return stem + ending if is_slip(start, stem) else None


def is_slip(word: str, right: str) -> bool:
    """Whether one letter is doubled, left out, or two have changed places; of six letters or more any one edit."""
    if word != right and (word == right[1:] or word.replace("z", "s") == right):
        return True
    if word[:1] != right[0] or abs(len(word) - len(right)) > 1 or word == right:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    if len(word) > len(right):
        return word[at + 1 :] == right[at:] and (len(right) > 5 or word[at] == word[at - 1])
    if len(word) < len(right):
        return word[at:] == right[at + 1 :] and (len(right) > 4 or right[at] in "aeiou")
    swapped = word[at : at + 2] == right[at : at + 2][::-1] and word[at + 2 :] == right[at + 2 :]
    return swapped or (len(right) > 5 and word[at + 1 :] == right[at + 1 :])


# Numbers of two digits are read as one: what is learned from "slot 3" then serves "slot 12".
TWO = re.compile(rf"(?<!0)00(?!0|{frames.GLUED_ON})")
# More blanks or digits in a row than any rule looks back over are read as so many.
RUN = 44
LONG = re.compile(rf"\s{{{RUN + 1},}}|0{{{RUN + 1},}}")

# Where a stretch starts and ends, and what is read for it.
Edit = tuple[int, int, str]


@lru_cache(maxsize=65536)
def is_misspelt(word: str) -> bool:
    """Whether a run of letters, digits and slashes may hold a word that is spelled otherwise: "s3", "availble"."""
    return any(respelt(part) != part for part in frames.SPELT.findall(word))


def edits(text: str) -> list[Edit]:
    """The stretches of a text that are read otherwise, in their order."""
    changes: list[Edit] = [(two.start(), two.end(), "0") for two in TWO.finditer(text)] if "00" in text else []
    if "  " in text or "000" in text or not text.isprintable():
        changes += [(run.start(), run.end(), run[0][:RUN]) for run in LONG.finditer(text)]
        changes.sort()
    if any(map(is_misspelt, frames.LETTERS.findall(text))):
        places = ((word.start(), word.end(), respelt(word[0])) for word in frames.SPELT.finditer(text))
        changes = sorted(changes + [edit for edit in places if text[edit[0] : edit[1]] != edit[2]])
    return changes


def rewritten(text: str, edits: Sequence[Edit]) -> str:
    """The text as it is read."""
    pieces, end = [], 0
    for start, stop, written in edits:
        pieces += [text[end:start], written]
        end = stop
    return "".join((*pieces, text[end:])) if edits else text


class Origins:
    """From places in the text as it was read to places in the text as it is."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits, self.starts, grown = edits, [], 0
        for start, end, written in edits:
            self.starts.append(start + grown)
            grown += len(written) - (end - start)

    def back(self, place: int) -> int:
        """Where a place was; one inside of what was read otherwise is as far from its end, at most at its start."""
        index = bisect_left(self.starts, place) - 1
        if index < 0:
            return place
        start, end, written = self.edits[index]
        return max(start, end + place - self.starts[index] - len(written))


SPACE = re.compile(r"(\[[^]]*\]|\(\?<[=!][^)]*\))| (\??)")
BRACKET = re.compile(r"\\.|\[[^]]*\]|[(|)]")
LITERAL = re.compile(r"(?:[^\\\[.(^$]|\\[^\w])(?![?*+{])")


def expand(phrase: str) -> str:
    """A phrase of the vocabulary as a regular expression."""
    while any(name in phrase for name in PATTERNS):
        for name, pattern in PATTERNS.items():
            phrase = phrase.replace(name, pattern)
    return SPACE.sub(lambda match: match[1] or (r"\s*" if match[2] else r"\s+"), phrase)


def by_first(pattern: str) -> dict[str, list[str]]:
    """First character → what may follow it; under "" what starts with anything but a literal."""
    firsts: dict[str, list[str]] = {}
    for branch in _branches(pattern):
        inner, rest = _leading_group(branch) if branch.startswith("(?:") else ("", "*")
        if rest.startswith(("*", "+", "{")):
            first = LITERAL.match(branch)
            firsts.setdefault(first[0] if first else "", []).append(branch[first.end() if first else 0 :])
            continue
        for start, tails in by_first(inner).items():
            firsts.setdefault(start, []).append(f"(?:{'|'.join(tails)}){rest.removeprefix('?')}")
        if rest.startswith("?"):
            for start, tails in by_first(rest[1:]).items():
                firsts.setdefault(start, []).extend(tails)
    return firsts


def _branches(pattern: str) -> list[str]:
    depth, start, parts = 0, 0, []
    for match in BRACKET.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] == "|" and depth == 0:
            parts.append(pattern[start : match.start()])
            start = match.end()
    return [*parts, pattern[start:]]


def _leading_group(pattern: str) -> tuple[str, str]:
    depth = 0
    for match in BRACKET.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return pattern[3 : match.start()], pattern[match.end() :]
    raise ValueError(f"a bracket is left open in {pattern}")


# What matches at a place, and the kinds by the numbers of their groups.
Reader = tuple[Callable[[str, int], re.Match[str] | None], tuple[str, ...]]


class Scanner:
    """The vocabulary as regular expressions that try, at each word, only the phrases with its first two characters.

    Each is compiled when a text first has such a word.
    """

    def __init__(self, kinds: Mapping[str, Sequence[str]]) -> None:
        # First character → in the order in which they are tried, kinds with what may follow, by the second character.
        self.starting: dict[str, list[tuple[str, dict[str, list[str]]]]] = {}
        for kind, phrases in kinds.items():
            for first, tails in by_first("|".join(map(expand, phrases))).items():
                self.starting.setdefault(first[-1], []).extend((kind, by_first(tail)) for tail in tails)
        firsts = "".join(map(re.escape, self.starting))
        # A word starts here, or punctuation.
        self.places = re.compile(rf"(?:(?<![\w'.$])|(?=[',()~|:/^`}}]))[{firsts}]").finditer
        self.readers: dict[str, Reader | None] = {}

    def reader(self, start: str) -> Reader | None:
        """What reads the phrases that start with two characters, or with one at the end of a text; None without any."""
        if start not in self.readers:
            kinds: dict[str, list[str]] = {}
            for kind, tails in self.starting[start[0]]:
                for second in tails:
                    if second[-1:] in ("", start[1:]):
                        kinds.setdefault(kind, []).extend(second + tail for tail in tails[second])
            groups = (rf"({'|'.join(tails)})(?!(?<=\w)\w)" for tails in kinds.values())
            pattern = re.compile(f"{re.escape(start[0])}(?:{'|'.join(groups)})")
            self.readers[start] = (pattern.match, ("", *kinds)) if kinds else None
        return self.readers[start]

    def compile_all(self) -> None:
        """Get all readers ready, for processes that are forked from this one."""
        for first, tails in self.starting.items():
            for second in {second[-1:] for _, each in tails for second in each}:
                self.reader(first + second)

    def scan(self, text: str, start: int) -> list[Token]:
        """The vocabulary's phrases in a sentence, from left to right."""
        tokens, end, readers, new = list[Token](), start, self.readers, tuple.__new__  # in half of Token's own time
        for place in self.places(text, start):
            at = place.start()
            if at >= end:
                word = text[at : at + 2]
                if reader := readers[word] if word in readers else self.reader(word):
                    read, kinds = reader
                    if match := read(text, at):
                        end = match.end()
                        tokens.append(new(Token, (kinds[match.lastindex or 0], at, end)))
        return tokens


@lru_cache(maxsize=1)
def scanner() -> Scanner:
    """The scanner of the whole vocabulary: made when the first English message is read."""
    return Scanner(KINDS)
