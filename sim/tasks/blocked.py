"""Blocked calendars: some errands of a task made immovable (paper, section 4, Blocked Calendars)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from random import Random

import msgspec

from sim.calendar import Calendar, Errand
from sim.tasks.oracle import NoSchedule
from sim.tasks.scenario import Scenario, ScenarioError, generate, given
from sim.tasks.suite import Entry, Solving, assemble, make_task
from sim.tasks.task import Task

# Where no attempt leaves a feasible task: far beyond what any published task needed.
MOST_ATTEMPTS = 1000


def blocked_per_agent(density: float) -> int:
    """How many errands of each agent are blocked."""
    return max(1, round(6 * density**2))


def make_listed_task(entry: Entry, blocked: bool, solving: Solving = Solving()) -> Task:
    """The task of a list's entry: in its blocked form where the list says how many errands of each agent are, or where
    all are to be `blocked` and the list doesn't say none. Raises ScenarioError, NoSchedule or NotProven."""
    wanted = given(entry.parameters.blocked_errands, int(blocked))
    return make_blocked_task(entry, solving) if wanted else make_task(entry, solving)


def make_blocked_task(entry: Entry, solving: Solving = Solving()) -> Task:
    """The blocked form of a list's entry: the first draw that leaves both the oracle and the greedy a schedule.

    Raises ScenarioError where an agent has too few errands to block, or no draw leaves a schedule.
    """
    number = given(entry.parameters.blocked_errands, blocked_per_agent(entry.parameters.density))
    named = msgspec.structs.replace(entry, task_id=f"{entry.task_id}_blocked{number}")
    scenario = generate(entry.parameters)
    eligible = [eligible_slots(scenario, agent) for agent in range(entry.parameters.num_agents)]
    if min(map(len, eligible)) < number:
        raise ScenarioError(f"the rule 'each agent has {number} errands outside its witness slots to block' fails")
    for attempt in range(MOST_ATTEMPTS):
        rng = Random(f"blocked:{entry.task_id}:{number}:{attempt}")
        slots = [sorted(rng.sample(e, number)) for e in eligible]
        drawn = msgspec.structs.replace(scenario, calendars=blocked(scenario.calendars, slots))
        with suppress(NoSchedule):
            return assemble(named, "blocked", drawn, solving)
    raise ScenarioError(f"the rule 'some draw of {number} blocked errands an agent leaves a schedule' fails")


def eligible_slots(scenario: Scenario, agent: int) -> list[int]:
    """The slots, ascending, that hold an errand and are none of the agent's witness slots."""
    reserved = {s for m, s in zip(scenario.meetings, scenario.witness, strict=True) if agent in m.participants}
    slots = scenario.calendars[agent].slots
    return [s for s, item in enumerate(slots) if isinstance(item, Errand) and s not in reserved]


def blocked(calendars: Sequence[Calendar], slots: Sequence[Collection[int]]) -> tuple[Calendar, ...]:
    """The calendars with each agent's errands in its slots blocked."""
    return tuple(
        Calendar([block(item) if s in chosen else item for s, item in enumerate(calendar.slots)])
        for calendar, chosen in zip(calendars, slots, strict=True)
    )


def block(item: object) -> Errand:
    """The errand, immovable."""
    assert isinstance(item, Errand)
    return msgspec.structs.replace(item, blocked=True)
