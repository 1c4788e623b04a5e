"""Calendars as agents were shown them, the actions that change them, and the private labels in what was shown."""

import re
from ast import literal_eval
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2s
from typing import NamedTuple

import msgspec

from pipeline.tables.schemas.intended import LABELS_KNOWN
from pipeline.tables.schemas.table import Row
from pipeline.traces.records import Action, Config, Labels, Meeting, Reschedule, Schedule


class Item(NamedTuple):
    """What a slot holds. kind: errand or meeting. cost: of moving it."""

    kind: str
    id: int
    cost: int
    blocked: bool = False


Slot = Item | None
Calendar = list[Slot]

# What follows the item, as ` private_label='…'`, is not read.
LINE = re.compile(
    r"Slot\s+(?P<slot>\d{1,6}): (?:(?P<free>\[FREE\])|(?P<blocked>Blocked )?Errand #(?P<errand>\d{1,9}) "
    r"\(cost=(?P<errand_cost>\d{1,9})\)|Meeting M(?P<meeting>\d{1,9}) \(cost=(?P<meeting_cost>\d{1,9})\))"
)
# Longer lines are not cached.
LINE_CHARS = 200

# A calendar line that ends in a label, which is a Python repr: `Slot  4: Errand #7 (cost=100) private_label='…'`.
LABELLED_LINE = re.compile(
    r"^[ \t]*Slot[ \t]+\d{1,6}: (?:(?:Blocked )?Errand #(?P<errand>\d{1,15})|Meeting M(?P<meeting>\d{1,15})) "
    r"\(cost=\d{1,15}\)[^\n]*? private_label=(?P<label>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")[ \t\r]*$",
    re.MULTILINE,
)
MEETING = re.compile(r"^[ \t]*Private meeting label:[ \t]*+(?P<label>[^\n]*\S)[ \t\r]*$", re.MULTILINE)

# Where a prompt starts to quote other agents' messages, which are not the game's own text.
INBOX = re.compile(r"^[ \t]*\[1\] From Agent ", re.MULTILINE)

PROMPT, RECORD = "prompt", "record"

LabelKnownRow = LABELS_KNOWN.row_type()


@lru_cache(maxsize=65536)
def read_line(line: str) -> tuple[int, Slot] | None:
    """(slot, what it holds) of one line of a rendered calendar; None for a line that shows no slot."""
    match = LINE.match(line)
    if not match:
        return None
    slot = int(match["slot"])
    if match["free"]:
        return slot, None
    if match["errand"]:
        return slot, Item("errand", int(match["errand"]), int(match["errand_cost"]), bool(match["blocked"]))
    return slot, Item("meeting", int(match["meeting"]), int(match["meeting_cost"]))


def read_rendering(text: str, num_slots: int) -> Calendar:
    """The calendar in a rendered text, one entry a slot; slots that the text does not show are free.

    Lines that do not begin with `Slot` are skipped. Raises ValueError for a line that does and cannot be read, for a
    slot outside the calendar, and for a slot that is shown twice.
    """
    lines = text.split("\n")
    short = max(map(len, lines)) <= LINE_CHARS
    entries = list(map(read_line if short else read_line.__wrapped__, lines))
    if None not in entries and [entry[0] for entry in entries if entry] == list(range(num_slots)):
        return [entry[1] for entry in entries if entry]
    return _read_irregular(lines, entries, num_slots)


def calendars_digest(initial: Mapping[int, Calendar]) -> str:
    """Eight bytes, in hexadecimal, that tell tasks with other calendars at the start from each other: agent by agent
    what kind of item each slot holds, its cost, and whether it is blocked."""
    held = [[item and (item.kind, item.cost, item.blocked) for item in slots] for _, slots in sorted(initial.items())]
    return blake2s(msgspec.json.encode(held), digest_size=8).hexdigest()


def _read_irregular(lines: Sequence[str], entries: Sequence[tuple[int, Slot] | None], num_slots: int) -> Calendar:
    """The calendar of lines that are not exactly one for each slot, in order."""
    calendar: Calendar = [None] * num_slots
    shown: set[int] = set()
    for line, entry in zip(lines, entries, strict=True):
        if entry is None:
            if line.startswith("Slot"):
                raise ValueError(f"the calendar's line {line:.60} cannot be read")
            continue
        slot, item = entry
        if slot >= num_slots:
            raise ValueError(f"the calendar shows slot {slot}, but has {num_slots} slots")
        if slot in shown:
            raise ValueError(f"the calendar shows slot {slot} twice")
        shown.add(slot)
        calendar[slot] = item
    return calendar


def item_at(calendar: Calendar, slot: int | None) -> Slot:
    """What the slot holds; None for a free slot and for one outside the calendar."""
    return calendar[slot] if slot is not None and 0 <= slot < len(calendar) else None


def apply_batch(calendar: Calendar, actions: Sequence[Action], meeting_cost: int) -> list[Slot]:
    """Apply a batch to the calendar, in place, and return the item that each action moved, None where it moved none.

    All reschedules happen at once, from every source to every target; then meetings are scheduled.
    """
    moved = [item_at(calendar, a.from_slot) if isinstance(a, Reschedule) else None for a in actions]
    moves = [(a, item) for a, item in zip(actions, moved, strict=True) if isinstance(a, Reschedule) and item]
    for move, _ in moves:
        _put(calendar, move.from_slot, None)
    for move, item in moves:
        _put(calendar, move.to_slot, item)
    for action in actions:
        if isinstance(action, Schedule) and action.meeting_id is not None:
            _put(calendar, action.slot, Item("meeting", action.meeting_id, meeting_cost))
    return moved


def _put(calendar: Calendar, slot: int | None, item: Slot) -> None:
    if slot is not None and 0 <= slot < len(calendar):
        calendar[slot] = item


def meeting_slots(calendar: Calendar) -> dict[int, int]:
    """Meeting → the first slot that holds it."""
    slots: dict[int, int] = {}
    for slot, item in enumerate(calendar):
        if item and item.kind == "meeting":
            slots.setdefault(item.id, slot)
    return slots


class LabelledItem(NamedTuple):
    """An errand or a meeting with the label that an agent was shown for it."""

    agent: int
    kind: str
    item_id: int
    label: str


@dataclass(slots=True)
class LabelsSeen:
    """The labels that a game has shown so far.

    rendered: labelled item → the first event that showed it. errands, meetings: (agent, id) → the event from which on
    the agent could know it.
    """

    rendered: dict[LabelledItem, int] = field(default_factory=dict)
    errands: dict[tuple[int, int], int] = field(default_factory=dict)
    meetings: dict[tuple[int, int], int] = field(default_factory=dict)
    _last: dict[int, str] = field(default_factory=dict)
    _read: set[tuple[int, str]] = field(default_factory=set)
    _known: dict[int, set[tuple[str, int, str]]] = field(default_factory=dict)

    def register(self, agent: int, event_index: int, calendar: Calendar) -> None:
        """Note the errands on an agent's first calendar as its own."""
        for item in calendar:
            if item and item.kind == "errand":
                self.errands.setdefault((agent, item.id), event_index)

    def announce(self, meeting: Meeting, event_index: int) -> None:
        """Note that a meeting's participants know of it once its round begins."""
        for agent in meeting.participants:
            self.meetings.setdefault((agent, meeting.id), event_index)

    def show(self, agent: int, event_index: int, text: str | None, meeting_id: int | None) -> None:
        """Note the labels in a text that the agent was shown: its calendar, or a prompt of the meeting's round."""
        # Most texts repeat the one before: comparing is several times as fast as searching.
        if not text or text == self._last.get(agent):
            return
        self._last[agent] = text
        has_calendar, has_meeting = "private_label=" in text, "Private meeting label:" in text
        if not (has_calendar or has_meeting) or (agent, text) in self._read:
            return
        self._read.add((agent, text))
        own = _before_inbox(text)
        known = self._known.setdefault(agent, set())
        for kind, item_id, label in rendered_labels(own) if has_calendar else ():
            if (kind, item_id, label) not in known:
                known.add((kind, item_id, label))
                self.rendered.setdefault(LabelledItem(agent, kind, item_id, label), event_index)
        meeting = MEETING.search(own) if has_meeting and meeting_id is not None else None
        if meeting and meeting_id is not None:
            self.rendered.setdefault(LabelledItem(agent, "meeting", meeting_id, meeting["label"]), event_index)


def _before_inbox(text: str) -> str:
    inbox = INBOX.search(text) if "From Agent " in text else None
    return text[: inbox.start()] if inbox else text


@lru_cache(maxsize=4096)
def rendered_labels(text: str) -> tuple[tuple[str, int, str], ...]:
    """(kind, id, label) of every calendar line of a text that ends in a private label."""
    labels = []
    for line in LABELLED_LINE.finditer(text):
        kind = "errand" if line["errand"] else "meeting"
        with suppress(SyntaxError, ValueError):
            labels.append((kind, int(line[kind]), _evaluate(line["label"])))
    return tuple(labels)


# The same label stands in many texts.
@lru_cache(maxsize=16384)
def _evaluate(label: str) -> str:
    """The text of a Python repr. Raises SyntaxError or ValueError."""
    text: str = literal_eval(label)
    return text


def labels_known(game_id: str, seen: LabelsSeen, config: Config) -> list[Row]:
    """Rows of labels_known: labels that the trace records, then those that were only rendered."""
    recorded = recorded_labels(bytes(config.scenario.labels)) if config.scenario else Labels()
    kinds = (("errand", seen.errands, recorded.errands), ("meeting", seen.meetings, recorded.meetings))
    rows = [
        LabelKnownRow(
            game_id=game_id,
            agent=agent,
            kind=kind,
            item_id=item_id,
            label=label.label,
            tier=label.tier,
            terms=label.terms,
            known_from=since,
            source=RECORD,
        )
        for kind, owned, labels in kinds
        if labels
        for (agent, item_id), since in owned.items()
        if (label := labels.get(str(item_id))) and label.label.strip()
    ]
    known = {(row.agent, row.kind, row.item_id, row.label) for row in rows} if seen.rendered else set()
    return rows + [
        LabelKnownRow(game_id=game_id, **item._asdict(), tier=None, terms=[], known_from=since, source=PROMPT)
        for item, since in seen.rendered.items()
        if item not in known and item.label.strip()
    ]


@lru_cache(maxsize=256)
def recorded_labels(text: bytes) -> Labels:
    """The labels that a trace records, from the JSON of `scenario.labels`; none where that is something else."""
    try:
        return msgspec.json.decode(text, type=Labels | None) or Labels()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Labels()
