"""Of whom a part of a clause speaks: the sender, agents it names, or nobody that H.3 lets us name."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.language.scan import Token

Span = tuple[int, int]
SENDER: Span = (-1, -1)

NUMBER = re.compile(r"(?<!\ba)0+")
FIRST = re.compile(r"\b(?:i|we|my|mine|our|me|us|myself|ourselves|everyone|everybody|all|both of us)\b(?! else)")
THEY = re.compile(r"\b(?:they|their|theirs|them|he|she|his|him|her|who|a0+)\b")
# Between a subject and the class: a slot or another subject means that someone only reports it.
COSTED = re.compile(r"agents?\s*#?0{1,2}(?=\s)")
# "From Agent 3 I know that …", "word from Agent 3: …": the news are Agent 3's.
HEARD = re.compile(r"\s+(?:\w+\s+)?(?:heard?|know|learn\w*|understand|understood|gather\w*|got|had|have)\b")
WORD = re.compile(r"(?:^|[,;:]\s*)(?:\w+\s+)?(?:word|news|message|update|reply|answer)\s+(?:\w+\s+)?from\b")
MINE = re.compile(r"\b(?:me|my|mine)\b")
PRONOUN = re.compile(r"\b(?:it|that|which|this|there)\b")
HOLDS = re.compile(
    r"(?:'\w+)?\s*(?:(?:\w+ly|also|still|do|don't|can|could|will|would|both|all|just|too|to|happy|am|is|are)\s+)*"
    r"(?:have|has|had|got|keep|kept|make|get|mark|leave|offer|find|see)\b"
)


class Who(NamedTuple):
    """Who a phrase names: the sender, agents by where their numbers stand, and whether someone it can't name."""

    first: bool
    agents: tuple[Span, ...]
    they: bool


@lru_cache(maxsize=4096)
def named(phrase: str) -> Who:
    """Who a phrase names, with the places of agents' numbers in the phrase."""
    agents = tuple(found.span() for found in NUMBER.finditer(phrase))
    return Who(FIRST.search(phrase) is not None, agents, THEY.search(phrase) is not None)


def is_named(text: str, token: Token) -> bool:
    """Whether a phrase names the sender or an agent."""
    who = named(text[token.start : token.end])
    return who.first or bool(who.agents)


def targets(text: str, tokens: Sequence[Token], decider: Token, everyone: Sequence[Token]) -> tuple[Span, ...] | None:
    """Who a part speaks of: its subject, or those for whom a slot is so; None where it marks nobody.

    An empty tuple: it speaks of the recipient, or of someone without a name, so nobody can be recorded.
    """
    subject = next((t for t in reversed(tokens) if t.kind == "group" and t.start < decider.end), None)
    if subject and text.startswith("you", subject.start) and MINE.search(text, subject.end, decider.end):
        return (SENDER,)  # "you can count me in", "you'll find me free"
    whom = [token for token in tokens if token.kind == "for_whom"]
    whom = whom or _inside(text, tokens, decider)
    if subject and not whom and HEARD.match(text, subject.end):
        whom = [token for token in everyone if token.kind == "spoken_to" and text.startswith("from", token.start)]
    if not (subject or whom):
        whom = [token for token in everyone if token.kind == "spoken_to" and WORD.search(text, 0, token.start + 5)]
    if whom and not (subject and _governs(text, subject, decider, tokens)):
        return _resolve(text, whom, everyone)
    if subject and _is_slots(text, subject, everyone):
        return None
    return _resolve(text, [subject], everyone) if subject else None


def _inside(text: str, tokens: Sequence[Token], decider: Token) -> list[Token]:
    """Whom the words of the class themselves name: "suits Agent 3", "costs Agent 3 50"."""
    if decider.kind == "cost":
        agent = COSTED.search(text, decider.start, decider.end)
        return [Token("for_whom", agent.start(), agent.end())] if agent else []
    if not text.startswith(("suit", "serve"), decider.start):
        return []
    return [t for t in tokens if t.kind == "group" and not text[decider.end : t.start].strip()]


def _is_slots(text: str, subject: Token, everyone: Sequence[Token]) -> bool:
    """Whether "they" are the slots just named, for want of agents."""
    if text[subject.start : subject.end] != "they" or _antecedent(text, subject, everyone):
        return False
    return any(token.kind in ("slots", "numbers") and token.end <= subject.start for token in everyone)


def _governs(text: str, subject: Token, decider: Token, tokens: Sequence[Token]) -> bool:
    """Whether the subject is who is free, not who says so: "I can do 5 for you", but not "I hear 5 suits them"."""
    if HOLDS.match(text, subject.end):
        return True
    if any(t.kind in ("slots", "numbers") and subject.end <= t.start < decider.start for t in tokens):
        return False
    return not PRONOUN.search(text, subject.end, max(subject.end, decider.start))


def _resolve(text: str, phrases: Sequence[Token], everyone: Sequence[Token]) -> tuple[Span, ...]:
    found: dict[Span, None] = {}
    for token in phrases:
        who = named(text[token.start : token.end])
        if who.first:
            found[SENDER] = None
        found |= {(token.start + start, token.start + end): None for start, end in who.agents}
        if who.they and not who.agents:
            found |= dict.fromkeys(_antecedent(text, token, everyone))
    return tuple(found)


def _antecedent(text: str, pronoun: Token, everyone: Sequence[Token]) -> list[Span]:
    """The agents last named before "they" in the same sentence."""
    for token in reversed(everyone):
        if token.end <= pronoun.start and token.kind in ("group", "for_whom", "spoken_to"):
            agents = named(text[token.start : token.end]).agents
            if agents:
                return [(token.start + start, token.start + end) for start, end in agents]
    return []
