"""Optima, burdens and fairness against every schedule there is, on calendars of a few slots."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.beyond.optima import (
    ABOVE,
    INCOMPLETE,
    OPTIMAL,
    Bounds,
    TooManySchedules,
    burdens,
    calendars_of,
    fairness_row,
    gini,
    optimum_rows,
    percentile,
    price_rows,
    problem,
    schedules,
    solved,
    task_row,
)
from pipeline.traces.ingest import fairness as ratio
from sim.calendar import Calendar, Errand
from sim.tasks.oracle import count
from sim.tasks.scenario import Meeting

FREE, BLOCKED = -1, -2
ALL = 10**6
CELL = st.sampled_from([FREE, FREE, 0, 1, 1, 5, BLOCKED])
MEMBERS = st.sampled_from([(0,), (1,), (0, 1), (1, 2), (0, 2), (0, 1, 2)])
Boards = list[list[int]]
World = tuple[Boards, list[tuple[int, ...]]]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    slots = draw(st.integers(2, 4))
    return [[draw(CELL) for _ in range(slots)] for _ in range(3)], draw(st.lists(MEMBERS, min_size=1, max_size=3))


def every_schedule(world: World) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(slots, what each agent pays) of every assignment that breaks no rule."""
    boards, meetings = world
    found = []
    for slots in product(range(len(boards[0])), repeat=len(meetings)):
        pairs = combinations(zip(slots, meetings, strict=True), 2)
        if any(s == t and set(a) & set(b) for (s, a), (t, b) in pairs):
            continue
        held = [
            (agent, boards[agent][slot]) for slot, members in zip(slots, meetings, strict=True) for agent in members
        ]
        if all(cost == FREE or (cost != BLOCKED and FREE in boards[agent]) for agent, cost in held):
            found.append((slots, tuple(sum(max(c, 0) for a, c in held if a == agent) for agent in range(3))))
    return found


def asked(world: World) -> tuple[list[Calendar], list[Meeting]]:
    boards, meetings = world
    cells = [[None if c == FREE else Errand(s, max(c, 0), c == BLOCKED) for s, c in enumerate(b)] for b in boards]
    return [Calendar(slots) for slots in cells], [Meeting(i, m) for i, m in enumerate(meetings, 1)]


@given(world=worlds(), most=st.integers(0, 12))
def test_schedules_and_burdens_up_to_a_cost_are_those_of_every_assignment(world: World, most: int) -> None:
    known = [(slots, burden) for slots, burden in every_schedule(world) if sum(burden) <= most]
    model = problem(*asked(world))
    assert schedules(model, most, ALL) == sorted(known)
    assert burdens(model, most, ALL) == Counter(burden for _, burden in known)


@given(world=worlds(), each=st.integers(0, 6))
def test_a_bound_on_each_agent_keeps_the_burdens_within_it(world: World, each: int) -> None:
    known = Counter(burden for _, burden in every_schedule(world) if max(burden) <= each)
    assert burdens(problem(*asked(world)), ALL, ALL, each) == known


@given(world=worlds().filter(lambda world: bool(every_schedule(world))))
def test_what_the_optima_tell_of_a_task_is_what_every_assignment_tells(world: World) -> None:
    known = every_schedule(world)
    cost = min(sum(b) for _, b in known)
    best = [b for _, b in known if sum(b) == cost]
    task = solved(*asked(world), Bounds(4, (0, 2, 4), ALL))
    row = task_row(task, ALL)
    assert row["optima"] == len(best) == count(*asked(world)).optimal
    assert (row["burdens"], row["unordered_burdens"]) == (len(set(best)), len({tuple(sorted(b)) for b in best}))
    assert row["least_burden"] == [min(b[a] for b in best) for a in range(3)]
    assert row["most_burden"] == [max(b[a] for b in best) for a in range(3)]
    assert (row["least_ratio"], row["best_ratio"]) == (min(map(ratio, best)), max(map(ratio, best)))
    largest = min(max(b) for _, b in known)
    assert row["even_largest"] == largest
    assert row["even_cost"] == min(sum(b) for _, b in known if max(b) == largest)
    for price in price_rows(task, (0, 2, 4)):
        allowed = [b for _, b in known if sum(b) <= cost + price["extra"]]
        assert price["schedules"] == len(allowed)
        assert price["best_ratio"] == max(map(ratio, allowed))
        assert (price["best_gini"], price["least_largest"]) == (min(map(gini, allowed)), min(map(max, allowed)))


# One meeting of both agents: slot 0 costs agent 0 its errand, slot 1 agent 1 its own, slot 2 both of them.
TWO = ([[1, FREE, 2, FREE], [FREE, 1, 2, BLOCKED], [FREE] * 4], [(0, 1)])


def test_two_optima_that_burden_different_agents_leave_the_oracles_burden_open() -> None:
    task = solved(*asked(TWO), Bounds(3, (0, 3), ALL))
    row = task_row(task, ALL)
    assert (row["optima"], row["burdens"], row["unordered_burdens"], row["widest"]) == (2, 2, 1, 1)
    assert [(r["slots"], r["burden"], r["canonical"]) for r in optimum_rows(task)] == [
        ([0], [1, 0, 0], True),
        ([1], [0, 1, 0], False),
    ]


PLAYED = {"meetings": 1, "meetings_scheduled": 1}


@pytest.mark.parametrize(
    ("burden", "scheduled", "against", "is_optimum", "alike", "milder"),
    [
        ((0, 1, 0), 1, OPTIMAL, True, 50.0, 50.0),
        ((2, 2, 0), 1, ABOVE, False, 50.0, 0.0),
        ((3, 0, 0), 1, ABOVE, False, None, 0.0),
        ((0, 0, 0), 0, INCOMPLETE, False, None, 100.0),
    ],
)
def test_a_game_is_compared_with_optima_and_told_whether_it_is_one(
    burden: tuple[int, ...], scheduled: int, against: str, is_optimum: bool, alike: float | None, milder: float
) -> None:
    task = solved(*asked(TWO), Bounds(3, (0,), ALL))
    row = fairness_row(PLAYED | {"meetings_scheduled": scheduled}, burden, task)
    assert (row["against"], row["is_optimum"], row["same_cost_percentile"]) == (against, is_optimum, alike)
    assert (row["largest_percentile"], row["largest_parts"], row["ratios"]) == (milder, 1, 1)


def test_too_many_schedules_or_burdens_are_an_error_that_says_how_many() -> None:
    model = problem(*asked(TWO))
    with pytest.raises(TooManySchedules, match="more than 2 schedules cost at most 4"):
        schedules(model, 4, 2)
    with pytest.raises(TooManySchedules, match="more than 3 burdens"):
        burdens(model, 4, 3)


@pytest.mark.parametrize(
    ("burden", "expected_ratio", "expected_gini"),
    [((0, 0, 0), 1.0, 0.0), ((2, 2, 2), 1.0, 0.0), ((0, 0, 6), 0.0, 2 / 3), ((1, 2, 3), 1 / 3, 2 / 9)],
)
def test_measures_of_fairness(burden: Sequence[int], expected_ratio: float, expected_gini: float) -> None:
    assert ratio(burden) == pytest.approx(expected_ratio)
    assert gini(burden) == pytest.approx(expected_gini)


@pytest.mark.parametrize(("value", "expected"), [(0.0, 12.5), (0.3, 25.0), (0.5, 50.0), (1.0, 87.5), (2.0, 100.0)])
def test_a_percentile_counts_equals_half(value: float, expected: float) -> None:
    assert percentile(value, {0.0: 1, 0.5: 2, 1.0: 1}) == expected


def test_calendars_are_read_from_items_blocked_ones_too() -> None:
    rows = [("errand", 0, 1, 7, 3, False), ("errand", 1, 0, 8, 1, True)]
    items = pl.DataFrame(rows, schema=["item_kind", "agent", "slot", "item_id", "cost", "blocked"], orient="row")
    assert calendars_of(items, 2, 2) == [Calendar([None, Errand(7, 3)]), Calendar([Errand(8, 1, True), None])]
