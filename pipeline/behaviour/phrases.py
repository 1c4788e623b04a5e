"""Words of a text: tokens, their forms, what each counts for, and the frames in which they are figures of speech."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

# One character each: places in the folded text are places in the text.
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇`´", "'"))
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# What no word has becomes a space.
TO_SPACES = bytes(code if chr(code).isalnum() or chr(code) == "'" else 32 for code in range(128)).ljust(256)

# What ends a sentence or a clause: no expression goes on across it.
BREAK = re.compile(r"[.!?;:](?=\s|$)|\n\s*\n")

# What may stand between two words of one clause: spaces, quotation marks, emphasis.
BETWEEN = " \t\r\n'\"“”*_~"

# In the rules of frames: a list's name, and the word itself with what it has to be.
PART, WORD_ITSELF = re.compile(r"\{(\w+)\}"), re.compile(r"@(\w?)")
RIGHT_MARKS = {"": "", ":": ": ", "?": "? "}  # a heading and a question; all other marks end a clause alike
CONTEXT = 8  # words, on either side of one
ARTICLES = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your"))

# Word lists, as data: what each word counts for when a message is searched.
LEXICONS = Path(__file__).with_name("lexicons")

# What a word counts for.
LINKING, SCHEDULING, AMBIGUOUS, COMBINING, TELLING = "linking", "scheduling", "ambiguous", "combining", "telling"
CONTENT = frozenset((AMBIGUOUS, TELLING))  # what has other forms, and slips of the keys
LONG_WORD, SHORTEST_ROOT = 8, 4  # letters, of a word that is known with any typing error, and of a root
VOWELS, KEYBOARD = "aeiouy", "qwertyuiop asdfghjkl zxcvbnm"
# What a word's forms end in, after its root.
ENDING = re.compile(
    rf"(?<=\w{{{SHORTEST_ROOT}}})(?:therapy|therapist|broker|shop|iz(?:e|ed|ing)|is(?:e|ed|ing|m|t|tic)|tic|sy|ship|ment|ician|i?cal|"
    r"ial|al|ic|ing|ed|ee|er|or|eon|(?<!i)ation|(?<!i)ate?|ion|ive|ity|[ae]nc[ey]|[ae]nt|cy|is|s?ied|y|ie|i|e)$"
)
INFLECTED = re.compile("(?<=[a-z]{3})(?:ing|ed)$")
GERUND = re.compile(r"[aeiouy]\w*ing$")
ABLE = re.compile("(?<=[ai])bil$")  # "disabled" of disability
# What short words end in, and what it becomes: "baking" of bake, "bowlin" of bowling, "knives" of knife.
BECOMES = (
    *((re.compile("(?<=[a-z]{3})ing$"), "e"), (re.compile("(?<=[a-z]{3})ing$"), "in")),
    *((re.compile("(?<=[a-z]{3})e$"), "ing"), (re.compile("ve$"), "fe"), (re.compile("(?<=[aeilr])fe?$"), "ve")),
)
DOUBLED = re.compile(r"(?<=\w\w)([bdgmnprt])\1(?:ing|ed|er)$")  # "jogging" of jog
# What an abbreviation leaves out: "rehab" of rehabilitation.
CUT_OFF = re.compile(r"[a-z]*(?:ation|log(?:y|ist|ical)|graph(?:y|er)|scopy|ectomy|osis|itis|arian|ptial|iatr[a-z]+)$")


@cache
def words(name: str) -> Any:
    """The content of a word list, lexicons/{name}.yaml."""
    import yaml

    return yaml.safe_load((LEXICONS / f"{name}.yaml").read_text(encoding="utf-8"))


class Word(NamedTuple):
    """A word of a text: its stem, where it stands, whether a sentence ends before it, and the first mark there."""

    stem: str
    start: int
    end: int
    breaks: bool
    mark: str


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
    word = DOUBLED.sub(r"\1", word)
    while ending := ENDING.search(word):
        word = word[: ending.start()]
    word = word.replace("scrib", "script")  # "prescribed" of prescription
    word = ABLE.sub("bl", word)
    word = word.removesuffix("it") if word.endswith("posit") and len(word) > 5 else word  # "deposed" of deposition
    return word[:-1] if len(word) > SHORTEST_ROOT and word[-1] == word[-2] else word


@lru_cache(maxsize=16384)
def misspellings(word: str) -> frozenset[str]:
    """What a long telling word and any with one letter more, less, other or swapped have in common; else nothing."""
    if len(word) < LONG_WORD - 1 or kind_of(word) not in CONTENT:
        return frozenset()
    return frozenset((word, *(word[0] + word[1:i] + word[i + 1 :] for i in range(1, len(word)))))


@lru_cache(maxsize=16384)
def slips(word: str) -> frozenset[str]:
    """What slips of the keys make of a word, beyond `misspellings`: of five letters or more two swapped, of six or
    seven one doubled, missing or wrong, of longer ones two vowels mixed up, of any an f for ph."""
    if kind_of(word) not in CONTENT:
        return frozenset()
    length, inner = len(word), range(1, len(word) - 1)
    slipped = {word[: match.start()] + "f" + word[match.end() :] for match in re.finditer("ph", word)}
    if SHORTEST_ROOT <= length < LONG_WORD:
        slipped |= {ending.sub(other, word) for ending, other in BECOMES}
    if LONG_WORD - 3 <= length < LONG_WORD:
        slipped |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in inner}
    if LONG_WORD - 2 <= length < LONG_WORD:
        slipped |= {word[:i] + word[i] + word[i:] for i in range(length)}
        slipped |= {word[:i] + word[i + 1 :] for i in inner}
    if LONG_WORD - 2 <= length < LONG_WORD and (length == LONG_WORD - 1 or kind_of(word) == TELLING):
        slipped |= {word[:i] + key + word[i + 1 :] for i in range(1, length) for key in _taken_for(word[i])}
    if length >= LONG_WORD - 1:
        vowels = [i for i in range(1, length) if word[i] in VOWELS]
        slipped |= {word[:i] + word[j] + word[i + 1 : j] + word[i] + word[j + 1 :] for i, j in combinations(vowels, 2)}
    return frozenset(slipped).union(map(stem, slipped))


def _taken_for(letter: str) -> str:
    """The letters that are typed for one: what is beside it, and for vowels all others."""
    at = KEYBOARD.find(letter)
    return (KEYBOARD[max(0, at - 1) : at] + KEYBOARD[at + 1 : at + 2] + VOWELS * (letter in VOWELS)).replace(" ", "")


def is_slip(word: str, form: str) -> bool:
    """Whether a message's stem is a label's with a typing error: it is none that is a form of an ordinary word."""
    bases = bases_of(form)
    if word not in bases and any(kind_of(base) != TELLING for base in bases):
        return False
    made = (form, *bases) if len(word) >= LONG_WORD - 1 else (form,)
    is_long = max(len(word), len(form)) >= LONG_WORD
    return not slips(word).isdisjoint(made) or (is_long and not misspellings(word).isdisjoint(misspellings(form)))


@lru_cache(maxsize=65536)
def bases_of(form: str) -> tuple[str, ...]:
    """What a stem may be a verb's form of: "test" of testing."""
    short = INFLECTED.sub("", DOUBLED.sub(r"\1", form))
    return () if short == form else (short, f"{short}e")


@lru_cache(maxsize=65536)
def is_form_of(word: str, form: str) -> bool:
    """Whether a message's stem tells of a label's: the same, another form, or with a typing error."""
    if word == form:
        return True
    kinds = {kind_of(word), kind_of(form)}
    if kinds <= CONTENT and family(word) == family(form) and kind_of(family(word)) != SCHEDULING:
        return True
    if TELLING not in kinds or not kinds <= CONTENT:
        return False
    short, long = sorted((word, form), key=len)
    return is_slip(word, form) or (kinds == {TELLING} and short in short_forms(long))


def kind_in_form(word: str, form: str) -> str:
    """What a label's word counts for in a message's form: a doer's deed may be a figure ("vouch" of voucher)."""
    if word == form or kind_of(word) not in CONTENT:
        return kind_of(word)
    is_deed = word.endswith(("er", "or")) and not form.endswith(("er", "or"))
    return AMBIGUOUS if is_deed or AMBIGUOUS in map(kind_of, (word, form, family(form))) else TELLING


@lru_cache(maxsize=65536)
def short_forms(word: str) -> frozenset[str]:
    """What a telling word with such an ending may be cut short to."""
    if kind_of(word) != TELLING or not CUT_OFF.match(word, SHORTEST_ROOT):
        return frozenset()
    return frozenset(word[:length] for length in range(SHORTEST_ROOT, LONG_WORD - 1) if word[length - 1] not in "aeiu")


@lru_cache(maxsize=65536)
def keys_of(stem: str) -> frozenset[str]:
    """By what a stem is looked up: itself, its root, and what a typing error or a cut leaves of it."""
    return frozenset((stem, family(stem), *bases_of(stem))) | misspellings(stem) | short_forms(stem)


def is_compound(word: str, first: str, second: str) -> bool:
    """Whether two stems, in either order, are a word written as two: "blow" and "whistle"."""
    root = family(word)
    return LINKING not in (kind_of(first), kind_of(second)) and any(
        start + end == word or (len(start) + SHORTEST_ROOT <= len(root) + 1 and family(start + end) == root)
        for start, end in ((first, second), (second, first))
        if word.startswith(start[: SHORTEST_ROOT - 1])
    )


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
def _rules(name: str) -> list[tuple[re.Pattern[str], bool]]:
    """The rules of lexicons/frames.yaml under a name: what stands around a word, and what that says."""
    frames = words("frames")
    parts = {name: f"(?:{'|'.join(map(re.escape, listed.split()))})" for name, listed in frames["lists"].items()}
    for shared, pattern in frames["shared"].items():
        parts[shared] = PART.sub(lambda part: parts[part[1]], pattern)
    filled = [(PART.sub(lambda part: parts[part[1]], rule["frame"]), rule["fits"]) for rule in frames[name]]
    return [(re.compile(WORD_ITSELF.sub(r"@(?=\\w*\1)\\w*", frame)), fits) for frame, fits in filled]


def fits(name: str, frame: str) -> bool:
    """What the first rule under a name says that fits; none says no."""
    return next((fits for pattern, fits in _rules(name) if pattern.search(frame)), False)


def frame_of(message: Sequence[Word], start: int, after: int, marks: str) -> str:
    """What stands around the words, as the rules of lexicons/frames.yaml have it; the marks are what they are."""
    if message[start].stem in ARTICLES:
        start += 1
    first = start
    while first > 0 and not message[first].mark and _is_passed_over(message[first - 1].stem):
        first -= 1
    left = [word.stem if not word.mark else f", {word.stem}" for word in message[max(0, first - CONTEXT) : first]]
    right = [f"{RIGHT_MARKS.get(word.mark, ', ')}{word.stem}" for word in message[after : after + CONTEXT]]
    is_apart = first == 0 or message[first].mark != ""
    last = message[after - 1].stem
    marks += "g" * (GERUND.search(last) is not None) + "e" * last.endswith("ed")
    return " ".join(
        ["", *([","] if first <= CONTEXT else []), *left, *([","] if is_apart else []), f"@{marks}", *right, ""]
    )


@cache
def listed(name: str) -> frozenset[str]:
    """A list of lexicons/frames.yaml."""
    return frozenset(words("frames")["lists"][name].split())


def _is_passed_over(stem: str) -> bool:
    """Whether a word before another changes nothing of what that is."""
    return (stem.endswith("ly") and stem != "only") or kind_of(stem) == AMBIGUOUS or stem in listed("small")
