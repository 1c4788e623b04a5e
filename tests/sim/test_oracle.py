from collections import Counter
from itertools import product
from random import Random

import pytest

from sim.calendar import Calendar, Errand
from sim.tasks import oracle
from sim.tasks.oracle import NoSchedule, NotProven, TooManyStates, count, solve
from sim.tasks.scenario import Meeting, Parameters, generate
from sim.tasks.schedules import replay_optimum
from tests.sim.worlds import calendars, meetings

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


@pytest.mark.parametrize("seed", range(12))
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


def test_counts_can_exceed_what_anybody_could_enumerate():
    found = count(calendars([" ".join("." * 16)] * 6), meetings([(a,) for a in range(6)]))
    assert found == oracle.Counts(16**6, 16**6)


HARD = {"num_agents": 6, "num_participants": 3, "num_slots": 16, "num_meetings": 14, "density": 0.9}


@pytest.mark.parametrize("effort", [0.0, 1e-4, 1e-3, 60])
def test_whatever_the_effort_the_best_is_feasible_and_the_bound_below_the_optimum(effort):
    for boards, stream in instances(True, 40):
        tried = every_schedule(boards, stream)
        if tried:
            found = solve(boards, stream, effort, max(tried)[2], keep=True)
            least = min(tried)
            assert (found.cost, found.displaced, found.slots) in ([least] if effort == 60 else tried)
            assert found.cost == least[0] if found.bound is None else found.bound <= least[0] <= found.cost


def test_no_effort_leaves_an_optimum_unproven_and_the_same_twice():
    made = generate(Parameters(seed=3, errand_cost_values=(1, 100, 1000), **HARD))
    found = [solve(made.calendars, made.meetings, 1e-5, made.witness, keep=True) for _ in range(2)]
    assert found[0] == found[1] and found[0].bound < found[0].cost
    with pytest.raises(NotProven, match=r"an effort of 1e-05 proves only .* between \d+ and \d+; give"):
        solve(made.calendars, made.meetings, 1e-5, made.witness)
