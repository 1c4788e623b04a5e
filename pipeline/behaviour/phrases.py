"""Words of a text: tokens, their forms, what each counts for; and the phrases of the patterns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

# One character each: places in the folded text are places in the text.
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇`´", "'"))
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# What no word has becomes a space.
TO_SPACES = bytes(code if chr(code).isalnum() or chr(code) == "'" else 32 for code in range(128)).ljust(256)

# What ends a sentence or a clause: no expression goes on across it.
BREAK = re.compile(r"[.!?;:](?=\s|$)|\n\s*\n")

# Word lists, as data: what each word counts for when a message is searched.
LEXICONS = Path(__file__).with_name("lexicons")

# What a word counts for.
LINKING, SCHEDULING, AMBIGUOUS, COMBINING, TELLING = "linking", "scheduling", "ambiguous", "combining", "telling"
LONG_WORD = 8  # letters, of a word that is known with a typing error
SHORTEST_ROOT = 4
# What a word's forms end in, after its root.
ENDING = re.compile(
    r"(?:therapy|therapist|iz(?:e|ed|ing)|is(?:e|ed|ing|m|t|tic)|tic|sy|ship|ment|ician|i?cal|ial|al|ic|ing|ed|er|or|"
    r"ion|ive|ity|[ae]nc[ey]|[ae]nt|cy|is|y|ie|i|e)$"
)

# A word starts with its stem up to the first such character, but for case and the y that stands for "ies".
NOT_ASCII_WORD = re.compile("[^a-z0-9]")
# Letters that become ASCII in lower case.
LOWERED_TO_ASCII = "[\u0130\u212a]"


@cache
def words(name: str) -> Any:
    """The content of a word list, lexicons/{name}.yaml."""
    import yaml

    return yaml.safe_load((LEXICONS / f"{name}.yaml").read_text(encoding="utf-8"))


class Word(NamedTuple):
    """A word of a text: its stem, where it stands, and whether a sentence or clause ends before it."""

    stem: str
    start: int
    end: int
    breaks: bool


def straighten_apostrophes(text: str) -> str:
    """The text with plain apostrophes, of the same length."""
    # The one of them that is ASCII is replaced many times as fast alone.
    return text.replace("`", "'") if text.isascii() else text.translate(APOSTROPHES)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word in lower case, without a possessive's or a plural's ending."""
    word = word.lower().removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@cache
def word_kinds() -> dict[str, str]:
    """Stem → what it counts for; a word on several lists is combining rather than linking, linking than scheduling."""
    lists = words("ordinary")
    kinds = {stem(form): SCHEDULING for verb in lists["verbs"].split() for form in verb_forms(verb)}
    for kind in (SCHEDULING, LINKING, AMBIGUOUS, COMBINING):
        kinds |= {stem(word): kind for word in lists[kind].split()}
    return kinds


def verb_forms(verb: str) -> Iterator[str]:
    """The verb and its regular forms; some that it does not have do no harm."""
    short = verb.removesuffix("e")
    yield from (verb, f"{verb}s", f"{verb}ed", f"{verb}d", f"{verb}ing", f"{short}ing", f"{short}ed")
    yield from (f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")
    if verb.endswith("y"):
        yield f"{verb[:-1]}ied"


def kind_of(word: str) -> str:
    """What a stem counts for; numbers and single letters only link."""
    if len(word) == 1 or word.isdigit():
        return LINKING
    return word_kinds().get(word, TELLING)


@lru_cache(maxsize=65536)
def family(word: str) -> str:
    """A stem as it is, of a telling word its root: "divorc" of "divorce", "divorced" and "divorcing"."""
    if kind_of(word) != TELLING:
        return word
    while (ending := ENDING.search(word)) and ending.start() >= SHORTEST_ROOT:
        word = word[: ending.start()]
    return word[:-1] if len(word) > SHORTEST_ROOT and word[-1] == word[-2] else word


@lru_cache(maxsize=16384)
def misspellings(word: str) -> frozenset[str]:
    """What a long telling word and any with one letter more, less, other or swapped have in common; else nothing."""
    if len(word) < LONG_WORD - 1 or kind_of(word) != TELLING:
        return frozenset()
    return frozenset((word, *(word[0] + word[1:i] + word[i + 1 :] for i in range(1, len(word)))))


@lru_cache(maxsize=65536)
def is_form_of(word: str, told: str) -> bool:
    """Whether a message's stem tells of a label's: the same, another form, or with a typing error."""
    if word == told:
        return True
    if kind_of(told) != TELLING:
        return False
    if kind_of(word) == TELLING and family(word) == family(told):
        return True
    return max(len(word), len(told)) >= LONG_WORD and not misspellings(word).isdisjoint(misspellings(told))


def may_contain_cue(content: pl.Expr, cues: Iterable[str]) -> pl.Expr:
    """Whether a text can have a form of one of these stems: a quick test that few texts pass.

    It asks for what all forms of a word start with, and for the halves of a long one: an error leaves one of them, or
    swaps the letters between.
    """
    parts = {part for cue in cues for part in _sure_parts(cue)}
    if not parts or "" in parts:
        return pl.lit(bool(parts))
    has_part = content.str.contains_any(sorted(parts), ascii_case_insensitive=True)
    return has_part | content.str.contains(LOWERED_TO_ASCII)


def _sure_parts(cue: str) -> Iterator[str]:
    """Stretches of which a text has one that has a form of the stem."""
    yield NOT_ASCII_WORD.split(family(cue), 1)[0].removesuffix("y")
    if misspellings(cue) and cue.isascii():
        half = len(cue) // 2
        yield from (cue[:half], cue[half:], f"{cue[: half - 1]}{cue[half]}{cue[half - 1]}")


def english_messages(messages: pl.DataFrame) -> Iterator[tuple[str, int, int, int, list[int], str]]:
    """(game, event, round, sender, recipients, content) of the messages that are no protocol's, in order."""
    untyped = messages.filter(pl.col("typed").is_null()).sort("game_id", "event_index")
    names = ("game_id", "event_index", "round", "from_agent", "to_agents", "content")
    return zip(*(untyped[name].to_list() for name in names), strict=True)


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(map(stem, _words(straighten_apostrophes(text))))


def _words(straight: str) -> list[str]:
    """What WORD finds in a folded text. In ASCII, splitting at spaces finds the same in a third of the time."""
    if not straight.isascii() or "''" in straight:
        return WORD.findall(straight)
    split_up = straight.encode().translate(TO_SPACES).decode().split()
    return [word for each in split_up if (word := each.strip("'"))] if "'" in straight else split_up


def split_words(text: str) -> list[Word]:
    """The text's words, in order."""
    straight = straighten_apostrophes(text)
    words_so_far: list[Word] = []
    last = 0
    for match in WORD.finditer(straight):
        breaks = bool(words_so_far) and BREAK.search(straight, last, match.start() + 1) is not None
        words_so_far.append(Word(stem(match[0]), match.start(), match.end(), breaks))
        last = match.end()
    return words_so_far


Span = tuple[int, int]

AGENT = re.compile(
    r"\bagent[\s_#-]*(?P<one>\d{1,3})\b|\bagents[\s_#-]*(?P<many>\d{1,3}(?:\s*(?:[,&/]\s*|(?:,\s*)?and\s+)#?\d{1,3})*)"
)
NUMBER = re.compile(r"\d{1,3}")
ERRAND = re.compile(r"errand")
ERRAND_ID = re.compile(r"[Ee]rrand\s*#\d+")
COST_WORD = r"(?:costs?|costing|penalty|penalties|price)\b"
FILLER = (
    r"(?:of|is|are|was|me|us|it|that|you|at|about|around|only|just|exactly|roughly|approximately|would|will|be|a|an|the|total"
    r"|mere|to|for|move|moving|displace|displacing|reschedule|rescheduling)\b"
)
COST_NUMBER = re.compile(
    rf"\b{COST_WORD}[^.!?\d]{{0,20}}slots?\s*#?\d+[\s=:>~(-]{{1,4}}(?:(?:is|at|of|to)\s)?\d+"
    rf"|\b{COST_WORD}[\s:=~(\"']*(?:{FILLER}[\s:=~(\"']*){{0,6}}\d+\b(?!\s*(?:am|pm|:\d))"
    r"|\b\d+(?:-cost\b|\s+(?:cost\s+units?|units?\s+of\s+cost|in\s+costs?|cost\s+points?|penalty\s+points?)\b)"
)
SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
GOSSIP = (("availability_gossip", "availability"), ("cost_gossip", "costs"))

# The longest keyword, and then some: how far beyond the allowed distance a search for one looks.
LONGEST_KEYWORD = 40


@dataclass(frozen=True)
class Thresholds:
    """What the paper's definitions measure by (Table 4); params.yaml says why."""

    nearby_chars: int = 60
    short_chars: int = 80
    expensive_cost: int = 100
    distinct_slots: int = 2
    cascade_rounds: int = 2


@cache
def keywords(name: str) -> re.Pattern[str]:
    """One expression for a list of behaviours.yaml."""
    alternatives = sorted(words("behaviours")[name], key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


def message_patterns(
    content: str, sender: int, recipients: Sequence[int], limits: Thresholds
) -> Iterator[tuple[str, int, int, bool]]:
    """(pattern, span_start, span_end, strict) of each pattern that an English message shows, each once.

    Gossip is strict where the agent and the keyword stand in one sentence; the others always are.
    """
    text = straighten_apostrophes(content)
    lower = lower_case(text)
    third_agents = list(third_agent_spans(lower, {sender, *recipients})) if "agent" in lower else []
    for pattern, name in GOSSIP if third_agents else ():
        first = None
        for span in nearby(lower, third_agents, keywords(name), limits.nearby_chars):
            if not SENTENCE_END.search(lower, *span):
                yield pattern, *span, True
                break
            first = first or span
        else:
            if first:
                yield pattern, *first, False
    for pattern, match in _keyword_matches(text, lower, limits):
        if match:
            yield pattern, *match.span(), True


def lower_case(text: str) -> str:
    """The text in lower case, of the same length: letters that would become two keep their case."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _keyword_matches(text: str, lower: str, limits: Thresholds) -> Iterator[tuple[str, re.Match[str] | None]]:
    if len(text) <= limits.short_chars:
        yield "confirmation_tax", keywords("agreement").search(lower)
    if "errand" in lower:
        yield "errand_mention", ERRAND.search(lower)
        yield "errand_id_leakage", ERRAND_ID.search(text)
    if "cost" in lower or "penalt" in lower or "price" in lower:
        yield "cost_number_disclosure", COST_NUMBER.search(lower)


def third_agent_spans(lower: str, sender_and_recipients: set[int]) -> Iterator[Span]:
    """Where agents are named that neither send nor receive the message."""
    for match in AGENT.finditer(lower):
        named = {int(number) for number in NUMBER.findall(match["one"] or match["many"])}
        if named - sender_and_recipients:
            yield match.span()


def nearby(lower: str, agent_spans: Iterable[Span], keyword: re.Pattern[str], max_chars: int) -> Iterator[Span]:
    """Each agent with a keyword at most so many characters away: from the first of the two to the second."""
    for start, end in agent_spans:
        for match in keyword.finditer(
            lower, max(0, start - max_chars - LONGEST_KEYWORD), end + max_chars + LONGEST_KEYWORD
        ):
            if 0 <= match.start() - end <= max_chars or 0 <= start - match.end() <= max_chars:
                yield min(start, match.start()), max(end, match.end())
