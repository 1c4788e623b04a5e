"""The calendars of a replay: what each slot costs to clear, and what a meeting does to them."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

FREE, HELD = -1, -2  # HELD: a meeting or a blocked item, which makes way for nothing

Board = tuple[int, ...]  # of each slot FREE, HELD, or the cost of the errand in it
Boards = tuple[Board, ...]  # one an agent


def initial_boards(items: pl.DataFrame, games: pl.DataFrame) -> dict[str, Boards]:
    """Game → its agents' initial calendars, from the tables items and games."""
    slots: dict[str, list[list[int]]] = {
        game: [[FREE] * size for _ in range(agents)]
        for game, agents, size in games.select("game_id", "num_agents", "num_slots").iter_rows()
    }
    columns = ("game_id", "agent", "slot", "item_kind", "cost", "blocked")
    for game, agent, slot, kind, cost, blocked in items.select(columns).iter_rows():
        if game in slots:
            slots[game][agent][slot] = HELD if blocked or kind == "meeting" else cost
    return {game: tuple(map(tuple, boards)) for game, boards in slots.items()}


def clearing_cost(board: Board, slot: int) -> int | None:
    """What holding a meeting in the slot costs its owner: 0 free, an errand's cost where it can go elsewhere, else None
    (Appendix G.1)."""
    held = board[slot]
    if held == FREE:
        return 0
    return held if held >= 0 and FREE in board else None


def meeting_cost(boards: Boards, members: Iterable[int], slot: int) -> int | None:
    """What a meeting in the slot costs its members together, None where one of them cannot."""
    total = 0
    for agent in members:
        cost = clearing_cost(boards[agent], slot)
        if cost is None:
            return None
        total += cost
    return total


def possible(boards: Boards, members: Sequence[int], slots: Iterable[int]) -> dict[int, int]:
    """Of the slots, those that are possible for all members, each with its cost."""
    costs = ((slot, meeting_cost(boards, members, slot)) for slot in slots)
    return {slot: cost for slot, cost in costs if cost is not None}


def free_slots(board: Board) -> list[int]:
    """The free slots, ascending."""
    return [slot for slot, held in enumerate(board) if held == FREE]


def held_at(board: Board, slot: int, landing: int | None) -> Board:
    """The board with a meeting in the slot, the errand that was there carried to `landing` (None: there was none)."""
    cells = list(board)
    if landing is not None:
        cells[landing] = cells[slot]
    cells[slot] = HELD
    return tuple(cells)


def released(boards: Boards, members: Iterable[int], slot: int) -> Boards:
    """The boards with the slot free again on the members' own."""
    freed = set(members)
    return tuple(
        (*board[:slot], FREE, *board[slot + 1 :]) if agent in freed else board for agent, board in enumerate(boards)
    )


def replaced(boards: Boards, new: Mapping[int, Board]) -> Boards:
    """The boards with those of some agents replaced."""
    return tuple(new.get(agent, board) for agent, board in enumerate(boards))
