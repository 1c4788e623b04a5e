from random import Random

import pytest

from sim.calendar import Errand
from sim.tasks.lists import read_list
from sim.tasks.oracle import solve
from sim.tasks.scenario import ScenarioError, generate
from sim.tasks.suite import blocked, blocked_per_agent, eligible_slots, make_blocked_task, make_listed_task
from tests.sim.test_suite import PAPER72
from tests.sim.worlds import entry, written


@pytest.mark.parametrize(("density", "number"), [(0.0, 1), (0.5, 2), (0.6, 2), (0.8, 4), (1.0, 6)])
def test_the_number_of_blocked_errands_follows_density(density, number):
    assert blocked_per_agent(density) == number


def blocked_slots(task):
    return [[s for s, i in enumerate(c.slots) if isinstance(i, Errand) and i.blocked] for c in task.calendars]


def draw(listed, number, attempt):
    """The slots that the attempt blocks, drawn as the rule says."""
    scenario = generate(listed.parameters)
    rng = Random(f"blocked:{listed.task_id}:{number}:{attempt}")
    return [sorted(rng.sample(eligible_slots(scenario, a), number)) for a in range(len(scenario.calendars))]


@pytest.mark.parametrize("seed", range(3))
def test_the_first_draw_that_leaves_a_schedule_is_kept(seed):
    listed = entry(seed, density=0.6, num_slots=10, num_participants=3)
    scenario = generate(listed.parameters)
    assert len(solve(blocked(scenario.calendars, draw(listed, 2, 0)), scenario.meetings).slots) == 3
    assert blocked_slots(make_blocked_task(listed)) == draw(listed, 2, 0)
    assert draw(listed, 2, 0) != draw(listed, 2, 1)


def test_the_published_tasks_all_have_a_blocked_form():
    for listed in read_list(PAPER72):
        number = blocked_per_agent(listed.parameters.density)
        task, scenario = make_blocked_task(listed), generate(listed.parameters)
        assert task.task_id == f"{listed.task_id}_blocked{number}"
        assert (task.setting, task.condition) == (listed.setting, "blocked")
        for agent, slots in enumerate(blocked_slots(task)):
            assert len(slots) == number
            assert set(slots) <= set(eligible_slots(scenario, agent))
        assert written(task.calendars[0]).replace("x", "") == written(scenario.calendars[0])
        assert task.optimal.cost == sum(task.optimal.per_agent_cost)


def test_a_calendar_with_too_few_errands_says_so():
    with pytest.raises(ScenarioError, match="each agent has 1 errands outside its witness slots to block"):
        make_blocked_task(entry(density=0.1))


# One row what a list says of blocked errands, whether all tasks are to be blocked, and the task that comes out.
WANTED = [
    ({}, False, ("tiny7", "standard", 0)),
    ({}, True, ("tiny7_blocked2", "blocked", 2)),
    ({"blocked_errands": 1}, False, ("tiny7_blocked1", "blocked", 1)),
    ({"blocked_errands": 0}, True, ("tiny7", "standard", 0)),
]


@pytest.mark.parametrize(("given", "are_blocked", "outcome"), WANTED)
def test_a_list_may_say_how_many_errands_are_blocked(given, are_blocked, outcome):
    task = make_listed_task(entry(num_slots=10, **given), are_blocked)
    assert (task.task_id, task.condition, len(blocked_slots(task)[0])) == outcome


def test_neither_a_meeting_s_witness_nor_a_meeting_of_the_start_is_blocked():
    scenario = generate(entry(3, num_slots=16, prior_meetings=2).parameters)
    for agent, calendar in enumerate(scenario.calendars):
        for slot in eligible_slots(scenario, agent):
            assert isinstance(calendar[slot], Errand)
            for meeting, start in zip(scenario.meetings, scenario.witness, strict=True):
                assert agent not in meeting.participants or slot != start
