"""Data in a message to sentences: of a JSON object or a row of a table, whose slots are what.

Each piece of a sentence knows where it stands in the message, so that a claim's span is there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.privacy.language import frames

MANY = 24
DEEPEST = 12  # objects, lists or titles within each other


class Piece(NamedTuple):
    """Words of a sentence, and where they stand in the message, or near what they do."""

    text: str
    start: int
    end: int

    def part(self, start: int, end: int | None = None) -> "Piece":
        """A part of a piece that stands word for word in the message."""
        text = self.text[start:end]
        return Piece(text, self.start + start, self.start + start + len(text))

    def strip(self, chars: str) -> "Piece":
        """A piece without some characters around it."""
        start = len(self.text) - len(self.text.lstrip(chars))
        return self.part(start, max(start, len(self.text.rstrip(chars))))


def glue(text: str, near: Piece) -> Piece:
    """Words that stand nowhere in the message, near a piece that does."""
    return Piece(text, near.start, near.start)


def plain(key: str) -> str:
    """A key in words: "proposedSlot" and "proposed_slot" are "proposed slot"."""
    return " ".join(frames.CAMEL.sub(" ", key).strip(frames.EDGES).lower().split())


def agent_of(piece: Piece, bare: bool = False) -> Piece | None:
    """Who a key, header or value names, as a sentence does; a `bare` number may."""
    if named := frames.AGENT_CELL.match(piece.text):
        return piece._replace(text=f"agent {named[1]}")
    if frames.ME.match(piece.text):
        return piece._replace(text="me")
    if bare and piece.text.strip(frames.EDGES).isdecimal():
        return piece._replace(text=f"agent {piece.text.strip(frames.EDGES)}")
    return None


def is_slots(text: str) -> bool:
    """Whether a text names slots and nothing else."""
    return frames.SLOT_CELL.match(text) is not None


def named_slots(pieces: Sequence[Piece]) -> list[Piece]:
    """Slots as a sentence names them."""
    stripped = [piece._replace(text=frames.SLOT_WORD.sub("", piece.text).strip()) for piece in pieces]
    return [glue("slots ", stripped[0]), *joined([[piece] for piece in stripped])]


def _slots_and_states(slots: Sequence[Piece], parts: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Slots, and what is said of them if anything is."""
    given = [part for part in parts if part]
    return [*named_slots(slots), *((glue(": ", slots[0]), *joined(given)) if given else ())]


def joined(parts: Sequence[Sequence[Piece]], mark: str = ", ") -> list[Piece]:
    """The parts with a comma between any two."""
    return [piece for i, part in enumerate(parts) for piece in ((glue(mark, part[0]),) if i else ()) + tuple(part)]


class Field(NamedTuple):
    """What a record says under a key: one value, or a list of them."""

    key: Piece
    values: Sequence[Piece]
    listed: bool

    @property
    def name(self) -> str:
        """The key in words."""
        return plain(self.key.text)

    def asks(self) -> bool:
        """Whether it says that its record asks or supposes: "type: request", "hypothetical: true"."""
        value = self.values[0].text
        if frames.ASKS.match(self.name):
            return not (frames.FALSE.match(value) or any(char.isdigit() or char == "?" for char in value))
        return frames.PLAIN_KEY.match(self.name) is not None and frames.ASKS.match(value) is not None

    def apart(self, priced: bool) -> list[Piece]:
        """The field as a sentence of its own, where it names slots itself; else nothing. priced: its numbers cost."""
        name, first = self.name, self.values[0]
        label = [] if frames.PLAIN_KEY.match(name) else [self.key._replace(text=name), glue(": ", self.key)]
        if is_slots(name) and name:
            return _slots_and_states([self.key], [self._in_words(value, priced) for value in self.values])
        if all(is_slots(value.text) for value in self.values):
            many = name.endswith("slots") and not frames.CHOSEN_KEY.search(name)  # "free slots": 5 counts them
            names_them = self.listed or not first.text.isdecimal() or (frames.NAMES_SLOTS.search(name) and not many)
            return [*label, *named_slots(self.values)] if names_them else []
        if "cost" in name or not frames.AMOUNT.search(frames.PRICED.sub("", first.text)):
            return []
        if frames.I_SAY.match(first.text) and frames.PLAIN_KEY.match(name):
            quoted = joined([[value.strip('"\u201c\u201d ')] for value in self.values])
            return [*label, glue('said "', first), *quoted, glue('"', first)]
        return [*label, *joined([[value] for value in self.values])]

    def beside(self) -> list[Piece]:
        """What the field says of the slots of its record."""
        name, first = self.name, self.values[0]
        key = self.key._replace(text=name)
        if "cost" in name and (amount := frames.COSTED.match(first.text)):
            left = first.part(amount.end(), len(first.text)).strip(" ()")
            return (
                [left]
                if frames.IN_WORDS.search(left.text)
                else [key._replace(text="cost "), first.part(*amount.span(1))]
            )
        if is_slots(first.text):
            return []
        if frames.PLAIN_KEY.match(name):
            return self._in_words(first)
        if frames.TRUE.match(first.text):
            return [first._replace(text=name)]
        if frames.FALSE.match(first.text):
            return [first._replace(text=f"{'no' if frames.THING.search(name) else 'not'} {name}")]
        return [key, glue(": ", key), *self._in_words(first)]

    def _in_words(self, value: Piece, priced: bool = False) -> list[Piece]:
        """A value without the numbers that count something: a truth in words."""
        if value.text.lower() in ("true", "false"):
            return [value._replace(text="free" if value.text.lower() == "true" else "not free")]
        if is_slots(value.text):
            return [glue("cost ", value), value] if priced else []
        if frames.A_MEETING.match(value.text):
            return [value._replace(text="existing meeting")]
        return [value._replace(text=frames.AMOUNT.sub("", value.text))]

    def of_all(self, but: Sequence[Piece]) -> list[Piece]:
        """The field as a sentence of all slots but some, or of all others; else nothing."""
        name, first = self.name, self.values[0]
        if frames.REST_KEY.match(name) and not is_slots(first.text):
            return [self.key._replace(text="all other slots are "), *self._in_words(first)]
        match = frames.ALL_OF.match(first.text)
        if not match or frames.CHOSEN_KEY.search(name):
            return []
        if match[1]:
            but = [first.part(*match.span(1))]
        if not but or frames.REST_KEY.match(first.text.lower()):
            return [first._replace(text="all other slots are "), self.key._replace(text=name)]
        verb = f"every slot is {name} except "
        return [self.key._replace(text=verb), *named_slots(but)]


@dataclass
class Record:
    """An agent and slots of which fields say something, and the labels that stand above them."""

    agent: Piece | None = None
    slots: list[Piece] = field(default_factory=list)
    labels: list[Piece] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    around: "Record | None" = None
    offered: Piece | None = None  # of whose lists of slots a key above it says that they are available

    def add(self, key: Piece, values: Iterable[Piece], listed: bool = False) -> None:
        """Add a field, or the agent or slots that it names."""
        filled = [value for value in values if not frames.EMPTY_CELL.match(value.text)]
        one = Field(key, filled, listed)
        if not filled or frames.ASIDE_KEY.match(one.name):
            return
        slots = frames.SLOT_KEY.match(one.name)
        if frames.AGENT_KEY.match(one.name) and (agent := agent_of(filled[0], bare=True)):
            self.agent = agent
        elif slots and frames.PLAIN_KEY.match(slots[1] or "") and all(is_slots(value.text) for value in filled):
            self.slots += filled
        else:
            self.fields.append(one)

    def label(self, key: Piece) -> None:
        """Add a key that stands above the record, unless it says nothing of slots."""
        name = plain(key.text)
        if name.endswith("availability"):
            self.offered = key._replace(text="available")
        elif not (frames.PLAIN_KEY.match(name) or frames.ASIDE_KEY.match(name)):
            self.labels.append(key)

    def sentences(self) -> Iterator[list[Piece]]:
        """What the record says; one that asks or supposes says nothing."""
        if any(one.asks() for one in self.fields):
            return
        subject = [self.agent, glue(": ", self.agent)] if self.agent else []
        labels = [label._replace(text=plain(label.text)) for label in self.labels]
        parts = [[label] for label in labels]
        but = [value for one in self.fields if frames.EXCEPT_KEY.match(one.name) for value in one.values]
        if any(frames.NEW_KEY.match(one.name) for one in self.fields):
            self.fields = [one for one in self.fields if not frames.OLD_KEY.match(one.name)]
        if not self.slots:
            self.slots = self.around.slots if self.around and any(agent_of(one.key) for one in self.fields) else []
        for one in self.fields:
            if agents := self._of_agents(one):
                yield from (sentence for record in agents for sentence in record.sentences())
                continue
            subject = subject if not frames.NAMED.search(one.name) else []
            if whole := one.of_all(but):
                yield [*subject, *whole]
            elif apart := one.apart(any("cost" in label.text for label in self.labels)):
                yield [*subject, *(part for label in labels for part in (label, glue(": ", label))), *apart]
            elif beside := one.beside():
                parts.append(beside)
        if self.slots:
            parts.sort(key=lambda part: frames.CHOSEN_KEY.search(plain(part[-1].text)) is not None)  # a state says more
            if parts or not all(is_slots(one.values[0].text) for one in self.fields) or not self.fields:
                yield [*subject, *_slots_and_states(self.slots, parts)]

    def _of_agents(self, one: Field) -> "list[Record]":
        """What a field says of agents, as a record of each: of the one under whose name it is, or of those it lists
        under a slot."""
        named = [agent_of(value) for value in one.values]
        if is_slots(one.name) and all(named):
            return [
                Record(agent, labels=self.labels, fields=[Field(glue("", one.key), [one.key], True)]) for agent in named
            ]
        if not (agent := agent_of(one.key)):
            return []
        chosen = any(frames.CHOSEN_KEY.search(plain(label.text)) for label in self.labels)
        own = Field(glue("", one.key), one.values, one.listed or chosen)
        labels = [*self.labels, self.offered] if self.offered and one.listed else self.labels
        return [Record(agent, self.slots, labels, [own])]


class Frame:
    """An object or a list that is being read: its keys so far, and what it says."""

    def __init__(self, outer: "Frame | None", listed: bool) -> None:
        near = agent_of(outer.key, bare=outer.of_agents) if outer and outer.key else None
        self.record: Record = Record(
            near or (outer.record.agent if outer else None), around=outer.record if outer else None
        )
        self.keys: tuple[Piece, ...] = (*outer.keys, *([outer.key] if outer.key else ())) if outer else ()
        self.listed = listed
        self.key: Piece | None = None
        self.values: list[Piece] = []

    @property
    def of_agents(self) -> bool:
        """Whether its keys are of agents, who may be called by their numbers."""
        return bool(self.keys) and plain(self.keys[-1].text).endswith(("agent", "agents"))


def json_at(content: str, start: int) -> tuple[list[Record], int]:
    """The records of the JSON that starts at a place, as far as it is well formed, and where it ends."""
    stack: list[Frame] = []
    records: list[Record] = []
    at = start
    while token := frames.TOKEN.match(content, at):
        at = token.end()
        text, _, mark = token.groups()
        if mark in ("{", "["):
            if len(stack) == DEEPEST:
                break
            stack.append(Frame(stack[-1] if stack else None, mark == "["))
        elif mark in ("}", "]"):
            if not stack:
                break
            _close(stack, records)
        elif mark is None:
            group = 1 if text is not None else 2
            _take(stack[-1], Piece(token[group], *token.span(group)))
        if not stack:
            break
    while stack:
        _close(stack, records)
    return records, max(at, start + 1)


def _take(frame: Frame, piece: Piece) -> None:
    """Read a string or an atom: a key, or a value."""
    if frame.listed:
        frame.values.append(piece)
    elif frame.key is None:
        listed = frame.keys and frames.OF_SLOTS_KEY.match(plain(frame.keys[-1].text))
        frame.key = piece._replace(text="slot") if listed and frames.ID_KEY.match(piece.text) else piece
    else:
        frame.record.add(frame.key, [piece])
        frame.key = None


def _close(stack: list[Frame], records: list[Record]) -> None:
    """End the last frame: a list of values is a field of the object around it, an object a record."""
    frame = stack.pop()
    outer = stack[-1] if stack else None
    if frame.listed and outer and outer.key and frame.values:
        outer.record.add(outer.key, frame.values, listed=True)
    if not frame.listed and not any(frames.ASKS.match(plain(key.text)) for key in frame.keys):
        _place(frame)
        records.append(frame.record)
    if outer:
        outer.key = None


def _place(frame: Frame) -> None:
    """Give an object's record what the keys around it say: labels, an agent, or slots."""
    record, of_agents = frame.record, False
    for key in frame.keys:
        name = plain(key.text)
        if not (of_agents or agent_of(key)) and is_slots(name) and not record.slots:
            record.slots.append(key)
        elif not (of_agents or agent_of(key)):
            record.label(key)
        of_agents = name.endswith(("agent", "agents"))
