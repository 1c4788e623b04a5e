"""What a task holds: a scenario with its optimum, its yardsticks and its name; and what contradicts itself in one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from sim.calendar import Calendar, ScheduledMeeting
from sim.tasks.oracle import NoSchedule
from sim.tasks.scenario import MOST_AGENTS, MOST_COST, MOST_MEETINGS, MOST_SLOTS, Meeting, Parameters
from sim.tasks.schedules import Replay, greedy, replay, replay_optimum

MOST_ID = 1_000_000_000  # of a meeting, where traces are read
LONGEST_TEXT = 200


class Schedule(Struct, frozen=True):
    """A slot for each meeting, by meeting id; what it costs in all, and each agent."""

    cost: int
    assignments: dict[int, int]
    per_agent_cost: tuple[int, ...]


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task of a suite. Costs are in cost units; `assignments` map meeting ids to slots.

    `difficulty_score` is the optimum over the number of participant-slots to fill; `displaced_errands` counts what
    the optimum moves. `feasible_assignments` and `optimal_assignments` are None where there were too many to count.
    Where the optimum was not proven, `optimal` is the cheapest schedule found, and `optimal_bound` below it.
    """

    task_id: str
    setting: str
    condition: str
    seed: int
    num_agents: int
    num_participants: int
    num_meetings: int
    num_slots: int
    density: float
    difficulty: str
    parameters: Parameters
    calendars: tuple[Calendar, ...]
    meetings: tuple[Meeting, ...]
    optimal: Schedule
    greedy: Schedule
    witness: Schedule
    displaced_errands: int
    difficulty_score: float
    feasible_assignments: int | None
    optimal_assignments: int | None
    optimal_bound: int | None = None

    @property
    def optimal_proven(self) -> bool:
        """Whether no schedule is cheaper than `optimal`."""
        return self.optimal_bound is None


def contradiction(task: Task) -> str | None:
    """What in the task contradicts itself, or is too large for those who read traces, or None."""
    return next(chain(of_task(task), of_meetings(task), of_schedules(task)), None)


def of_task(task: Task) -> Iterator[str]:
    """Contradictions of its sizes, names and costs."""
    agents, names = len(task.calendars), (task.setting, task.condition, task.difficulty)
    for name, value, most in (
        ("num_agents", task.num_agents, MOST_AGENTS),
        ("num_slots", task.num_slots, MOST_SLOTS),
        ("num_meetings", task.num_meetings, MOST_MEETINGS),
    ):
        if not 1 <= value <= most:
            yield f"{name} is not from 1 to {most}"
    if agents != task.num_agents:
        yield f"num_agents is {task.num_agents}, but there are {agents} calendars"
    if any(len(calendar) != task.num_slots for calendar in task.calendars):
        yield f"a calendar has other than {task.num_slots} slots"
    if not -(2**63) <= task.seed < 2**63:
        yield "the seed has more than 64 bits"
    if any(not 0 <= cost <= MOST_COST for cost in costs_of(task)):
        yield f"a cost is not from 0 to {MOST_COST}"
    if any(len(held) > len(set(held)) for held in map(meetings_on, task.calendars)):
        yield "a calendar has a meeting in two slots"
    if max(map(len, names)) > LONGEST_TEXT:
        yield f"a name has more than {LONGEST_TEXT} characters"
    if task.condition == "adversarial":
        yield "its condition is adversarial, which is a run's (--adversary); write standard"


def of_meetings(task: Task) -> Iterator[str]:
    """Contradictions of the stream of meetings."""
    meetings, sizes = task.meetings, {len(m.participants) for m in task.meetings}
    are_listed = task.parameters.participant_lists == tuple(m.participants for m in meetings)
    if len(meetings) != task.num_meetings:
        yield f"num_meetings is {task.num_meetings}, but there are {len(meetings)}"
    if len({m.id for m in meetings}) < len(meetings):
        yield "two meetings have one id"
    if any(not 0 <= m.id <= MOST_ID for m in meetings):
        yield f"a meeting's id is not from 0 to {MOST_ID}"
    if any(m.duration != 1 for m in meetings):
        yield "a meeting's duration is not 1"
    if any(not set(m.participants) <= set(range(task.num_agents)) for m in meetings):
        yield "a meeting has participants who are no agents"
    if 0 in sizes:
        yield "a meeting has no participants"
    if not are_listed and len(sizes) == 1 and task.num_participants not in sizes:
        yield f"num_participants is {task.num_participants}, but every meeting has {sizes.pop()}"
    if any(len(set(m.participants)) < len(m.participants) for m in meetings):
        yield "a meeting has a participant twice"
    if any(m.speaker_order and sorted(m.speaker_order) != sorted(m.participants) for m in meetings):
        yield "a meeting's speakers are not its participants"


def of_schedules(task: Task) -> Iterator[str]:
    """Contradictions of its optimum and its yardsticks; whether no schedule is cheaper is not looked for."""
    for name, carry_out in (("optimal", replay_optimum), ("greedy", by_the_greedy_rule), ("witness", replay)):
        try:
            if fault := fault_of(task, getattr(task, name), carry_out):
                yield f"its {name} schedule {fault}"
        except NoSchedule as error:
            yield f"its {name} schedule can't be carried out ({error})"
    if task.optimal_bound is not None and not 0 <= task.optimal_bound <= task.optimal.cost:
        yield "its optimal_bound is not from 0 to the cost of its optimal schedule"


def fault_of(task: Task, schedule: Schedule, carry_out: Callable[..., Replay]) -> str | None:
    """What of a schedule is not so when it is carried out anew, or None. Raises NoSchedule where it can't be."""
    if set(schedule.assignments) != {m.id for m in task.meetings}:
        return "has other meetings"
    slots = tuple(schedule.assignments[m.id] for m in task.meetings)
    if any(not 0 <= slot < task.num_slots for slot in slots):
        return "has slots beyond the calendars"
    found = carry_out(task.calendars, task.meetings, slots)
    if found.slots != slots:
        return f"has other slots than {list(found.slots)}"
    if (found.cost, found.per_agent_cost) != (schedule.cost, schedule.per_agent_cost):
        return f"costs {found.cost}, agent by agent {list(found.per_agent_cost)}"
    return None


def by_the_greedy_rule(calendars: Sequence[Calendar], meetings: Sequence[Meeting], slots: Sequence[int]) -> Replay:
    """The one greedy schedule, whatever slots a task states."""
    return greedy(calendars, meetings)


def meetings_on(calendar: Calendar) -> list[int]:
    """The ids of the meetings that stand on the calendar, slot by slot."""
    return [item.meeting_id for item in calendar.slots if isinstance(item, ScheduledMeeting)]


def costs_of(task: Task) -> Iterator[int]:
    """What every item of the task costs."""
    yield from (m.cost for m in task.meetings)
    yield from (item.cost for calendar in task.calendars for item in calendar.slots if item)
