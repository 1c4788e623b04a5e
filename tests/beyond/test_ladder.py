"""The ladder: replays against every way there is and the oracle, what was decided, and steps that add up."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.beyond.ladder import (
    ANY,
    BEST,
    CHEAPEST,
    FIRST,
    FREE,
    HELD,
    OBSERVED,
    ORDERS,
    STEPS,
    TASK_RULES,
    TEAM_RULES,
    TIES,
    Calendars,
    Outcome,
    Rules,
    Step,
    TooManyStates,
    least_outcome,
    means,
    replays,
    steps,
    steps_of,
)
from pipeline.statistics.resampling import Resampling
from sim.calendar import Calendar, Errand
from sim.tasks.oracle import NoSchedule, solve
from sim.tasks.scenario import Meeting

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


CELL = st.sampled_from([FREE, FREE, 0, 1, 2, 9, HELD])
MEMBERS = st.sampled_from([(0,), (1,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Calendars, list[tuple[int, ...]]]:
    slots = draw(st.integers(2, 4))
    calendars = tuple(tuple(draw(CELL) for _ in range(slots)) for _ in range(3))
    return calendars, draw(st.lists(MEMBERS, min_size=1, max_size=3))


@pytest.mark.parametrize("pick", [CHEAPEST, TIES, ANY])
@pytest.mark.parametrize("landing", [FIRST, BEST])
@settings(max_examples=30)
@given(world=worlds())
def test_the_least_outcome_is_the_least_of_all_ways(
    pick: str, landing: str, world: tuple[Calendars, list[tuple[int, ...]]]
) -> None:
    calendars, meetings = world
    ways = every_outcome([list(b) for b in calendars], meetings, pick, landing)
    assert least_outcome(calendars, [Step(m) for m in meetings], Rules(pick, landing)) == Outcome(*min(ways))


@given(world=worlds())
def test_with_a_free_slot_for_each_meeting_free_choice_comes_to_the_oracle(
    world: tuple[Calendars, list[tuple[int, ...]]],
) -> None:
    calendars, meetings = world
    # As the generator has it: without a slot for each meeting of its own, an agent's errands may have to move twice.
    calendars = tuple((*b, *(FREE,) * sum(agent in m for m in meetings)) for agent, b in enumerate(calendars))
    width = max(map(len, calendars))
    calendars = tuple(b + (HELD,) * (width - len(b)) for b in calendars)
    named = [Calendar([cell(value, slot) for slot, value in enumerate(calendar)]) for calendar in calendars]
    try:
        optimum = solve(named, [Meeting(i, m) for i, m in enumerate(meetings, 1)]).cost
    except NoSchedule:
        assert least_outcome(calendars, [Step(m) for m in meetings], Rules(ANY, BEST)).unplaced > 0
    else:
        assert least_outcome(calendars, [Step(m) for m in meetings], Rules(ANY, BEST)) == Outcome(0, optimum)


def cell(value: int, slot: int) -> Errand | None:
    return None if value == FREE else Errand(slot, max(value, 0), value == HELD)


# Two agents; slot 1 is cheapest for the first meeting, and agent 0's errand there lands on slot 0 or slot 2.
UNLUCKY: Calendars = ((FREE, 1, FREE), (7, FREE, 8))
STREAM = [Step((0, 1), 0), Step((0,), 1)]


def test_a_landing_that_was_seen_is_replayed_and_one_that_is_taken_falls_back_to_the_first_free_slot() -> None:
    later = Step((0,), 1, slot=0)
    for seen, cost in ((2, 1), (0, 2), (1, 2)):
        steps = [Step((0, 1), 0, slot=1, landings={(0, 1): seen}), later]
        assert least_outcome(UNLUCKY, steps, Rules(landing=OBSERVED)).cost == cost


def test_a_meeting_that_is_carried_away_frees_its_slot_and_costs_its_price() -> None:
    steps = [Step((0, 1), 0, slot=1), Step((0, 1), 1, slot=2, leaves=1, price=3), Step((0, 1), 1, slot=1)]
    assert least_outcome(((FREE, FREE, FREE),) * 2, steps, Rules()) == Outcome(0, 3)


def test_a_meeting_without_a_possible_slot_is_counted_and_the_others_are_placed() -> None:
    calendars: Calendars = ((HELD, FREE), (FREE, HELD))
    assert least_outcome(calendars, [Step((0, 1)), Step((0,)), Step((1,))], Rules()) == Outcome(1, 0)


def test_a_search_beyond_its_limit_says_so() -> None:
    with pytest.raises(TooManyStates, match="a replay of 2 meetings takes more than 1 states"):
        least_outcome(UNLUCKY, STREAM, Rules(ANY, BEST), limit=1)


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
