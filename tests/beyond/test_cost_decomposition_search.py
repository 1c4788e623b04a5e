"""Replays against every way there is, on calendars of a few slots; and against the oracle."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replays_by_brute_force import every_outcome

from pipeline.beyond.ladder import (
    ANY,
    BEST,
    CHEAPEST,
    FIRST,
    FREE,
    HELD,
    OBSERVED,
    TIES,
    Calendars,
    Outcome,
    Rules,
    Step,
    TooManyStates,
    least_outcome,
)
from sim.calendar import Calendar, Errand
from sim.tasks.oracle import NoSchedule, solve
from sim.tasks.scenario import Meeting

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


def test_an_errand_that_lands_in_the_way_is_paid_again_only_where_it_is_in_the_way() -> None:
    fixed = [Step((0, 1), 0, slot=1), Step((0,), 1, slot=0)]
    assert least_outcome(UNLUCKY, fixed, Rules(landing=BEST)).cost == 1
    assert least_outcome(UNLUCKY, fixed, Rules(landing=FIRST)).cost == 2


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
