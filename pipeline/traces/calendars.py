"""Calendars as traces render them, and what a batch does to one (Appendix D.1, D.5)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.traces.records import Action, Reschedule, Schedule


class Item(NamedTuple):
    """What a slot holds: an errand or a meeting, and what it costs to move."""

    kind: str
    id: int
    cost: int
    blocked: bool = False


Slot = Item | None
Calendar = list[Slot]

# A label may follow a rendered item, ` private_label='…'`: whatever stands behind the item is not read.
LINE = re.compile(
    r"Slot\s+(?P<slot>\d{1,6}): (?:(?P<free>\[FREE\])|(?P<blocked>Blocked )?Errand #(?P<errand>\d{1,9}) "
    r"\(cost=(?P<errand_cost>\d{1,9})\)|Meeting M(?P<meeting>\d{1,9}) \(cost=(?P<meeting_cost>\d{1,9})\))"
)
# Longer lines are not remembered.
LINE_CHARS = 200


@lru_cache(maxsize=65536)
def read_line(line: str) -> tuple[int, Slot] | None:
    """(slot, what it holds) of one rendered line, or None where the line is not a slot's."""
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
    """One entry per slot of the calendar; slots that the text does not show are free.

    Lines that do not begin with `Slot` do not count. Raises ValueError for one that does and is no slot's, for a slot
    outside the calendar, and for one that is shown twice.
    """
    lines = text.split("\n")
    short = max(map(len, lines)) <= LINE_CHARS
    reads = list(map(read_line if short else read_line.__wrapped__, lines))
    if None not in reads and [read[0] for read in reads if read] == list(range(num_slots)):
        return [read[1] for read in reads if read]
    return _scattered(lines, reads, num_slots)


def _scattered(lines: Sequence[str], reads: Sequence[tuple[int, Slot] | None], num_slots: int) -> Calendar:
    """The calendar of lines that are not just one for each slot, in their order."""
    calendar: Calendar = [None] * num_slots
    shown: set[int] = set()
    for line, read in zip(lines, reads, strict=True):
        if read is None:
            if line.startswith("Slot"):
                raise ValueError(f"the calendar's line {line:.60} cannot be read")
            continue
        slot, item = read
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
    """Change the calendar as the batch says, and return the item each action moved (None for one that moved nothing).

    All reschedules happen at once, from every source to every target; then meetings are scheduled.
    """
    moved = [item_at(calendar, a.from_slot) if isinstance(a, Reschedule) else None for a in actions]
    carried = [(a, item) for a, item in zip(actions, moved, strict=True) if isinstance(a, Reschedule) and item]
    for action, _ in carried:
        _put(calendar, action.from_slot, None)
    for action, item in carried:
        _put(calendar, action.to_slot, item)
    for booking in actions:
        if isinstance(booking, Schedule) and booking.meeting_id is not None:
            _put(calendar, booking.slot, Item("meeting", booking.meeting_id, meeting_cost))
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
