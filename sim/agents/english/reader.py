"""Reading English: what a message says about slots, to an agent that must make do with it.

The simulated speakers' own reader, made of their own words; what a message discloses is measured elsewhere, by a
parser that shares nothing with this one. Any text can be read; of what makes no sense, nothing is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

LONGEST = 4000

EASY, HARD, HEAVY = "easy", "hard", "heavy"

SPAN = r"#?[0-9]{1,3}(?:\s?(?:-|to|through|thru)\s?#?[0-9]{1,3})?"
LIST = rf"{SPAN}(?:\s?(?:,\s?(?:and\s|or\s)?|and\s|or\s|&|/)\s?{SPAN})*"
DIGIT = re.compile(r"[0-9]")
SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
TURN = re.compile(
    r",?\s+(?:but|though|although|however|while|whereas|yet|otherwise|alternatively)\b,?\s*"
    r"|(?:,| and)\s+(?=(?:a )?no to)"
)
AGENT = re.compile(r"\bagents?\s+([0-9]{1,3})")
COST = re.compile(
    rf"\bcost(?:s|ing)?\b((?:\s*(?:=|:|of|is|me|them|at|for|about|slots?\s+{LIST}|agent\s+[0-9]+))*?)\s*[=:]?\s*([0-9]{{1,6}})"
)
OTHER_NUMBER = re.compile(r"\b(?:agents?|meetings?|errands?|m)\s*#?\s?[0-9]+(?:'s)?")
SLOTS = re.compile(rf"\bslots?:?\s+({LIST})")
BARE = re.compile(rf"\b(?:at|do|have|has|make|free|available|open)\s+({LIST})\b")
RANGE = re.compile(r"([0-9]+)(?:\s?(?:-|to|through|thru)\s?#?([0-9]+))?")
MOVE = re.compile(
    rf"\bmeeting\s+#?([0-9]{{1,4}})\b\D{{0,20}}?\b(?:from|of|off|at)\s+slot\s+({SPAN})"
    r"(?:\D{1,60}\bslot\s+#?([0-9]{1,3}))?"
)

ASIDE = re.compile(r"\bif (?:needed|need be|necessary|it helps|that helps|you must know|you like|possible)\b")
HYPOTHETICAL = re.compile(
    r"\b(?:if|whether|assuming|provided|suppose|supposing|unless|once|wonder|remains to be seen|let me ask"
    r"|i'?ll (?:ask|check)|don't know)\b"
)
ME = re.compile(r"\b(?=[im])(?:i|me|my|mine|i'[a-z]+)\b")
YOU = re.compile(r"\byou(?:r|'[a-z]+)?\b")
THEM = re.compile(r"\b(?:they|them|their)\b")
BOTH = re.compile(
    r"agent [0-9]+ and (?:i|me)\b|\b(?:i|me) and agent [0-9]+|so (?:is|can|does) agent|agent [0-9]+ nor i\b"
    r"|agent [0-9]+ as well as me|agent [0-9]+ joins me"
)
CLASSES = (
    (
        "occupied",
        re.compile(
            r"errand|commitment|reschedul|displac|juggl|bumping|untouchable|high-priority|existing plans|my plans"
            r"|(?:have|need|having) to (?:move|shift|work around|bend)|(?:would|will) requir"
            r"|require[sd]? (?:me|us|agent)|something (?:small|of mine) "
            r"|something (?:at|in|then|there|big|else|important|minor|would|weighty|by|around|of mine|that|i'd|already)"
            r"|hav(?:e|ing) something|moving (?:what|my|something|things|an)|mov(?:e|ing|es) meeting"
            r"|meeting [0-9]+ can move|shift(?:ing)? meeting|meeting (?:at|in) slot|what i have"
            r"|(?:have|is) “|booked with|\b(?:a|another) meeting\b"
        ),
    ),
    (
        "negative",
        re.compile(
            r"\b(?:can't|cannot|can not|(?:do|does|is|are|was|would|could)n't (?:work|free|available|make|possible)"
            r"|not (?:free|available|possible|work|slots?|[0-9])|does(?:n't| not)\b|do(?:n't| not)$|(?:isn|aren|won)'t"
            r"|will not\b|busy\b|blocked|unavailable|off the table|no way|conflict|decline|tied up|hands are full"
            r"|count me out|rule out|a no\b|no (?:to|for)\b|me out of|never will|dead end|pass on|impossible|say no"
            r"|out (?:for|of the question)|turned down|engaged|forget about|(?:is|are) not$)"
        ),
    ),
    (
        "positive",
        re.compile(
            r"\bfree\b|\bavailable\b|\bopen\b|\bworks?\b|workable|(?:can|could|would) (?:do|make|join|attend)"
            r"|\bclear\b(?! slot)|\bfine\b|good for|\bokay\b|\bok\b|accommodate|manage|suits?\b"
            r"|happy|unbooked|unoccupied|a gap|got room"
            r"|nothing (?:is )?(?:on|in)|have anything|count me in|no (?:trouble|problem|objection)|around for"
            r"|is empty|doable|yes to|on board|cope|likes|me down|good with|vacant"
        ),
    ),
    (
        "cost",
        re.compile(
            r"\bcost|\beas(?:y|ier|iest)|minimal|flexible|inconvenien|no big deal|room in|clearing|cheap"
            r"|next to nothing|shuffle|vacate|set me back|price|minor|trivial"
        ),
    ),
    (
        "proposal",
        re.compile(
            r"let's|propos|suggest|prefer|settle|\baim\b|best bet|vote|forward|pick\b|leaning|pencil|confirm|lock"
            r"|set for|final|\bit is\b|schedul|done deal|seals|booking|decided|stands|alternative|better|\btry\b|rather"
            r"|float|sooner|please me|i'll take|we take|we use|go with"
        ),
    ),
)
HEAVILY = re.compile(
    r"very hard|important|high-priority|costly|strongly|painful|dearly|problematic|serious|hurt|\bbig\b(?! deal)"
    r"|weighty|untouchable|headache|hard to move|expensive|critical"
)
LIGHTLY = re.compile(
    r"\b(?:minor|eas(?:y|ier|iest)|low[ -]cost|minimal|flexible|small|no big deal|hardly|cheap|next to nothing"
    r"|light shuffle|trivial)"
)
YES = re.compile(
    r"\b(?:agreed|sounds good|works|fine|can do that|confirmed|perfect|yes|yep|noted|on board|no objections?|settled"
    r"|great|sure|gladly|happy|by all means|ok(?:ay)?|go ahead)\b"
)
NO = re.compile(
    r"\b(?:sorry|can't|cannot|no\b(?! objection)|has to stay|should stay|must stay|afraid|hands off|set in stone|not"
    r"|let meeting|left where|doesn't|won't)"
)
PROBE = re.compile(
    r"\bwhy\b|what(?:'s| is| do| are)? (?:exactly|precisely|really|kind|sort|makes|keeps)"
    r"|what(?:'s| is) (?:going|blocking|in\b|at\b|really|so\b|the (?:reason|exact|specific|nature))"
    r"|what do you have at|what on earth|details|describe|specific|story behind|explain|spell out|engagement|who would"
    r"|what's in|name it|exact reason"
)


class Claim(Struct, frozen=True, gc=False):
    """What the sender says of a slot of `target`: a kind of Appendix H.3, with its cost in figures or its weight."""

    target: int
    slot: int
    kind: str
    cost: int | None = None
    weight: str = HARD


class Shift(Struct, frozen=True, gc=False):
    """A move of an earlier meeting that a message speaks of; `to_slot` is None where it names none."""

    meeting: int
    from_slot: int
    to_slot: int | None


class Reading(Struct, frozen=True, gc=False):
    """What a message says: its claims, the slots it proposes and asks about, and what it wants."""

    claims: tuple[Claim, ...] = ()
    proposed: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    probed: tuple[int, ...] = ()
    asks: bool = False
    probes: bool = False
    agrees: bool = False
    refuses: bool = False
    shift: Shift | None = None
    shift_asked: bool = False


def read(text: str, sender: int, reader: int, num_slots: int) -> Reading:
    """What `reader` learns from the sender's text. Protocol messages say nothing in English."""
    return Reading() if text[:1] in ("{", "[") else understood(text[:LONGEST], sender, reader, num_slots)


@lru_cache(maxsize=4096)
def understood(text: str, sender: int, reader: int, num_slots: int) -> Reading:
    """What an English text says; short messages come again and again."""
    claims: list[Claim] = []
    asked: list[int] = []
    probed: list[int] = []
    asks = probes = shift_asked = False
    whole = normal(text)
    for sentence in SENTENCE.findall(whole):
        if "?" not in sentence:
            claims += sentence_claims(sentence, sender, reader, num_slots, claims)
            continue
        asks = True
        named = slots_in(blanked(sentence), num_slots)
        if PROBE.search(sentence):
            probes, probed = True, probed + named
        else:
            asked += named
        shift_asked = shift_asked or "meeting" in sentence
    return Reading(
        claims=tuple(claims),
        proposed=tuple(c.slot for c in claims if c.kind == "proposal" and c.target == sender),
        asked=tuple(asked),
        probed=tuple(probed),
        asks=asks,
        probes=probes,
        agrees=bool(YES.search(whole)),
        refuses=bool(NO.search(whole)),
        shift=shift_in(whole, num_slots),
        shift_asked=shift_asked,
    )


def normal(text: str) -> str:
    """The text in small letters, with plain apostrophes and dashes, and common long forms shortened."""
    text = text.lower().replace("’", "'").replace("–", "-").replace("—", ", ")
    return text.replace("i am ", "i'm ").replace("i would ", "i'd ").replace("cannot ", "can't ")


def sentence_claims(sentence: str, sender: int, reader: int, num_slots: int, before: list[Claim]) -> Iterator[Claim]:
    """The claims of one sentence that is no question, clause by clause."""
    others = [c.target for c in before[-1:] if c.target != sender]
    for number, clause in enumerate(TURN.split(sentence.strip(" .!;\n"))):
        statement = ASIDE.sub("", clause)
        if not DIGIT.search(statement) or HYPOTHETICAL.search(statement):
            continue
        spoken_of = others if number or THEM.search(statement) else []
        targets = targets_of(statement, sender, reader, spoken_of)
        others = [t for t in targets if t != sender]
        yield from clause_claims(statement, targets, num_slots)


def targets_of(clause: str, sender: int, reader: int, others: list[int]) -> list[int]:
    """Whom a clause is about: the sender, a third agent, or both; nobody, where it is about the reader."""
    thirds = [a for a in map(int, AGENT.findall(clause)) if a not in (sender, reader)]
    if thirds:
        return [sender, *thirds] if BOTH.search(clause) else thirds
    if others and not ME.search(clause):
        return others
    return [] if YOU.search(clause) and not ME.search(clause) else [sender]


def clause_claims(clause: str, targets: list[int], num_slots: int) -> Iterator[Claim]:
    """What one clause claims of the slots that it names, by the first class whose words it holds."""
    bare = blanked(clause)
    slots = slots_in(bare, num_slots)
    if not slots:
        return
    kind = next((name for name, words in CLASSES if words.search(clause)), None)
    if kind is None:
        kind = "positive" if BARE.search(bare) else "proposal"
    figure = COST.search(clause)
    cost = int(figure.group(2)) if figure else None
    weight = EASY if LIGHTLY.search(clause) else HEAVY if HEAVILY.search(clause) else HARD
    for target in targets:
        for slot in slots:
            yield Claim(target, slot, kind, cost, weight)


def blanked(clause: str) -> str:
    """The clause without the numbers that are costs, or ids of agents, meetings and errands."""
    clause = COST.sub(lambda m: "cost" + m.group(1) + " ", clause)
    return OTHER_NUMBER.sub(" ", clause)


def slots_in(clause: str, num_slots: int) -> list[int]:
    """The slots that a clause names, in order, each once."""
    slots: dict[int, None] = {}
    for listed in [*SLOTS.findall(clause), *BARE.findall(SLOTS.sub(" ", clause))]:
        for first, last in RANGE.findall(listed):
            span = range(int(first), int(last or first) + 1)
            slots.update(dict.fromkeys(s for s in span if s < num_slots))
    return list(slots)


def shift_in(text: str, num_slots: int) -> Shift | None:
    """The move of an earlier meeting that the text speaks of, or None."""
    match = MOVE.search(text)
    if not match:
        return None
    meeting, origin, target = int(match[1]), int(re.sub(r"\D.*", "", match[2].lstrip("#"))), match[3]
    if origin >= num_slots or (target and int(target) >= num_slots):
        return None
    return Shift(meeting, origin, int(target) if target else None)
