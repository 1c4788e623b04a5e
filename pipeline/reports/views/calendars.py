"""Calendars of all agents before and after each round, from what they first held, what moved, and what was placed."""

from collections.abc import Mapping, Sequence
from typing import Any

# What a slot holds: kind (errand or meeting), id, cost, blocked.
Held = dict[str, Any]
Grid = list[list[Held | None]]


def first_grid(items: Sequence[Mapping[str, Any]], agents: int, slots: int) -> Grid:
    """The calendars when the game begins: a list an agent, an entry a slot. items: rows of that table."""
    grid: Grid = [[None] * slots for _ in range(agents)]
    for row in items:
        grid[row["agent"]][row["slot"]] = {
            "kind": row["item_kind"], "id": row["item_id"], "cost": row["cost"], "blocked": row["blocked"],
        }  # fmt: skip
    return grid


def after_round(grid: Grid, moves: Sequence[Mapping[str, Any]], told: Mapping[str, Any], cost: int) -> Grid:
    """The calendars after a round: each batch moves its items at once, then the meeting stands where each put it.

    moves: the round's rows of `moves`, in order; told: its row of `rounds`; cost: what its meeting costs to move.
    """
    grid = [list(calendar) for calendar in grid]
    batches: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for move in moves:
        batches.setdefault((move["event_index"], move["agent"]), []).append(move)
    for (_, agent), batch in sorted(batches.items()):
        _move(grid[agent], batch)
    for agent, slot in zip(told["participants"], told["participant_slots"], strict=True):
        if slot is not None and 0 <= slot < len(grid[agent]):
            grid[agent][slot] = {"kind": "meeting", "id": told["meeting_id"], "cost": cost, "blocked": False}
    return grid


def _move(calendar: list[Held | None], batch: Sequence[Mapping[str, Any]]) -> None:
    taken = [calendar[move["from_slot"]] if _inside(calendar, move["from_slot"]) else None for move in batch]
    for move, held in zip(batch, taken, strict=True):
        if held:
            calendar[move["from_slot"]] = None
    for move, held in zip(batch, taken, strict=True):
        if held and _inside(calendar, move["to_slot"]):
            calendar[move["to_slot"]] = held


def _inside(calendar: Sequence[Held | None], slot: int | None) -> bool:
    return slot is not None and 0 <= slot < len(calendar)
