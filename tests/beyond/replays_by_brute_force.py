"""Every way to carry out a stream of meetings, written down one after the other: nothing is cut off or remembered."""

from collections.abc import Iterator, Sequence
from itertools import product

FREE, HELD = -1, -2
Boards = list[list[int]]


def cost_of(boards: Boards, members: Sequence[int], slot: int) -> int | None:
    cells = [boards[a][slot] for a in members]
    if HELD in cells or any(c >= 0 and FREE not in boards[a] for a, c in zip(members, cells, strict=True)):
        return None
    return sum(c for c in cells if c >= 0)


def slots_of(boards: Boards, members: Sequence[int], pick: str) -> list[int]:
    costs = {s: c for s in range(len(boards[0])) if (c := cost_of(boards, members, s)) is not None}
    least = [s for s in costs if costs[s] == min(costs.values())]
    return {"any": list(costs), "ties": least, "cheapest": least[:1]}[pick]


def every_outcome(
    boards: Boards, meetings: Sequence[Sequence[int]], pick: str, landing: str
) -> Iterator[tuple[int, int]]:
    """(meetings without a slot, what was paid) of every way."""
    if not meetings:
        yield 0, 0
        return
    members, rest = meetings[0], meetings[1:]
    slots = slots_of(boards, members, pick)
    if not slots:
        yield from ((left + 1, paid) for left, paid in every_outcome(boards, rest, pick, landing))
    for slot in slots:
        cost = cost_of(boards, members, slot)
        assert cost is not None
        movers = [a for a in members if boards[a][slot] >= 0]
        free = [[s for s, c in enumerate(boards[a]) if c == FREE][: 1 if landing == "first" else None] for a in movers]
        for targets in product(*free):
            after = [list(board) for board in boards]
            for agent, target in zip(movers, targets, strict=True):
                after[agent][target] = after[agent][slot]
            for agent in members:
                after[agent][slot] = HELD
            yield from ((left, paid + cost) for left, paid in every_outcome(after, rest, pick, landing))
