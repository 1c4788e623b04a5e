"""Writing English and knowing what it says: parts are filled from the phrase banks, text and meaning at once.

The banks are data, templates in `data/phrases/` (open.yaml, held_out.yaml). A template's holes say which slots the text
names and what it claims of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from random import Random
from typing import Any

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


# Readers that are no single agent: the other participants in their group chat, and all agents in theirs.
GROUP, EVERYBODY = -1, -2

# Appendix B, row 2: a confirmation is short.
SHORT = 80
CONFIRMATIONS = frozenset({"accept", "confirm", "ack"})
OPENERS = frozenset({"greet", "smalltalk"})
SHOUTING, WHISPERING = 0.01, 0.03

CONTRACTIONS = (
    ("I'm ", "I am "),
    ("can't ", "cannot "),
    ("don't ", "do not "),
    ("it's ", "it is "),
    ("I'd ", "I would "),
)


class Private(Struct, frozen=True, gc=False):
    """A private label that is about to be said: of the item in `slot` (None: of the meeting being scheduled)."""

    slot: int | None
    kind: str
    id: int
    label: str


class Part(Struct, frozen=True, gc=False):
    """One thing to say. `slots` and `more` are what it names, `about` is the third agent that it speaks of."""

    act: str
    slots: tuple[int, ...] = ()
    more: tuple[int, ...] = ()
    about: int | None = None
    cost: int | None = None
    errand: int | None = None
    old: int | None = None
    private: Private | None = None


class Outbox:
    """What one agent is about to say this turn: the parts of its message to each recipient, in order."""

    def __init__(self) -> None:
        self.parts: dict[int, list[Part]] = {}

    def add(self, to: int, *parts: Part) -> None:
        """Add parts to the message to an agent; no parts begin no message."""
        if parts:
            self.parts.setdefault(to, []).extend(parts)


class Written(Struct, frozen=True):
    """A message and what it says, in the form that the trace keeps as its intent."""

    text: str
    intent: dict[str, Any]


class Writer:
    """One agent's pen. `held_out` is the share of messages written from the held-out bank."""

    def __init__(self, me: int, held_out: float, draws: Random) -> None:
        self.me, self.held_out, self.draws = me, held_out, draws
        self.typographic = draws.random() < 0.4
        self.formal = draws.random() < 0.3

    def write(self, reader: int, meeting: int, parts: Sequence[Part]) -> Written:
        """One message to `reader` that says the parts in order."""
        bank = HELD_OUT if self.draws.random() < self.held_out else OPEN
        templates = [self.draws.choice(load_bank(bank)[p.act]) for p in parts]
        texts = [self.filled(t, p, reader, meeting) for t, p in zip(templates, parts, strict=True)]
        private = [p.private for p in parts if p.private]
        text = " ".join(texts) if private else self.cased(" ".join(texts))
        claims = [s for t, p in zip(templates, parts, strict=True) for s in statements(t, p, self.me)]
        intent = {
            "act": next((p.act for p in parts if p.act not in OPENERS), parts[0].act),
            "statements": [dict(s) for s in dict.fromkeys(tuple(s.items()) for s in claims)],
            "labels": [{"slot": p.slot, "kind": p.kind, "id": p.id, "label": p.label} for p in private],
            "behaviours": behaviours(text, templates, parts),
            "phrases": [t.id for t in templates],
            "held_out": bank == HELD_OUT,
        }
        return Written(text, intent)

    def filled(self, template: Template, part: Part, reader: int, meeting: int) -> str:
        """The template's text with its holes filled, begun with a capital."""
        pieces: list[str] = []
        for token in template.tokens:
            match token:
                case str():
                    pieces.append(self.spelled(token))
                case SlotHole():
                    slots = self.named(token, part.more if token.name in SECOND_LIST else part.slots)
                    begins = not pieces or pieces[-1].endswith((". ", "! "))
                    pieces.append(slots[:1].upper() + slots[1:] if begins else slots)
                case WordHole():
                    pieces.append(word(token.name, part, reader, meeting))
                case Agreement():
                    pieces.append(token.many if len(part.more if token.second else part.slots) > 1 else token.one)
        text = "".join(pieces)
        return text[:1].upper() + text[1:]

    def spelled(self, words: str) -> str:
        """The words in the agent's own spelling: its contractions and its apostrophes."""
        if self.formal:
            for short, long in CONTRACTIONS:
                words = words.replace(short, long)
        return words.replace("'", "’") if self.typographic else words

    def named(self, hole: SlotHole, slots: tuple[int, ...]) -> str:
        """The slots as the text names them: 5, slot 5, slot #5, slots 3, 5 and 9, slots 2-5."""
        ordered, draw = sorted(set(slots)), self.draws.random()
        link = " or " if hole.kind in (None, "negative") and draw < 0.5 else " and "
        listed = enumerated(spans(ordered, ("-", " to ", " through ", "–")[int(draw * 4)]), link, draw)
        if hole.name in BARE_HOLES:
            return listed
        return ("slots " if len(ordered) > 1 else "slot #" if draw < 0.08 else "slot ") + listed

    def cased(self, text: str) -> str:
        """The text as it is, or now and then all in capitals or all in small letters."""
        draw = self.draws.random()
        return text.upper() if draw < SHOUTING else text.lower() if draw < SHOUTING + WHISPERING else text


def spans(slots: Sequence[int], dash: str) -> list[str]:
    """The slots ascending, three or more in a row as a range."""
    texts = []
    for _, run in groupby(enumerate(slots), key=lambda pair: pair[1] - pair[0]):
        row = [slot for _, slot in run]
        texts += [f"{row[0]}{dash}{row[-1]}"] if len(row) > 2 else [str(slot) for slot in row]
    return texts


def enumerated(items: Sequence[str], link: str, draw: float) -> str:
    """The items as an English list, now and then with a comma before its last."""
    if len(items) < 2:
        return "".join(items)
    comma = "," if len(items) > 2 and draw < 0.25 else ""
    return ", ".join(items[:-1]) + comma + link + items[-1]


def word(name: str, part: Part, reader: int, meeting: int) -> str:
    """What fills a hole that names no slot."""
    if name == "label":
        return part.private.label if part.private else ""
    if name == "agent":
        return f"Agent {part.about}"
    values = {"reader": reader, "meeting": meeting, "old": part.old, "cost": part.cost, "errand": part.errand}
    return str(values[name])


def statements(template: Template, part: Part, me: int) -> Iterable[dict[str, Any]]:
    """What the filled template claims: one entry for each agent it is about and each slot it names."""
    for token in template.tokens:
        if not isinstance(token, SlotHole) or token.kind is None:
            continue
        targets: dict[str, list[int | None]] = {SENDER: [me], AGENT: [part.about], BOTH: [me, part.about]}
        for target in targets[token.who]:
            for slot in sorted(set(part.more if token.name in SECOND_LIST else part.slots)):
                yield {"target": target, "slot": slot, "free": KINDS[token.kind], "kind": token.kind}


def behaviours(text: str, templates: Sequence[Template], parts: Sequence[Part]) -> list[str]:
    """The paper's message patterns that the message shows (Appendix B), by name, ascending."""
    named = {token.name for t in templates for token in t.tokens if isinstance(token, WordHole)}
    acts = {p.act for p in parts}
    about_others = any(
        isinstance(token, SlotHole) and token.who != SENDER and token.kind in ("positive", "negative")
        for t in templates
        for token in t.tokens
    )
    shown = {
        "availability_gossip": about_others,
        "confirmation_tax": len(text) <= SHORT and bool(acts & CONFIRMATIONS),
        "cost_gossip": any(act.startswith("cost_gossip") for act in acts),
        "cost_number_disclosure": "cost" in named,
        "errand_id_leakage": "errand" in named,
        "errand_mention": "errand" in text.lower(),
        "semantic_label_leakage": "label" in named,
    }
    return sorted(name for name, is_shown in shown.items() if is_shown)
