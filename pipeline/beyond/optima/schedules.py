"""All optimal schedules of a task: the problem as the oracle sees it, and its solutions one by one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from sim.calendar import Calendar, Errand, ScheduledMeeting
from sim.tasks.oracle import conflicts, placements
from sim.tasks.scenario import Meeting

Burden = tuple[int, ...]  # what each agent pays


@dataclass(frozen=True)
class Problem:
    """Meetings on initial calendars. `options`: of each meeting, slot → what each agent would pay."""

    options: tuple[Mapping[int, Burden], ...]
    clashes: frozenset[tuple[int, int]]  # pairs of meetings that can't share a slot, the earlier first
    agents: int

    @cached_property
    def least(self) -> list[int]:
        """What each meeting costs at least, alone; 0 for one that has no slot."""
        return [min(map(sum, option.values()), default=0) for option in self.options]


def problem(calendars: Sequence[Calendar], meetings: Sequence[Meeting]) -> Problem:
    """The oracle's model of the calendars and meetings, agent by agent."""
    options = tuple(
        {slot: burden(calendars, meeting, slot) for slot in option}
        for meeting, option in zip(meetings, placements(calendars, meetings), strict=True)
    )
    return Problem(options, frozenset(conflicts(meetings)), len(calendars))


def burden(calendars: Sequence[Calendar], meeting: Meeting, slot: int) -> Burden:
    """What each agent pays for the meeting in the slot: its item's cost there, where it takes part."""
    items = [calendar[slot] if agent in meeting.participants else None for agent, calendar in enumerate(calendars)]
    return tuple(item.cost if item else 0 for item in items)


def calendars_of(items: pl.DataFrame, agents: int, slots: int) -> list[Calendar]:
    """The initial calendars of one game from its rows of the table items."""
    cells: list[list[Errand | ScheduledMeeting | None]] = [[None] * slots for _ in range(agents)]
    for row in items.iter_rows(named=True):
        meeting = row["item_kind"] == "meeting"
        item = (
            ScheduledMeeting(row["item_id"], row["cost"])
            if meeting
            else Errand(row["item_id"], row["cost"], row["blocked"])
        )
        cells[row["agent"]][row["slot"]] = item
    return [Calendar(slots) for slots in cells]


def add(one: Burden, other: Burden) -> Burden:
    """The sum of two burdens, agent by agent."""
    return tuple(a + b for a, b in zip(one, other, strict=True))


class TooManySchedules(ValueError):
    """There are more schedules than the limit allows."""


def schedules(problem: Problem, most: int, limit: int) -> list[tuple[tuple[int, ...], Burden]]:
    """(a slot for each meeting, what each agent pays) of every schedule of cost at most `most`, in the slots' order.

    Raises TooManySchedules where there are more than `limit`.
    """
    listed: list[tuple[tuple[int, ...], Burden]] = []
    for schedule in extensions(problem, (), (0,) * problem.agents, most):
        if len(listed) == limit:
            raise TooManySchedules(f"more than {limit} schedules cost at most {most}")
        listed.append(schedule)
    return listed


def extensions(
    problem: Problem, slots: tuple[int, ...], paid: Burden, most: int
) -> Iterator[tuple[tuple[int, ...], Burden]]:
    """(slots, burden) of every schedule of cost at most `most` that begins with the slots given, which cost `paid`."""
    meeting = len(slots)
    if sum(paid) + sum(problem.least[meeting:]) > most:
        return
    if meeting == len(problem.options):
        yield slots, paid
        return
    taken = {slot for other, slot in enumerate(slots) if (other, meeting) in problem.clashes}
    for slot, cost in problem.options[meeting].items():
        if slot not in taken:
            yield from extensions(problem, (*slots, slot), add(paid, cost), most)
