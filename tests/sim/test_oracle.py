from collections import Counter
from itertools import product
from random import Random

import pytest

from sim.calendar import Calendar, Errand
from sim.tasks import oracle
from sim.tasks.bounded import replay_optimum
from sim.tasks.oracle import NoSchedule, TooManyStates, count, solve
from sim.tasks.scenario import Meeting, Parameters, generate
from tests.sim.worlds import TRIO, calendars, meetings

INSTANCES = 200


def random_instance(rng, blocked):
    """A few agents, slots and meetings; full calendars, lone free slots and crowded meetings all come up."""
    agents, slots = rng.randint(1, 4), rng.randint(2, 6)
    density = rng.choice([0.3, 0.6, 0.9])
    boards = [
        Calendar(
            [
                Errand(a * slots + s, rng.choice([1, 1, 2, 100]), blocked and rng.random() < 0.2)
                if rng.random() < density
                else None
                for s in range(slots)
            ]
        )
        for a in range(agents)
    ]
    lists = [sorted(rng.sample(range(agents), rng.randint(1, agents))) for _ in range(rng.randint(1, 4))]
    return boards, [Meeting(i, tuple(m)) for i, m in enumerate(lists, start=1)]


def test_a_meeting_on_the_calendars_from_the_start_costs_its_holders_what_an_errand_would():
    boards = calendars([". M9(0,1)=7 4", ". M9(0,1)=7 5"])
    assert solve(boards, meetings([(0, 1), (0, 1)])) == oracle.Optimum(9, 2, (0, 2))


def slot_cost(boards, meeting, slot):
    """(cost, displaced) of the meeting in the slot, or None where it can't be there."""
    held = [(boards[a], boards[a][slot]) for a in meeting.participants if boards[a][slot] is not None]
    if any(errand.blocked or all(s is not None for s in board.slots) for board, errand in held):
        return None
    return sum(errand.cost for _, errand in held), len(held)


def every_schedule(boards, stream):
    """(cost, displaced, slots) of all feasible schedules, by trying every assignment."""
    found = []
    for slots in product(range(len(boards[0])), repeat=len(stream)):
        taken = Counter((a, s) for m, s in zip(stream, slots, strict=True) for a in m.participants)
        parts = [slot_cost(boards, m, s) for m, s in zip(stream, slots, strict=True)]
        if max(taken.values()) == 1 and None not in parts:
            found.append((sum(c for c, _ in parts), sum(d for _, d in parts), slots))
    return found


def instances(blocked, number=INSTANCES):
    rng = Random(f"oracle {blocked}")
    return [random_instance(rng, blocked) for _ in range(number)]


@pytest.mark.parametrize("blocked", [False, True])
def test_the_optimum_and_the_counts_are_those_of_trying_everything(blocked):
    infeasible = 0
    for boards, stream in instances(blocked):
        tried = every_schedule(boards, stream)
        least = min(tried, default=None)
        optimal = sum(cost == least[0] for cost, _, _ in tried) if tried else 0
        assert count(boards, stream) == oracle.Counts(len(tried), optimal)
        if least is None:
            infeasible += 1
            with pytest.raises(NoSchedule):
                solve(boards, stream)
            continue
        found = solve(boards, stream)
        assert (found.cost, found.displaced, found.slots) == least
    assert 0 < infeasible < INSTANCES


@pytest.mark.parametrize("largest", [1, 200, 2**20])
def test_objectives_solved_in_stages_give_the_same_optimum(monkeypatch, largest):
    feasible = [(b, m) for b, m in instances(True, 60) if every_schedule(b, m)]
    whole = [solve(b, m) for b, m in feasible]
    monkeypatch.setattr(oracle, "LARGEST_OBJECTIVE", largest)
    assert [solve(b, m) for b, m in feasible] == whole
    assert len(feasible) > 20


def test_large_costs_do_not_overflow_the_solver():
    boards, stream = calendars(["1000000000000 . 999999999999", ". 1000000000001 ."]), meetings([(0, 1), (0, 1)])
    found = solve(boards, stream)
    assert (found.cost, found.displaced, found.slots) == min(every_schedule(boards, stream))
    assert found.slots == (0, 2)


def test_a_slot_costs_what_its_participants_hold_there():
    found = solve(calendars(TRIO[0]), meetings(TRIO[1]))
    assert found == oracle.Optimum(0, 0, (1,))


# One row a stream of meetings on calendars: what the canonical optimum costs, displaces, and where it goes.
CANONICAL = [
    (["2 1", ". 1"], [(0, 1)], None),  # agent 0 has no free slot
    (["2 1 .", ". 1 5"], [(0, 1)], (2, 1, (0,))),  # 2 errands of cost 1 lose to one of cost 2
    (["2 1 2 .", ". 1 . ."], [(0, 1)], (0, 0, (3,))),
    ([". .", ". ."], [(0,), (1,)], (0, 0, (0, 0))),  # strangers may share a slot
    ([". .", ". ."], [(0, 1), (0,)], (0, 0, (0, 1))),
    ([". .", ". ."], [(0, 1), (0,), (1, 0)], None),  # three meetings, two slots
    (["x1 3 .", ". . 2"], [(0, 1), (0, 1)], (5, 2, (1, 2))),  # slot 0 is blocked
    (["x1 x1 ."], [(0,), (0,)], None),
]


@pytest.mark.parametrize(("texts", "lists", "expected"), CANONICAL)
def test_small_optima_are_what_one_finds_by_hand(texts, lists, expected):
    boards, stream = calendars(texts), meetings(lists)
    if expected is None:
        with pytest.raises(NoSchedule):
            solve(boards, stream)
    else:
        found = solve(boards, stream)
        assert (found.cost, found.displaced, found.slots) == expected


def test_no_time_proves_no_optimum():
    scenario = generate(Parameters(seed=1, num_agents=5, num_participants=3, density=1.0))
    with pytest.raises(oracle.NotProven, match="within 0 seconds"):
        solve(scenario.calendars, scenario.meetings, seconds=0)


@pytest.mark.parametrize("seed", range(40))
def test_the_optimum_carried_out_costs_the_optimum(seed):
    values = (1, 100, 1000) if seed % 2 else None
    scenario = generate(Parameters(seed=seed, num_agents=5, num_participants=3, density=1.0, errand_cost_values=values))
    optimum = solve(scenario.calendars, scenario.meetings)
    found = replay_optimum(scenario.calendars, scenario.meetings, optimum.slots)
    assert found.cost == optimum.cost
    for agent, paid in enumerate(found.per_agent_cost):
        own = [s for m, s in zip(scenario.meetings, optimum.slots, strict=True) if agent in m.participants]
        assert paid == sum(scenario.calendars[agent][s].cost for s in own if scenario.calendars[agent][s])


@pytest.mark.parametrize(
    ("lists", "limit", "problem"),
    [
        ([(0,), (1,), (2,)], 3, "share slots in too many ways to count"),
        ([(0, 1, 2)] * 8, 60, "8 meetings on 4 slots are too many to count"),
        ([(0, 1, 2)] * 8, 32, "8 meetings on 4 slots are too many to count"),
        ([(0, 1, 2)] * 8, 1023, "8 meetings on 4 slots are too many to count"),
        ([(0,), (1,), (2,)], 8, "3 meetings on 4 slots are too many to count"),
        ([(0, 1, 2)] * 8, 31, "^8 meetings are too many to count"),
    ],
)
def test_counting_refuses_what_would_take_too_long(lists, limit, problem):
    # Eight meetings of all agents: 256 sets, and 4 slots × 8 groups × 256 sets; a limit allows eight times itself.
    with pytest.raises(TooManyStates, match=problem):
        count(calendars([". . . ."] * 3), meetings(lists), limit=limit)


EIGHT_OF_ALL = pytest.param([(0, 1, 2)] * 8, 1024, marks=pytest.mark.slow)  # 65,536 schedules


@pytest.mark.parametrize(("lists", "limit"), [EIGHT_OF_ALL, ([(0,), (1,), (2,)], 28), ([(0,), (1,)], 8)])
def test_counting_goes_as_far_as_its_limit(lists, limit):
    ways = count(calendars([". . . ."] * 3), meetings(lists), limit=limit).feasible
    assert ways == len(every_schedule(calendars([". . . ."] * 3), meetings(lists)))


def test_two_meetings_are_in_conflict_once_where_they_share_an_agent():
    assert oracle.conflicts(meetings([(0, 1), (1, 2), (3,), (0, 3)])) == [(0, 1), (0, 3), (2, 3)]


def test_meetings_that_crowd_each_other_out_are_named_as_the_reason():
    with pytest.raises(NoSchedule, match=oracle.CROWDED):
        solve(calendars([". ."] * 2), meetings([(0, 1), (0,), (1, 0)]))


def test_criteria_are_packed_as_tightly_as_their_ranges_allow():
    options = [{0: oracle.Placement(4, 1), 1: oracle.Placement(0, 0)}, {1: oracle.Placement(2, 1)}]
    assert [oracle.reach(options, c) for c in ([4, 0, 2], [1, 0, 1], [0, 1, 0])] == [7, 3, 2]
    # Cost comes first, worth three of what displaces, whose largest sum is 2.
    assert oracle.combined(options, [[4, 0, 2], [1, 0, 1]]) == [13, 0, 7]


def test_what_just_fits_the_solver_is_one_objective(monkeypatch):
    options = [{0: oracle.Placement(4, 1), 1: oracle.Placement(0, 0)}]
    monkeypatch.setattr(oracle, "LARGEST_OBJECTIVE", 5 * 2 * 2)
    assert len(oracle.stages(options)) == 1
    monkeypatch.setattr(oracle, "LARGEST_OBJECTIVE", 5 * 2 * 2 - 1)
    assert len(oracle.stages(options)) == 2


def test_counts_can_exceed_what_anybody_could_enumerate():
    found = count(calendars([" ".join("." * 16)] * 6), meetings([(a,) for a in range(6)]))
    assert found == oracle.Counts(16**6, 16**6)
