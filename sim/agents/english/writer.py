"""Writing English and knowing what it says: parts are filled from the phrase banks, text and meaning at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from random import Random
from typing import Any

from msgspec import Struct

from sim.agents.english.phrases import (
    AGENT,
    BARE_HOLES,
    BOTH,
    HELD_OUT,
    KINDS,
    OPEN,
    SECOND_LIST,
    SENDER,
    Agreement,
    SlotHole,
    Template,
    WordHole,
    load_bank,
)

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
