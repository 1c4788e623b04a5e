"""Schedules carried out in meeting order: the optimum's, the witness's, and the greedy one (paper, section 3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from sim.calendar import Calendar, Errand, Item, ScheduledMeeting
from sim.tasks.oracle import NoSchedule
from sim.tasks.scenario import Meeting


class Replay(Struct, frozen=True):
    """A schedule carried out in meeting order: a slot a meeting, and what each agent pays."""

    slots: tuple[int, ...]
    per_agent_cost: tuple[int, ...]

    @property
    def cost(self) -> int:
        """What all agents pay together."""
        return sum(self.per_agent_cost)


def replay_optimum(calendars: Sequence[Calendar], meetings: Sequence[Meeting], slots: Sequence[int]) -> Replay:
    """The optimum carried out so that it costs what it should.

    A displaced errand lands on the first free slot that is none of its owner's own meeting slots, so that nothing
    moves twice and the burdens add up to the optimum. Raises NoSchedule where an agent runs out of such slots.
    """
    boards = [list(c.slots) for c in calendars]
    placed = list(zip(meetings, slots, strict=True))
    reserved = [{s for m, s in placed if agent in m.participants} for agent in range(len(boards))]
    costs = [0] * len(boards)
    for meeting, slot in placed:
        place(boards, costs, meeting, slot, reserved)
    return Replay(tuple(slots), tuple(costs))


def replay(calendars: Sequence[Calendar], meetings: Sequence[Meeting], slots: Sequence[int]) -> Replay:
    """The schedule carried out in order, each displaced item landing on its owner's first free slot.

    An earlier meeting is displaced like an errand, on that agent's calendar only: a yardstick, not a valid schedule.
    """
    boards = [list(c.slots) for c in calendars]
    costs = [0] * len(boards)
    for meeting, slot in zip(meetings, slots, strict=True):
        place(boards, costs, meeting, slot)
    return Replay(tuple(slots), tuple(costs))


def greedy(calendars: Sequence[Calendar], meetings: Sequence[Meeting]) -> Replay:
    """Each meeting in its first possible slot, on the calendars as the earlier ones left them.

    Raises NoSchedule where a meeting has none.
    """
    boards = [list(c.slots) for c in calendars]
    costs, slots = [0] * len(boards), []
    for meeting in meetings:
        possible = (s for s in range(len(boards[0])) if all(can_clear(boards[a], s) for a in meeting.participants))
        slot = next(possible, None)
        if slot is None:
            raise NoSchedule(f"the greedy schedule finds no slot for meeting {meeting.id}")
        place(boards, costs, meeting, slot)
        slots.append(slot)
    return Replay(tuple(slots), tuple(costs))


def place(
    boards: Sequence[list[Item | None]],
    costs: list[int],
    meeting: Meeting,
    slot: int,
    reserved: Sequence[Collection[int]] | None = None,
) -> None:
    """Put the meeting on its participants' boards, adding what each pays for what it displaces; nothing displaced goes
    to a slot that its owner has `reserved`."""
    for agent in meeting.participants:
        costs[agent] += displace(boards[agent], slot, reserved[agent] if reserved else ())
        boards[agent][slot] = ScheduledMeeting(meeting.id, meeting.cost, meeting.participants)


def can_clear(board: Sequence[Item | None], slot: int) -> bool:
    """Whether the slot is free, or holds what may go to a free slot."""
    item = board[slot]
    return item is None or (None in board and not (isinstance(item, Errand) and item.blocked))


def displace(board: list[Item | None], slot: int, reserved: Collection[int]) -> int:
    """Move what the slot holds to the first free slot outside `reserved`; its cost, 0 where the slot is free."""
    item = board[slot]
    if item is None:
        return 0
    landing = next((s for s, held in enumerate(board) if held is None and s not in reserved), None)
    if landing is None:
        raise NoSchedule(f"nothing is free for the item displaced from slot {slot}")
    board[landing], board[slot] = item, None
    return item.cost
