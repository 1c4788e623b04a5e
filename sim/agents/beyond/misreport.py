"""A calendar as a strategic agent claims it to be: dearer errands, or slots that it calls impossible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from sim.agents.imap import local_cost
from sim.calendar import Calendar, Errand, Item

# The number of an errand that is only claimed: no protocol's message names it.
MADE_UP = -1


class Misreport(Struct, frozen=True, kw_only=True):
    """What is claimed of a slot that truly costs c: factor · c + offset where c > 0.

    `busy` is the share of the possible slots, dearest first and of equals the first, that are called impossible.
    """

    factor: Annotated[float, Meta(ge=1)] = 1.0
    offset: Annotated[int, Meta(ge=0)] = 0
    busy: Annotated[float, Meta(ge=0, le=1)] = 0.0

    @property
    def is_nothing(self) -> bool:
        """Whether it claims what is true."""
        return (self.factor, self.offset, self.busy) == (1, 0, 0)


def claimed(calendar: Calendar, misreport: Misreport, friend: Mapping[int, int | None] | None = None) -> Calendar:
    """The calendar that an agent with this one claims to have.

    `friend` holds what each slot costs a friend, whose costs then count beside its own. What is impossible stays so,
    meetings stay as all their participants know them, and one free slot stays free: without any, no errand could move.
    """
    counted = {s: c + ((friend or {}).get(s) or 0) for s in errands_and_free(calendar) for c in [own(calendar, s)]}
    ranked = sorted(counted, key=lambda s: (-counted[s], s))
    hidden = set(ranked[: int(misreport.busy * len(ranked))])
    slots = [
        claimed_item(item, misreport, counted[s], s in hidden) if s in counted else item
        for s, item in enumerate(calendar.slots)
    ]
    if calendar.free and None not in slots:
        slots[min(calendar.free, key=lambda s: (counted[s], s))] = None
    return Calendar(slots)


def errands_and_free(calendar: Calendar) -> list[int]:
    """The slots, ascending, that are possible for a meeting at a cost of the agent's own."""
    return [s for s in range(len(calendar)) if local_cost(calendar, s) is not None]


def own(calendar: Calendar, slot: int) -> int:
    """What a possible slot truly costs."""
    return local_cost(calendar, slot) or 0


def claimed_item(item: Item | None, misreport: Misreport, counted: int, hidden: bool) -> Item | None:
    """What is claimed to stand in a slot that truly costs `counted`."""
    number = item.errand_id if isinstance(item, Errand) else MADE_UP
    cost = int(misreport.factor * counted + 0.5) + (misreport.offset if counted else 0)
    if hidden:
        return Errand(number, cost, blocked=True)
    return Errand(number, cost) if cost else None
