"""What each game would have cost with fewer shortcomings: replays on its own calendars, from the optimum on."""

from collections.abc import Sequence
from functools import cache

import polars as pl

from pipeline.beyond.cost_decomposition.calendars import Boards, initial_boards
from pipeline.beyond.cost_decomposition.decisions import decisions
from pipeline.beyond.cost_decomposition.search import (
    ANY,
    BEST,
    CHEAPEST,
    FIRST,
    OBSERVED,
    TIES,
    Outcome,
    Rules,
    Step,
    TooManyStates,
    least,
)
from pipeline.beyond.cost_decomposition.tables import LADDER_RUNGS
from pipeline.tables.io import polars_schema

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
