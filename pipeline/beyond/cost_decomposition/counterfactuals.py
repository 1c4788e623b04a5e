"""Games replayed with one shortcoming after the other put back: what each costs, in whole numbers."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import polars as pl

from pipeline.beyond.cost_decomposition.search import (
    ANY,
    BEST,
    CHEAPEST,
    FIRST,
    OBSERVED,
    TIES,
    Boards,
    Outcome,
    Rules,
    Step,
    TooManyStates,
    initial_boards,
    least,
)
from pipeline.beyond.cost_decomposition.tables import LADDER_RUNGS
from pipeline.tables.io import polars_schema

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


GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
# Replays that know nothing of the team, and replays of its decisions.
OF_TASK = {
    "clairvoyant_first": Rules(ANY, FIRST),
    "myopic_lucky": Rules(TIES, BEST),
    "myopic_best": Rules(CHEAPEST, BEST),
    "myopic_first": Rules(CHEAPEST, FIRST),
}
OF_TEAM = {
    "team_best": Rules(CHEAPEST, BEST),
    "team_first": Rules(CHEAPEST, FIRST),
    "team_own": Rules(CHEAPEST, OBSERVED),
}


def rungs(
    games: pl.DataFrame, rounds: pl.DataFrame, moves: pl.DataFrame, items: pl.DataFrame, limit: int
) -> pl.DataFrame:
    """One row a game whose optimum is known: the columns of LADDER_RUNGS.

    games, rounds, moves, items: those tables. Raises TooManyStates, naming the game, where a replay with a choice
    takes more than `limit` states.
    """
    known = games.drop_nulls("optimal_cost").sort("game_id")
    boards = initial_boards(items, known)
    chosen = decisions(rounds.join(known.select("game_id"), on="game_id", how="semi"), moves)
    rows = []
    ends = {"optimal": "optimal_cost", "realized": "realized_cost"}
    for game in known.select(*GAME, **ends).iter_rows(named=True):
        name = game["game_id"]
        try:
            found = replays(boards[name], tuple(chosen.get(name, ())), limit)
        except TooManyStates as error:
            raise TooManyStates(f"game {name}: {error}; raise ladder.limit") from error
        rows.append(game | found)
    return pl.DataFrame(rows, schema=polars_schema(LADDER_RUNGS))


def replays(boards: Boards, steps: Sequence[Step], limit: int) -> dict[str, int]:
    """What each replay of a game costs, by the rung's name; `failed` meetings, and `unplaced` of the team's steps."""
    held = [step for step in steps if step.slot is not None]
    stream = tuple(sorted((s.number, s.members) for s in steps if s.leaves is None))
    of_team = {name: least(boards, steps, rules, limit) for name, rules in OF_TEAM.items()}
    outcomes = dict(of_task(boards, stream, limit)) | of_team
    outcomes["team_held"] = least(boards, held, OF_TEAM["team_own"], limit)
    costs = {name: outcome.cost for name, outcome in outcomes.items()}
    return costs | {"failed": len(steps) - len(held), "unplaced": sum(o.unplaced for o in outcomes.values())}


@cache
def of_task(boards: Boards, stream: tuple[tuple[int, tuple[int, ...]], ...], limit: int) -> dict[str, Outcome]:
    """The outcomes of the replays that know nothing of a team; `stream`: (round, members) of each meeting."""
    steps = [Step(members) for _, members in stream]
    return {name: least(boards, steps, rules, limit) for name, rules in OF_TASK.items()}
