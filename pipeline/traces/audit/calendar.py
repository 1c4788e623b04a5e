"""The auditor's own calendars: read from renderings and from JSON, rendered again, and compared."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

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
def read_line(line: str) -> tuple[int, Slot] | None:
    """(slot, what it holds) of one rendered line without a label; None where it is not one."""
    found = LINE.fullmatch(line)
    if not found:
        return None
    slot = int(found["slot"])
    if found["errand"]:
        return slot, Item(ERRAND, int(found["errand"]), int(found["price"]), bool(found["blocked"]))
    if found["meeting"]:
        members = tuple(int(a) for a in found["members"].replace(",", " ").split())
        return slot, Item(MEETING, int(found["meeting"]), int(found["cost"]), False, members)
    return slot, None


def read(text: Any) -> Calendar | None:
    """The calendar that a rendering shows, labels left out; None where it is not one slot a line, in order."""
    if not isinstance(text, str):
        return None
    lines = [read_line(line) for line in LABEL.sub("", text).split("\n")]
    if any(line is None or line[0] != number for number, line in enumerate(lines)):
        return None
    return tuple(line[1] for line in lines if line)


@lru_cache(maxsize=4096)
def render(calendar: Calendar) -> str:
    """The rendering of Appendix D.1, without labels."""
    width = len(str(len(calendar) - 1))
    return "\n".join(f"Slot {str(number).rjust(width)}: {wording(item)}" for number, item in enumerate(calendar))


def wording(item: Slot) -> str:
    """What a line says of the item that stands in its slot."""
    if item is None:
        return "[FREE]"
    if item.kind == MEETING:
        return f"Meeting M{item.id} (cost={item.cost}) participants={list(item.participants or ())}"
    return f"{'Blocked ' if item.blocked else ''}Errand #{item.id} (cost={item.cost})"


def labelled(calendar: Calendar, labels: Mapping[tuple[str, int], str]) -> str:
    """The rendering with the label of each item behind it."""
    lines = render(calendar).split("\n")
    shown = (labels.get(item.name) if item else None for item in calendar)
    return "\n".join(
        line if label is None else f"{line} private_label={label!r}" for line, label in zip(lines, shown, strict=True)
    )


def from_json(slots: Any) -> Calendar | None:
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


def same(shown: Slot, held: Slot) -> bool:
    """Whether what is shown is the item that is held; members count where they are shown."""
    if shown is None or held is None:
        return shown is held
    return shown[:4] == held[:4] and shown.participants in (None, held.participants)


def slot_of(calendar: Sequence[Slot], meeting: int) -> int | None:
    """The first slot that holds the meeting, or None."""
    return next((s for s, i in enumerate(calendar) if i and i.name == (MEETING, meeting)), None)


def diagnose(shown: Calendar, held: Calendar) -> tuple[str, str]:
    """The code of the difference between a shown calendar and the replay's, and the item that it is about."""
    names = [item.name for item in shown if item]
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice:
        return ("meeting_twice" if twice[0] == MEETING else "cloned_item"), f"{twice[0]} {twice[1]}"
    mine = {item.name: item for item in held if item}
    for item in shown:
        if item and item.name not in mine:
            return "unknown_item", f"{item.kind} {item.id}"
        if item and not same(item, mine[item.name]):
            return "wrong_item", f"{item.kind} {item.id}"
    lost = next((name for name in mine if name not in names), None)
    if lost:
        return "lost_item", f"{lost[0]} {lost[1]}"
    return "wrong_calendar", ""


def differences(shown: Calendar, held: Calendar) -> tuple[tuple[int, Slot, Slot], ...]:
    """(slot, shown, held) of every slot in which the calendars differ."""
    return tuple((s, a, b) for s, (a, b) in enumerate(zip(shown, held, strict=False)) if not same(a, b))
