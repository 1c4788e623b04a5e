"""Words of a text: tokens, their forms, what each counts for, and the frames in which they are figures of speech."""

import re
from collections.abc import Iterable, Iterator, Sequence
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
    rf"(?<=\w{{{SHORTEST_ROOT}}})(?:therapy|therapist|broker|iz(?:e|ed|ing)|is(?:e|ed|ing|m|t|tic)|tic|sy|ship|ment|ician|i?cal|"
    r"ial|al|ic|ing|ed|er|or|eon|ation|ate?|ion|ive|ity|[ae]nc[ey]|[ae]nt|cy|is|y|ie|i|e)$"
)
# What an abbreviation leaves out: "rehab" of rehabilitation.
CUT_OFF = re.compile(r"[a-z]*(?:ation|log(?:y|ist|ical)|graphy|scopy|ectomy|osis|itis|arian|iatr[a-z]+)$")

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
    while ending := ENDING.search(word):
        word = word[: ending.start()]
    word = word.replace("scrib", "script")  # "prescribed" of prescription
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
    kinds = {kind_of(word), kind_of(told)}
    if kinds == {TELLING, AMBIGUOUS}:
        return family(word) == family(told)
    if kind_of(told) != TELLING:
        return False
    alike = family(word) == family(told) and kind_of(family(word)) != SCHEDULING
    if kinds == {TELLING} and (alike or _is_short_for(*sorted((word, told), key=len))):
        return True
    return max(len(word), len(told)) >= LONG_WORD and not misspellings(word).isdisjoint(misspellings(told))


def _is_short_for(short: str, long: str) -> bool:
    """Whether a word is the start of a longer one without its ending: "rehab" of rehabilitation."""
    return short in short_forms(long)


@lru_cache(maxsize=65536)
def short_forms(word: str) -> frozenset[str]:
    """What a telling word with such an ending may be cut short to."""
    if kind_of(word) != TELLING or not CUT_OFF.match(word, SHORTEST_ROOT):
        return frozenset()
    return frozenset(word[:length] for length in range(SHORTEST_ROOT, LONG_WORD - 1))


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
    if short_forms(cue):
        yield cue[:SHORTEST_ROOT]
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


ARTICLES = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your"))
OWNING = ("my", "our", "a", "an")
PLACING = ("at", "for", "from", "with")
FIGURATIVE = ("of", "that", "it", "area", "agent", "slot")  # after a word, as in "a string of messages"
DOING = ("i", "usually", "always", "involve")  # before what the sender does: "I bowl then"
# Before what talk is about, and that: "screening the options", "sick of rescheduling" are no things.
POINTING = frozenset(("of", "the", "this", "these", "those", "all", "our", "your", "my", "an", "a", "every", "agent"))
TALKED_OF = frozenset(
    [
        "slot",
        "option",
        "plan",
        "calendar",
        "schedule",
        "list",
        "proposal",
        "suggestion",
        "idea",
        "agent",
        "meeting",
        "message",
        "offer",
        "thought",
        "number",
        "choice",
        "thread",
    ]
)
LISTENING = ("you", "me", "us")  # whom a talker does it to: "consult you", "repay me"
# Before "of", what makes of a thing a manner: "in the spirit of charity", "a matter of faith".
MANNERS = frozenset(("spirit", "sense", "matter", "sake", "point", "question", "act", "sort", "kind", "bit"))
SMALL = ("little", "quick", "short", "small", "brief")  # may stand before a thing of one's own: "a little tango"


def is_about_talk(message: Sequence[Word], after: int) -> bool:
    """Whether what a word does, it does to what is talked about: "audit this list", "sick of rescheduling"."""
    words = [word.stem for word in message[after : after + 4]]
    if words and words[0] in LISTENING and message[after].start - message[after - 1].end == 1:
        return True
    if any(word.breaks for word in message[after : after + 2]) or not words or words[0] not in POINTING:
        return False
    if words[0] == "of" and len(words) > 1 and words[1].endswith("ing"):
        return kind_of(words[1]) == SCHEDULING
    objects = [word for word in words if word not in POINTING or word == "agent"]
    return bool(objects) and objects[0] in TALKED_OF


def is_figure(message: Sequence[Word], start: int, after: int) -> bool:
    """Whether a word is part of a figure of speech: "in the spirit of charity", "no stranger to compromises"."""
    third, second, last = ("", "", "", *(word.stem for word in message[max(0, start - 3) : start]))[-3:]
    if message[start].breaks:
        return False
    follows = after < len(message) and message[after].stem == "to"
    return (last == "no" and follows) or (last == "of" and second in MANNERS) or (third in MANNERS and second == "of")


def is_own(message: Sequence[Word], at: int) -> bool:
    """Whether a word that starts there is a thing of the sender's: "my flat", "at the bank", "slot 3: court"."""
    if message[at].stem in ARTICLES:
        at += 1
    if at + 1 < len(message) and not message[at + 1].breaks and message[at + 1].stem in FIGURATIVE:
        return False
    while at > 0 and message[at - 1].stem in SMALL and not message[at].breaks:
        at -= 1
    third, second, last = ("", "", "", *(word.stem for word in message[max(0, at - 3) : at]))[-3:]
    if message[at].breaks:
        return last.isdecimal()
    if last == "the":
        return second in PLACING
    owned = last in OWNING and second not in ("in", "ring")
    return (
        owned
        or (last in DOING and second != "agent")
        or (last == "in" and (at + 1 == len(message) or message[at + 1].stem in ("at", "slot", "then", "during")))
        or last in ("at", "note", "errand")
        or (last in ("is", "for") and second.isdecimal() and third == "slot")
        or (last == "for" and second == "is" and third.isdecimal())
    )
