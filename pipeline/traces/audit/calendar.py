"""The auditor's own calendars: read from renderings and from JSON, rendered again, and compared."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

ERRAND, MEETING = "errand", "meeting"


class Item(NamedTuple):
    """What a slot holds. `participants` is a meeting's; None where the source does not say."""

    kind: str
    id: int
    cost: int
    blocked: bool = False
    participants: tuple[int, ...] | None = None

    @property
    def name(self) -> tuple[str, int]:
        """What tells it from other items: its kind and number."""
        return self.kind, self.id


Slot = Item | None
Calendar = tuple[Slot, ...]

LABEL = re.compile(r" private_label=(?P<label>.*)$", re.MULTILINE)
LINE = re.compile(
    r"Slot +(?P<slot>\d{1,6}): (?:\[FREE\]"
    r"|(?P<blocked>Blocked )?Errand #(?P<errand>\d{1,18}) \(cost=(?P<price>\d{1,18})\)"
    r"|Meeting M(?P<meeting>\d{1,18}) \(cost=(?P<cost>\d{1,18})\) participants=\[(?P<members>[\d, ]{0,9999})\])"
)


@lru_cache(maxsize=65536)
def parse_line(line: str) -> tuple[int, Slot] | None:
    """(slot, what it holds) of one rendered line without a label; None where it is not one."""
    match = LINE.fullmatch(line)
    if not match:
        return None
    slot = int(match["slot"])
    if match["errand"]:
        return slot, Item(ERRAND, int(match["errand"]), int(match["price"]), bool(match["blocked"]))
    if match["meeting"]:
        members = tuple(int(a) for a in match["members"].replace(",", " ").split())
        return slot, Item(MEETING, int(match["meeting"]), int(match["cost"]), False, members)
    return slot, None


def parse_calendar(text: Any) -> Calendar | None:
    """The calendar that a rendering shows, labels left out; None where it is not one slot a line, in order."""
    if not isinstance(text, str):
        return None
    lines = [parse_line(line) for line in LABEL.sub("", text).split("\n")]
    if any(line is None or line[0] != number for number, line in enumerate(lines)):
        return None
    return tuple(line[1] for line in lines if line)


@lru_cache(maxsize=4096)
def render(calendar: Calendar) -> str:
    """The rendering of Appendix D.1, without labels."""
    width = len(str(len(calendar) - 1))
    return "\n".join(f"Slot {str(number).rjust(width)}: {render_item(item)}" for number, item in enumerate(calendar))


def render_item(item: Slot) -> str:
    """What a line says of the item that stands in its slot."""
    if item is None:
        return "[FREE]"
    if item.kind == MEETING:
        return f"Meeting M{item.id} (cost={item.cost}) participants={list(item.participants or ())}"
    return f"{'Blocked ' if item.blocked else ''}Errand #{item.id} (cost={item.cost})"


def render_with_labels(calendar: Calendar, labels: Mapping[tuple[str, int], str]) -> str:
    """The rendering with the label of each item behind it."""
    lines = render(calendar).split("\n")
    shown = (labels.get(item.name) if item else None for item in calendar)
    return "\n".join(
        line if label is None else f"{line} private_label={label!r}" for line, label in zip(lines, shown, strict=True)
    )


def calendar_from_json(slots: Any) -> Calendar | None:
    """The calendar that the final state lists; None where it is none."""
    if not isinstance(slots, list):
        return None
    try:
        return tuple(map(item_from_json, slots))
    except ValueError:
        return None


def item_from_json(slot: Any) -> Slot:
    """One listed slot. Raises ValueError where it is neither free nor an item."""
    if slot is None:
        return None
    if not isinstance(slot, dict):
        raise ValueError("not an object")
    kind = ERRAND if "errand_id" in slot else MEETING
    number, cost, members = slot.get(f"{kind}_id"), slot.get("cost"), slot.get("participants")
    if type(number) is not int or type(cost) is not int:
        raise ValueError("no number or no cost")
    listed = tuple(a for a in members if type(a) is int) if isinstance(members, list) else None
    return Item(kind, number, cost, bool(slot.get("blocked")), listed)


def same_item(recorded: Slot, replayed: Slot) -> bool:
    """Whether what is shown is the item that is held; members count where they are shown."""
    if recorded is None or replayed is None:
        return recorded is replayed
    return recorded[:4] == replayed[:4] and recorded.participants in (None, replayed.participants)


def slot_of(calendar: Sequence[Slot], meeting: int) -> int | None:
    """The first slot that holds the meeting, or None."""
    return next((s for s, i in enumerate(calendar) if i and i.name == (MEETING, meeting)), None)


def slots_holding(calendar: Calendar, meeting: int) -> list[int]:
    """Every slot that holds the meeting."""
    return [s for s, item in enumerate(calendar) if item and item.kind != ERRAND and item.id == meeting]


def classify_difference(recorded: Calendar, replayed: Calendar) -> tuple[str, str]:
    """The code of the difference between a shown calendar and the replay's, and the item that it is about."""
    names = [item.name for item in recorded if item]
    held = Counter(item.name for item in replayed if item)
    twice = next((name for name, times in Counter(names).items() if times > max(1, held[name])), None)
    if twice:
        return ("meeting_twice" if twice[0] == MEETING else "cloned_item"), f"{twice[0]} {twice[1]}"
    items = {item.name: item for item in replayed if item}
    for item in recorded:
        if item and item.name not in items:
            return "unknown_item", f"{item.kind} {item.id}"
        if item and not same_item(item, items[item.name]):
            return "wrong_item", f"{item.kind} {item.id}"
    lost = next((name for name in items if name not in names), None)
    if lost:
        return "lost_item", f"{lost[0]} {lost[1]}"
    return "wrong_calendar", ""


def differences(recorded: Calendar, replayed: Calendar) -> tuple[tuple[int, Slot, Slot], ...]:
    """(slot, shown, held) of every slot in which the calendars differ."""
    return tuple((s, a, b) for s, (a, b) in enumerate(zip(recorded, replayed, strict=False)) if not same_item(a, b))


def digest(calendars: tuple[Calendar, ...]) -> str:
    """The digest of the initial calendars, as the scenario states it."""
    listed = [[as_json(item) for item in calendar] for calendar in calendars]
    return sha256(msgspec.json.encode(listed)).hexdigest()


@lru_cache(maxsize=512)
def listed_digest(calendars: tuple[Calendar, ...]) -> str:
    """The digest of the initial calendars, as a task list states it: the same, with keys sorted."""
    listed = [[as_json(item) for item in calendar] for calendar in calendars]
    return sha256(msgspec.json.encode(listed, order="deterministic")).hexdigest()


def as_json(item: Any) -> dict[str, Any] | None:
    """An errand, or a meeting that stands there from the start, as the scenario lists it."""
    if item is None:
        return None
    if item.kind == MEETING:
        return {"meeting_id": item.id, "cost": item.cost, "participants": list(item.participants or ())}
    return {"errand_id": item.id, "cost": item.cost} | ({"blocked": True} if item.blocked else {})
