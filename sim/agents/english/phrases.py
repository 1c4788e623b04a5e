"""The phrase banks of simulated speakers: templates as data, in `data/phrases/` (open.yaml, held_out.yaml).

A template's holes say which slots the text names and what it claims of them, so that filling a template yields the
text and its meaning together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from machine.files import PROJECT

FOLDER = PROJECT / "data" / "phrases"

OPEN, HELD_OUT = "open", "held_out"

# Appendix H.3's classes, in its order of priority; whether they say that the slot can be had.
KINDS: Mapping[str, bool] = {"occupied": False, "negative": False, "positive": True, "cost": True, "proposal": True}

SLOT_HOLES = frozenset({"slots", "slot", "nums", "more", "more_nums", "to"})
SECOND_LIST = frozenset({"more", "more_nums", "to"})
BARE_HOLES = frozenset({"nums", "more_nums"})
WORD_HOLES = frozenset({"agent", "reader", "meeting", "old", "cost", "errand", "label"})

SENDER, AGENT, BOTH = "sender", "agent", "both"

NOTATION = re.compile(r"\{(\w+)(?::(\w+)(?:@(\w+))?)?\}|\[([^|\]]*)\|([^\]]*)\]")


class PhraseError(ValueError):
    """Why a phrase bank can't be used: where, and what is wrong."""


class SlotHole(Struct, frozen=True, gc=False):
    """Where slots are named. `kind` is what the text claims of them, None for nothing; `who` is whom it is about."""

    name: str
    kind: str | None
    who: str


class WordHole(Struct, frozen=True, gc=False):
    """Where an agent, an id, a cost or a label is named."""

    name: str


class Agreement(Struct, frozen=True, gc=False):
    """Words that agree with the number of slots in a list of the part: the first, or `second`."""

    one: str
    many: str
    second: bool


Token = str | SlotHole | WordHole | Agreement


class Template(Struct, frozen=True, gc=False):
    """One way of saying one thing. `id` is bank, act and position, such as open.offer_free.0."""

    id: str
    act: str
    tokens: tuple[Token, ...]


@cache
def load_bank(name: str) -> Mapping[str, tuple[Template, ...]]:
    """The templates of a bank, by act. Raises PhraseError for a template that breaks the notation."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    acts = yaml.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), Loader=loader)
    return {
        act: tuple(Template(f"{name}.{act}.{i}", act, tokens_of(text)) for i, text in enumerate(texts))
        for act, texts in acts.items()
    }


def tokens_of(text: str) -> tuple[Token, ...]:
    """The template's text, cut into words and holes. Raises PhraseError."""
    tokens: list[Token] = []
    end = 0
    for match in NOTATION.finditer(text):
        tokens += plain(text[end : match.start()], text)
        tokens.append(hole(match, text))
        end = match.end()
    tokens += plain(text[end:], text)
    return tuple(settle_number(tokens))


def plain(words: str, text: str) -> list[Token]:
    """The words between two holes. Numbers come from holes only: a digit here would be a slot without a meaning."""
    if re.search(r"[\d{}\[\]]", words):
        raise PhraseError(f"{text!r}: {words!r} holds a digit or half a hole")
    return [words] if words else []


def hole(match: re.Match[str], text: str) -> Token:
    """The hole that the notation describes. Raises PhraseError for an unknown name or kind."""
    name, kind, who, one, many = match.groups()
    if name is None:
        return Agreement(one, many, second=False)
    if name in WORD_HOLES and kind is None:
        return WordHole(name)
    if name not in SLOT_HOLES or (kind != "none" and kind not in KINDS) or who not in (None, AGENT, BOTH):
        raise PhraseError(f"{text!r}: there is no hole {match.group()}")
    return SlotHole(name, None if kind == "none" else kind, who or SENDER)


def settle_number(tokens: list[Token]) -> list[Token]:
    """The tokens, each agreement tied to the list of slots named before it, or else to the first."""
    second, settled = False, []
    for token in tokens:
        if isinstance(token, SlotHole):
            second = token.name in SECOND_LIST
        settled.append(Agreement(token.one, token.many, second) if isinstance(token, Agreement) else token)
    return settled
