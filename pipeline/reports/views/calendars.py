"""All agents' calendars before and after each round, from their first items, the moves and the meetings placed."""

from collections.abc import Mapping, Sequence
from typing import Any

# What a slot holds: kind (errand or meeting), id, cost, blocked.
Item = dict[str, Any]
Grid = list[list[Item | None]]


def initial_grid(items: Sequence[Mapping[str, Any]], agents: int, slots: int) -> Grid:
    """The calendars when the game begins: a list an agent, an entry a slot. items: rows of the table `items`."""
    grid: Grid = [[None] * slots for _ in range(agents)]
    for row in items:
        grid[row["agent"]][row["slot"]] = {
            "kind": row["item_kind"], "id": row["item_id"], "cost": row["cost"], "blocked": row["blocked"],
        }  # fmt: skip
    return grid


def grid_after_round(grid: Grid, moves: Sequence[Mapping[str, Any]], round_row: Mapping[str, Any], cost: int) -> Grid:
    """The calendars after a round: batches are applied one by one, then each participant's meeting is placed.

    moves: the round's rows of `moves`, in order; round_row: its row of `rounds`; cost: what its meeting costs to move.
    """
    grid = [list(calendar) for calendar in grid]
    batches: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for move in moves:
        batches.setdefault((move["event_index"], move["agent"]), []).append(move)
    for (_, agent), batch in sorted(batches.items()):
        _apply_batch(grid[agent], batch)
    for agent, slot in zip(round_row["participants"], round_row["participant_slots"], strict=True):
        if slot is not None and 0 <= slot < len(grid[agent]):
            grid[agent][slot] = {"kind": "meeting", "id": round_row["meeting_id"], "cost": cost, "blocked": False}
    return grid


def _apply_batch(calendar: list[Item | None], batch: Sequence[Mapping[str, Any]]) -> None:
    taken = [calendar[move["from_slot"]] if is_in_calendar(calendar, move["from_slot"]) else None for move in batch]
    for move, held in zip(batch, taken, strict=True):
        if held:
            calendar[move["from_slot"]] = None
    for move, held in zip(batch, taken, strict=True):
        if held and is_in_calendar(calendar, move["to_slot"]):
            calendar[move["to_slot"]] = held


def is_in_calendar(calendar: Sequence[Item | None], slot: int | None) -> bool:
    return slot is not None and 0 <= slot < len(calendar)
