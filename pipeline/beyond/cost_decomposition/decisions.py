"""What a team decided, round by round: the slots that its participants came to hold a meeting in together."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline.beyond.cost_decomposition.search import Step

Row = dict[str, Any]


def decisions(rounds: pl.DataFrame, moves: pl.DataFrame) -> dict[str, list[Step]]:
    """Game → its steps: each coordinated meeting in its slot, and each earlier one that all its participants carried to
    another; then the meetings that failed, in their order, without a slot.

    Where a failed meeting would have gone nobody decided: it is placed last, so that it stands in nobody's way.
    """
    moved: dict[tuple[str, int], list[Row]] = {}
    for move in moves.sort("game_id", "event_index", "action_index").iter_rows(named=True):
        moved.setdefault((move["game_id"], move["round"]), []).append(move)
    return {
        str(game): steps_of(part.sort("round").rows(named=True), moved)
        for (game,), part in rounds.group_by("game_id", maintain_order=True)
    }


def steps_of(rounds: Sequence[Row], moved: dict[tuple[str, int], list[Row]]) -> list[Step]:
    """The steps of one game's rounds, in order."""
    steps, failed = [], []
    agreed: dict[int, tuple[tuple[int, ...], int]] = {}  # meeting → members, slot
    for row in rounds:
        moves = moved.get((row["game_id"], row["round"]), [])
        landings = {(m["agent"], m["from_slot"]): m["to_slot"] for m in moves if m["item_kind"] == "errand"}
        for meeting, (members, slot) in list(agreed.items()):
            carried = carried_away(meeting, members, slot, moves)
            if carried is not None:
                target, price = carried
                agreed[meeting] = members, target
                steps.append(Step(members, row["round"], target, slot, price, landings))
        members = tuple(row["participants"])
        if row["coordinated"]:
            agreed[row["meeting_id"]] = members, row["slot"]
            steps.append(Step(members, row["round"], row["slot"], landings=landings))
        else:
            failed.append(Step(members, row["round"]))
    return steps + failed


def carried_away(meeting: int, members: Sequence[int], slot: int, moves: Sequence[Row]) -> tuple[int, int] | None:
    """(target, what its members paid) where all of them moved the meeting from its slot to one other; else None."""
    own = [m for m in moves if m["item_kind"] == "meeting" and m["item_id"] == meeting and m["from_slot"] == slot]
    targets = {m["to_slot"] for m in own}
    if {m["agent"] for m in own} != set(members) or len(targets) != 1:
        return None
    return targets.pop(), sum(m["cost"] for m in own)
