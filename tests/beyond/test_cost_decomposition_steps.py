"""The ladder of games played with the scripted rules of the toy traces: what was decided, and steps that add up."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.beyond.ladder import (
    ORDERS,
    STEPS,
    TABLES,
    TASK_RULES,
    TEAM_RULES,
    Step,
    means,
    replays,
    rungs,
    steps,
    steps_of,
)
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import polars_schema
from pipeline.tables.schemas.base import TABLES as DERIVED

RUNGS = ("optimal", *TASK_RULES, *TEAM_RULES, "team_held", "realized")


def a_round(number: int, slot: int | None, members: tuple[int, ...] = (0, 1)) -> dict[str, Any]:
    return {
        "game_id": "g",
        "round": number,
        "meeting_id": number + 1,
        "participants": list(members),
        "coordinated": slot is not None,
        "slot": slot,
    }


def a_move(agent: int, kind: str, item: int, from_slot: int, to_slot: int, cost: int = 1) -> dict[str, Any]:
    named = {"agent": agent, "item_kind": kind, "item_id": item}
    return named | {"from_slot": from_slot, "to_slot": to_slot, "cost": cost}


def test_a_coordinated_meeting_is_a_step_and_a_failed_one_comes_last_without_a_slot() -> None:
    found = steps_of([a_round(0, None), a_round(1, 3)], {("g", 1): [a_move(0, "errand", 7, 3, 5)]})
    assert found == [Step((0, 1), 1, 3, landings={(0, 3): 5}), Step((0, 1), 0)]


def test_an_earlier_meeting_that_all_its_participants_carry_away_is_a_step_of_its_own() -> None:
    moves = [a_move(0, "meeting", 1, 2, 6), a_move(1, "meeting", 1, 2, 6)]
    found = steps_of([a_round(0, 2), a_round(1, 2)], {("g", 1): moves})
    assert found[1] == Step((0, 1), 1, 6, leaves=2, price=2)


@pytest.mark.parametrize(
    "moves",
    [
        [a_move(0, "meeting", 1, 2, 6)],
        [a_move(0, "meeting", 1, 2, 6), a_move(1, "meeting", 1, 2, 7)],
        [a_move(0, "meeting", 9, 2, 6), a_move(1, "meeting", 9, 2, 6)],
    ],
)
def test_a_meeting_that_not_all_carry_to_one_slot_was_not_decided_upon(moves: list[dict[str, Any]]) -> None:
    assert [s.leaves for s in steps_of([a_round(0, 2), a_round(1, 3)], {("g", 1): moves})] == [None, None]


def test_a_game_played_as_the_myopic_rule_has_it_needs_no_information_and_lands_as_the_rule_says() -> None:
    # Agent 0's errand in slot 1 lands on slot 0, its first free one, where the second meeting has to go.
    calendars = ((-1, 1, -1), (7, -1, 8), (-1, 5, 9))
    found = replays(calendars, [Step((0, 1), 0, 1, landings={(0, 1): 0}), Step((0, 2), 1, 0)], 100)
    assert found["myopic_first"] == found["team_own"] == found["team_held"] == 2
    assert found["myopic_best"] == found["team_best"] == 1
    assert (found["failed"], found["unplaced"]) == (0, 0)


COSTS = st.fixed_dictionaries({name: st.integers(0, 5000) for name in RUNGS})


@given(costs=st.lists(COSTS, min_size=1, max_size=4))
def test_in_every_order_the_steps_of_a_game_add_up_to_its_excess(costs: list[dict[str, int]]) -> None:
    games = pl.DataFrame([c | {"game_id": str(i)} for i, c in enumerate(costs)])
    sums = steps(games).group_by("game_id").agg(pl.col(*ORDERS, "average").sum())
    excess = games.select("game_id", excess=pl.col("realized") - pl.col("optimal"))
    for row in sums.join(excess, on="game_id").iter_rows(named=True):
        assert {row[order] for order in ORDERS} == {row["excess"]}
        assert row["average"] == pytest.approx(row["excess"])


def test_a_teams_means_add_up_and_all_difficulties_are_the_mean_of_its_games() -> None:
    common = {"team": "t", "simulated": False, "setting": "uniform", "condition": "standard"}
    rows = [
        common | dict.fromkeys(RUNGS, 0) | {"game_id": g, "task_id": g, "difficulty": d, "realized": paid}
        for g, d, paid in (("a", "easy", 3), ("b", "hard", 9))
    ]
    games = pl.DataFrame(rows)
    found = means(steps(games), games, Resampling(resamples=20))
    assert found.height == 3 * len(STEPS)
    shown = dict(found.filter(step="execution").select("difficulty", "mean").iter_rows())
    assert shown == {"easy": 3.0, "hard": 9.0, "all": 6.0}


def test_tables_without_a_game_make_a_ladder_without_rows() -> None:
    named = {table.name: pl.DataFrame(schema=polars_schema(table)) for table in DERIVED.values()}
    found = rungs(*(named[name] for name in ("games", "rounds", "moves", "items")), limit=1)
    assert found.columns == list(TABLES["ladder_rungs"].names)
    assert means(steps(found), found, Resampling(resamples=20)).is_empty()
