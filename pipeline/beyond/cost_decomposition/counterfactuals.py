"""What replays of a game cost: under rules that know nothing of the team, and with the team's own decisions."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import polars as pl

from pipeline.beyond.cost_decomposition.schemas import LADDER_RUNGS
from pipeline.beyond.cost_decomposition.search import (
    ANY,
    BEST,
    CHEAPEST,
    FIRST,
    OBSERVED,
    TIES,
    Calendars,
    Outcome,
    Rules,
    Step,
    TooManyStates,
    initial_calendars,
    least_outcome,
)
from pipeline.tables.io import polars_schema

Row = dict[str, Any]

GAME = ("game_id", "team", "simulated", "setting", "condition", "task_id", "difficulty")
# Replays that know nothing of the team, and replays of its decisions.
TASK_RULES = {
    "clairvoyant_first": Rules(ANY, FIRST),
    "myopic_lucky": Rules(TIES, BEST),
    "myopic_best": Rules(CHEAPEST, BEST),
    "myopic_first": Rules(CHEAPEST, FIRST),
}
TEAM_RULES = {
    "team_best": Rules(CHEAPEST, BEST),
    "team_first": Rules(CHEAPEST, FIRST),
    "team_own": Rules(CHEAPEST, OBSERVED),
}


def decisions(rounds: pl.DataFrame, moves: pl.DataFrame) -> dict[str, list[Step]]:
    """Game → its steps: each coordinated meeting in its slot, and each earlier one that all its participants moved to
    another; then the meetings that failed, in their order, without a slot.

    Nobody decided where a failed meeting would have gone: it comes last, so that it is in no other's way.
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
            moved_to = rescheduled(meeting, members, slot, moves)
            if moved_to is not None:
                target, price = moved_to
                agreed[meeting] = members, target
                steps.append(Step(members, row["round"], target, slot, price, landings))
        members = tuple(row["participants"])
        if row["coordinated"]:
            agreed[row["meeting_id"]] = members, row["slot"]
            steps.append(Step(members, row["round"], row["slot"], landings=landings))
        else:
            failed.append(Step(members, row["round"]))
    return steps + failed


def rescheduled(meeting: int, members: Sequence[int], slot: int, moves: Sequence[Row]) -> tuple[int, int] | None:
    """(target, what its members paid) where all of them moved the meeting from its slot to one other; else None."""
    own = [m for m in moves if m["item_kind"] == "meeting" and m["item_id"] == meeting and m["from_slot"] == slot]
    targets = {m["to_slot"] for m in own}
    if {m["agent"] for m in own} != set(members) or len(targets) != 1:
        return None
    return targets.pop(), sum(m["cost"] for m in own)


def rungs(
    games: pl.DataFrame, rounds: pl.DataFrame, moves: pl.DataFrame, items: pl.DataFrame, limit: int
) -> pl.DataFrame:
    """One row a game whose optimum is known: ladder_rungs.

    games, rounds, moves, items: those tables. Raises TooManyStates, naming the game, where a replay with a choice
    takes more than `limit` states.
    """
    known = games.drop_nulls("optimal_cost").sort("game_id")
    calendars = initial_calendars(items, known)
    chosen = decisions(rounds.join(known.select("game_id"), on="game_id", how="semi"), moves)
    rows = []
    ends = {"optimal": "optimal_cost", "realized": "realized_cost"}
    for game in known.select(*GAME, **ends).iter_rows(named=True):
        name = game["game_id"]
        try:
            costs = replays(calendars[name], tuple(chosen.get(name, ())), limit)
        except TooManyStates as error:
            raise TooManyStates(f"game {name}: {error}; raise ladder.limit") from error
        rows.append(game | costs)
    return pl.DataFrame(rows, schema=polars_schema(LADDER_RUNGS))


def replays(calendars: Calendars, steps: Sequence[Step], limit: int) -> dict[str, int]:
    """What each replay of a game costs, by the rung's name; `failed` meetings, and `unplaced` of the team's steps."""
    scheduled = [step for step in steps if step.slot is not None]
    meetings = tuple(sorted((s.number, s.members) for s in steps if s.leaves is None))
    team_outcomes = {name: least_outcome(calendars, steps, rules, limit) for name, rules in TEAM_RULES.items()}
    outcomes = dict(task_outcomes(calendars, meetings, limit)) | team_outcomes
    outcomes["team_held"] = least_outcome(calendars, scheduled, TEAM_RULES["team_own"], limit)
    costs = {name: outcome.cost for name, outcome in outcomes.items()}
    return costs | {"failed": len(steps) - len(scheduled), "unplaced": sum(o.unplaced for o in outcomes.values())}


@cache
def task_outcomes(
    calendars: Calendars, meetings: tuple[tuple[int, tuple[int, ...]], ...], limit: int
) -> dict[str, Outcome]:
    """The outcomes of the replays that know nothing of a team; `meetings`: (round, members) of each meeting."""
    steps = [Step(members) for _, members in meetings]
    return {name: least_outcome(calendars, steps, rules, limit) for name, rules in TASK_RULES.items()}
