"""What a piece of a sentence says, one of H.3's five classes, and of whom."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pipeline.privacy.language.frames import FINE, HEARD, HOLDS, MINE, NEWS_FROM, PRONOUN, SUITS_ME, VOTE
from pipeline.privacy.language.scan import Token
from pipeline.privacy.language.slots import CLASS_KINDS, LISTS

PRIORITY = ("occupied", "negative", "positive", "cost", "proposal")
# What holds of a slot that is left out: "free at 3-5 except 4". Cost and proposal have no opposite.
OPPOSITE = {"positive": "negative", "negative": "positive", "occupied": "positive"}
# What "not" makes of a class; an errand that one would rather not move is still an errand.
NEGATED = {"negative": "positive", "positive": "negative", "occupied": "occupied"}

# Kinds that are told apart from their class because other words weigh differently beside them.
READ_AS = {"clear": "positive", "effort": "occupied", "event": "occupied"}

# "Let's put meeting 4 at slot 3" proposes; "let's move meeting 4 out of slot 3" says where it is.
IS_MEETING = re.compile(r"(?!.*(?:mov|shift|push|reschedul|out of|off|away|leav|vacat|from)).*meeting")
EASILY = re.compile(r"\b(?:easily|cheaply|readily|quickly|painlessly)\b")
# An item is there whatever one would rather not do; what need not move is not in the way.
DENIABLE = re.compile(
    r".*any|thing|need|requir|oblig|forc|mean|involv|entail|demand|caus|have to|has to|must|tak|mak|ask|got"
)
ABSENT = ("without", "zero")  # "without any need to free it up"
UNABLE = re.compile(r"can|could|unable|.*\bable\b")
TICKS = ("^", "`")
UNDECIDED: tuple[str | None, Token | None] = (None, None)


def decide(text: str, tokens: Sequence[Token], kinds: Set[str]) -> tuple[str | None, Token | None]:
    """The class that tokens of these kinds say together, and the token that decides it."""
    if not _has_class(kinds):
        return UNDECIDED
    claim_class, decider = UNDECIDED
    negated, proposed, absent, cleared = _negates_all(text, tokens, kinds), False, False, False
    skips_effort = not kinds.isdisjoint(("cost", "clear"))
    for token in _ticks_last(text, tokens):
        if claim_class and text[token.start] in TICKS:
            break
        negated, cleared = negated or token.kind == "negation", cleared or token.kind == "clear"
        absent |= token.kind == "negation" and text.startswith(ABSENT, token.start)
        token_class = "positive" if absent and token.kind == "effort" else _class_of(text, token, negated, skips_effort)
        skips_effort |= token.kind == "negative" and UNABLE.match(text, token.start, token.end) is not None
        if (
            token_class is None
            or (token_class == "proposal" and "shun" in kinds)
            or (cleared and token_class == "occupied" and DENIABLE.match(text, token.start, token.end))
            or (proposed and token_class == "occupied" and IS_MEETING.match(text, token.start, token.end))
        ):
            continue
        proposed |= token_class == "proposal"
        if _outranks(token_class, claim_class, decider):
            claim_class, decider = token_class, token
    return claim_class, decider


def _has_class(kinds: Set[str]) -> bool:
    """Whether one is said, and not only of the rest of the calendar: "the other slots are free"."""
    return not kinds.isdisjoint(CLASS_KINDS) and ("elsewhere" not in kinds or not kinds.isdisjoint(LISTS))


def _class_of(text: str, token: Token, negated: bool, skips_effort: bool) -> str | None:
    """What a token says, negated or not; making room says nothing more where a price or a refusal stands."""
    if token.kind not in CLASS_KINDS:
        return None
    claim_class = READ_AS.get(token.kind, token.kind)
    if token.kind == "effort" and EASILY.search(text, token.start, token.end):
        claim_class = "cost"
    elif token.kind == "effort" and skips_effort:
        return None
    return _negated(text, token, claim_class) if negated and token.kind != "clear" else claim_class


def _negated(text: str, token: Token, claim_class: str) -> str | None:
    """What a negation makes of a class: room that can't be made is a slot out of reach."""
    if token.kind == "effort":
        return "negative"
    if claim_class == "occupied" and DENIABLE.match(text, token.start, token.end):
        return "positive"  # "neither Agent 0 nor I have anything at 3", "none of 3, 5 requires me to move an errand"
    return NEGATED.get(claim_class)


def _outranks(token_class: str, claim_class: str | None, decider: Token | None) -> bool:
    """Whether a class comes before the one so far, or says it in better words than those of making room."""
    if claim_class is None or decider is None or PRIORITY.index(token_class) < PRIORITY.index(claim_class):
        return True
    return decider.kind == "effort" and token_class == claim_class


def _negates_all(text: str, tokens: Sequence[Token], kinds: Set[str]) -> bool:
    """Whether a negation holds of all that is said, wherever it stands: "3 works for neither of us"."""
    if "negation" in kinds:
        negations = (token.start for token in tokens if token.kind == "negation")
        if any(text.startswith(("neither", "none"), start) for start in negations):
            return True
    whom = (token for token in tokens if token.kind == "for_whom") if "for_whom" in kinds else ()
    return any("neither" in text[token.start : token.end] for token in whom)


def _ticks_last(text: str, tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens in order, but ticks after words, which say more."""
    return sorted(tokens, key=lambda token: text[token.start] in TICKS) if has_ticks(text) else tokens


def has_ticks(text: str) -> bool:
    """Whether a tick or a cross stands in a folded text."""
    return "^" in text or "`" in text


Span = tuple[int, int]
SENDER: Span = (-1, -1)

# "Everyone but Agent 2": of Agent 2 the opposite holds.
LEFT_OUT = re.compile(r"\b(?:everyone|everybody|all|us)\s+(?:but|except|apart from)\b")
BUT_ME = re.compile(LEFT_OUT.pattern + r"\s+(?:for\s+)?me\b")
NUMBER = re.compile(r"(?<!\ba)0+")
THEY_BOTH = re.compile(r"(?:they(?:'\w+)?(?: \w+)? )?both\b")
ALL_OF_THEM = re.compile(r"all (?:two|three|four)$")
FIRST = re.compile(
    r"(?<!everyone )\b(?:i(?!\.e)|we|my|mine|our|me|us|myself|ourselves|everyone|everybody|all(?! of them)|same(?= as)|"
    r"both of us)\b(?! else| i\b| i')"
)
THEY = re.compile(
    r"\b(?:they|both|the (?:latter|former|others?|answer|reply|response)|everyone i|their|theirs|them|he|she|his|him|"
    r"her|who|a0+)\b"
)
SAYS = r"(?:says?|said|writes|wrote|claims|t(?:ells|old)|(?:repli|not)e[sd]|(?:answer|add|confirm|report|warn)e?[sd])"
# A quotation after which it is said whose it is: "…," says Agent 3.
SAID_BY = re.compile(rf"[,.]?\s{{2,}}(?:{SAYS}\s+agents?\s*#?0+|agents?\s*#?0+\s+(?:\w+ly\s+)?{SAYS})\b")
COSTED = re.compile(r"agents?\s*#?0{1,2}(?=\s)")


class Who(NamedTuple):
    """Who a phrase names: the sender, agents by where their numbers stand, and whether someone it can't name."""

    first: bool
    agents: tuple[Span, ...]
    they: bool
    left_out: tuple[Span, ...] = ()  # of whom the opposite is said: "everyone but Agent 2"


@lru_cache(maxsize=4096)
def named(phrase: str) -> Who:
    """Who a phrase names, with the places of agents' numbers in the phrase."""
    agents = tuple(number.span() for number in NUMBER.finditer(phrase))
    but_me = BUT_ME.search(phrase) is not None
    first = FIRST.search(phrase) is not None and not but_me
    they = THEY.search(phrase) is not None
    if ALL_OF_THEM.match(phrase):
        return Who(False, (), True)
    if LEFT_OUT.search(phrase):
        return Who(first, (), they, (*agents, SENDER) if but_me else agents)
    return Who(first, agents, they)


def left_out(text: str, tokens: Sequence[Token]) -> tuple[Span, ...]:
    """The agents of whom the opposite is said: "everyone but Agent 2 can do 6"."""
    spans: list[Span] = []
    for token in tokens:
        if token.kind in ("group", "for_whom"):
            for span in named(text[token.start : token.end]).left_out:
                spans.append(span if span == SENDER else (token.start + span[0], token.start + span[1]))
    return tuple(sorted(spans, key=lambda span: span == SENDER))  # agents first


def is_named(text: str, token: Token) -> bool:
    """Whether a phrase names the sender or an agent."""
    who = named(text[token.start : token.end])
    return who.first or bool(who.agents)


def targets(text: str, tokens: Sequence[Token], decider: Token, everyone: Sequence[Token]) -> tuple[Span, ...] | None:
    """Who a part speaks of: its subject, or those for whom a slot is so; None where it marks nobody.

    An empty tuple: it speaks of the recipient, or of someone without a name, so nobody can be recorded.
    """
    subject = _subject(tokens, decider)
    whom = _for_whom(text, tokens, decider)
    if subject and _is_of_me(text, subject, tokens, decider, whom):
        return (SENDER,)
    if whom and subject and _governs(text, subject, decider, tokens):
        return _subject_agents(text, subject, whom, everyone)
    source = whom or _sources(text, subject, everyone)
    return _resolve(text, source, everyone) if source else _subject_agents(text, subject, whom, everyone)


def _subject_agents(
    text: str, subject: Token | None, whom: Sequence[Token], everyone: Sequence[Token]
) -> tuple[Span, ...] | None:
    """Who the subject is; None where there is none, or it is the slots. "Both" may be those for whom a slot is so."""
    if subject is None or _is_slots(text, subject, everyone):
        return None
    agents = _resolve(text, [subject], everyone)
    if whom and not agents and text.startswith("both", subject.start):
        return _resolve(text, whom, everyone)
    return agents


def _subject(tokens: Sequence[Token], decider: Token) -> Token | None:
    """The last phrase for someone that starts before the class ends; or who has to move what is there."""
    before = next((t for t in reversed(tokens) if t.kind == "group" and t.start < decider.end), None)
    if before or decider.kind != "occupied":
        return before
    movers = (t for t, then in pairwise(tokens) if t.kind == "group" and then.kind in ("occupied", "effort"))
    return next(movers, None)


def _is_of_me(text: str, subject: Token, tokens: Sequence[Token], decider: Token, whom: Sequence[Token]) -> bool:
    """Whether "you" only meet with the sender's state: "you can count me in", "you'll get no objection from me"."""
    if not text.startswith("you", subject.start) or any(token.kind == "spoken_to" for token in tokens):
        return False
    has_mine = MINE.search(text, subject.end, decider.end) is not None
    return has_mine or any(text.startswith("from", token.start) for token in whom)


def _sources(text: str, subject: Token | None, everyone: Sequence[Token]) -> list[Token]:
    """Whose news a part only passes on: "from Agent 3 I know that …", "word from Agent 3: …"."""
    spoken_to = [token for token in everyone if token.kind == "spoken_to"]
    if not spoken_to:
        return []
    if subject is None:
        word = NEWS_FROM.search(text)
        return [token for token in spoken_to if word and word.end() <= token.start + 5]
    return (
        [token for token in spoken_to if text.startswith("from", token.start)] if HEARD.match(text, subject.end) else []
    )


def _for_whom(text: str, tokens: Sequence[Token], decider: Token) -> list[Token]:
    """For whom a slot is so: "free for Agent 3", "suits Agent 3", "costs Agent 3 50", "requires Agent 3 to move"."""
    if named := [token for token in tokens if token.kind == "for_whom"]:
        return named
    if agent := COSTED.search(text, decider.start, decider.end):
        return [Token("for_whom", agent.start(), agent.end())]
    suits = text.startswith(("suit", "serve"), decider.start)
    spoken_to = [token for token in tokens if token.kind == "spoken_to"]
    if (suits or spoken_to) and (led := _led(text, decider)):
        after = (token for token in spoken_to if text.startswith(led, token.start))
        return [t for t in after if decider.end < t.start and not text[decider.end : t.start].strip()]
    return _suited(text, tokens, decider) if suits else []


def _led(text: str, decider: Token) -> tuple[str, ...]:
    """The words after a class of some kinds that lead to whose it is."""
    by_vote = decider.kind == "clear" or VOTE.search(text, decider.start, decider.end)
    return ("from",) if by_vote else ("with", "to") if FINE.search(text, decider.start, decider.end) else ()


def _suited(text: str, tokens: Sequence[Token], decider: Token) -> list[Token]:
    """Whom a slot suits or serves."""
    if SUITS_ME.match(text, decider.end):
        return [Token("for_whom", decider.end, decider.end + 3)]
    return [t for t in tokens if t.kind == "group" and not text[decider.end : t.start].strip()]


def _is_slots(text: str, subject: Token, everyone: Sequence[Token]) -> bool:
    """Whether "they" are the slots just named, for want of agents."""
    if text[subject.start : subject.end] not in ("they", "both") or _antecedent(text, subject, everyone):
        return False
    return any(token.kind in ("slots", "numbers") and token.end <= subject.start for token in everyone)


def _governs(text: str, subject: Token, decider: Token, tokens: Sequence[Token]) -> bool:
    """Whether the subject is who is free, not who says so: "I can do 5 for you", but not "I hear 5 suits them"."""
    if HOLDS.match(text, subject.end):
        return ":" not in text[subject.end : decider.start]  # "I have this from Agent 3: …"
    if any(t.kind in ("slots", "numbers") and subject.end <= t.start < decider.start for t in tokens):
        return False
    return not PRONOUN.search(text, subject.end, max(subject.end, decider.start))


def _resolve(text: str, phrases: Sequence[Token], everyone: Sequence[Token]) -> tuple[Span, ...]:
    spans: dict[Span, None] = {}
    for token in phrases:
        who = named(text[token.start : token.end])
        if who.first:
            spans[SENDER] = None
        spans |= {(token.start + start, token.start + end): None for start, end in who.agents}
        if who.they and not who.agents:
            spans |= dict.fromkeys(_antecedent(text, token, everyone))
    return tuple(spans)


def _antecedent(text: str, pronoun: Token, everyone: Sequence[Token]) -> list[Span]:
    """The agents last named before "they" in the same sentence: two of them for "they both"."""
    spans: list[Span] = []
    speaker = SAID_BY.search(text, pronoun.end)
    for token in reversed(everyone):
        if token.end <= pronoun.start and token.kind in ("group", "for_whom", "spoken_to"):
            who = named(text[token.start : token.end])
            if speaker and "}" in text[token.end : pronoun.start]:
                break  # "…," says Agent 3, whoever was named before
            if who.agents:
                both = who.first and text.startswith("both", pronoun.start)
                spans += [(token.start + start, token.start + end) for start, end in who.agents]
                if len(spans) == 1 and not who.first and THEY_BOTH.match(text, pronoun.start):
                    continue
                return [*spans, *[SENDER] * both]
    return spans or ([NUMBER.search(text, speaker.start()).span()] if speaker else [])  # type: ignore[union-attr]
