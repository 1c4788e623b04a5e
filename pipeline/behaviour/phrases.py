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

# What may stand between two words of one clause: spaces, quotation marks, emphasis.
BETWEEN = " \t\r\n'\"“”*_~"

# Word lists, as data: what each word counts for when a message is searched.
LEXICONS = Path(__file__).with_name("lexicons")

# What a word counts for.
LINKING, SCHEDULING, AMBIGUOUS, COMBINING, TELLING = "linking", "scheduling", "ambiguous", "combining", "telling"
CONTENT = frozenset((AMBIGUOUS, TELLING))  # what has other forms, and slips of the keys
LONG_WORD = 8  # letters, of a word that is known with a typing error
SHORTEST_ROOT = 4
# What a word's forms end in, after its root.
ENDING = re.compile(
    rf"(?<=\w{{{SHORTEST_ROOT}}})(?:therapy|therapist|broker|shop|iz(?:e|ed|ing)|is(?:e|ed|ing|m|t|tic)|tic|sy|ship|ment|ician|i?cal|"
    r"ial|al|ic|ing|ed|er|or|eon|ation|ate?|ion|ive|ity|[ae]nc[ey]|[ae]nt|cy|is|y|ie|i|e)$"
)
GERUND_ENDING, E_ENDING = re.compile("(?<=[a-z]{3})ing$"), re.compile("(?<=[a-z]{3})e$")
GERUND = re.compile(r"[aeiouy]\w*ing$")
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
    """A word of a text: its stem, where it stands, whether a sentence or clause ends before it, and the first mark there."""

    stem: str
    start: int
    end: int
    breaks: bool
    mark: str

    @property
    def apart(self) -> bool:
        """Whether more than a space, a hyphen or emphasis stands before it."""
        return self.mark != ""


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
    if kind_of(word) not in CONTENT:
        return word
    while ending := ENDING.search(word):
        word = word[: ending.start()]
    word = word.replace("scrib", "script")  # "prescribed" of prescription
    return word[:-1] if len(word) >= SHORTEST_ROOT and word[-1] == word[-2] else word


@lru_cache(maxsize=16384)
def misspellings(word: str) -> frozenset[str]:
    """What a long telling word and any with one letter more, less, other or swapped have in common; else nothing."""
    if len(word) < LONG_WORD - 1 or kind_of(word) not in CONTENT:
        return frozenset()
    return frozenset((word, *(word[0] + word[1:i] + word[i + 1 :] for i in range(1, len(word)))))


@lru_cache(maxsize=16384)
def slips(word: str) -> frozenset[str]:
    """A telling word of six letters or seven with two of them swapped, or one doubled or not; of any, f for ph."""
    if kind_of(word) not in CONTENT:
        return frozenset()
    other = {word[: match.start()] + "f" + word[match.end() :] for match in re.finditer("ph", word)}
    if SHORTEST_ROOT <= len(word) < LONG_WORD:
        other |= {GERUND_ENDING.sub("e", word), E_ENDING.sub("ing", word)}
    if not LONG_WORD - 2 <= len(word) < LONG_WORD:
        return frozenset(other)
    inner = range(1, len(word) - 1)
    swapped = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in inner)
    doubled = (word[:i] + word[i] + word[i:] for i in range(len(word)))
    single = (word[:i] + word[i + 1 :] for i in inner if word[i] == word[i + 1])
    return frozenset((*other, *swapped, *doubled, *single))


@lru_cache(maxsize=65536)
def is_form_of(word: str, told: str) -> bool:
    """Whether a message's stem tells of a label's: the same, another form, or with a typing error."""
    if word == told:
        return True
    kinds = {kind_of(word), kind_of(told)}
    if kinds <= CONTENT and family(word) == family(told) and kind_of(family(word)) != SCHEDULING:
        return True
    if TELLING not in kinds or not kinds <= CONTENT:
        return False
    if told in slips(word) or (kinds == {TELLING} and _is_short_for(*sorted((word, told), key=len))):
        return True
    return max(len(word), len(told)) >= LONG_WORD and not misspellings(word).isdisjoint(misspellings(told))


def told_as(word: str, told: str) -> str:
    """What a label's word counts for in the form that a message has: a doer's deed may be a figure ("vouch" of voucher)."""
    if word == told or kind_of(word) not in CONTENT:
        return kind_of(word)
    is_deed = word.endswith(("er", "or")) != told.endswith(("er", "or"))
    return AMBIGUOUS if is_deed or AMBIGUOUS in map(kind_of, (word, told, family(told))) else TELLING


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
    yield from slips(cue)
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
        gap = straight[last : match.start()]
        mark = "" if gap == "-" else gap.strip(BETWEEN)[:1] or ("\n" if "\n" in gap else "")
        words_so_far.append(Word(stem(match[0]), match.start(), match.end(), breaks, mark))
        last = match.end()
    return words_so_far


@cache
def frame(name: str) -> frozenset[str]:
    """The stems of a frame's words."""
    return frozenset(words("ordinary")["frames"][name].split())


def before(message: Sequence[Word], start: int) -> list[str]:
    """The stems that stand before a word, with nothing but spaces between: "i have a" of "No, I have a tango"."""
    first = start
    while first > 0 and not message[first].apart:
        first -= 1
    return [word.stem for word in message[max(first, start - 6) : start]]


def behind(message: Sequence[Word], after: int) -> list[str]:
    """The stems that stand after a word, with nothing but spaces between."""
    stems_so_far: list[str] = []
    for word in message[after : after + 4]:
        if word.apart:
            break
        stems_so_far.append(word.stem)
    return stems_so_far


def is_about_talk(message: Sequence[Word], start: int, after: int) -> bool:
    """Whether what a word does, it does to what is talked about: "audit this list", "sick of rescheduling"."""
    left, then = before(message, start), behind(message, after)
    is_verb = _is_verb(left)
    if is_verb and then and then[0] in frame("particle"):
        del then[0]
    if not then:
        return False
    if then[0] in frame("listening"):
        return frame("others").isdisjoint(left)
    if then[0] == "of" and then[1:] and then[1].endswith("ing"):
        return kind_of(then[1]) == SCHEDULING
    if then[0] == "your" or (is_verb and then[0] in frame("pronouns")):
        return True
    objects = [word for word in then if word == "agent" or word not in frame("pointing") | frame("small")]
    is_one = bool(objects) and objects[0] in frame("talked_of")
    if message[after - 1].stem.endswith("ed") and then[:1] == objects[:1] != ["slot"]:
        return is_one
    return (is_verb or then[0] in frame("pointing") - {"that"}) and is_one


def _is_verb(left: Sequence[str]) -> bool:
    """Whether what follows these words is a verb: "could lobby", "wish to police"."""
    second, last = ["", "", *left][-2:]
    return last in frame("modal") or (last == "to" and second in frame("wishing"))


def is_figure(message: Sequence[Word], start: int, after: int, is_noun: bool) -> bool:
    """Whether a word is the listener's, a noun done as a verb, or in a figure of speech: "in the spirit of charity"."""
    left, then = before(message, start), behind(message, after)
    third, second, last = ["", "", "", *left][-3:]
    if last == "your" or (is_noun and _is_verb(left)) or left in (["as", "a"], ["as", "an"]):
        return True
    if last == "no":
        return then[:1] == ["to"] or second in frame("being")
    manners = frame("manners")
    return (last == "of" and second in manners) or (third in manners and second == "of")


def is_own(message: Sequence[Word], start: int, after: int, is_doing: bool) -> bool:
    """Whether words are a thing of the sender's, or what it does: "my flat", "at the bank", "slot 3: court", "I bowl"."""
    if message[start].stem in frame("articles"):
        start += 1
    left, then = before(message, start), behind(message, after)
    while left and (left[-1] in frame("small") or left[-1].endswith("ly") or kind_of(left[-1]) == AMBIGUOUS):
        left.pop()
    if _is_figurative(message, after, then):
        return False
    second, last = ["", "", *left][-2:]
    is_verb = last in frame("modal") or last in frame("speaker") or last == "to"
    if not is_verb and then and then[0] in frame("event"):
        return True
    is_gerund = GERUND.search(message[after - 1].stem) is not None
    closes = _closes(then) or (is_gerund and then[0] in frame("having"))
    if is_gerund and (is_verb or last == "am"):
        return closes and last in ("i'm", "im", "am")
    if is_verb:
        return is_doing and closes and (last != "to" or second in frame("bound"))
    if not left or (len(left) == 1 and last in frame("one")):
        return closes and _is_in_slot(message, start - len(left), then)
    return _is_owned(left, closes)


def _closes(then: Sequence[str]) -> bool:
    """Whether what follows a thing says no more of it than when it is, where, or with whom."""
    if then and then[0] in ("in", "at", "on", "for"):
        return then[1:] != [] and (then[1].isdecimal() or then[1] in frame("where"))
    return not then or then[0] in frame("closing") or then[0].isdecimal()


def _is_figurative(message: Sequence[Word], after: int, then: Sequence[str]) -> bool:
    """Whether what follows makes of a thing a figure of speech, or of the word a heading or a question."""
    if not then:
        return after < len(message) and message[after].mark in (":", "?")
    if then[0] in ("on", "in", "with"):
        return then[1:2] in (["the"], ["this"], ["that"], ["your"], ["it"])
    return then[0] in frame("figurative") or (then[0] == "slot" and then[1:] != [] and then[1].isdecimal())


def _is_in_slot(message: Sequence[Word], start: int, then: Sequence[str]) -> bool:
    """Whether a word that stands apart fills a slot: "slot 3: court", "| 4 | busy | tango |", "tango at slot 5"."""
    is_bare = message[start].stem not in frame("one")
    if is_bare and (then[:1] == ["then"] or (then[:1] in (["at"], ["in"], ["during"]) and then[1:2] == ["slot"])):
        return True
    if message[start - 1].stem in frame("key"):
        return True
    at = start - 1
    while at >= 0 and message[at].stem in frame("status"):
        at -= 1
    return at >= 0 and message[at].stem.removeprefix("s").isdecimal()


def _is_owned(left: Sequence[str], closes: bool) -> bool:
    """Whether the words before a thing say that the sender has it, or that it is in a slot."""
    second, last = ["", "", *left][-2:]
    if last in frame("owning"):
        return second not in ("in", "on", "off", "against")
    at_slot = [word.isdecimal() and name not in frame("numbered") for name, word in zip(["", *left], left)]
    verb = second if last in frame("one") or last == "the" else last
    if any(at_slot[-4:]) and verb in ("is", "be", "has", "hold", "for", "to", "go"):
        return True
    if not frame("denying").isdisjoint(left[-4:]):
        return False
    if last == "the":
        return second in frame("placing") or (second == "to" and not frame("going").isdisjoint(left[-3:-2]))
    if last in frame("one"):
        return closes and second not in frame("not_owned")
    is_there = (second, last) in (
        ("because", "of"),
        ("due", "to"),
        ("i'm", "in"),
        ("be", "in"),
        ("im", "in"),
        ("am", "in"),
    )
    return closes and (last in frame("filling") or at_slot[-1] or is_there)
