"""A private calendar, and the batch of actions that may change it (paper, section 3 and Appendix D.5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from msgspec import Struct


class Errand(Struct, frozen=True, omit_defaults=True):
    """A commitment of one agent. `cost` is what its owner pays for each move; a blocked errand can't be moved."""

    errand_id: int
    cost: int
    blocked: bool = False


class ScheduledMeeting(Struct, frozen=True):
    """A meeting on one participant's calendar; its other participants hold an item of their own."""

    meeting_id: int
    cost: int
    participants: tuple[int, ...] = ()


Item = Errand | ScheduledMeeting


class Move(Struct, frozen=True):
    """One item carried from one slot to another, and what its owner pays for it."""

    item_id: int
    from_slot: int
    to_slot: int
    cost: int


class BatchConflict(ValueError):
    """Why a batch can't be applied: the text that the retry message quotes (Appendix D.3)."""


class Calendar:
    """An agent's slots, in order: None where free. Immutable: a batch makes a new calendar."""

    def __init__(self, slots: Sequence[Item | None]) -> None:
        self.slots = tuple(slots)

    def __len__(self) -> int:
        return len(self.slots)

    def __getitem__(self, slot: int) -> Item | None:
        return self.slots[slot]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calendar) and self.slots == other.slots

    def __hash__(self) -> int:
        return hash(self.slots)

    def __repr__(self) -> str:
        return f"Calendar(\n{self.render}\n)"

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The free slots, ascending."""
        return tuple(s for s, item in enumerate(self.slots) if item is None)

    @cached_property
    def render(self) -> str:
        """One line a slot, the index right-aligned (Appendix D.1)."""
        width = len(str(len(self.slots) - 1))
        return "\n".join(f"Slot {slot:>{width}}: {describe(item)}" for slot, item in enumerate(self.slots))

    def first_free_but(self, *taken: int) -> int | None:
        """The first free slot that is none of `taken`, or None."""
        return next((s for s in self.free if s not in taken), None)

    def slot_of_meeting(self, meeting_id: int) -> int | None:
        """Where this calendar holds the meeting, or None."""
        held = (s for s, i in enumerate(self.slots) if isinstance(i, ScheduledMeeting) and i.meeting_id == meeting_id)
        return next(held, None)

    def movable(self, slot: int) -> bool:
        """Whether the slot holds an errand that may be moved and has somewhere to go."""
        item = self.slots[slot]
        return isinstance(item, Errand) and not item.blocked and bool(self.free)


@lru_cache(maxsize=4096)
def describe(item: Item | None) -> str:
    """What a rendered slot shows after its index."""
    match item:
        case None:
            return "[FREE]"
        case Errand(blocked=True):
            return f"Blocked Errand #{item.errand_id} (cost={item.cost})"
        case Errand():
            return f"Errand #{item.errand_id} (cost={item.cost})"
        case ScheduledMeeting():
            return f"Meeting M{item.meeting_id} (cost={item.cost}) participants={list(item.participants)}"


def item_id(item: Item) -> int:
    """The id that a reschedule must name: an errand's, or a meeting's."""
    return item.errand_id if isinstance(item, Errand) else item.meeting_id


class Batch(Struct, frozen=True):
    """A valid batch: the calendar that it leaves, the moves it makes, and the slot it schedules (None: no schedule)."""

    calendar: Calendar
    moves: tuple[Move, ...]
    slot: int | None

    @property
    def cost(self) -> int:
        """What the agent pays for the batch."""
        return sum(m.cost for m in self.moves)


def validate(calendar: Calendar, actions: Any, meeting: ScheduledMeeting | None) -> Batch:
    """The batch that `actions` make of `calendar`; nothing is applied unless all of it is valid (Appendix D.5).

    `meeting` is the one that DECISION must schedule exactly once; None (VOLUNTARY) allows moves only.
    Raises BatchConflict with the first rule that is broken.
    """
    if not isinstance(actions, list | tuple) or not all(isinstance(a, dict) for a in actions):
        raise BatchConflict("The batch must be a list of action objects.")
    unknown = [a.get("type") for a in actions if a.get("type") not in ("schedule", "reschedule")]
    if unknown:
        raise BatchConflict(f"Unknown action type {shown(unknown[0])}: only schedule and reschedule are valid here.")
    slots, moves = moved(calendar, [a for a in actions if a["type"] == "reschedule"])
    slot = scheduled(slots, [a for a in actions if a["type"] == "schedule"], meeting)
    if slot is not None:
        slots[slot] = meeting
    return Batch(Calendar(slots), tuple(moves), slot)


def moved(calendar: Calendar, reschedules: Sequence[dict[str, Any]]) -> tuple[list[Item | None], list[Move]]:
    """The slots after all reschedules at once, and the moves; rules 1 to 5 of Appendix D.5."""
    moves = [checked_move(calendar, action) for action in reschedules]
    sources, targets = [m.from_slot for m in moves], [m.to_slot for m in moves]
    twice = next((s for s in sources if sources.count(s) > 1), None)
    if twice is not None:
        raise BatchConflict(f"Two actions move the item at slot {twice}.")
    twice = next((t for t in targets if targets.count(t) > 1), None)
    if twice is not None:
        raise BatchConflict(f"Two actions target slot {twice}.")
    slots: list[Item | None] = [None if s in sources else item for s, item in enumerate(calendar.slots)]
    taken = next((m.to_slot for m in moves if slots[m.to_slot] is not None or m.to_slot == m.from_slot), None)
    if taken is not None:
        raise BatchConflict(f"Target slot {taken} is not free after the batch.")
    for source, target in zip(sources, targets, strict=True):
        slots[target] = calendar[source]
    return slots, moves


def checked_move(calendar: Calendar, action: dict[str, Any]) -> Move:
    """The move that a reschedule action names; rules 1 to 3 of Appendix D.5."""
    from_slot = checked_slot(calendar, action, "from_slot")
    to_slot = checked_slot(calendar, action, "to_slot")
    item = calendar[from_slot]
    if item is None:
        raise BatchConflict(f"Slot {from_slot} is free: there is no item to move.")
    named = action.get("item_id")
    if type(named) is not int or named != item_id(item):
        raise BatchConflict(f"Item {shown(named)} is not at slot {from_slot}: it holds {describe(item)}.")
    if isinstance(item, Errand) and item.blocked:
        raise BatchConflict(f"Errand #{item.errand_id} at slot {from_slot} is blocked and can't be moved.")
    return Move(named, from_slot, to_slot, item.cost)


def checked_slot(calendar: Calendar, action: dict[str, Any], field: str) -> int:
    """The slot that the action's field names, an integer on the calendar; rule 1 of Appendix D.5."""
    slot, last = action.get(field), len(calendar) - 1
    if type(slot) is not int or not 0 <= slot <= last:
        raise BatchConflict(f"{field} must be an integer from 0 to {last}, got {shown(slot)}.")
    return slot


def scheduled(
    slots: Sequence[Item | None], schedules: Sequence[dict[str, Any]], meeting: ScheduledMeeting | None
) -> int | None:
    """The slot in which the batch schedules the meeting; rules 1, 6 and 7 of Appendix D.5."""
    wanted = 0 if meeting is None else 1
    if len(schedules) != wanted:
        raise BatchConflict(f"Expected exactly {wanted} schedule action{'s' * (not wanted)}, got {len(schedules)}.")
    if meeting is None:
        return None
    slot = checked_slot(Calendar(slots), schedules[0], "slot")
    named = schedules[0].get("meeting_id")
    if type(named) is not int or named != meeting.meeting_id:
        raise BatchConflict(f"Only meeting {meeting.meeting_id} can be scheduled now, got {shown(named)}.")
    if slots[slot] is not None:
        raise BatchConflict(f"Schedule slot {slot} is not free after the batch.")
    return slot


def shown(value: Any) -> str:
    """A value of a tool call as a conflict quotes it: short, whatever was sent."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
