"""Which private labels an agent could know: those of the trace's own record, and those shown to it in prompts.

An agent may know the labels of its own errands, from its registration on, and of the meetings that it takes part in,
from their round on. Public traces have no record: there a label is known from the first rendering that shows it.
What an agent was told by others is not counted as known: relaying it repeats a leak, it makes no new one.
"""

import re
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pipeline.calendars import Calendar
from pipeline.reading.records import Config, Labels, Meeting

# A calendar line and the label of what the slot holds, a Python repr: `Slot  4: Errand #7 (cost=100) private_label=…`.
LINE = re.compile(
    r"^[ \t]*Slot[ \t]+\d{1,6}: (?:(?:Blocked )?Errand #(?P<errand>\d{1,15})|Meeting M(?P<meeting>\d{1,15})) "
    r"\(cost=\d{1,15}\)[^\n]*? private_label=(?P<label>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")[ \t\r]*$",
    re.MULTILINE,
)
MEETING = re.compile(r"^[ \t]*Private meeting label:[ \t]*+(?P<label>[^\n]*\S)[ \t\r]*$", re.MULTILINE)

# Where a prompt quotes what others wrote: nothing that stands there was shown by the game.
INBOX = re.compile(r"^[ \t]*\[1\] From Agent ", re.MULTILINE)

PROMPT, RECORD = "prompt", "record"


class Item(NamedTuple):
    """An errand or a meeting under the label that an agent knows it by."""

    agent: int
    kind: str
    id: int
    label: str


@dataclass(slots=True)
class LabelsSeen:
    """What a game shows of labels while it is followed: what was rendered, whose the errands are, who meets."""

    rendered: dict[Item, int] = field(default_factory=dict)
    errands: dict[tuple[int, int], int] = field(default_factory=dict)
    meetings: dict[tuple[int, int], int] = field(default_factory=dict)
    _last: dict[int, str] = field(default_factory=dict)
    _read: set[tuple[int, str]] = field(default_factory=set)
    _known: dict[int, set[tuple[str, int, str]]] = field(default_factory=dict)

    def registered(self, agent: int, event_index: int, calendar: Calendar) -> None:
        """The agent's errands are those on its first calendar."""
        for item in calendar:
            if item and item.kind == "errand":
                self.errands.setdefault((agent, item.id), event_index)

    def announced(self, meeting: Meeting, event_index: int) -> None:
        """A meeting's participants hear of it when its round begins."""
        for agent in meeting.participants:
            self.meetings.setdefault((agent, meeting.id), event_index)

    def shown(self, agent: int, event_index: int, text: str | None, meeting_id: int | None) -> None:
        """The agent was shown a text: its own calendar, or a prompt of the meeting's round."""
        # Most are shown again as they are: comparing is several times as fast as searching.
        if not text or text == self._last.get(agent):
            return
        self._last[agent] = text
        has_calendar, has_meeting = "private_label=" in text, "Private meeting label:" in text
        if not (has_calendar or has_meeting) or (agent, text) in self._read:
            return
        self._read.add((agent, text))
        own = _own_part(text)
        known = self._known.setdefault(agent, set())
        for found in rendered_labels(own) if has_calendar else ():
            if found not in known:
                known.add(found)
                self.rendered.setdefault(Item(agent, *found), event_index)
        meeting = MEETING.search(own) if has_meeting and meeting_id is not None else None
        if meeting and meeting_id is not None:
            self.rendered.setdefault(Item(agent, "meeting", meeting_id, meeting["label"]), event_index)


def _own_part(text: str) -> str:
    found = INBOX.search(text) if "From Agent " in text else None
    return text[: found.start()] if found else text


@lru_cache(maxsize=4096)
def rendered_labels(text: str) -> tuple[tuple[str, int, str], ...]:
    """(kind, id, label) of every calendar line of a text that ends in a private label."""
    return tuple(_rendered_labels(text))


def _rendered_labels(text: str) -> Iterator[tuple[str, int, str]]:
    for found in LINE.finditer(text):
        try:
            label = _unquoted(found["label"])
        except (SyntaxError, ValueError):
            continue
        kind = "errand" if found["errand"] else "meeting"
        yield kind, int(found[kind]), label


@lru_cache(maxsize=16384)
def _unquoted(label: str) -> str:
    """The text of a Python repr. The same label stands in many texts."""
    text: str = literal_eval(label)
    return text


def labels_known(seen: LabelsSeen, config: Config) -> list[tuple[Any, ...]]:
    """(agent, kind, item_id, label, tier, terms, known_from, source) of every label that an agent could know."""
    recorded = recorded_labels(bytes(config.scenario.labels)) if config.scenario else Labels()
    kinds = (("errand", seen.errands, recorded.errands), ("meeting", seen.meetings, recorded.meetings))
    rows: list[tuple[Any, ...]] = [
        (agent, kind, number, label.label, label.tier, label.terms, since, RECORD)
        for kind, owned, labels in kinds
        if labels
        for (agent, number), since in owned.items()
        if (label := labels.get(str(number))) and label.label.strip()
    ]
    if seen.rendered:
        known = {row[:4] for row in rows}
        rows += [
            (*item, None, [], since, PROMPT)
            for item, since in seen.rendered.items()
            if item not in known and item.label.strip()
        ]
    return rows


@lru_cache(maxsize=256)
def recorded_labels(text: bytes) -> Labels:
    """The trace's own record of its labels, from its JSON; none where that is something else."""
    try:
        return msgspec.json.decode(text, type=Labels | None) or Labels()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Labels()
