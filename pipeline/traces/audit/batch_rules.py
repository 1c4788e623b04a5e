"""The seven rules of Appendix D.5 for a batch of actions: which ones it breaks, its cost, and the calendar after it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pipeline.traces.audit.calendar import MEETING, Calendar, Item

SCHEDULE, RESCHEDULE = "schedule", "reschedule"


class Meeting(NamedTuple):
    """A meeting of the scenario, and the order in which its participants speak."""

    id: int
    participants: tuple[int, ...]
    cost: int
    order: tuple[int, ...]

    @property
    def item(self) -> Item:
        """What it is on a calendar."""
        return Item(MEETING, self.id, self.cost, False, self.participants)


class BrokenRule(NamedTuple):
    """A rule that a batch breaks."""

    code: str
    detail: str


class Verdict(NamedTuple):
    """The rules that a batch breaks, the calendar after it (unchanged where it breaks one), and its cost."""

    broken: tuple[BrokenRule, ...]
    after: Calendar
    cost: int


class Move(NamedTuple):
    """A reschedule between two slots of the calendar; `named` is the item that it names."""

    source: int
    target: int
    named: Any


def check_batch(calendar: Calendar, actions: Any, meeting: Meeting | None) -> Verdict:
    """The verdict on a batch; `meeting` is the one that DECISION schedules, None in VOLUNTARY."""
    if not isinstance(actions, list) or not all(isinstance(action, dict) for action in actions):
        return Verdict((BrokenRule("malformed_batch", "not a list of actions"),), calendar, 0)
    calls = {kind: [a for a in actions if a.get("type") == kind] for kind in (SCHEDULE, RESCHEDULE)}
    moves = [s for s in (move_of(a, calendar) for a in calls[RESCHEDULE]) if s]
    after = apply_moves(calendar, moves)
    broken = (
        *check_types(actions),
        *check_bounds(calls[RESCHEDULE], len(calendar)),
        *check_names(calendar, moves),
        *check_blocked(calendar, moves),
        *check_sources(moves),
        *check_targets(calendar, moves),
        *check_schedule_call(after, calls[SCHEDULE], meeting),
    )
    cost = sum(item.cost for s in {s.source for s in moves} if (item := calendar[s]))
    if broken:
        return Verdict(broken, calendar, cost)
    if meeting:
        after[calls[SCHEDULE][0]["slot"]] = meeting.item
    return Verdict((), tuple(after), cost)


def on_calendar(slot: Any, size: int) -> bool:
    """Whether the value is the number of a slot."""
    return type(slot) is int and 0 <= slot < size


def move_of(action: dict[str, Any], calendar: Calendar) -> Move | None:
    """The reschedule, or None where a slot of it is not on the calendar."""
    source, target, size = action.get("from_slot"), action.get("to_slot"), len(calendar)
    if type(source) is int and type(target) is int and 0 <= source < size and 0 <= target < size:
        return Move(source, target, action.get("item_id"))
    return None


def apply_moves(calendar: Calendar, moves: Sequence[Move]) -> list[Item | None]:
    """The slots after all reschedules at once: every source is cleared, then every target is filled."""
    slots = list(calendar)
    for move in moves:
        slots[move.source] = None
    for move in moves:
        slots[move.target] = calendar[move.source]
    return slots


def check_types(actions: Sequence[dict[str, Any]]) -> Iterator[BrokenRule]:
    """Only schedule and reschedule change a calendar."""
    for action in actions:
        if action.get("type") not in (SCHEDULE, RESCHEDULE):
            yield BrokenRule("malformed_batch", f"action type {action.get('type')!r}"[:80])


def check_bounds(actions: Sequence[dict[str, Any]], size: int) -> Iterator[BrokenRule]:
    """Rule 1: slots are whole numbers on the calendar."""
    for action in actions:
        for field in ("from_slot", "to_slot"):
            if not on_calendar(action.get(field), size):
                yield BrokenRule("slot_out_of_bounds", f"{field} {action.get(field)!r}"[:80])


def check_names(calendar: Calendar, moves: Sequence[Move]) -> Iterator[BrokenRule]:
    """Rule 2: the item named is in the slot it is moved from."""
    for s in moves:
        item = calendar[s.source]
        if item is None or type(s.named) is not int or s.named != item.id:
            yield BrokenRule("unknown_item", f"item {s.named!r} at slot {s.source}"[:80])


def check_blocked(calendar: Calendar, moves: Sequence[Move]) -> Iterator[BrokenRule]:
    """Rule 3: blocked items stay."""
    for s in moves:
        item = calendar[s.source]
        if item and item.blocked:
            yield BrokenRule("blocked_move", f"errand {item.id} at slot {s.source}")


def check_sources(moves: Sequence[Move]) -> Iterator[BrokenRule]:
    """An item moves once: a second move of it would clone it."""
    for slot, times in Counter(s.source for s in moves).items():
        if times > 1:
            yield BrokenRule("cloned_item", f"{times} moves from slot {slot}")


def check_targets(calendar: Calendar, moves: Sequence[Move]) -> Iterator[BrokenRule]:
    """Rules 4 and 5: one item a target, and the target is free or left by another item of the batch."""
    left = {s.source for s in moves}
    for slot, times in Counter(s.target for s in moves).items():
        if times > 1:
            yield BrokenRule("target_conflict", f"{times} moves to slot {slot}")
    for s in moves:
        if s.target == s.source or (calendar[s.target] and s.target not in left):
            yield BrokenRule("target_not_free", f"slot {s.target}")


def check_schedule_call(
    after: Sequence[Item | None], calls: Sequence[dict[str, Any]], meeting: Meeting | None
) -> Iterator[BrokenRule]:
    """Rules 1, 6 and 7 for the schedule call: exactly one in DECISION and none in VOLUNTARY, into a free slot."""
    wanted = 1 if meeting else 0
    if len(calls) != wanted:
        yield BrokenRule("schedule_count", f"{len(calls)} schedule calls, not {wanted}")
    elif meeting:
        slot, named = calls[0].get("slot"), calls[0].get("meeting_id")
        if not on_calendar(slot, len(after)):
            yield BrokenRule("slot_out_of_bounds", f"slot {slot!r}"[:80])
        elif after[int(slot or 0)]:
            yield BrokenRule("schedule_not_free", f"slot {slot}")
        if type(named) is not int or named != meeting.id:
            yield BrokenRule("wrong_meeting", f"meeting {named!r}"[:80])


# The words by which a rejection names the rule that was broken.
WORDINGS = {
    "malformed_batch": r"Unknown action type|must be a list",
    "slot_out_of_bounds": r"must be an integer",
    "unknown_item": r"is not at slot|there is no item",
    "blocked_move": r"is blocked",
    "cloned_item": r"Two actions move",
    "target_conflict": r"Two actions target",
    "target_not_free": r"Target slot \d+ is not free",
    "schedule_count": r"Expected exactly \d+ schedule",
    "wrong_meeting": r"Only meeting",
    "schedule_not_free": r"Schedule slot \d+ is not free",
}


def names_broken_rule(text: Any, broken: Sequence[BrokenRule]) -> bool:
    """Whether the text of a rejection names a rule that the batch breaks."""
    return isinstance(text, str) and any(re.search(WORDINGS[rule.code], text) for rule in broken)
